import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { refreshAndPlan } from "../../src/engine/session/read-and-plan.ts";
import { ownObjects } from "../../src/kinds/derived/server-made.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import { kindOf } from "../../src/model/address.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { nothingAllowed, type PlanInput } from "../../src/model/plan-input.ts";
import type { Step } from "../../src/model/plan.ts";
import type { SavedPlan } from "../../src/model/saved-plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { prepare } from "../../src/plan/prepare.ts";
import { consentToRefused } from "../../src/saved-plans/approved-consent.ts";
import { canonicalJson } from "../../src/saved-plans/lines.ts";
import { compareSaved } from "../../src/saved-plans/compare-saved.ts";
import { planUndo } from "../../src/saved-plans/plan-undo.ts";
import { remainingPlan } from "../../src/saved-plans/remaining-plan.ts";
import { savePlan } from "../../src/saved-plans/save-plan.ts";
import { addresses, buildInput, inZone, type Lists, ours, readerOf, record, service } from "../plan/build-input.ts";
import { unapprovedIn } from "./approved.ts";
import { askedBy, cases, options, parsed, type Case } from "./saved-cases.ts";
import { size } from "./size.ts";
import { forDraws } from "../support/for-draws.ts";

/**
 * An apply of a file makes no write whose line `show` has not printed, whatever happened meanwhile: between saving and applying, others
 * add, change or delete any objects of the account. The apply reads the lists that it would read, and plans by the functions of the engine.
 */
const secret = "a secret value";
const box = { id: "m1", etag: "em1", address: "info@example.com", quota_mb: 1024 };
const alias = { id: "a1", etag: "ea1", address: "hello@example.com", destinations: ["b@x.test"], keep_copy: false };
const job = { id: "j1", etag: "ej1", service_id: "s1", name: "there", schedule: "0 3 * * *", command: "echo old" };
const shop = { id: "b1", etag: "eb1", service_id: "s1", name: "shop", engine: "mariadb", charset: "latin1" };

/** An account of which much is not touched by a plan. */
const full: Lists = {
  ...inZone(
    record("www", "A", "192.0.2.1"),
    record("www", "A", "192.0.2.2"),
    record("t", "TXT", '"by hand"'),
    record("t", "TXT", JSON.stringify(secret)),
    record("old", "CNAME", "y.test.", { comment: "keep me" }),
  ),
  "/services": [service],
  "/crons?service_id=s1": [job],
  "/databases?service_id=s1": [shop],
  "/domains": [{ id: "d1", name: "example.com", status: "active", expires_at: "2027-01-20T00:00:00Z" }],
  "/mail/accounts?domain=example.com": [box],
  "/mail/aliases?domain=example.com": [alias],
};
const all: readonly Case[] = [
  ...cases,
  {
    manifest: "removed: [{ address: dns_zone/example.com, action: delete }]",
    lists: full,
    consent: { deletes: addresses("dns_zone/example.com") },
    owned: ["t/TXT", "www/A", "old/CNAME"],
  },
  {
    manifest: 'dns: { example.com: { records: { t: { TXT: ["${env:SECRET}", other] }, old: { A: 192.0.2.7 } } } }',
    lists: full,
  },
  {
    manifest: `services: { example.com: { plan: WEB-M, datacenter: BCN1 } }
crons: { example.com: { jobs: { there: { schedule: "0 4 * * *", command: "echo new" } } } }
databases: { example.com: { databases: { shop: { engine: mariadb } } } }`,
    lists: full,
    consent: { deletes: addresses("service/example.com", "database/example.com/shop", "cron/example.com/there") },
  },
  {
    manifest: `domains: { example.com: {} }
mail: { example.com: { mailboxes: { info: { quota: 2 GiB } }, aliases: { hello: { destinations: [c@x.test] } } } }
dns: { example.com: { records: { www: { A: { ttl: 60, values: [192.0.2.1] } } } } }`,
    lists: full,
  },
];

/** The input of a plan of a case, in the account with these lists. */
const inputOf = ({ manifest, consent = {}, owned = [] }: Case, lists: Lists): Promise<PlanInput> => {
  const held = owned.map((name) => `dns_record/example.com/${name}`);
  return buildInput(manifest, lists, consent, undefined, ours(["dns_zone/example.com", ...held]));
};

