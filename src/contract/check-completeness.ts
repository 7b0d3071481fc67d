import { defaultContract } from "./entry.ts";
import { checkSets } from "./check-sets.ts";
import { checkSpelling } from "./spelling/check-spelling.ts";
import { findKind, kinds } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Contract, KindContract, ParamContract } from "../model/contract.ts";
import { nearest } from "../model/nearest.ts";
import { checkAnswers } from "./check-answers.ts";
import { checkRequired } from "./check-required.ts";
import { checkRequests } from "./check-requests.ts";
import type { ContractMistake } from "./contract-mistake.ts";
import { operationsIn, parametersIn, textsOf } from "./operations-in.ts";

/**
 * Finds names that a contract makes up, and what it leaves open of what it offers: fields without a place, an object without a name or an
 * id, a parameter that nothing fills. A kind, a field or an operation without an entry is lacking, which is no mistake; only a contract
 * that extends v2026, which has all of them, must say so of a field.
 */
export function checkCompleteness(contract: Contract): ContractMistake[] {
  const unknown = unknownNames(
    ["kinds"],
    Object.keys(contract.kinds),
    kinds.map(({ name }) => name),
  );
  const each = kinds.flatMap((kind) => {
    const entry = contract.kinds[kind.name];
    if (!entry) return [];
    return [
      ...unknownFields(kind, entry),
      ...missingFields(contract, kind, entry),
      ...misplacedFields(kind, entry),
      ...missingValues(kind, entry),
      ...lackingParents(contract, kind, entry),
      ...unfilledParameters(kind, entry),
      ...(contract.extends === defaultContract ? [] : checkRequired(kind, entry)),
      ...checkRequests(kind, entry),
      ...checkSpelling(kind, entry),
      ...checkSets(kind, entry),
    ];
  });
  return [...unknown, ...each, ...checkAnswers(contract)];
}

function unknownNames(path: readonly string[], names: readonly string[], known: readonly string[]): ContractMistake[] {
  return names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = nearest(name, known);
      const hint = near === undefined ? `one of ${known.join(", ")}` : `did you mean ${near}?`;
      return { path: [...path, name], summary: `there is no ${path.join(".")}.${name}`, hint, key: true };
    });
}

/** The fields of a kind that an API can have. */
const fieldsOf = (kind: Kind) =>
  Object.entries(kind.fields).flatMap(([field, { access }]) => (access === "manifest_only" ? [] : [field]));

const isAbsent = (entry: KindContract, field: string) =>
  entry.fields[field] === undefined || entry.fields[field].absent === true;

function unknownFields(kind: Kind, entry: KindContract): ContractMistake[] {
  const path = ["kinds", kind.name];
  const known = fieldsOf(kind);
  return [
    ...unknownNames([...path, "fields"], Object.keys(entry.fields), known),
    ...unknownNames([...path, "update_of"], Object.keys(entry.update_of ?? {}), known),
  ];
}

function missingFields(contract: Contract, kind: Kind, entry: KindContract): ContractMistake[] {
  const path = ["kinds", kind.name, "fields"];
  const { optional = [], toFields } = kind.naming;
  const ofKey = Object.keys(toFields({})).filter((field) => !kind.scope.includes(field) && !optional.includes(field));
  const named = entry.named_by === undefined ? ofKey : [];
  if (kind.members && !named.includes(kind.members.identity)) named.push(kind.members.identity);
  return [
    ...named
      .filter((field) => isAbsent(entry, field))
      .map((field) => ({
        path,
        summary: `${path.join(".")} has no place for ${field}, by which a ${kind.name} is known`,
        hint: `write ${field}: { at: /… }; if the API has nothing like it, Hostform cannot manage this kind there`,
      })),
    ...(contract.extends === defaultContract ? fieldsOf(kind) : [])
      .filter((field) => !Object.hasOwn(entry.fields, field) && !named.includes(field))
      .map((field) => ({
        path,
        summary: `${path.join(".")} has no entry for ${field}`,
        hint: `write its place, or ${field}: { absent: true }`,
      })),
  ];
}

