import fc from "fast-check";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/model/json.ts";
import type { SavedPlan } from "../../src/model/saved-plan.ts";
import type { PlanInput } from "../../src/model/plan-input.ts";
import { plan } from "../../src/plan/plan.ts";
import { prepare } from "../../src/plan/prepare.ts";
import { byItself } from "../../src/saved-plans/by-itself.ts";
import { canonicalJson } from "../../src/saved-plans/canonical-json.ts";
import { compareSaved } from "../../src/saved-plans/compare-saved.ts";
import { parseSavedPlan } from "../../src/saved-plans/parse-saved-plan.ts";
import { isSealed, sealPlan } from "../../src/saved-plans/plan-hash.ts";
import { planUndo } from "../../src/saved-plans/plan-undo.ts";
import { desiredOf } from "../../src/saved-plans/portable-desired.ts";
import { simulate } from "../../src/saved-plans/simulate.ts";
import { savePlan } from "../../src/saved-plans/save-plan.ts";
import { runInProcess } from "../support/in-process.ts";
import { addresses, buildInput, ours, record, service, zone, type Lists } from "../plan/build-input.ts";
import { size } from "./size.ts";

/**
 * A file that `show` prints and `apply --approve HASH` accepts stands for one plan: any other file with that hash is shown by the same
 * bytes, and makes the same calls. The files are saved plans and undo plans of every sort of step, altered anywhere, by someone who
 * leaves the seals as they are or makes them fit.
 */
