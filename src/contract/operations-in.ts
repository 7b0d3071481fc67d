import type { KindContract, ListContract, OperationContract } from "../model/contract.ts";

/** An operation with its path in the entry of its kind. */
export type PlacedOperation = readonly [path: readonly string[], operation: OperationContract];

/** Returns every request of a kind, with its path. */
export function operationsIn({ operations, update_of: updates = {}, after }: KindContract): PlacedOperation[] {
  return [
    ...Object.entries(operations).flatMap(([name, operation]): PlacedOperation[] => {
      if (operation === "implicit") return [];
      if ("path" in operation) return [[["operations", name], operation]];
      const { update, members: _members, ...others } = operation;
      const updates = update.map((each, index): PlacedOperation => [["operations", name, "update", `${index}`], each]);
      return [...named(["operations", name], others), ...updates];
    }),
    ...Object.entries(updates).flatMap(([field, update]) =>
      "on" in update ? named(["update_of", field], update) : named(["update_of"], { [field]: update }),
    ),
    ...named([], { after }),
  ];
}

const named = (
  path: readonly string[],
  operations: Readonly<Record<string, OperationContract | undefined>>,
): PlacedOperation[] =>
  Object.entries(operations).flatMap(([name, operation]): PlacedOperation[] =>
    operation ? [[[...path, name], operation]] : [],
  );

/** Returns the requests that look parameters of a kind up, each with its parameter. */
export const lookupsIn = ({ params = {} }: KindContract) =>
  Object.entries(params).flatMap(([param, source]) => ("lookup" in source ? [[param, source.lookup] as const] : []));

/** The parts of a request in which parameters may stand. */
export type OperationTexts = Pick<OperationContract, "path" | "query" | "body"> & Pick<ListContract, "where">;

/** Returns the texts of a request that parameters are filled into, beside its path, each with its place in it. */
export function textsIn({
  query = {},
  body = {},
  where = [],
}: OperationTexts): [place: readonly string[], text: string][] {
  const placed = Object.entries({ query, body }).flatMap(([word, values]) =>
    Object.entries(values).map(([key, value]) => [[word, key], value] as const),
  );
  const compared = where.flatMap(({ equals }, index) =>
    equals.map((value, nth) => [["where", `${index}`, "equals", `${nth}`], value] as const),
  );
  return [...placed, ...compared].flatMap(([place, value]): [readonly string[], string][] =>
    typeof value === "string" ? [[place, value]] : [],
  );
}

/** Returns all texts of a request in which parameters may stand, in one. */
export const textsOf = (texts: OperationTexts): string =>
  [texts.path, ...textsIn(texts).map(([, text]) => text)].join(" ");

/** Returns the names in braces of a text. */
export const parametersIn = (text: string) => [...text.matchAll(/\{(\w+)\}/gu)].map(([, name = ""]) => name);
