import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { layOver } from "../../src/contract/lay-over.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { Contract } from "../../src/model/contract.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { size } from "../proofs/size.ts";
import { openAccount, type Account } from "../support/account.ts";
import { checkEvents } from "../support/check-events.ts";
import { runInProcess } from "../support/in-process.ts";
import { eventsOf, type Ran } from "../support/run-hostform.ts";
import { type Known, type Mutation, mutationsOf } from "./mutations.ts";
import { wordsOf } from "./words.ts";

const examples = fileURLToPath(new URL("../../examples/", import.meta.url));
let account: Account;
let contract: Contract;
let known: Known;

interface Entry {
  readonly entry: readonly string[];
  readonly outcome: string;
  readonly write?: JsonObject;
}
const entriesOf = (ran: Ran) => eventsOf(ran).filter(({ type }) => type === "doctor_entry") as unknown as Entry[];
const refutedIn = (ran: Ran) => entriesOf(ran).filter(({ outcome }) => outcome === "refuted");

beforeAll(async () => {
  account = await openAccount();
  const env = parseEnv(readFileSync(join(examples, "examples.env"), "utf8")) as Record<string, string>;
  const applied = await runInProcess(account, ["apply", "-f", join(examples, "agency"), "--auto-approve"], env);
  if (applied.status !== 0) throw new Error(applied.stdout + applied.stderr);
  contract = (await loadContract(undefined)).contract as Contract;
  const ran = await runInProcess(account, ["doctor", "--json"]);
  const confirmed = entriesOf(ran).filter(({ outcome }) => outcome === "confirmed");
  known = {
    confirmed: new Set(confirmed.map(({ entry }) => entry.join("."))),
    words: await wordsOf(account, contract),
  };
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
    const all = mutationsOf(contract, known);
    const drawn =
      size.doctorMutations === Infinity
        ? all
        : (fc.sample(
            fc.shuffledSubarray(all, { minLength: size.doctorMutations, maxLength: size.doctorMutations }),
            1,
          )[0] ?? []);
    const missed: string[] = [];
    let repaired = 0;
    for (const mutation of drawn) {
      const result = await judge(mutation);
      if (!result.isNamed) missed.push(`${mutation.type} ${JSON.stringify(mutation.change)}: ${result.told}`);
      if (result.isRepaired) repaired += 1;
    }
    const share = (drawn.length - missed.length) / drawn.length;
    expect(repaired / drawn.length).toBeGreaterThanOrEqual(0.75);
    expect(share, missed.join("\n")).toBeGreaterThanOrEqual(0.9);
  });
});

async function judge({ entries, change }: Mutation) {
  const whole = contract as unknown as Json;
  const mutated = layOver(whole, change);
  const ran = await examine(mutated);
  const refuted = refutedIn(ran);
  const own = refuted.find(({ entry }) => entries.includes(entry.join(".")));
  const fixed = own?.write && layOver(mutated, own.write);
  const { requests = 0 } = (eventsOf(ran).at(-1) ?? {}) as { requests?: number };
  expect(requests).toBeLessThanOrEqual(50);
  return {
    isNamed: own !== undefined,
    isRepaired: JSON.stringify(sorted(fixed ?? null)) === JSON.stringify(sorted(whole)),
    told: `${ran.status} ${refuted.map(({ entry, write }) => `${entry.join(".")} ${JSON.stringify(write)}`).join("; ")} ${ran.stderr.slice(0, 300)}`,
  };
}

/** The value with its keys in order. */
const sorted = (value: Json): Json =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, each]) => [key, sorted(each)]),
        )
      : value;
