import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PlanInput } from "../../src/model/plan-input.ts";
import type { Plan } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { allowingFlags } from "../../src/render/refusals-text.ts";
import { withAddresses } from "../../src/engine/session/read-addresses.ts";
import { consentToRefused, flagsToRepeat } from "../../src/saved-plans/approved-consent.ts";
import { savePlan } from "../../src/saved-plans/save-plan.ts";
import { addresses, buildInput, inZone, type Lists, ours, record, service } from "../plan/build-input.ts";
import { cron, job } from "../plan/crons.ts";
import { options } from "../proofs/saved-cases.ts";
import { size } from "../proofs/size.ts";
import { forDraws } from "../support/for-draws.ts";

/** Consent by the hash of a plan: to every step of that plan, and to no other plan. */
const names = ["a", "b", "c", "d", "e"];
const box = (name: string) => `mailbox/${name}@example.com`;
const text = (name: string) => `dns_record/example.com/${name}/TXT`;
const some = (...all: string[]) => fc.subarray(all);
const sign = "dnssec/example.com";

/** An account, its manifest, what is ours of it, and the flags that an approval does not contain. */
const state = fc.record({
  live: fc.record({ jobs: some(...names), boxes: some("p", "q"), texts: some(...names), signed: fc.boolean() }),
  command: fc.constantFrom("x", "x", "y"),
  jobs: some("a", "b"),
  boxes: some("p"),
  texts: some("a", "b"),
  signs: fc.boolean(),
  buys: fc.boolean(),
  removed: some(...names.map(cron), ...names.map(text), box("q"), sign),
  protects: fc.boolean(),
  budget: fc.constantFrom("0", "2", "10%"),
  owned: fc.boolean(),
  carriedOut: some(cron("c"), box("q"), text("d")),
  committed: some(cron("c"), cron("d"), box("q")),
  kept: some(cron("d")),
  isOlder: fc.constantFrom(false, false, false, true),
  rollback: fc.boolean(),
  rotates: fc.boolean(),
  only: fc.constantFrom([], [], ["cron/*"], ["mailbox/*"]),
});
type State = typeof state extends fc.Arbitrary<infer T> ? T : never;

function manifestOf({ command, jobs, boxes, texts, signs, buys, protects, budget, removed }: State): string {
  const list = (each: readonly string[], body: (name: string) => string) => each.map((name) => body(name)).join(", ");
  const declared = new Set([...jobs.map(cron), ...boxes.map(box), ...texts.map(text), ...(signs ? [sign] : [])]);
  const entries = removed.filter((address) => !declared.has(address));
  return `policy: { max_deletes: ${budget}${protects ? ", protect: [cron]" : ""} }
services: { example.com: }
domains: { example.com: ${buys ? ", new.example: " : ""} }
dns: { example.com: { ${signs ? "dnssec: {}, " : ""}records: { ${list(texts, (name) => `${name}: { TXT: x }`)} } } }
mail: { example.com: { mailboxes: { ${list(boxes, (name) => `${name}: { password: "\${env:SECRET}" }`)} } } }
crons: { example.com: { jobs: { ${list(jobs, (name) => `${name}: { schedule: '0 3 * * *', command: ${command} }`)} } } }
removed: [${list(entries, (address) => `{ address: ${address}, action: delete }`)}]`;
}

const listsOf = ({ live }: State): Lists => ({
  "/services": [service],
  "/domains": [{ id: "d1", name: "example.com", status: "active", expires_at: "2027-01-20T00:00:00Z" }],
  ...inZone(...live.texts.map((name) => ({ ...record(name, "TXT", '"x"'), id: name }))),
  "/dns/zones/z1/dnssec": [{ enabled: live.signed, algorithm: 13, status: "active", ds: [], keys: [] }],
  "/mail/accounts?domain=example.com": live.boxes.map((name) => ({
    id: name,
    etag: name,
    address: `${name}@example.com`,
  })),
  "/crons?service_id=s1": live.jobs.map((name) => job(name)),
});

