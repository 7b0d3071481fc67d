import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Contract } from "../../src/model/contract.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { getPointer } from "../../src/model/json-pointer.ts";
import type { Account } from "../support/account.ts";
import { runInProcess } from "../support/in-process.ts";

/** Returns words and numbers of an account as its API spells them, by the entry of their field: of the first object that has one. */
export async function wordsOf(
  account: Pick<Account, "flags" | "env" | "folder">,
  contract: Contract,
  flags: readonly string[] = [],
): Promise<ReadonlyMap<string, string>> {
  const file = join(account.folder, "account.json");
  const taken = await runInProcess(account, ["snapshot", "--out", file, ...flags]);
  if (taken.status !== 0) throw new Error(taken.stdout + taken.stderr);
  const { collections } = JSON.parse(readFileSync(file, "utf8")) as {
    collections: { kind: string; objects: { record: JsonObject }[] }[];
  };
  const words = new Map<string, string>();
  for (const { kind, objects } of collections)
    for (const [name, { at }] of Object.entries(contract.kinds[kind]?.fields ?? {}))
      for (const { record } of objects) {
        const value = getPointer(record, at) ?? null;
        const key = `kinds.${kind}.fields.${name}`;
        if (value !== null && typeof value !== "object" && !words.has(key)) words.set(key, String(value));
      }
  return words;
}
