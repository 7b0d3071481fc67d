import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeWriteAhead } from "../../src/apply/write-ahead.ts";
import type { Step } from "../../src/model/plan.ts";
import { openAccount, type Account } from "../support/account.ts";
import { openFront, type Front } from "../support/front.ts";
import { runInProcess } from "../support/in-process.ts";
import { makeStep } from "../support/make-step.ts";
import { eventsOf } from "../support/run-hostform.ts";
import { recordsIn } from "../support/sealed-lines.ts";

describe("a step that is prepared", () => {
  const steps = ["a", "b", "c", "d", "e", "f", "g"].map((id) => makeStep(id));
  function prepare() {
    const turns = new Map<string, boolean>();
    const moved = new Map<string, string>();
    const clock = { now: 0 };
    const ahead = makeWriteAhead({ parallelism: 5, moved, now: () => clock.now }, async ({ id }, turn) => {
      turns.set(id, await turn);
      return { is: "done" };
    });
    let left: readonly Step[] = steps;
    const run = async (step: Step) => {
      left = left.filter((each) => each !== step);
      return ahead.run(step);
    };
    const fill = () => ahead.fill((count) => left.slice(0, count));
    fill();
    return { ahead, turns, moved, clock, run, fill };
  }
  const [a, b, c] = steps as [Step, Step, Step];

  test("goes on when it has its turn, and once half of them have begun, others are prepared", async () => {
    const { ahead, turns, run, fill } = prepare();
    expect(await run(a)).toEqual({ is: "done" });
    fill();
    expect(await run(b)).toEqual({ is: "done" });
    fill();
    await ahead.close();
    expect([...turns]).toEqual(["a", "b", "c", "d", "e", "f"].map((id) => [id, id < "c"]));
  });

  test("is prepared anew once the server has changed an id", async () => {
    const { turns, moved, run } = prepare();
    moved.set("dns_zone/1", "2");
    expect(await run(a)).toBeUndefined();
    expect([...turns]).toEqual([["a", false]]);
  });

  test("is prepared anew after a second", async () => {
    const { turns, clock, run } = prepare();
    clock.now = 999;
    expect(await run(b)).toEqual({ is: "done" });
    clock.now = 1000;
    expect(await run(c)).toBeUndefined();
    expect([...turns]).toEqual([
      ["b", true],
      ["c", false],
    ]);
  });
});

describe("of an apply with three requests at a time", () => {
  // Time stands still, so that nothing is prepared anew.
  const start = Date.now();
  let account: Account;
  let front: Front;
  beforeAll(async () => {
    account = await openAccount({}, () => start);
    front = await openFront(account);
  });
  afterAll(async () => {
    await front.close();
    await account.close();
  });

  test("the journal has two more, and they are sent in the order of the plan", async () => {
    const journal = join(account.folder, "journal.ndjson");
    const names = ["a", "b", "c", "d", "e", "f"];
    const apply = (records: readonly string[]) => {
      const written = records.map((name) => `${name}: { A: 192.0.2.1 }`).join(", ");
      const zone = `dns: { ahead.example: { records: { ${written} } } }`;
      const file = account.write("m.yaml", `version: 1\nname: ahead\n${zone}\n`);
      const args = ["apply", "-f", file, "--auto-approve", "--json", "--parallelism", "3", "--journal", journal];
      return runInProcess({ flags: front.flags, env: account.env }, args, {}, { now: () => start });
    };
    expect((await apply([])).status).toBe(0);
    const intended: string[][] = [];
    front.interfere((request) => {
      if (request.method === "POST" && existsSync(journal))
        intended.push(
          recordsIn(readFileSync(journal, "utf8")).flatMap(({ type, address }) =>
            type === "intent" ? [String(address).split("/")[2] ?? ""] : [],
          ),
        );
      return false;
    });
    const ran = await apply(names);
    expect(ran.status).toBe(0);
    expect(intended[0]).toEqual(["a", "b", "c", "d", "e"]);
    expect(intended.length).toBe(6);
    const told = eventsOf(ran).filter(({ type }) => type === "step_start" || type === "step_end");
    const begun = told.filter(({ type }) => type === "step_start").map(({ address }) => String(address).split("/")[2]);
    expect(begun).toEqual(names);
    let underWay = 0;
    const most = told.map(({ type }) => (underWay += type === "step_start" ? 1 : -1));
    expect(Math.max(...most)).toBe(3);
    expect(existsSync(journal)).toBe(false);
  });
});
