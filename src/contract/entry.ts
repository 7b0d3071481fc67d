import type { Kind } from "../kinds/kind.ts";
import type { Contract, KindContract, OperationContract } from "../model/contract.ts";
import { writesSets } from "./sets.ts";

/** The contract that is used where none is named. */
export const defaultContract = "v2026";

/** Operations on single objects. */
export type OperationName = "list" | "read" | "create" | "update" | "delete" | "renew";

/** Whether the API has objects of a kind at all. */
export const hasKind = (contract: Contract, { name }: Kind): boolean => (contract.kinds[name] ?? null) !== null;

/** Operations that requests for a whole set, or for a whole list, stand for. */
const ofSets: ReadonlySet<OperationName> = new Set(["create", "update", "delete"]);

/** Whether the API offers an operation on a kind. */
export function offers(contract: Contract, kind: Kind, operation: OperationName): boolean {
  const entry = contract.kinds[kind.name];
  if (!entry) return false;
  return operationOf(entry, operation) !== undefined || (ofSets.has(operation) && writesSets(entry));
}

/** Whether the API can change these fields of an object that exists. */
export function offersUpdate(contract: Contract, kind: Kind, fields: readonly string[]): boolean {
  const { update_of: own = {} } = contract.kinds[kind.name] ?? {};
  return offers(contract, kind, "update") || (fields.length > 0 && fields.every((name) => Object.hasOwn(own, name)));
}

/** Returns a request of a kind; undefined where the API offers none, or the server acts by itself. */
export function operationOf({ operations }: KindContract, name: OperationName): OperationContract | undefined {
  const operation = operations[name];
  return operation === "implicit" ? undefined : operation;
}
