import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { targetKey } from "../../src/state/inventory/target-key.ts";
import { size } from "../proofs/size.ts";
import { accountForFile } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { frontForFile } from "../support/front.ts";
import { listed } from "../support/live-records.ts";
import { eventsOf, exits, type Ran, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { refusalStates, type RefusalCode, type RefusalState, type Sections, type World } from "./refusal-states.ts";

/** Whatever an apply refuses, a plan of the same moment refuses as well, with the same words; and it only looks. */
const account = accountForFile();
const front = frontForFile(account);
const asked: string[] = [];
let unreadable: readonly string[] = [];
beforeAll(() =>
  front.interfere(({ method = "", url = "" }, response) => {
    asked.push(`${method} ${url}`);
    if (method !== "GET" || !unreadable.some((each) => url.startsWith(each))) return false;
    response
      .writeHead(403, { "content-type": "application/json" })
      .end('{"error":{"code":"forbidden","message":"no"}}');
    return true;
  }),
);
afterAll(() => front.interfere(() => false));

let count = 0;

interface Trial {
  readonly codes: readonly RefusalCode[];
  /** Whether the plan is saved as well. */
  readonly out: boolean;
}

async function idsOf(name: string) {
  const find = async (path: string, field: string) => {
    const all = await listed<Record<string, unknown>>(account, path);
    return String(all.find((each) => each[field] === name)?.["id"]);
  };
  return { service: await find("/v2026/services", "domain"), zone: await find("/v2026/dns/zones", "name") };
}

/** The manifest of several states: each is about a domain of its own. */
function merged(name: string, parts: readonly Sections[]): string {
  const all: Record<string, unknown> = { version: 1, name };
  for (const [section, entries] of parts.flatMap((each) => Object.entries(each)))
    all[section] = Array.isArray(entries)
      ? [...((all[section] ?? []) as unknown[]), ...entries]
      : { ...(all[section] as object), ...entries };
  return JSON.stringify(all);
}

/** The words of all that is refused, and of the errors: less what only an apply says. */
const wordsOf = (ran: Ran) =>
  eventsOf(ran)
    .filter(({ type, severity }) => type === "refused" || (type === "diagnostic" && severity === "error"))
    .map(({ type, code, address, summary, detail, hint }) => ({ type, code, address, summary, detail, hint }));

/** The files of a folder, with all that stands in them. */
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => !path.startsWith(".git") && path !== "plan.json" && statSync(join(folder, path)).isFile())
    .toSorted()
    .map((path) => [path, readFileSync(join(folder, path), "utf8")]);

/** Brings the account and the files of a new folder into a state, and returns how commands run there. */
async function prepare({ codes }: Trial) {
  count += 1;
  const [name, folder] = [`trial${count}`, join(account.folder, `trial${count}`)];
  mkdirSync(folder);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@t.test", ...args], {
      cwd: folder,
      stdio: ["ignore", "pipe", "ignore"],
      encoding: "utf8",
    }).trim();
  const states = codes.map((code): [string, RefusalState] => [
    `${code.replaceAll("_", "-")}-${count}.example`,
    refusalStates[code],
  ]);
  const is = (how: RefusalState["how"]) => states.some(([, state]) => state.how === how);
  const [file, other] = [join(folder, "m.yaml"), join(folder, "other.yaml")];
  const commit = (parts: readonly Sections[]) => {
    writeFileSync(file, merged(name, parts));
    git("add", "m.yaml", ...(existsSync(other) ? ["other.yaml"] : []));
    git("commit", "--quiet", "--allow-empty", "--message", "change");
  };
  const journal = join(folder, "j");
  const inventory = join(folder, "ours.json");
  const key = targetKey({ name, place: front.baseUrl, contract: "v2026" });
  const flags = states.flatMap(([domain, state]) => state.flags?.(domain) ?? []);
  const run = (command: string, ...more: readonly string[]) =>
    runInProcess(
      front,
      [command, "-f", file, "--json", "--journal", journal, "--inventory", inventory, ...flags, ...more],
      {},
      virtualClock(),
    );
  git("init", "--quiet");
  commit([]);
  const before = git("rev-parse", "HEAD");
  if (is("two files")) writeFileSync(other, merged(name, []));
  const firsts = states.map(([domain, state]) => state.first?.(domain) ?? {});
  commit(firsts);
  const more = is("two files") ? ["-f", other] : [];
  exits(0, await run("apply", "--auto-approve", ...more));
  if (is("older")) git("reset", "--quiet", "--hard", before);
  if (is("two files")) writeFileSync(other, merged(name, []));
  commit(states.map(([domain, state]) => state.now(domain)));
  const world: World = { journal, inventory, key, create: account.create };
  for (const [domain, state] of states) await state.between?.(world, domain, await idsOf(domain));
  unreadable = states.flatMap(([domain, state]) => state.unreadable?.(domain) ?? []);
  return { folder, run };
}

/** Plans and applies in a state. Returns the words of both. */
async function refuse(trial: Trial) {
  const { folder, run } = await prepare(trial);
  const before = filesIn(folder);
  asked.length = 0;
  const out = join(folder, "plan.json");
  const planned = await run("plan", "--detailed-exitcode", ...(trial.out ? ["--out", out] : []));
  expect(asked.filter((each) => !each.startsWith("GET "))).toEqual([]);
  expect(filesIn(folder)).toEqual(before);
  const applied = await run("apply", "--auto-approve", "--lock-timeout", "0");
  unreadable = [];
  rmSync(folder, { recursive: true });
  const said = `${planned.stdout}\n${applied.stdout}`;
  expect([planned.status, applied.status], said).toEqual([6, 6]);
  expect(wordsOf(planned), said).toEqual(wordsOf(applied));
  expect(planned.stdout).not.toContain("To apply it");
  expect(eventsOf(planned).find(({ type }) => type === "plan")?.["hash"]).toBe(undefined);
  return wordsOf(applied);
}

const codes = Object.keys(refusalStates) as RefusalCode[];
/** These are refused before others are looked at, or in their place: each is tried alone. */
const alone: readonly RefusalCode[] = [
  ...(["rolled_back", "manifest_left_out", "locked", "locked_here"] as const),
  ...(["in_flight_untold", "made_under_other_name", "deleted_and_listed", "journal_lost", "unconfirmed"] as const),
];
const together = codes.filter((code) => !alone.includes(code));

test.each(
  size.every(6, [
    ...size.every(
      3 * codes.length,
      together.map((code) => [code]),
    ),
    together,
    ...alone.map((code) => [code]),
  ]),
)("a plan refuses as an apply does, and only looks: %s", async (...tried) => {
  const said = new Set((await refuse({ codes: tried, out: true })).map(({ code }) => code));
  expect(tried.filter((code) => !said.has(code === "locked_here" ? "locked" : code))).toEqual([]);
});

test.runIf(size.whole)("several at once: a plan refuses them as an apply does", () =>
  forDraws(
    { numRuns: size.draws(12), endOnFailure: true },
    fc.record({ codes: fc.subarray(codes, { minLength: 2, maxLength: 4 }), out: fc.boolean() }),
    async (trial) => {
      expect(await refuse(trial)).not.toEqual([]);
    },
  ),
);