async function inputOf(given: State): Promise<PlanInput> {
  const { owned, carriedOut, committed, kept, isOlder, rollback, rotates, boxes, only } = given;
  const all = [...names.map(cron), ...names.map(text), box("p"), box("q")];
  const { inventory, ...ownership } = ours(owned ? all : [], kept).ownership;
  const rotations = addresses(...(rotates ? boxes.map(box) : []));
  return buildInput(manifestOf(given), listsOf(given), { rollback, rotations }, undefined, {
    selection: { only, except: [] },
    ownership: {
      ...ownership,
      rolledBack: isOlder,
      inventory: inventory && { ...inventory, removed: addresses(...carriedOut) },
      ...(isOlder ? {} : { removals: addresses(...committed) }),
    },
  });
}

const requests = { journal: undefined, unended: undefined, unconfirmed: [] };
const hashOf = (input: PlanInput, made: Plan) => savePlan(input, made, options).saved.hash;

/** The plan with the flags that its refusals ask for, and the hash that it prints; undefined where no flag allows all of it. */
function printed(input: PlanInput): { readonly hash: string; readonly made: Plan } | undefined {
  let asked = input;
  for (let round = 0; round < 5; round += 1) {
    const made = plan(asked);
    if (made.refusals.length === 0) return { hash: hashOf(asked, made), made };
    const words = allowingFlags(made).map((flag) => flag.replaceAll("'", "").split(" "));
    const of = (name: string) => words.flatMap(([flag, value = ""]) => (flag === name ? [value] : []));
    const flags = { allowDelete: of("--allow-delete"), allowPurchase: of("--allow-purchase") };
    const { consent } = withAddresses({ ...flags, retry: [], rotate: [], rollback: false, only: [], except: [] });
    asked = { ...input, consent: { ...consent, rotations: input.consent.rotations, rollback: input.consent.rollback } };
  }
  return undefined;
}

/** The plan that an approval runs; undefined where it refuses. */
function approve(hash: string, input: PlanInput): Plan | undefined {
  const allowed = consentToRefused(input, plan(input), requests);
  const isThat = allowed.plan.refusals.length === 0 && hashOf(allowed.input, allowed.plan) === hash;
  return isThat ? allowed.plan : undefined;
}

/** All that a person has seen, or relied upon, when the hash was printed. */
function meaning({ carriedOut, owned }: State, { target, steps, refusals }: Plan) {
  const gone = steps.flatMap(({ action, address }) => (action === "delete" ? [address] : []));
  return {
    target,
    refusals,
    steps: steps.map(({ address, action, replaces, purchase, changes, calls }) => ({
      id: `${action} ${address} ${replaces} ${purchase}`,
      changes,
      calls: calls.map(({ method, path }) => `${method} ${path}`),
    })),
    again: gone.filter((address) => carriedOut.includes(address)),
    ours: gone.filter((address) => owned && address !== sign),
  };
}

const runs = { numRuns: size.draws(240) };

describe("the hash of a plan", () => {
  test("is consent to that plan, however its steps were allowed when it was printed", () =>
    forDraws(runs, state, async (given) => {
      const input = await inputOf(given);
      const then = printed(input);
      fc.pre(then !== undefined && then.made.steps.length > 0);
      const approved = approve(then.hash, input);
      expect(approved && meaning(given, approved)).toEqual(meaning(given, then.made));
    }));

  test("is consent to no other plan: of another state, manifest, inventory or other flags", () =>
    forDraws(runs, state, state, fc.nat(17), async (a, b, at) => {
      const key = (Object.keys(a) as (keyof State)[])[at] ?? "live";
      const other: State = { ...a, [key]: b[key] };
      const then = printed(await inputOf(a));
      fc.pre(then !== undefined && then.made.steps.length > 0);
      const approved = approve(then.hash, await inputOf(other));
      expect(approved ? meaning(other, approved) : meaning(a, then.made)).toEqual(meaning(a, then.made));
    }));
});

test.each([
  ["can be sent again", 'password: "${env:SECRET}"', ["rotate"]],
  ["is not declared", "", []],
])("where a password %s, the flags that an approval may lack are %j", async (_, body, flags) => {
  const manifest = `domains: { example.com: }\nmail: { example.com: { mailboxes: { info: { ${body} } } } }`;
  const input = await buildInput(manifest, {
    "/domains": [{ id: "d1", name: "example.com" }],
    "/mail/accounts?domain=example.com": [{ id: "m1", address: "info@example.com" }],
  });
  expect(flagsToRepeat(input, plan(input))).toEqual({ missing: flags, given: [] });
});
