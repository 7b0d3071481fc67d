import { kinds } from "../kinds/index.ts";
import type { Contract, KindContract } from "../model/contract.ts";
import type { ContractSummary, KindSummary, RequestSummary } from "../model/contract-summary.ts";
import type { BoundKind } from "./bound-kind.ts";
import { hasKind } from "./entry.ts";
import { lookupsIn, operationsIn } from "./operations-in.ts";
import { isWeakList } from "./rules-of.ts";
import { fieldNames } from "./spelling/read-field.ts";

/** Returns the kinds, requests and fields that a contract offers, and all that it marks as assumed. */
export function summariseContract(contract: Contract): ContractSummary {
  const { name, kinds: _kinds, ...rules } = contract;
  return {
    name,
    kinds: kinds.flatMap((kind) => {
      const entry = contract.kinds[kind.name];
      return entry ? [summariseKind(contract, { ...kind, entry })] : [];
    }),
    lacks: kinds.filter((kind) => !hasKind(contract, kind)).map((kind) => kind.name),
    assumed: assumedIn(rules),
  };
}

function summariseKind(contract: Contract, kind: BoundKind): KindSummary {
  const { entry } = kind;
  const { create, ...operations } = entry.operations;
  const names = Object.keys(operations);
  const known = new Set(fieldNames(entry));
  return {
    kind: kind.name,
    offers: [
      ...["list", "read"].filter((name) => names.includes(name)),
      ...(create === undefined ? [] : [create === "implicit" ? "implicit" : "create"]),
      ...names.filter((name) => !["list", "read"].includes(name)),
      ...(entry.after ? ["after"] : []),
    ],
    updateOf: Object.keys(entry.update_of ?? {}),
    lacks: Object.keys(kind.fields).filter((name) => kind.fields[name]?.access !== "manifest_only" && !known.has(name)),
    assumed: assumedIn(entry),
    isWeak: isWeakList(contract, kind.name),
    requests: requestsOf(contract, entry),
  };
}

/** Returns the requests of a kind: first those that look its parameters up, then those of its operations. */
function requestsOf({ base_path: base }: Contract, entry: KindContract): RequestSummary[] {
  const lookups = lookupsIn(entry).map(([param, lookup]) => [["params", param], { method: "GET", ...lookup }] as const);
  return [...lookups, ...operationsIn(entry)].map(([place, { method, path, query = {} }]) => ({
    operation: place.slice(place[0] === "operations" ? 1 : 0).join("."),
    method,
    path: base + path,
    query,
  }));
}

/** Returns the paths of everything that is marked as assumed; what stands below such a path is not named again. */
function assumedIn(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value !== "object" || value === null) return [];
  if ("assumed" in value && value.assumed === true) return [path.join(".")];
  return Object.entries(value).flatMap(([key, child]) => assumedIn(child, [...path, key]));
}