const folder = mkdtempSync(join(tmpdir(), "hostform-altered-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Case {
  readonly manifest: string;
  readonly lists?: Lists;
  readonly consent?: Partial<PlanInput["consent"]>;
  readonly owned?: readonly string[];
}

const inZone = (...records: JsonObject[]): Lists => ({ "/dns/zones": [zone], "/dns/zones/z1/records": records });
const shop = { id: "b1", etag: "eb1", service_id: "s1", name: "shop", engine: "mariadb", charset: "latin1" };
const job = { id: "j1", etag: "ej1", service_id: "s1", name: "there", schedule: "0 3 * * *", command: "echo old" };
const inService: Lists = { "/services": [service], "/crons?service_id=s1": [job], "/databases?service_id=s1": [shop] };

const cases: readonly Case[] = [
  {
    manifest: `services: { example.com: { plan: WEB-M, datacenter: MAD1 } }
domains: { example.com: { service: example.com, auto_renew: true } }
dns: { example.com: { records: { "@": { A: 192.0.2.1, TXT: ["\${env:SECRET}", open] }, www: { CNAME: example.com. } } } }
mail: { example.com: { mailboxes: { info: { quota: 2 GiB, password: "\${env:UNSET}" } } } }
databases: { example.com: { databases: { shop: { engine: mariadb } } } }
crons: { example.com: { jobs: { x: { schedule: "0 3 * * *", command: "php \${ref:database/example.com/shop.host}" } } } }`,
  },
  {
    manifest: `dns: { example.com: { records: { a: { A: { ttl: 60, values: [192.0.2.1, { value: 192.0.2.2, comment: x }] } }, www: { CNAME: x.test. } } } }
removed: [{ address: dns_record/example.com/www/A, action: delete }, { address: dns_record/example.com/old/TXT, action: delete }]`,
    lists: inZone(
      record("a", "A", "192.0.2.1"),
      record("a", "A", "192.0.2.9"),
      record("www", "A", "192.0.2.3"),
      record("old", "TXT", '"v"'),
    ),
  },
  {
    manifest: `services: { example.com: { plan: WEB-L } }
databases: { example.com: { databases: { shop: { engine: postgresql } } } }
crons: { example.com: { jobs: { there: { command: "curl \${env:SECRET}" } } } }`,
    lists: inService,
    consent: { deletes: addresses("database/example.com/shop") },
  },
  {
    manifest: `services: { example.com: }
databases: { example.com: { databases: { shop: { engine: postgresql } } } }
removed: [{ address: cron/example.com/there, action: delete }]
policy: { protect: [cron] }`,
    lists: inService,
  },
  {
    manifest: `domains: { example.com: { renew_before: 30d, period_years: 2 } }`,
    lists: { "/domains": [{ id: "d1", name: "example.com", status: "active", expires_at: "2026-01-20T00:00:00Z" }] },
    consent: { purchases: addresses("domain/example.com") },
  },
  {
    manifest: `dns: { example.com: { records: { www: { CNAME: x.test. }, old: { A: 192.0.2.1 }, one: { CNAME: new.test. }, set: { A: 192.0.2.7 } } } }
${removing("dns_record/example.com/www/A", "dns_record/example.com/www/TXT", "dns_record/example.com/old/CNAME")}`,
    lists: inZone(
      record("www", "A", "192.0.2.1", { comment: "by hand" }),
      record("www", "A", "192.0.2.2"),
      record("www", "TXT", '"v"'),
      record("old", "CNAME", "y.test."),
      record("one", "CNAME", "old.test.", { comment: "keep me" }),
      record("set", "A", "192.0.2.8"),
    ),
  },
  {
    manifest: `domains: { example.com: {} }
dns: { example.com: { records: { www: { A: 192.0.2.1, TXT: t, MX: [{ priority: 1, value: mx.test. }] } } } }
mail: { example.com: { mailboxes: { info: { password: "\${env:SECRET}" } }, aliases: { box: { destinations: [a@x.test] } } } }
${removing("dns_record/example.com/www/CNAME", "mail_alias/info@example.com", "mailbox/box@example.com")}`,
    lists: {
      ...inZone(record("www", "CNAME", "y.test.")),
      "/domains": [{ id: "d1", name: "example.com", status: "active", expires_at: "2027-01-20T00:00:00Z" }],
      "/mail/accounts?domain=example.com": [{ id: "m1", etag: "em1", address: "box@example.com" }],
      "/mail/aliases?domain=example.com": [
        { id: "a1", etag: "ea1", address: "info@example.com", destinations: ["b@x.test"], keep_copy: false },
      ],
    },
    consent: { deletes: addresses("mailbox/box@example.com") },
  },
  { manifest: "dns: { example.com: }", lists: inZone(record("gone", "A", "192.0.2.4")), owned: ["gone/A"] },
];

function removing(...all: string[]): string {
  return `removed: [${all.map((address) => `{ address: ${address}, action: delete }`).join(", ")}]`;
}

const options = { now: 0, holdsSecret: () => false, filePath: (path: string) => path };
const source = { commit: "a".repeat(40), manifests: ["m.yaml"] };

interface Made {
  readonly input: PlanInput;
  readonly saved: SavedPlan;
  readonly shown: string;
  readonly calls: string;
}
const made: Made[] = [];

beforeAll(async () => {
  for (const { manifest, lists = {}, consent = {}, owned = [] } of cases) {
    const held = owned.map((name) => `dns_record/example.com/${name}`);
    const input = await buildInput(manifest, lists, consent, undefined, ours(["dns_zone/example.com", ...held]));
    const asPlanned = plan(input);
    const plans = [
      savePlan(input, asPlanned, { ...options, source }).saved,
      planUndo(input, asPlanned, options).saved,
    ].map((saved) => parseSavedPlan(JSON.stringify(saved)));
    const { live, desired } = prepare(input);
    const after = { ...input, live: simulate(live, desired, asPlanned) };
    for (const parsed of plans) {
      if ("wrong" in parsed) throw new Error(parsed.wrong);
      const saved = parsed.plan;
      const shown = await show(JSON.stringify(saved));
      const now = saved.undo === true ? after : input;
      made.push({ input: now, saved, shown, calls: callsOf(now, saved) });
    }
  }
});

/** The bytes that `show` prints, for a person and for a script, or "refused". */
async function show(text: string): Promise<string> {
  const path = join(folder, "plan.json");
  writeFileSync(path, text);
  const nothing = { flags: [], env: {} };
  const printed = [await runInProcess(nothing, ["show", path]), await runInProcess(nothing, ["show", path, "--json"])];
  if (printed.some(({ status }) => status !== 0)) {
    expect(new Set(printed.map(({ status }) => status)).size).toBe(1);
    expect(printed[0]?.stdout).toBe("");
    return "refused";
  }
  return printed.map(({ stdout, stderr }) => stdout + stderr).join("\n");
}

/** The calls and refusals that the file leads to while nothing has moved, or "refused", as `apply FILE` plans them. */
function callsOf(input: PlanInput, saved: SavedPlan): string {
  const desired = desiredOf(saved, (parts) => {
    const isKnown = parts.every((part) => typeof part === "string" || ("env" in part && part.env === "SECRET"));
    return isKnown ? { value: parts.map((part) => (typeof part === "string" ? part : "s")).join("") } : { missing: "" };
  });
  const sets = Object.entries(saved.consent).map(([flag, named]) => [flag, new Set(named)]);
  const consent = { ...input.consent, ...(Object.fromEntries(sets) as object) };
  const asked: PlanInput = { ...input, desired, consent, ...byItself };
  const remaining = plan(asked);
  const differences = compareSaved(saved, remaining, { ...prepare(asked), contract: input.contract });
  if (differences.length > 0) return "refused";
  const asSaved = remaining.steps.map(({ calls, on_refusal: ends = [] }) => [calls, ends]);
  return canonicalJson([asSaved, remaining.refusals.length > 0]);
}

type Path = readonly (string | number)[];
const walk = (value: Json, path: Path = []): Path[] => [
  path,
  ...(typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => walk(inner, [...path, Array.isArray(value) ? Number(key) : key]))
    : []),
];
const at = (value: Json, path: Path): Json =>
  path.reduce<Json>((inner, key) => (inner as Record<string | number, Json>)[key] ?? null, value);

