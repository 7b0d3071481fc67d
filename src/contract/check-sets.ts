import type { Kind } from "../kinds/kind.ts";
import type { KindContract, OperationContract } from "../model/contract.ts";
import { getPointer, setPointer } from "../model/json-pointer.ts";
import { writesSets } from "./sets.ts";
import { sendsField, sendsList } from "./set-calls.ts";

interface SetMistake {
  readonly path: readonly string[];
  readonly summary: string;
  readonly hint: string;
}

/** Returns the mistakes in requests that write whole sets: of a kind without sets, without a request for a field that may change, or with constants beside a list. */
export function checkSets(kind: Kind, entry: KindContract): SetMistake[] {
  if (!writesSets(entry)) return [];
  const { set, zone } = entry.operations;
  const path = ["kinds", kind.name, "operations", zone ? "zone" : "set"];
  if (!kind.members)
    return [
      { path, summary: `${path.join(".")} writes sets, and ${kind.name} has none`, hint: "write update instead" },
    ];
  if (zone || !set) return constantsOutside(entry, [path, zone]);
  const named: [string, OperationContract][] = [
    ["create", set.create],
    ...set.update.map((each, index): [string, OperationContract] => [`update.${index}`, each]),
  ];
  const lists = named.map(([name, each]) => [[...path, ...name.split(".")], each] as const);
  const unsent = Object.keys(entry.fields)
    .filter((name) => isWritten(kind, entry, name) && !set.update.some((operation) => sendsField(operation, name)))
    .map((name) => ({
      path: [...path, "update"],
      summary: `no request of ${path.join(".")}.update sends ${name}, so it could never be changed`,
      hint: `add ${name} to the send: of a request, or write fields.${name}: { absent: true }`,
    }));
  return [...unsent, ...lists.flatMap((placed) => constantsOutside(entry, placed))];
}

/** Finds constants where a list stands in the body: nothing can stand beside its items. */
function constantsOutside(
  entry: KindContract,
  [path, operation]: readonly [path: readonly string[], operation: OperationContract | undefined],
): SetMistake[] {
  if (!operation || !sendsList(entry, operation)) return [];
  const { at = "", base = {}, body = {} } = operation;
  const ofBody = Object.entries(body).reduce((whole, [pointer, value]) => setPointer(whole, pointer, value), {});
  return Object.entries({ base, body: ofBody }).flatMap(([word, constants]) => {
    const there = getPointer(constants, at);
    if (there === undefined || Array.isArray(there) || (at === "" && Object.keys(constants).length === 0)) return [];
    const place = at === "" ? "its whole body" : at;
    return [
      {
        path: [...path, word],
        summary: `${path.join(".")}.${word} has constants at ${place}, where a list stands: they would be lost`,
        hint: `write at: with a place for the list beside the constants, or take ${word} out`,
      },
    ];
  });
}

const isWritten = ({ fields, naming }: Kind, entry: KindContract, name: string): boolean =>
  fields[name]?.access === "mutable" && entry.fields[name]?.absent !== true && !(name in naming.toFields({}));
