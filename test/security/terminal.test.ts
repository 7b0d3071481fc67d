import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { beforeAll, describe, expect, test } from "vitest";
import type { PlanFile } from "../../src/model/saved-plan.ts";
import { sealAgain } from "../support/seal-again.ts";
import { accountForFile, openAccount } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { eventsOf, exits, noAccount, type Ran, runInProcess } from "../support/run-hostform.ts";
import { unseen } from "../support/unseen-characters.ts";

/** Clears a screen, hides and reorders text, begins new lines, and commands the log readers of GitHub and Azure. */
const hostile =
  "x\u001b[2J\u009b31m\u202e\u2066\u200b\u00ad\u{e0041}\u2028\u2029\u0085\r\n::error::gotcha\n##[error]gotcha ##vso[task.setvariable]gotcha";
const account = accountForFile({
  seed: {
    service: [{ domain: "a.example", hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" }],
    cron: [{ service: "a.example", name: "job", schedule: "0 3 * * *", command: "before" }],
  },
});
const front = frontForFile(account);
let manifest: string;

beforeAll(async () => {
  manifest = account.write(
    "m.yaml",
    'version: 1\nname: t\nservices: { a.example: {} }\ncrons: { a.example: { jobs: { job: { schedule: "0 3 * * *", command: run } } } }\n',
  );
  front.interfere(async (request, response, pass) => {
    if (request.method !== "GET") {
      const body = { message: hostile, code: hostile, errors: { [hostile]: [hostile] } };
      return answerJson(response, 422, body);
    }
    const { status, text } = await pass();
    const answer = text.replaceAll('"before"', JSON.stringify(hostile)).replaceAll('"active"', JSON.stringify(hostile));
    response.writeHead(status, { "x-request-id": "::error::id" }).end(answer);
    return true;
  });
});

const run = (...args: string[]) => runInProcess(front, args);

function expectHarmless({ stdout, stderr }: Ran): void {
  const printed = stdout + stderr;
  expect(printed.replaceAll("\n", "")).not.toMatch(unseen);
  expect(printed).not.toMatch(/^\s*::.*::|##\[|##vso\[/mu);
}

describe("what drives a terminal or a CI job is printed as text", () => {
  test.each([
    ["plan", "-f"],
    ["plan", "--debug", "-f"],
    ["apply", "--auto-approve", "-f"],
    ["why", "cron/a.example/job", "-f"],
    ["status", "-f"],
  ])("of live values and error bodies: %s %s", async (...args) => {
    const ran = await run(...args, manifest);
    expect(ran.stdout + ran.stderr).toContain("gotcha");
    expectHarmless(ran);
  });

  test("of events, which are still JSON", async () => {
    const ran = await run("apply", "--json", "--auto-approve", "-f", manifest);
    expect(ran.stdout).not.toMatch(/^\s*::.*::|##\[|##vso\[/mu);
    const ended = ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(JSON.stringify(ended)).toContain("##vso[task.setvariable]gotcha");
  });

  test("of events, whose values stay what they are", async () => {
    const ran = await run("plan", "--json", "-f", manifest);
    expectHarmless(ran);
    const before = expect.objectContaining({ path: "command", before: { is: "value", value: hostile } });
    expect(eventsOf(ran).find(({ type }) => type === "planned")).toMatchObject({
      changes: expect.arrayContaining([before]),
    });
  });

  test.each([
    ["validate", ["-f"]],
    ["inventory", ["-f"]],
  ])("of a manifest's mistakes: %s", async (command, args) => {
    const bad = account.write(
      "bad.yaml",
      `version: 1\nname: ${JSON.stringify(hostile)}\n${JSON.stringify(hostile)}: gotcha\n`,
    );
    const ran = exits(3, await runInProcess(noAccount, [command, ...args, bad]));
    expect(ran.stderr).toContain("gotcha");
    expectHarmless(ran);
  });

  test("of a saved plan that someone has altered", async () => {
    front.interfere(() => false);
    const path = join(account.folder, "p.json");
    exits(0, await run("plan", "--out", path, "-f", manifest));
    const saved = JSON.parse(readFileSync(path, "utf8")) as PlanFile;
    const cannot = saved.resources.map(({ address }) => ({ address, reason: hostile }));
    writeFileSync(path, JSON.stringify(sealAgain({ ...saved, cannot_undo: cannot })));
    const ran = await runInProcess(noAccount, ["show", path]);
    expect(ran.stdout + ran.stderr).toContain("gotcha");
    expectHarmless(ran);
  });

  test("of the log of a data file", async () => {
    const dataFile = join(account.folder, "data.db");
    const other = await openAccount({ dataFile });
    await other.byHand("GET", "/v2026/services");
    await other.close();
    const database = new Database(dataFile);
    database.prepare("UPDATE operations SET path = ?").run(hostile);
    database.close();
    for (const flags of [[], ["--json"]]) {
      const ran = await runInProcess(noAccount, ["emulator", "log", "--data", dataFile, ...flags]);
      expect(ran.stdout).toContain("gotcha");
      expectHarmless(ran);
    }
  });
});