interface Draw {
  readonly which: number;
  readonly where: number;
  readonly other: number;
  readonly how: "leaf" | "copy" | "delete" | "add" | "twice" | "turn" | "swap" | "repeat";
  readonly seal: boolean;
}

const leaves = (value: Json, other: Json): Json => {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  const words: Record<string, string> = {
    POST: "DELETE",
    PUT: "POST",
    DELETE: "POST",
    create: "update",
    update: "create",
  };
  return typeof value === "string" ? (words[value] ?? (typeof other === "string" ? other : `${value}x`)) : "x";
};

const anywhere = (path: Path) => path.length > 0;
// What is added beside them belongs to their step.
const inPutBacks = (how: Draw["how"]) => (path: Path) =>
  (how === "add" ? path.slice(0, -1) : path).includes("on_refusal");

/** The text of the plan with one alteration at a place; undefined where the draw does not fit it. */
function alter(
  saved: SavedPlan,
  { where, other, how, seal }: Draw,
  isPlace: (path: Path) => boolean,
): string | undefined {
  const json = structuredClone(saved) as unknown as JsonObject;
  const paths = walk(json).filter(anywhere);
  const places = paths.filter(isPlace);
  const path = places[where % places.length] ?? [];
  const key = path.at(-1) ?? "";
  const around = at(json, path.slice(0, -1));
  const list = Array.isArray(around) ? around : undefined;
  const parent = around as Record<string | number, Json>;
  const value = at(json, path);
  const elsewhere = at(structuredClone(json), paths[other % paths.length] ?? []);
  if (how === "leaf" && typeof value !== "object") parent[key] = leaves(value, elsewhere);
  else if (how === "copy") parent[key] = elsewhere;
  else if (how === "delete" && list) list.splice(Number(key), 1);
  else if (how === "delete") delete parent[key];
  else if (how === "add" && !list) parent[String(paths[other % paths.length]?.at(-1))] = elsewhere;
  else if (how === "repeat" && list) list.splice(Number(key), 0, value);
  else if (how === "swap" && list && list.length > 1) list.push(...list.splice(0, 1));
  else if (how === "turn" && !list) return turned(json, path, parent);
  else if (how === "twice" && !list) return doubled(json, parent, key, elsewhere);
  else return undefined;
  return JSON.stringify(seal ? sealAgain(json) : json);
}

