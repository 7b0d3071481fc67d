import { defaultContract } from "./entry.ts";
import { checkSets } from "./check-sets.ts";
import { checkSpelling } from "./spelling/check-spelling.ts";
import { findKind, kinds } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Contract, KindContract, ParamContract } from "../model/contract.ts";
import { nearest } from "../model/nearest.ts";
import { nearestField, nearestKind } from "./nearest-name.ts";
import { checkAnswers } from "./check-answers.ts";
import { checkHeaders } from "./check-headers.ts";
import { checkParameters } from "./check-parameters.ts";
import { checkParents } from "./check-parents.ts";
import { checkPlaces } from "./check-places.ts";
import { checkRequired } from "./check-required.ts";
import { checkRequests, partsOfKey } from "./check-requests.ts";
import type { ContractMistake } from "./contract-mistake.ts";
import { operationsIn, parametersIn, textsOf } from "./operations-in.ts";

/**
 * Finds names that a contract makes up, and what it leaves open of what it offers: fields without a place, an object without a name or an
 * id, a parameter that nothing fills. A kind, a field or an operation without an entry is lacking, which is not a mistake; only a contract
 * that extends v2026, which has all of them, must say so of a field.
 * @param unchecked the names of further kinds, whose entries are wrong in their form.
 * @param isWhole whether the rules for all kinds have the right form; else they are not looked at.
 */
export function checkCompleteness(
  contract: Contract,
  unchecked: ReadonlySet<string> = new Set(),
  isWhole = true,
): ContractMistake[] {
  const names = kinds.map(({ name }) => name);
  const written = [...Object.keys(contract.kinds), ...unchecked];
  const unknown = unknownNames(["kinds"], written, names, nearestKind);
  const parents = written.filter((name) => contract.kinds[name] !== null && findKind(name));
  const each = kinds.flatMap((kind) => {
    const entry = contract.kinds[kind.name];
    if (!entry) return [];
    return [
      ...unknownFields(kind, entry),
      ...missingFields(contract, kind, entry),
      ...misplacedFields(kind, entry),
      ...missingValues(kind, entry),
      ...lackingParents(parents, kind, entry),
      ...unfilledParameters(kind, entry),
      ...unusedParameters(kind, entry),
      ...(contract.extends === defaultContract ? [] : checkRequired(kind, entry)),
      ...checkParameters(kind, entry),
      ...checkRequests(kind, entry),
      ...checkSpelling(kind, entry),
      ...checkSets(kind, entry),
      ...checkPlaces(contract, kind, entry),
      ...checkParents(contract, kind, entry),
    ];
  });
  return [...unknown, ...each, ...(isWhole ? [...checkHeaders(contract), ...checkAnswers(contract)] : [])];
}

function unknownNames(
  path: readonly string[],
  names: readonly string[],
  known: readonly string[],
  meant: (name: string) => string | undefined,
): ContractMistake[] {
  return names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = meant(name);
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
  const meant = (name: string) => nearestField(name, known);
  return [
    ...unknownNames([...path, "fields"], Object.keys(entry.fields), known, meant),
    ...unknownNames([...path, "update_of"], Object.keys(entry.update_of ?? {}), known, meant),
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
        key: true as const,
        summary: `${path.join(".")} has no place for ${field}, by which a ${kind.name} is known`,
        hint: `write ${field}: { at: /… }; if the API has nothing like it, Hostform cannot manage this kind there`,
      })),
    ...(contract.extends === defaultContract ? fieldsOf(kind) : [])
      .filter((field) => !Object.hasOwn(entry.fields, field) && !named.includes(field))
      .map((field) => ({
        path,
        key: true as const,
        summary: `${path.join(".")} has no entry for ${field}`,
        hint: `write its place, or ${field}: { absent: true }`,
      })),
  ];
}

function misplacedFields(kind: Kind, entry: KindContract): ContractMistake[] {
  return Object.entries(entry.fields)
    .filter(([, { at, absent }]) => at === undefined && absent !== true)
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
      hint: `write values: [ … ], such as values: [A, AAAA, CNAME, MX, TXT] for the type of a DNS record`,
    }));
}