interface Saved {
  readonly lists: Lists;
  readonly input: PlanInput;
  readonly saved: SavedPlan;
}
const files: Saved[] = [];
beforeAll(async () => {
  for (const each of all) {
    const { manifest, lists = {} } = each;
    const input = await inputOf(each, lists);
    const made = plan(input);
    const saved = savePlan(input, made, options);
    if (!saved.follows || made.steps.length === 0) throw new Error(`Nothing to apply: ${manifest}`);
    files.push({ lists, input, saved: parsed(saved.saved) });
    // An undo of nothing that is done: most of its steps are refused, or satisfied.
    files.push({ lists, input, saved: parsed(planUndo(input, made, options).saved) });
  }
});

/** Objects that others may add. */
const added: Readonly<Record<string, readonly JsonObject[]>> = {
  ...inZone(
    record("www", "A", "192.0.2.9"),
    record("www", "AAAA", "2001:db8::1"),
    record("t", "TXT", '"added"'),
    record("a", "A", "192.0.2.1", { ttl: 60 }),
    record("b.www", "A", "192.0.2.9"),
  ),
  "/services": [service],
  "/crons?service_id=s1": [
    { ...job, command: "echo other" },
    { ...job, name: "x" },
  ],
  "/databases?service_id=s1": [shop, { ...shop, name: "u1_shop" }, { ...shop, name: "blog" }],
  "/domains": full["/domains"] ?? [],
  "/mail/accounts?domain=example.com": [box, { ...box, address: "more@example.com" }],
  "/mail/aliases?domain=example.com": [alias, { ...alias, address: "info@example.com" }],
};
const paths = Object.keys(added);

