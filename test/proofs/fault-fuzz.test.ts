import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { runInProcess } from "../support/in-process.ts";
import { eventsOf } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { manifestOf, trial, type Things, type Trial } from "./draw-trial.ts";
import { readAccount, type Holdings, type Item } from "./read-account.ts";
import { size } from "./size.ts";

const clock = virtualClock();
let account: Account;
let emptied: () => void;
beforeAll(async () => {
  account = await openAccount({ perPageMax: 3 }, clock.now);
  emptied = account.mirror.keep();
});
afterAll(() => account.close());

const PW = "correct horse battery";
const apply = (things: Things) => {
  const manifest = account.write("m.yaml", manifestOf(things));
  return runInProcess(account, ["apply", "--auto-approve", "--json", "-f", manifest], { PW }, clock);
};

test("whatever goes wrong meanwhile, it ends as declared, with nothing twice and nothing else touched", async () => {
  await fc.assert(fc.asyncProperty(trial, holds), { numRuns: size.fuzzRuns, endOnFailure: true });
});

async function holds({ live, wanted, faults }: Trial): Promise<void> {
  emptied();
  const made = await apply(live);
  expect(made.status, made.stdout + made.stderr).toBe(0);
  const before = await readAccount(account);
  const logged = (await account.operations()).length;

  const added = await account.byHand("POST", "/_emulator/faults", { faults });
  expect(added.status, JSON.stringify(added.body)).toBe(201);
  expectAccountedFor(await apply(wanted));
  await account.byHand("DELETE", "/_emulator/faults");
  await expectConverged(wanted);

  const after = await readAccount(account);
  expectNothingTwice(after);
  expectOthersUntouched(before, after, wanted);
  const posts = (await account.operations())
    .slice(logged)
    .filter(({ method, committed }) => method === "POST" && committed)
    .map(({ path }) => path);
  expect(posts.filter((path) => !path.includes("/dns/")).toSorted(), "made once, and only what is wanted").toEqual(
    toBeMade(live, wanted),
  );
}

/** One apply does what is left; a second has nothing to do. */
async function expectConverged(wanted: Things): Promise<void> {
  const rest = await apply(wanted);
  expect(rest.status, rest.stdout + rest.stderr).toBe(0);
  const none = await apply(wanted);
  expect(none.status, none.stdout + none.stderr).toBe(0);
  expect(
    eventsOf(none).filter(({ type }) => type === "planned"),
    "something is left to do",
  ).toEqual([]);
}

/** It ends in a way that is ours to end in, and the report has an outcome for each step. */
function expectAccountedFor(ran: Awaited<ReturnType<typeof apply>>): void {
  const said = ran.stdout + ran.stderr;
  expect([0, 4, 5, 6, 7], said).toContain(ran.status);
  expect(said).not.toContain("A bug in Hostform");
  const events = eventsOf(ran);
  const reported = events.findIndex(({ type }) => type === "report");
  const report = events[reported];
  if (report === undefined) return;
  const count = (name: string) => Number(report[name]);
  expect(count("done") + count("failed") + count("blocked") + count("not_attempted")).toBe(
    events.slice(0, reported).filter(({ type }) => type === "planned").length,
  );
  expect(report["mismatches"], "writes that are not the plan's").toEqual([]);
}

function expectNothingTwice(holdings: Holdings): void {
  for (const [list, items] of Object.entries(holdings)) {
    const keys = items.map(({ name, type, content, address, username, command, domain }) =>
      JSON.stringify([name, type, content, address, username, command, domain]),
    );
    expect(new Set(keys).size, `twice in ${list}: ${keys.join(" ")}`).toBe(keys.length);
  }
}

/** What the manifest does not name is still there, under its id and in its version. */
function expectOthersUntouched(before: Holdings, after: Holdings, wanted: Things): void {
  const names = new Set(
    [
      ...Object.keys(wanted.records),
      ...Object.keys({ ...wanted.mailboxes, ...wanted.aliases }).map((name) => `${name}@example.com`),
      ...Object.keys(wanted.databases),
      ...Object.keys(wanted.crons).map((name) => `run ${name}`),
    ].values(),
  );
  const lists = ["records of example.com", "mail/accounts", "mail/aliases", "crons", "databases"];
  const others = (holdings: Holdings): readonly Item[] =>
    lists.flatMap((list) =>
      (holdings[list] ?? []).filter(
        ({ name, address, command, managed }) =>
          managed !== true && ![name, address, command].some((key) => names.has(String(key))),
      ),
    );
  expect(others(after)).toEqual(others(before));
}

/** Where something is posted that is not there yet. */
function toBeMade(live: Things, wanted: Things): string[] {
  const made = (path: string, kind: keyof Things) =>
    Object.keys(wanted[kind]).flatMap((name) => (Object.hasOwn(live[kind], name) ? [] : [`/v2026/${path}`]));
  return [
    ...made("mail/accounts", "mailboxes"),
    ...made("mail/aliases", "aliases"),
    ...made("crons", "crons"),
    ...made("databases", "databases"),
  ].toSorted();
}
