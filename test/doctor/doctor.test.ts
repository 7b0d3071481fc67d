import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { Contract } from "../../src/model/contract.ts";
import type { Json } from "../../src/model/json.ts";
import { size } from "../proofs/size.ts";
import { openAccount, type Account } from "../support/account.ts";
import { checkEvents } from "../support/check-events.ts";
import { runInProcess } from "../support/in-process.ts";
import { eventsOf } from "../support/run-hostform.ts";
import { confirmedIn, drawMutations, judgeMutations, refutedIn } from "./judge-mutations.ts";
import type { Known } from "./mutations.ts";
import { wordsOf } from "./words.ts";

const examples = fileURLToPath(new URL("../../examples/", import.meta.url));
let account: Account;
let contract: Contract;
let known: Known;

beforeAll(async () => {
  account = await openAccount();
  const env = parseEnv(readFileSync(join(examples, "examples.env"), "utf8")) as Record<string, string>;
  const applied = await runInProcess(account, ["apply", "-f", join(examples, "agency"), "--auto-approve"], env);
  if (applied.status !== 0) throw new Error(applied.stdout + applied.stderr);
  contract = (await loadContract(undefined)).contract as Contract;
  const ran = await runInProcess(account, ["doctor", "--json"]);
  known = { confirmed: confirmedIn(ran), words: await wordsOf(account, contract) };
});
afterAll(() => account.close());

const examine = (whole: Json) =>
  runInProcess(account, ["doctor", "--json", "--contract", account.write("contract.yaml", stringify(whole))]);

describe("a contract without a mistake", () => {
  test("is not refuted, by 50 GETs at most", async () => {
    const before = (await account.operations()).length;
    const ran = await runInProcess(account, ["doctor", "--json"]);
    expect(checkEvents(eventsOf(ran))).toEqual([]);
    expect(refutedIn(ran)).toEqual([]);
    expect(ran.status).toBe(0);
    const operations = (await account.operations()).slice(before);
    expect(operations.length).toBeLessThanOrEqual(50);
    expect(operations.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(eventsOf(ran).at(-1)).toMatchObject({ type: "doctor", refuted: 0, requests: operations.length });
  });
});

describe("a contract with a wrong entry", () => {
  test("is refuted at that entry", { timeout: size.timeout }, async () => {
    const drawn = drawMutations(contract, known, size.doctorMutations, 1);
    const { missed, repaired, examined } = await judgeMutations(contract, drawn, examine);
    expect(missed.length / examined, missed.join("\n")).toBeLessThanOrEqual(0.1);
    expect(repaired / examined).toBeGreaterThanOrEqual(0.75);
  });
});
