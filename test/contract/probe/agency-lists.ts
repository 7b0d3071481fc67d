import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import type { ProbedList } from "../../../src/contract/probe/finding.ts";
import { readAccount } from "../../../src/engine/session/read-and-plan.ts";
import { openSnapshot, parseSnapshot } from "../../../src/live/read-snapshot.ts";
import type { Contract } from "../../../src/model/contract.ts";
import { openAccount } from "../../support/account.ts";
import { builtIn } from "../../support/built-in-contract.ts";
import { exits, runInProcess } from "../../support/run-hostform.ts";

const examples = fileURLToPath(new URL("../../../examples/", import.meta.url));

/** Returns the built-in contract and the lists of an account that has nearly every kind. */
export async function agencyLists(): Promise<{ readonly contract: Contract; readonly lists: readonly ProbedList[] }> {
  const account = await openAccount();
  try {
    const env = parseEnv(readFileSync(join(examples, "examples.env"), "utf8")) as Record<string, string>;
    const [agency, file] = [join(account.folder, "agency"), join(account.folder, "account.json")];
    cpSync(join(examples, "agency"), agency, { recursive: true });
    for (const args of [
      ["apply", "-f", agency, "--auto-approve"],
      ["snapshot", "--out", file],
    ]) {
      exits(0, await runInProcess(account, args, env));
    }
    const snapshot = parseSnapshot(readFileSync(file, "utf8"));
    const source = snapshot.ok ? await openSnapshot(snapshot.value, builtIn) : snapshot;
    if (!source.ok) throw new Error(source.error);
    const lists: ProbedList[] = [];
    await readAccount({ ...source.value, onListing: (list) => lists.push(list) }, builtIn);
    return { contract: builtIn, lists };
  } finally {
    await account.close();
  }
}
