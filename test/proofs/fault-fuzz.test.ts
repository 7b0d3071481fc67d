import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf, exits, type Ran, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { trial, type Trial } from "./draw-trial.ts";
import { expectAsDeclared, expectNoBlindWrites, expectNothingLost, expectNothingTwice } from "./invariants.ts";
import { openReader } from "./read-account.ts";
import { size } from "./size.ts";
import { consentTo, heldIn, manifestOf, seedOf, sorts, type Things } from "./things.ts";

const clock = virtualClock();

/** An account on a service that is lax or not, and how to look into it and put it back. */
interface World {
  readonly account: Account;
  readonly reader: ReturnType<typeof openReader>;
  readonly putBack: () => void;
  readonly plain: string;
  readonly inventory: string;
}
let strict: World;
let lax: World;

/** What the things of a trial stand in. */
const empty = {
  service: [{ domain: "example.com", hosting: { id_service_type: "WEB-M" } }],
  domain: [{ name: "example.com", service: "example.com" }],
  dns_zone: [{ name: "example.com" }],
};

async function openWorld(isLax: boolean): Promise<World> {
  const account = await openAccount({ perPageMax: 3, seed: empty, lax: isLax }, clock.now);
  const contract = "contract: 1\nname: plain\nextends: v2026\nrequest: { idempotency: null }\n";
  return {
    account,
    reader: openReader(account),
    plain: account.write("plain.yaml", contract),
    inventory: join(account.folder, "ours.json"),
    putBack: account.mirror.keep(),
  };
}

beforeAll(async () => {
  strict = await openWorld(false);
  lax = await openWorld(true);
});
afterAll(async () => {
  for (const { reader, account } of [strict, lax]) {
    reader.close();
    await account.close();
  }
});

const journalOf = ({ account }: World) => join(account.folder, "journal");

const title = "whatever goes wrong meanwhile, it ends as declared, with nothing twice and nothing else touched";
test(title, () => forDraws({ numRuns: size.fuzzRuns, endOnFailure: true }, trial, holds));

async function holds(drawn: Trial): Promise<void> {
  for (const isLax of size.modes(drawn.lax)) {
    const world = isLax ? lax : strict;
    const { account, reader } = world;
    await begin(world, drawn.live);
    const before = heldIn(reader.read());
    const outcome = async () => ({ drawn, before, now: heldIn(reader.read()), operations: await account.operations() });
    const added = await account.byHand("POST", "/_emulator/faults", { faults: drawn.faults });
    expect(added.status, JSON.stringify(added.body)).toBe(201);
    const ran = await apply(world, drawn);
    await account.byHand("DELETE", "/_emulator/faults");

    const { incomplete } = expectAccountedFor(ran);
    const after = await outcome();
    expectNothingLost(after);
    expectNothingTwice(after);
    expectNoBlindWrites(after, incomplete);
    if (ran.status === 0) expectAsDeclared(after);

    await expectConverged(world, drawn);
    const end = await outcome();
    expectNothingLost(end);
    expectAsDeclared(end);
  }
}

/** Puts things into the empty account. */
async function begin({ account, putBack, inventory }: World, live: Things): Promise<void> {
  putBack();
  rmSync(inventory, { force: true });
  const { status, body } = await account.byHand("POST", "/_emulator/seed", seedOf(live));
  expect(status, JSON.stringify(body)).toBe(201);
}

/** The inventory is that of a contract's target, so each command needs the same. */
const contractOf = ({ plain }: World, idempotent: boolean) => (idempotent ? [] : ["--contract", plain]);

function apply(world: World, { live, wanted, exclusive, idempotent, parallelism }: Trial): Promise<Ran> {
  const { account, inventory } = world;
  const manifest = account.write("m.yaml", manifestOf(wanted, exclusive));
  const places = ["--journal", journalOf(world), "--inventory", inventory];
  const flags = ["--auto-approve", "--json", "--parallelism", String(parallelism), ...places].concat(
    contractOf(world, idempotent),
    exclusive ? consentTo(live, wanted) : [],
  );
  return runInProcess(account, ["apply", "-f", manifest, ...flags], { PW: "correct horse battery" }, clock);
}

/** Applies; while that stops for a certificate that may have been made and does not show, someone looks, and it is not there. */
async function applyHavingLooked(world: World, drawn: Trial): Promise<Ran> {
  for (;;) {
    const ran = await apply(world, drawn);
    const ofCertificate = (word: string, start: string) =>
      eventsOf(ran).find(({ code, summary }) => code === word && String(summary).startsWith(start));
    const inFlight = ofCertificate("in_flight_untold", "create certificate/");
    const unconfirmed = ofCertificate("unconfirmed", "certificate/");
    if (ran.status !== 6 || (!inFlight && !unconfirmed)) return ran;
    if (inFlight) rmSync(journalOf(world));
    if (unconfirmed) await forget(world, drawn, String(unconfirmed["address"]));
  }
}

async function forget(world: World, { wanted, exclusive, idempotent }: Trial, address: string): Promise<void> {
  const { account, inventory } = world;
  const manifest = account.write("m.yaml", manifestOf(wanted, exclusive));
  const flags = ["--inventory", inventory, "--forget", address, "--json", ...contractOf(world, idempotent)];
  const args = ["inventory", "-f", manifest, ...flags];
  exits(0, await runInProcess(account, args, { PW: "correct horse battery" }, clock));
}

/** One more apply does what is left, if anything, and then another has nothing to do. */
async function expectConverged(world: World, drawn: Trial): Promise<void> {
  const planned = async () => {
    const ran = exits(0, await applyHavingLooked(world, drawn));
    return eventsOf(ran).filter(({ type }) => type === "planned");
  };
  if ((await planned()).length > 0) expect(await planned(), "something is left to do").toEqual([]);
}

/** It ends in a way that is ours to end in, the report has an outcome for each step, and lists not read whole are told. */
function expectAccountedFor(ran: Ran): { readonly incomplete: readonly string[] } {
  const said = ran.stdout + ran.stderr;
  expect([0, 4, 5, 6, 7], said).toContain(ran.status);
  expect(said).not.toContain("A bug in Hostform");
  const events = eventsOf(ran);
  const reported = events.findIndex(({ type }) => type === "report");
  const report = events[reported];
  // Without a report nothing may have been written, whatever was read.
  if (report === undefined) return { incomplete: sorts };
  const first = events.slice(0, reported);
  const count = (name: string) => Number(report[name]);
  expect(count("done") + count("failed") + count("blocked") + count("not_attempted")).toBe(
    first.filter(({ type }) => type === "planned").length,
  );
  expect(report["mismatches"], "writes that are not the plan's").toEqual([]);
  return { incomplete: first.filter(({ type }) => type === "incomplete").map(({ collection }) => String(collection)) };
}
