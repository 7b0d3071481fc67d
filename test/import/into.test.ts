import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { account as drawnAccount, manifestText } from "../support/draw-account.ts";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf, exits, noAccount, type Ran, runInProcess } from "../support/run-hostform.ts";

/** Accounts of four names, drawn once, and what was read of them in each of these spellings. */
const spellings = ["", "all", "unquoted,apex-dot,no-dots,nulls", "fqdn,upper,shuffled,booleans-as-strings"];
const env = { PW: "a long password" };
const account = accountForFile();
let addresses: readonly string[] = [];

beforeAll(async () => {
  const drawn = fc.sample(drawnAccount, { numRuns: 4, seed: 4711 });
  const files = drawn.map((each, number) => account.write(`${number}.yaml`, manifestText(each, number)));
  const args = ["apply", "--auto-approve", ...files.flatMap((file) => ["-f", file])];
  exits(0, await runInProcess(account, args, env));
  for (const [index, spelling] of spellings.entries()) {
    await account.byHand("PUT", "/_emulator/spelling", { spelling });
    exits(0, await runInProcess(account, ["snapshot", "--out", snapshotOf(index)]));
  }
  const { collections } = JSON.parse(readFileSync(snapshotOf(0), "utf8")) as {
    collections: { objects: { address: string }[] }[];
  };
  addresses = [...new Set(collections.flatMap(({ objects }) => objects.map((each) => each.address)))];
});

const snapshotOf = (index: number) => join(account.folder, `live-${index}.json`);

/** Imports from a snapshot, and expects no change. */
async function importFrom(index: number, args: readonly string[]): Promise<void> {
  const ran = await runInProcess(noAccount, ["import", ...args, "--live", snapshotOf(index)]);
  expect(ran.status, `${args.join(" ")}\n${ran.stdout}${ran.stderr}`).toBe(0);
  expect(ran.stdout).toContain("No changes.");
  expect(ran.stderr).not.toMatch(/^(?:error|warning\[not_imported)/mu);
}

const textsIn = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));

const linesOf = (text: string) => text.split(/\r?\n/u).filter((line) => line !== "");

/** Whether all lines are there, in their order. */
function isSubsequence(lines: readonly string[], of: readonly string[]): boolean {
  let at = 0;
  for (const line of of) if (line === lines[at]) at += 1;
  return at === lines.length;
}

/** What people do to a file: notes, blank lines, line ends, quotes. */
const habits = fc.record({
  notes: fc.array(fc.nat(), { maxLength: 8 }),
  blanks: fc.array(fc.nat(), { maxLength: 4 }),
  isCrlf: fc.boolean(),
  endsOpen: fc.boolean(),
  isQuoted: fc.boolean(),
});

type Habits = typeof habits extends fc.Arbitrary<infer T> ? T : never;

function decorate(text: string, { notes, blanks, isCrlf, endsOpen, isQuoted }: Habits): string {
  let lines = text.trimEnd().split("\n");
  if (isQuoted) lines = lines.map((line) => line.replace(/^( +)([a-z][\w.-]*):( |$)/u, '$1"$2":$3'));
  for (const note of notes) lines[note % lines.length] += " # by hand";
  for (const blank of blanks) lines.splice(blank % lines.length, 0, "", "  # a note between");
  return lines.join(isCrlf ? "\r\n" : "\n") + (endsOpen ? "" : isCrlf ? "\r\n" : "\n");
}
describe("import --into", () => {
  test("adds the rest, and changes no line that is there; the second time it adds nothing", async () => {
    const place = join(account.folder, "into");
    const spelling = fc.nat({ max: spellings.length - 1 });
    const layout = fc.constantFrom("folder", "single");
    await forDraws(18, fc.subarray([...addresses]), spelling, layout, habits, async (some, index, layout, habit) => {
      rmSync(place, { recursive: true, force: true });
      const only = some.flatMap((each) => ["--only", each]);
      if (only.length > 0) await importFrom(index, [place, "--layout", layout, ...only]);
      else {
        mkdirSync(place);
        writeFileSync(join(place, "hostform.yaml"), "version: 1\nname: empty\n");
      }
      for (const [name, text] of Object.entries(textsIn(place)))
        writeFileSync(join(place, name), decorate(text, habit));
      const before = textsIn(place);
      const target = layout === "single" ? join(place, "hostform.yaml") : place;
      await importFrom((index + 1) % spellings.length, ["--into", target]);
      const after = textsIn(place);
      for (const [name, text] of Object.entries(before))
        expect(isSubsequence(linesOf(text), linesOf(after[name] ?? "")), name).toBe(true);
      await importFrom(index, ["--into", target]);
      expect(textsIn(place)).toEqual(after);
    });
  });
});