/** Finds ids of objects of kinds that the contract has not. */
function lackingParents(known: readonly string[], kind: Kind, { fields, params = {}, operations }: KindContract) {
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

/** Whether a request is about an object that there is; one after writes is about their list. */
const isOfObject = (path: readonly string[]) => !["list", "create", "after"].includes(path.at(-1) ?? "");

/** Finds parameters that nothing defines: an object's id where it has none, or where there is no object yet. */
function unfilledParameters(kind: Kind, entry: KindContract): ContractMistake[] {
  const own = ["kinds", kind.name];
  const defined = new Set(Object.keys(entry.params ?? {}));
  const parents = new Set(Object.keys(entry.operations.list.for_each ?? {}));
  // An object that is not created yet stands in no parent's list.
  const isFilled = (name: string, path: readonly string[]) =>
    defined.has(name) ||
    (parents.has(name) && (isOfObject(path) || path.at(-1) === "list")) ||
    (name === "id" && entry.id !== undefined && isOfObject(path));
  const unfilled = operationsIn(entry).flatMap(([path, operation]) =>
    [...new Set(parametersIn(textsOf(operation)))]
      .filter((name) => !isFilled(name, path))
      .map((name) => ({ name, path, isId: name === "id" && isOfObject(path) })),
  );
  return [
    ...missingId(
      kind,
      unfilled.flatMap(({ isId, path }) => (isId ? [path] : [])),
    ),
    ...unfilled.filter(({ isId }) => !isId).map(({ name, path }) => undefinedParameter(kind, [...own, ...path], name)),
    ...Object.entries(entry.params ?? {}).flatMap(([param, source]) => checkParam(kind, entry, param, source)),
  ];
}

/** Returns one mistake for all requests that need the id of an object that has none. */
function missingId({ name }: Kind, [first, ...others]: readonly (readonly string[])[]): ContractMistake[] {
  if (!first) return [];
  const more =
    others.length === 0
      ? ""
      : `, as ${others.length === 1 ? "does" : "do"} ${others.map((path) => path.join(".")).join(" and ")}`;
  const path = ["kinds", name, ...first];
  return [
    {
      path,
      summary: `${path.join(".")} uses {id}${more}, and kinds.${name} does not say where an object holds its id`,
      hint: `write kinds.${name}.id, such as id: /id`,
    },
  ];
}

const undefinedParameter = (kind: Kind, path: readonly string[], name: string): ContractMistake => ({
  path,
  summary: `${path.join(".")} uses {${name}}, which kinds.${kind.name}.params does not define`,
  hint: `write params: { ${name}: { key: PART } } with a part of the key of the ${kind.name} (${partsOfKey(kind).join(", ")}), or { id_of: KIND, key: { … } } for the id of a parent`,
});

/** Finds parameters that no path, query, body or condition uses. */
function unusedParameters(kind: Kind, entry: KindContract): ContractMistake[] {
  const params = Object.entries(entry.params ?? {});
  const lookups = params.flatMap(([, source]) => ("lookup" in source ? [source.lookup] : []));
  const requests = [...operationsIn(entry).map(([, operation]) => operation), ...lookups];
  const used = new Set(requests.flatMap((request) => parametersIn(textsOf(request))));
  return params
    .filter(([param]) => !used.has(param))
    .map(([param]) => ({
      path: ["kinds", kind.name, "params", param],
      summary: `kinds.${kind.name}.params.${param} is used by no request`,
      hint: `write {${param}} in the path of a request or in its query, such as query: { ${param}: "{${param}}" }, in its body or in a condition of where, or take ${param} out`,
      key: true,
      isWarning: true,
    }));
}

function checkParam(kind: Kind, entry: KindContract, param: string, source: ParamContract): ContractMistake[] {
  const path = ["kinds", kind.name, "params", param];
  if (Object.keys(source).every((word) => word === "at"))
    return [
      {
        path,
        summary: `${path.join(".")} does not say what fills it`,
        hint: "write { key: PART } with a part of the key, { id_of: KIND, key: { … } }, { field: NAME } or { lookup: { … } }",
      },
    ];
  if ("field" in source && isAbsent(entry, source.field)) {
    const near = nearest(source.field, Object.keys(entry.fields));
    const hint = near === undefined ? `one of ${Object.keys(entry.fields).join(", ")}` : `did you mean ${near}?`;
    return [{ path, summary: `${path.join(".")} is filled from the field ${source.field}, which has no entry`, hint }];
  }
  return "lookup" in source
    ? parametersIn(textsOf(source.lookup))
        .filter((name) => !Object.hasOwn(entry.params ?? {}, name))
        .map((name) => undefinedParameter(kind, path, name))
    : [];
}
