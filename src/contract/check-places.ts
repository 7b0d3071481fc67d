import { findKind } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Contract, KindContract } from "../model/contract.ts";
import type { ContractMistake } from "./contract-mistake.ts";
import { operationsIn, parametersIn } from "./operations-in.ts";

/** Finds places that cannot hold what is asked of them: the id of a parent that has none, two fields in one place, types that there are not. */
export function checkPlaces(contract: Contract, kind: Kind, entry: KindContract): ContractMistake[] {
  return [
    ...parentsWithoutId(contract, kind, entry),
    ...emptySegments(kind, entry),
    ...sharedPlaces(kind, entry),
    ...unknownValues(kind, entry),
  ];
}

function parentsWithoutId({ kinds }: Contract, { name }: Kind, { fields, params = {}, operations }: KindContract) {
  const path = ["kinds", name];
  const ids: (readonly [path: readonly string[], parent: string])[] = [
    ...Object.entries(fields).flatMap(([field, { id_of: parent }]) =>
      parent === undefined ? [] : [[[...path, "fields", field, "id_of"], parent] as const],
    ),
    ...Object.entries(params).flatMap(([param, source]) =>
      "id_of" in source && source.at === undefined
        ? [[[...path, "params", param, "id_of"], source.id_of] as const]
        : [],
    ),
    ...Object.entries(operations.list.for_each ?? {}).map(
      ([param, parent]) => [[...path, "operations", "list", "for_each", param], parent] as const,
    ),
  ];
  return ids.flatMap(([at, parent]): ContractMistake[] => {
    const own = findKind(parent) && kinds[parent];
    return own && own.id === undefined
      ? [
          {
            path: at,
            summary: `${at.join(".")} is the id of a ${parent}, and kinds.${parent} does not say where an object holds its id`,
            hint: `write kinds.${parent}.id, such as id: /id`,
          },
        ]
      : [];
  });
}

/** Finds paths with a field that is not a single text in the API, or an empty one for some values: no segment of a path is empty. */
function emptySegments({ name: kind }: Kind, entry: KindContract): ContractMistake[] {
  const mayBeEmpty = (param: string) => {
    const source = entry.params?.[param];
    const { as = [], map = {}, sentinel, parts } = (source && "field" in source && entry.fields[source.field]) || {};
    return (
      parts !== undefined ||
      as.includes("empty_apex") ||
      sentinel === "" ||
      Object.values(map).some((words) => [words].flat()[0] === "")
    );
  };
  return operationsIn(entry).flatMap(([below, { path: text }]) =>
    parametersIn(text)
      .filter(mayBeEmpty)
      .map((param): ContractMistake => {
        const path = ["kinds", kind, ...below, "path"];
        const summary = `${path.join(".")} uses {${param}}, whose field is not a text of its own, or is empty, for some values: no part of a path can be empty`;
        return {
          path,
          summary,
          hint: `write {${param}} in the query or in the body, or the id of the object in the path`,
        };
      }),
  );
}

/** Two fields that are written to one place: one would overwrite the other. */
function sharedPlaces(kind: Kind, { fields }: KindContract): ContractMistake[] {
  const first = new Map<string, string>();
  return Object.entries(fields).flatMap(([field, { at, absent, parts }]): ContractMistake[] => {
    const access = kind.fields[field]?.access;
    if (at === undefined || absent === true || parts || access === undefined || access === "read_only") return [];
    const other = first.get(at);
    if (other === undefined) {
      first.set(at, field);
      return [];
    }
    const path = ["kinds", kind.name, "fields", field, "at"];
    const summary = `${path.slice(0, -1).join(".")} stands at ${at}, where ${other} stands: one would overwrite the other`;
    return [{ path, summary, hint: "write a place of its own, or absent: true for what the API lacks" }];
  });
}

/** A word of no standard is likely misspelled, but may be the vendor's own. */
function unknownValues(kind: Kind, { fields }: KindContract): ContractMistake[] {
  return Object.entries(kind.fields).flatMap(([field, { listed }]) => {
    const { values = [] } = (listed && fields[field]) ?? {};
    return values.flatMap((value, index): ContractMistake[] => {
      if (listed?.isWord(value) !== false || value.includes("*")) return [];
      return [
        {
          path: ["kinds", kind.name, "fields", field, "values", `${index}`],
          summary: `kinds.${kind.name}.fields.${field} takes ${value}, which is not a ${field} that Hostform knows`,
          hint: "check its spelling; the content of an unknown one is text that Hostform does not check",
          isWarning: true,
        },
      ];
    });
  });
}
