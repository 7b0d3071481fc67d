import type { Kind } from "../kinds/kind.ts";
import type { KindContract } from "../model/contract.ts";
import type { ContractMistake } from "./contract-mistake.ts";
import { operationsIn, type OperationTexts, parametersIn } from "./operations-in.ts";

/** Finds parameters that no request could fill: from a field that is not in the key, or as a part of a text that holds more. */
export function checkParameters(kind: Kind, entry: KindContract): ContractMistake[] {
  return [...fieldsOutsideKey(kind, entry), ...mixedTexts(kind, entry)];
}

/** A request is made from the key of its object: a parameter from any other field would be empty. */
function fieldsOutsideKey({ name, naming, fields }: Kind, { params = {}, fields: own }: KindContract) {
  const inKey = Object.keys(naming.toFields({}));
  return Object.entries(params).flatMap(([param, source]): ContractMistake[] => {
    if (!("field" in source) || inKey.includes(source.field) || own[source.field]?.at === undefined) return [];
    const { field } = source;
    const path = ["kinds", name, "params", param];
    const why =
      fields[field]?.access === "write_only" ? "secret, and paths and queries stand in logs" : "not in the key";
    const others = inKey.length === 0 ? "" : `; a parameter can be filled from ${inKey.join(" or ")}`;
    return [
      {
        path,
        summary: `${path.join(".")} is filled from the field ${field} of a ${name}, which is ${why}`,
        hint: `send ${field} in the body, where fields.${field}.at places it${others}`,
      },
    ];
  });
}

/** An id may be known only when the request is sent, and then it takes the place of the whole text. */
function mixedTexts({ name }: Kind, entry: KindContract): ContractMistake[] {
  const { params = {} } = entry;
  const isId = (param: string) => param === "id" || (Object.hasOwn(params, param) && "id_of" in (params[param] ?? {}));
  return filledTexts(entry).flatMap(([below, value]): ContractMistake[] => {
    const [first, ...others] = parametersIn(value);
    if (first === undefined || (others.length === 0 && (!isId(first) || value === `{${first}}`))) return [];
    const path = ["kinds", name, ...below];
    const summary = `${path.join(".")} holds ${others.length > 0 ? "several parameters" : `text beside the id {${first}}`}`;
    const hint = `write one parameter alone, such as "{${first}}"; if the API wants more, an adapter can translate it`;
    return [{ path, summary, hint }];
  });
}

/** Returns the texts that parameters are filled into, with their paths: of queries, bodies and conditions, but not the paths of requests. */
function filledTexts(entry: KindContract): [path: readonly string[], text: string][] {
  const lookups = Object.entries(entry.params ?? {}).flatMap(([param, source]) =>
    "lookup" in source ? [[["params", param, "lookup"], source.lookup] as const] : [],
  );
  return [...operationsIn(entry), ...lookups].flatMap(([below, words]) => {
    const { query = {}, body = {}, where = [] }: OperationTexts = words;
    const compared = where.flatMap(({ equals }, index) =>
      equals.map((value, nth) => [["where", `${index}`, "equals", `${nth}`], value] as const),
    );
    const placed = Object.entries({ query, body }).flatMap(([word, values]) =>
      Object.entries(values).map(([key, value]) => [[word, key], value] as const),
    );
    return [...placed, ...compared].flatMap(([path, value]): [readonly string[], string][] =>
      typeof value === "string" ? [[[...below, ...path], value]] : [],
    );
  });
}
