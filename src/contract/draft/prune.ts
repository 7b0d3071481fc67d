import type { Contract } from "../../model/contract.ts";
import type { JsonObject } from "../../model/json.ts";
import { isObject } from "../../model/json-pointer.ts";
import { findMistakes } from "../find-mistakes.ts";

interface Pruned {
  readonly contract: Contract;
  readonly leftOut: readonly { readonly subject: string; readonly reason: string }[];
}

/** Takes out of a contract what the loader would refuse, the smallest entry that holds each mistake, until nothing is wrong. */
export function pruneMistakes(contract: Contract): Pruned {
  const leftOut: { subject: string; reason: string }[] = [];
  let here = contract as unknown as JsonObject;
  for (;;) {
    const mistake = findMistakes(here).find(({ isWarning }) => !isWarning);
    if (!mistake) return { contract: here as unknown as Contract, leftOut };
    const path = entryPath(here, mistake.path);
    leftOut.push({ subject: path.join("."), reason: mistake.summary });
    here = path.length === 0 ? emptied(here) : without(here, path);
  }
}

const emptied = (contract: JsonObject): JsonObject => ({ ...contract, kinds: {} });

/** Returns the smallest entry around a mistake that a contract can be without. */
function entryPath(contract: JsonObject, path: readonly string[]): readonly string[] {
  const [kinds, kind = "", section = "", name = ""] = path;
  if (kinds !== "kinds" || kind === "") return [];
  const isWhole = section === "" || name === "" || (section === "operations" && name === "list");
  const whole = isWhole ? ["kinds", kind] : ["kinds", kind, section, name];
  const removable = ["fields", "operations", "update_of", "params"].includes(section) && has(contract, whole);
  return removable || isWhole ? (has(contract, whole) ? whole : []) : ["kinds", kind];
}

function has(value: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  return (
    isObject(value as JsonObject) && Object.hasOwn(value as object, first) && has((value as JsonObject)[first], rest)
  );
}

function without(value: JsonObject, [first = "", ...rest]: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) => {
      if (key !== first) return [[key, child]];
      return rest.length === 0 || !isObject(child) ? [] : [[key, without(child, rest)]];
    }),
  );
}