function misplacedFields(kind: Kind, entry: KindContract): ContractMistake[] {
  return Object.entries(entry.fields)
    .filter(([, { at, parts, absent }]) => at === undefined && parts === undefined && absent !== true)
    .map(([field]) => ({
      path: ["kinds", kind.name, "fields", field],
      summary: `kinds.${kind.name}.fields.${field} does not say where the field stands`,
      hint: "write at: /…, or absent: true",
    }));
}

function missingValues(kind: Kind, entry: KindContract): ContractMistake[] {
  return Object.entries(kind.fields)
    .filter(([field, { listed }]) => listed && !isAbsent(entry, field) && !entry.fields[field]?.values)
    .map(([field]) => ({
      path: ["kinds", kind.name, "fields", field],
      summary: `kinds.${kind.name}.fields.${field} lists no values that the API takes`,
    }));
}

/** Finds ids of objects of kinds that the contract has not. */
function lackingParents(contract: Contract, kind: Kind, { fields, params = {}, operations }: KindContract) {
  const path = ["kinds", kind.name];
  const named: [path: readonly string[], name: string][] = [
    ...Object.entries(fields).flatMap(([field, { id_of: parent }]): [string[], string][] =>
      parent === undefined ? [] : [[[...path, "fields", field, "id_of"], parent]],
    ),
    ...Object.entries(params).flatMap(([param, source]): [string[], string][] =>
      "id_of" in source ? [[[...path, "params", param, "id_of"], source.id_of]] : [],
    ),
    ...Object.entries(operations.list.for_each ?? {}).map(([param, parent]): [string[], string] => [
      [...path, "operations", "list", "for_each", param],
      parent,
    ]),
  ];
  const known = Object.keys(contract.kinds).filter((name) => contract.kinds[name] && findKind(name));
  return named
    .filter(([, name]) => !known.includes(name))
    .map(([at, name]): ContractMistake => {
      const near = nearest(name, known);
      return {
        path: at,
        summary: `${at.join(".")} names ${name}, which the contract has no kind of`,
        hint:
          near === undefined ? `add kinds.${name}, or fill it from the key: { key: PART }` : `did you mean ${near}?`,
      };
    });
}

/** Whether a request is about an object that there is. */
const isOfObject = (path: readonly string[]) => !["list", "create"].includes(path.at(-1) ?? "");

/** Finds parameters that nothing defines: an object's id where it has none, or where there is no object yet. */
function unfilledParameters(kind: Kind, entry: KindContract): ContractMistake[] {
  const own = ["kinds", kind.name];
  const defined = new Set([...Object.keys(entry.params ?? {}), ...Object.keys(entry.operations.list.for_each ?? {})]);
  const inOperations = operationsIn(entry).flatMap(([path, operation]) =>
    [...new Set(parametersIn(textsOf(operation)))]
      .filter((name) => !defined.has(name) && !(name === "id" && entry.id !== undefined && isOfObject(path)))
      .map((name): ContractMistake => {
        const at = [...own, ...path];
        return name === "id" && isOfObject(path)
          ? {
              path: at,
              summary: `${at.join(".")} uses {id}, and kinds.${kind.name} does not say where an object holds its id`,
              hint: `write kinds.${kind.name}.id, such as id: /id`,
            }
          : { path: at, summary: `${at.join(".")} uses {${name}}, which kinds.${kind.name}.params does not define` };
      }),
  );
  return [
    ...inOperations,
    ...Object.entries(entry.params ?? {}).flatMap(([param, source]) => checkParam(kind, entry, param, source)),
  ];
}

function checkParam(kind: Kind, entry: KindContract, param: string, source: ParamContract): ContractMistake[] {
  const path = ["kinds", kind.name, "params", param];
  if ("field" in source && isAbsent(entry, source.field)) {
    const near = nearest(source.field, Object.keys(entry.fields));
    const hint = near === undefined ? {} : { hint: `did you mean ${near}?` };
    return [
      { path, summary: `${path.join(".")} is filled from the field ${source.field}, which has no entry`, ...hint },
    ];
  }
  return "lookup" in source
    ? parametersIn(textsOf(source.lookup))
        .filter((name) => !Object.hasOwn(entry.params ?? {}, name))
        .map((name) => ({
          path,
          summary: `${path.join(".")} uses {${name}}, which kinds.${kind.name}.params does not define`,
        }))
    : [];
}
