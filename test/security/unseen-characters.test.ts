import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import Database from "libsql";
import { beforeAll, describe, expect, test } from "vitest";
import type { PlanFile } from "../../src/model/saved-plan.ts";
import { accountForFile, openAccount } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { frontForFile } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { eventsOf, exits, noAccount, type Ran, runInProcess } from "../support/run-hostform.ts";
import { sealAgain } from "../support/seal-again.ts";
import { unseen, unseenText } from "../support/unseen-characters.ts";

const account = accountForFile({
  seed: {
    service: [{ domain: "a.example", hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" }],
    cron: [{ service: "a.example", name: "job", schedule: "0 3 * * *", command: "text" }],
    dns_zone: [{ name: "a.example" }],
    dns_record: [{ zone: "a.example", name: "www", type: "TXT", content: '"text"', comment: "text" }],
  },
});
const front = frontForFile(account);
const declared =
  "version: 1\nname: t\nservices: { a.example: {} }\ncrons: { a.example: { jobs: { job: { command: run } } } }\ndns: { a.example: { records: { www: { TXT: other } } } }\n";
/** Clears a screen, hides and reorders text, begins new lines, and commands the log readers of GitHub and Azure. */
const hostile =
  "x\u001b[2J\u009b31m\u202e\u2066\u200b\u00ad\u{e0041}\u2028\u2029\u0085\r\n::error::gotcha\n##[error]gotcha ##vso[task.setvariable]gotcha";
/** What the service has in the place of each text of its own. */
let foreign = "";

beforeAll(async () => {
  front.interfere(async (request, response, pass) => {
    if (request.method !== "GET") {
      const refusal = { message: foreign, code: foreign, errors: { [foreign]: [foreign] } };
      return answerJson(response, 422, refusal);
    }
    const { status, text } = await pass();
    const told = JSON.stringify(foreign).slice(1, -1);
    const body = text
      .replaceAll(/"(?:text|active)"/gu, () => `"${told}"`)
      .replaceAll(String.raw`"\"text\""`, () => String.raw`"\"${told}\""`);
    response.writeHead(status, { "content-type": "application/json", "x-request-id": "::error::id" }).end(body);
    return true;
  });
});

function textsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
}

function expectSeen(texts: readonly string[]): void {
  // A zone file has tabs between its columns.
  for (const text of texts) expect(text.replaceAll(/[\n\t]/gu, "")).not.toMatch(unseen);
}

/** Characters that a TXT value may have in the API; the others are escapes in its own way. */
const inRecord = (text: string) => text.replaceAll(/[\p{Cc}"\\]/gu, "");

describe("characters that nobody sees, or that a terminal obeys", () => {
  const reading = [
    ["plan", "--full"],
    ["plan", "--json"],
    ["plan", "--format", "markdown"],
    ["plan", "--html", "page.html"],
    ["plan", "--out", "saved.json"],
    ["plan", "--show-ignored", "--show-unmanaged"],
    ["why", "cron/a.example/job"],
    ["status"],
    ["snapshot", "--out", "live.json"],
    ["rehearse"],
    ["apply", "--auto-approve"],
  ];

  test("of live values are escapes in whatever is printed and written", () =>
    forDraws(24, unseenText, fc.constantFrom(...reading), async (text, [command = "", ...args]) => {
      foreign = inRecord(text);
      const folder = mkdtempSync(join(account.folder, "reading-"));
      mkdirSync(join(folder, "written"));
      const manifest = account.write("m.yaml", declared);
      const files = args.map((each) => (/\.(html|json)$/u.test(each) ? join(folder, "written", each) : each));
      const ran = await runInProcess(front, [command, ...files, "-f", manifest], {
        HOSTFORM_INVENTORY: join(folder, "inventory"),
      });
      expect(ran.stderr + ran.stdout).not.toMatch(/This is a bug/u);
      expectSeen([ran.stdout, ran.stderr, ...textsIn(join(folder, "written"))]);
    }));

  test.each(["folder", "single"])(
    "of an account are escapes in the manifest of it (%s), which changes nothing",
    (layout) =>
      forDraws(10, unseenText, async (text) => {
        foreign = `x\u00ad${inRecord(text)}`;
        const folder = join(mkdtempSync(join(account.folder, "import-")), "hosting");
        const ran = await runInProcess(front, ["import", folder, "--layout", layout]);
        const texts = textsIn(folder);
        expectSeen([ran.stdout, ran.stderr, ...texts]);
        expect(ran).toMatchObject({ status: 0, stdout: expect.stringContaining("No changes") });
        const inOne = foreign.split("x\u00ad").length - 1;
        expect(texts.join("").match(/x\\u00ad/gu)).toHaveLength(3 * inOne);
      }),
  );

  const local = [
    ["render"],
    ["render", "--json"],
    ["export"],
    ["export", "--json"],
    ["validate"],
    ["validate", "--json"],
  ];

  test("of a manifest are escapes in whatever is printed of it, and the texts stay the same", () =>
    forDraws(25, unseenText, fc.constantFrom(...local), async (text, args) => {
      const manifest = account.write(
        "m.yaml",
        `version: 1\nname: t\nvariables: { v: { default: ${JSON.stringify(text)} } }\ndns:\n  a.example:\n    records:\n      www: { TXT: ${JSON.stringify(inRecord(text))} }\n      ${JSON.stringify(text)}: 1\n`,
      );
      const good = account.write(
        "good.yaml",
        `version: 1\nname: t\ndns:\n  a.example:\n    records:\n      www: { TXT: ${JSON.stringify(inRecord(text))} }\n`,
      );
      for (const file of [manifest, good]) {
        const ran = await runInProcess(noAccount, [...args, "-f", file]);
        expect(ran.stderr + ran.stdout).not.toMatch(/This is a bug/u);
        expectSeen([ran.stdout, ran.stderr]);
      }
      const again = (await runInProcess(noAccount, ["render", "-f", good])).stdout;
      const file = account.write("again.yaml", again);
      expect((await runInProcess(noAccount, ["render", "-f", file])).stdout).toBe(again);
      expect((await runInProcess(noAccount, ["export", "-f", file])).stdout).toBe(
        (await runInProcess(noAccount, ["export", "-f", good])).stdout,
      );
    }));

  /** Every place of a command line that a path, a name or an address of the user stands in. */
  const named = [
    ["validate", "-f", "PATH"],
    ["plan", "--emulator", "-f", "PATH"],
    ["plan", "--emulator", "-f", "PATH", "--json"],
    ["plan", "--emulator", "-f", "PATH", "--format", "markdown"],
    ["plan", "--emulator", "-f", "PATH", "--html", "OUT.html"],
    ["plan", "--emulator", "-f", "PATH", "--out", "OUT"],
    ["plan", "--emulator", "-f", "PATH", "--only", "TEXT"],
    ["plan", "--emulator", "-f", "PATH", "--var", "TEXT=1"],
    ["plan", "--emulator", "-f", "PATH", "--contract", "TEXT"],
    ["plan", "-f", "PATH", "--base-url", "https://TEXT"],
    ["rehearse", "--emulator", "-f", "PATH"],
    ["why", "TEXT", "--emulator", "-f", "PATH"],
    ["status", "TEXT", "--emulator", "-f", "PATH"],
    ["export", "TEXT", "-f", "PATH"],
    ["show", "PATH"],
    ["contract", "check", "PATH"],
    ["contract", "draft", "PATH"],
    ["snapshot", "--emulator", "--out", "OUT"],
    ["import", "NEW", "--emulator"],
    ["import", "NEW", "--emulator", "--layout", "single"],
    ["import", "--into", "PATH", "--emulator"],
    ["import", "NEW", "--from", "zone-file", "PATH"],
    ["init", "NEW", "--domain", "a.example"],
    ["init", "TEXT", "--domain", "TEXT"],
    ["inventory", "--inventory", "OUT", "-f", "PATH", "--adopt", "TEXT"],
    ["emulator", "log", "--data", "PATH"],
    ["completion", "TEXT"],
    ["TEXT", "--TEXT"],
  ];

  test.each(named)("of paths and arguments are escapes in whatever is printed and written: %s %s %s", (...command) =>
    forDraws(8, unseenText, async (drawn) => {
      const text = drawn.replaceAll(/[\0/]/gu, "");
      const folder = join(mkdtempSync(join(account.folder, "named-")), text);
      mkdirSync(join(folder, "written"), { recursive: true });
      const path = join(folder, "m.yaml");
      writeFileSync(path, "version: 1\nname: t\nservices: { a.example: { plan: WEB-M, datacenter: MAD1 } }\n");
      const places: Readonly<Record<string, string>> = {
        PATH: path,
        OUT: join(folder, "written", "out"),
        "OUT.html": join(folder, "written", "out.html"),
        NEW: join(folder, "written", "new"),
      };
      const words = command.map((word) => places[word] ?? word.replaceAll("TEXT", text));
      const ran = await runInProcess(noAccount, words, { HOSTFORM_API_KEY: "a-key" });
      expect(ran.stderr + ran.stdout).not.toMatch(/This is a bug/u);
      expectSeen([ran.stdout, ran.stderr, ...textsIn(join(folder, "written"))]);
    }),
  );

  test("of a zone file are escapes in the manifest of it, and in the zone file of that manifest", () =>
    forDraws(15, unseenText, async (text) => {
      const place = mkdtempSync(join(account.folder, "zone-"));
      const zone = account.write("zone.txt", `$ORIGIN a.example.\n$TTL 3600\nwww IN TXT "${inRecord(text)}"\n`);
      const ran = await runInProcess(noAccount, ["import", join(place, "h"), "--from", "zone-file", zone]);
      expect(ran.status).toBe(0);
      const exported = await runInProcess(noAccount, ["export", "-f", join(place, "h")]);
      expectSeen([ran.stdout, ran.stderr, exported.stdout, ...textsIn(join(place, "h"))]);
    }));
});

describe("what drives a terminal or a CI job is printed as text", () => {
  let manifest: string;
  beforeAll(() => {
    foreign = hostile;
    manifest = account.write("m.yaml", declared);
  });
  const run = (...args: string[]) => runInProcess(front, args);
  const expectHarmless = ({ stdout, stderr }: Ran) => {
    expect((stdout + stderr).replaceAll("\n", "")).not.toMatch(unseen);
    expect(stdout + stderr).not.toMatch(/^\s*::.*::|##\[|##vso\[/mu);
  };

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
    expect(JSON.stringify(eventsOf(ran))).toContain("##vso[task.setvariable]gotcha");
  });

  test("of events, whose values stay what they are", async () => {
    const ran = await run("plan", "--json", "-f", manifest);
    expectHarmless(ran);
    const before = expect.objectContaining({ path: "command", before: { is: "value", value: hostile } });
    expect(
      eventsOf(ran).find(({ type, address }) => type === "planned" && address === "cron/a.example/job"),
    ).toMatchObject({
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