const edit = fc.record({
  how: fc.constantFrom("add", "change", "delete", "again"),
  path: fc.nat(),
  index: fc.nat(),
  field: fc.nat(),
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;
const drawn = fc.record({ which: fc.nat(), edits: fc.array(edit, { minLength: 1, maxLength: 3 }) });

let made = 0;
/** The lists after others have added an object, changed or deleted one, or made one again, which then has another id. */
function meddle(lists: Lists, { how, path: at, index, field }: Edit): Lists {
  const held = Object.entries(lists).flatMap(([path, items]) => items.map((_, place) => ({ path, place })));
  made += 1;
  const id = `new${made}`;
  const there = held[index % held.length];
  if (how === "add" || !there) {
    const path = paths[at % paths.length] ?? "";
    const pool = added[path] ?? [];
    return { ...lists, [path]: [...(lists[path] ?? []), { ...pool[index % pool.length], id, etag: id }] };
  }
  const { path, place } = there;
  const items = lists[path] ?? [];
  const item = items[place] ?? {};
  if (how === "delete") return { ...lists, [path]: items.toSpliced(place, 1) };
  if (how === "again") return { ...lists, [path]: items.with(place, { ...item, id }) };
  const names = Object.keys(item).filter((name) => !["id", "etag", "service_id", "status"].includes(name));
  const name = names[field % names.length] ?? "";
  return { ...lists, [path]: items.with(place, { ...item, [name]: otherValue(item[name]), etag: id }) };
}

function otherValue(value: Json | undefined): Json {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 7;
  if (typeof value === "string" && value.endsWith("Z")) return value.replace("2027", "2026");
  if (typeof value === "string") return value.replace(/.(?="?$)/u, (last) => (last === "5" ? "6" : "5"));
  return Array.isArray(value) ? ["other@x.test"] : "other";
}

const requests = { journal: undefined, unended: undefined, unconfirmed: [] };

/** Plans what `apply FILE` would do now; undefined where it refuses. */
async function applied({ input, saved }: Saved, lists: Lists) {
  const asked = askedBy(input, saved, secret);
  const found = await refreshAndPlan(readerOf(lists), asked);
  if (!found.ok) return undefined;
  const { live } = found.value;
  const now = { ...asked, live };
  const rest = remainingPlan(saved, now, { plan: found.value.plan, requests }, input.ownership);
  const { plan: remaining, desired } = rest;
  const prepared = { ...prepare({ ...now, desired }), contract: input.contract };
  const isRefused = remaining.refusals.length > 0 || remaining.diagnostics.some(({ severity }) => severity === "error");
  return isRefused || compareSaved(saved, remaining, prepared).length > 0
    ? undefined
    : { remaining, live: prepared.live };
}

/** The calls, and the objects that go along, that no line of the file shows; and deletions of objects that were not there. */
function unshown({ saved, lists }: Saved, step: Step): string[] {
  const own = saved.steps.filter(({ address }) => address === step.address);
  const methods = new Set(own.flatMap((each) => each.calls.map(({ method }) => method)));
  // Where another value of a set is gone, the value that would have taken its place is made instead.
  if (kindNamed(kindOf(step.address)).members && methods.has("PUT")) methods.add("POST");
  const along = new Set(own.flatMap(({ takesAlong = [] }) => takesAlong));
  const ids = new Set(Object.values(lists).flatMap((items) => items.map(({ id }) => id)));
  // An apply that was interrupted may have deleted all that was there, to make others.
  const deleted = own.flatMap(({ calls }) => calls.filter(({ method }) => method === "DELETE"));
  const was = saved.was.resources.get(step.address)?.remotes ?? [];
  const isMissing = ownObjects(kindNamed(kindOf(step.address)), was).length > deleted.length;
  // Another object counts as the same where it is a value of a set, or is put back; and no id of what an undo deletes was known.
  const isPutBack = saved.steps.some(({ on_refusal: ends = [] }) =>
    ends.some(({ address }) => address === step.address),
  );
  const isIdentified = step.action === "delete" && !isPutBack && saved.undo !== true;
  const strange = step.calls.flatMap(({ method, params }) =>
    method === "DELETE" && isIdentified
      ? Object.values(params).flatMap((id) => (typeof id === "string" && !ids.has(id) ? [id] : []))
      : [],
  );
  return [
    ...step.calls.map(({ method }) => method).filter((method) => !methods.has(method)),
    ...(step.takesAlong ?? []).filter((address) => !along.has(address)),
    ...strange.map((id) => `deletes ${id}`),
    // An object to be changed that is gone is a refusal, not a creation.
    ...(step.action === "create" && isMissing ? ["creates"] : []),
  ];
}

test("an apply of a file makes no write that the file does not show, whatever others add, change or delete meanwhile", async () => {
  let ran = 0;
  await forDraws({ numRuns: 8 * size.alterations }, drawn, async ({ which, edits }) => {
    const file = files[which % files.length];
    fc.pre(file !== undefined);
    const now = await applied(file, edits.reduce(meddle, file.lists));
    if (!now) return;
    ran += now.remaining.steps.length;
    expect(unapprovedIn(file.saved, now.remaining, now.live)).toEqual([]);
    expect(now.remaining.steps.flatMap((step) => unshown(file, step))).toEqual([]);
  });
  // Much of what others do does not concern the plan.
  expect(ran).toBeGreaterThan(size.alterations);
});

const callsOf = (steps: readonly Step[]) =>
  steps
    .map(({ id, calls }) => canonicalJson([id, ...calls.map(({ method, path, params }) => [method, path, params])]))
    .toSorted();

/** Of two texts of a name, one of which is secret, somebody gives the other another TTL, and deletes the third record of the zone. */
const mixedTtls = {
  which: 1738020621,
  edits: [
    { how: "change", path: 0, index: 1093950747, field: 722998883 },
    { how: "delete", path: 0, index: 1456037753, field: 0 },
    { how: "change", path: 0, index: 1, field: 0 },
  ] satisfies Edit[],
};

test("a plan that is saved, approved by its hash, or applied at once makes the same calls in one state of the account", async () => {
  let compared = 0;
  await forDraws({ numRuns: size.alterations, examples: [[mixedTtls]] }, drawn, async ({ which, edits }) => {
    const one = all[which % all.length];
    fc.pre(one !== undefined);
    const lists = edits.reduce(meddle, one.lists ?? {});
    const input = await inputOf(one, lists);
    const made = plan(input);
    if (made.refusals.length > 0 || made.diagnostics.some(({ severity }) => severity === "error")) return;
    const saved = savePlan(input, made, options);
    if (made.steps.length === 0) return;
    expect(saved.follows).toBe(true);
    const now = await applied({ lists, input, saved: parsed(saved.saved) }, lists);
    expect(now && callsOf(now.remaining.steps)).toEqual(callsOf(made.steps));
    const allowed = consentToRefused(
      { ...input, consent: nothingAllowed },
      plan({ ...input, consent: nothingAllowed }),
      requests,
    );
    expect(savePlan(allowed.input, allowed.plan, options).hash).toBe(saved.hash);
    expect(callsOf(allowed.plan.steps)).toEqual(callsOf(made.steps));
    compared += 1;
  });
  expect(compared).toBeGreaterThan(size.alterations / 8);
});
