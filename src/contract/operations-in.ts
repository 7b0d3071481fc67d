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

/** The parts of a request in which parameters may stand. */
export type OperationTexts = Pick<OperationContract, "path" | "query" | "body"> & Pick<ListContract, "where">;

/** Returns all texts of a request in which parameters may stand, in one. */
export const textsOf = ({ path, query = {}, body = {}, where = [] }: OperationTexts): string =>
  [path, ...Object.values(query), ...Object.values(body), ...where.flatMap(({ equals }) => equals)]
    .filter((value) => typeof value === "string")
    .join(" ");

/** Returns the names in braces of a text. */
export const parametersIn = (text: string) => [...text.matchAll(/\{(\w+)\}/gu)].map(([, name = ""]) => name);