/** The seals as someone makes them fit who has read how they are made; a plan of another shape keeps its old ones. */
function sealAgain(json: JsonObject): unknown {
  const { hash: _hash, digest: _digest, ...rest } = json;
  try {
    return sealPlan(rest as never);
  } catch {
    return json;
  }
}

function turned(json: JsonObject, path: Path, parent: Record<string, Json>): string {
  const entries = Object.entries(parent).toReversed();
  for (const key of Object.keys(parent)) delete parent[key];
  for (const [key, value] of entries) parent[key] = value;
  return JSON.stringify(json, undefined, path.length);
}

function doubled(json: JsonObject, parent: Record<string | number, Json>, key: string | number, second: Json): string {
  const mark = "\u2603 twice";
  const value = parent[key] ?? null;
  delete parent[key];
  parent[mark] = null;
  const name = JSON.stringify(key);
  const spelt = `"${String(key)
    .split("")
    .map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")}"`;
  const member = `${JSON.stringify(mark)}:null`;
  return JSON.stringify(json).replace(
    member,
    () => `${name}:${JSON.stringify(second)},${spelt} :${JSON.stringify(value)}`,
  );
}

const draws: fc.Arbitrary<Draw> = fc.record({
  which: fc.nat(),
  where: fc.nat(),
  other: fc.nat(),
  how: fc.constantFrom("leaf", "copy", "delete", "add", "twice", "turn", "swap", "repeat"),
  seal: fc.boolean(),
});

test(
  "an altered file is refused, or is shown by the same bytes and makes the same calls",
  async () => {
    await fc.assert(
      fc.asyncProperty(draws, async (draw) => {
        const original = made[draw.which % made.length];
        const text = original && alter(original.saved, draw, anywhere);
        if (!original || text === undefined) return;
        const parsed = parseSavedPlan(text);
        const shown = await show(text);
        if ("wrong" in parsed || !isSealed(parsed.plan)) {
          expect(shown).toBe("refused");
          return;
        }
        expect(draw.how).not.toBe("twice");
        // Its own, other hash is shown, and the approval is for the original's.
        if (parsed.plan.hash !== original.saved.hash) {
          expect(shown).not.toBe(original.shown);
          return;
        }
        expect(shown).toBe(original.shown);
        const calls = callsOf(original.input, parsed.plan);
        expect([original.calls, "refused"]).toContain(calls);
        if (!draw.seal) expect(calls).toBe(original.calls);
      }),
      { numRuns: size.alterations },
    );
  },
  size.timeout,
);

test(
  "a file with other put-backs is refused by its seals or by a hash of its own, and also with that its apply keeps what it shows",
  async () => {
    const withPutBacks = made.filter(({ saved }) => saved.steps.some((step) => step.on_refusal));
    expect(withPutBacks.length).toBeGreaterThan(4);
    expect(new Set(withPutBacks.flatMap(({ saved }) => endsOf(saved.steps).map(({ is }) => is))).size).toBe(2);
    await fc.assert(
      fc.asyncProperty(draws, async (draw) => {
        const original = withPutBacks[draw.which % withPutBacks.length];
        const text = original && alter(original.saved, draw, inPutBacks(draw.how));
        if (!original || text === undefined) return;
        const parsed = parseSavedPlan(text);
        if ("wrong" in parsed || !isSealed(parsed.plan)) {
          expect(await show(text)).toBe("refused");
          return;
        }
        const isSame = shownEnds(parsed.plan) === shownEnds(original.saved);
        expect(parsed.plan.hash === original.saved.hash).toBe(isSame);
        expect((await show(text)) === original.shown).toBe(isSame);
        expect(callsOf(original.input, parsed.plan)).toBe(isSame ? original.calls : "refused");
      }),
      { numRuns: size.alterations },
    );
  },
  size.timeout,
);

const endsOf = (steps: SavedPlan["steps"]) => steps.flatMap(({ on_refusal: ends = [] }) => ends);
const shownEnds = ({ steps }: SavedPlan) =>
  canonicalJson(steps.map(({ on_refusal: ends = [] }) => ends.map((end) => canonicalJson(end)).toSorted()));
