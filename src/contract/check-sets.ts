import type { Kind } from "../kinds/kind.ts";
import type { KindContract } from "../model/contract.ts";
import { writesSets } from "./sets.ts";
import { sendsField } from "./set-calls.ts";

interface SetMistake {
  readonly path: readonly string[];
  readonly summary: string;
  readonly hint: string;
}

/** Returns the mistakes in requests that write whole sets: of a kind without sets, or without a request for a field that may change. */
export function checkSets(kind: Kind, entry: KindContract): SetMistake[] {
  if (!writesSets(entry)) return [];
  const { set, zone } = entry.operations;
  const path = ["kinds", kind.name, "operations", zone ? "zone" : "set"];
  if (!kind.members)
    return [
      { path, summary: `${path.join(".")} writes sets, and ${kind.name} has none`, hint: "write update instead" },
    ];
  if (zone || !set) return [];
  return Object.keys(entry.fields)
    .filter((name) => isWritten(kind, entry, name) && !set.update.some((operation) => sendsField(operation, name)))
    .map((name) => ({
      path: [...path, "update"],
      summary: `no request of ${path.join(".")}.update sends ${name}, so it could never be changed`,
      hint: `add ${name} to the send: of a request, or write fields.${name}: { absent: true }`,
    }));
}

const isWritten = ({ fields, naming }: Kind, entry: KindContract, name: string): boolean =>
  fields[name]?.access === "mutable" && entry.fields[name]?.absent !== true && !(name in naming.toFields({}));