/** Mistakes that only the live state shows: each of them needs a value that a manifest may leave out of what is there. */
const mistakesOf = (service: string) => [
  `crons: { ${service}: { jobs: { gone: { schedule: "0 3 * * *" } } } }`,
  `crons: { ${service}: { jobs: { bare: {} } } }`,
  `databases: { ${service}: { databases: { gone: { charset: latin1 } } } }`,
  `databases: { ${service}: { databases: { bare: {} } } }`,
  `mail: { ${service}: { mailboxes: { gone: { quota: 1 GiB } } } }`,
  "services: { gone.example: {} }",
];

/** Writes what was read of the account, without some of it. */
function withoutLive(gone: readonly string[]): string {
  const snapshot = JSON.parse(readFileSync(snapshotOf(0), "utf8")) as {
    collections: { objects: { address: string }[] }[];
  };
  for (const collection of snapshot.collections)
    collection.objects = collection.objects.filter((each) => !gone.includes(each.address));
  return account.write("partly.json", JSON.stringify(snapshot));
}

describe("import --into a manifest with mistakes that only the live state shows", () => {
  test("adds the rest, and names the mistakes", async () => {
    const place = join(account.folder, "mistaken");
    const service = addresses.find((each) => each.startsWith("service/"))?.slice("service/".length) ?? "";
    const leaves = addresses.filter((each) => /^(?:mailbox|cron|database_user|ftp_account|mail_alias)\//u.test(each));
    await forDraws(
      24,
      fc.subarray([...addresses]),
      fc.subarray(leaves, { minLength: 1, maxLength: 3 }),
      fc.subarray(mistakesOf(service)),
      async (some, gone, wrong) => {
        rmSync(place, { recursive: true, force: true });
        const only = [`service/${service}`, ...some, ...gone].flatMap((each) => ["--only", each]);
        await importFrom(0, [place, ...only]);
        for (const [at, text] of wrong.entries()) writeFileSync(join(place, `mistake-${at}.yaml`), text);
        const isBlock = ([name]: [string, string]) => !name.startsWith("mistake");
        const before = Object.entries(textsIn(place)).filter(isBlock);
        const live = withoutLive(gone);
        const importLive = () => runInProcess(noAccount, ["import", "--into", place, "--live", live, "--json"]);
        const ran = await importLive();
        expect(ran.stdout + ran.stderr).not.toContain("a bug in Hostform");
        const [imported] = eventsOf(ran).filter(({ type }) => type === "imported");
        const { resources } = imported as { resources: number };
        const planned = await runInProcess(noAccount, ["plan", "-f", place, "--live", live, "--json"]);
        const errorsIn = (events: Ran, severity: string) =>
          eventsOf(events).flatMap((each) => (each["severity"] === severity ? [String(each["summary"])] : []));
        const errors = errorsIn(planned, "error");
        expect(ran.status === 3, ran.stdout).toBe(errors.length > 0 && resources === 0);
        expect(errorsIn(ran, resources > 0 ? "warning" : "error")).toEqual(expect.arrayContaining(errors));
        expect(errorsIn(ran, "warning").filter((each) => each.includes("is not in the manifest"))).toEqual([]);
        const after = textsIn(place);
        for (const [name, text] of before)
          expect(isSubsequence(linesOf(text), linesOf(after[name] ?? "")), name).toBe(true);
        const [again] = eventsOf(await importLive()).filter(({ type }) => type === "imported");
        expect(again).toMatchObject({ resources: 0 });
        expect(textsIn(place)).toEqual(after);
      },
    );
  });

  const acme = (ignore: string, challenge = "") =>
    `version: 1\nname: acme\ndns:\n  acme.example:\n${ignore}    records: { www: { A: 192.0.2.1 }${challenge} }\n`;
  test.each([
    ["that is not there", "", "    ignore: [ _acme-challenge* ]\n"],
    ["in brackets", '    ignore: ["old*"]\n', '    ignore: ["old*", _acme-challenge*]\n'],
    ["of several lines", "    ignore:\n      - old*\n", "    ignore:\n      - old*\n      - _acme-challenge*\n"],
    ["that has the pattern", '    ignore: ["_acme*"]\n', '    ignore: ["_acme*"]\n'],
  ])("adds the pattern of a challenge record to an ignore list %s", async (_title, before, after) => {
    const whole = account.write("whole.yaml", acme("", ", _acme-challenge: { TXT: token }"));
    exits(0, await runInProcess(account, ["apply", "--auto-approve", "-f", whole]));
    const file = account.write("acme.yaml", acme(before));
    exits(0, await runInProcess(account, ["import", "--into", file, "--only", "dns_record/acme.example/*"]));
    expect(readFileSync(file, "utf8")).toContain(after);
  });
});

describe("a new folder", () => {
  test("is not written over, and nothing is left beside it", async () => {
    const place = join(account.folder, "full");
    mkdirSync(place);
    writeFileSync(join(place, "note.txt"), "mine");
    const ran = exits(3, await runInProcess(noAccount, ["import", place, "--live", snapshotOf(0)]));
    expect(ran.stderr).toContain("is not empty");
    expect(readdirSync(account.folder).filter((name) => name.startsWith("full"))).toEqual(["full"]);
  });
});
