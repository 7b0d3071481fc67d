import fc from "fast-check";
import type { Json, JsonObject } from "../../src/model/json.ts";
import type { Plan } from "../../src/model/plan.ts";
import type { PlanInput } from "../../src/model/plan-input.ts";
import type { Address } from "../../src/model/address.ts";
import type { Fields, Live, LiveResource } from "../../src/model/resource.ts";
import type { SavedPlan } from "../../src/model/saved-plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { prepare } from "../../src/plan/prepare.ts";
import { compareSaved } from "../../src/saved-plans/compare-saved.ts";
import type { Difference } from "../../src/saved-plans/compare-seen.ts";
import { parseSavedPlan } from "../../src/saved-plans/parse-saved-plan.ts";
import { fileOf } from "../../src/saved-plans/plan-hash.ts";
import { planUndo } from "../../src/saved-plans/plan-undo.ts";
import { byItself, desiredOf } from "../../src/saved-plans/portable-desired.ts";
import { simulate } from "../../src/saved-plans/plan-undo.ts";
import { savePlan } from "../../src/saved-plans/save-plan.ts";
import { sealAgain } from "../support/seal-again.ts";
import { addresses, buildInput, inZone, type Lists, ours, record, service, zone } from "../plan/build-input.ts";

/** Manifests and live states whose plans hold every sort of step, and alterations of the files that hold such plans. */
export interface Case {
  readonly manifest: string;
  readonly lists?: Lists;
  readonly consent?: Partial<PlanInput["consent"]>;
  readonly owned?: readonly string[];
}

const shop = { id: "b1", etag: "eb1", service_id: "s1", name: "shop", engine: "mariadb", charset: "latin1" };
const job = { id: "j1", etag: "ej1", service_id: "s1", name: "there", schedule: "0 3 * * *", command: "echo old" };
const inService: Lists = { "/services": [service], "/crons?service_id=s1": [job], "/databases?service_id=s1": [shop] };

export const cases: readonly Case[] = [
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
      record("www", "A", "192.0.2.3", { managed: true }),
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

export const options = { holdsSecret: () => false, filePath: (path: string) => path };
const source = { commit: "a".repeat(40), manifests: ["m.yaml"] };

/** A file, and the input of its apply while nothing has moved; `after`: what is live once it is carried out. */
export interface File {
  readonly input: PlanInput;
  readonly saved: SavedPlan;
  readonly after: Live;
}

/** Returns the saved plan and the undo plan of each case, as they are read from a file. */
export async function makeFiles(): Promise<File[]> {
  const files: File[] = [];
  for (const { manifest, lists = {}, consent = {}, owned = [] } of cases) {
    const held = owned.map((name) => `dns_record/example.com/${name}`);
    const input = await buildInput(manifest, lists, consent, undefined, ours(["dns_zone/example.com", ...held]));
    const made = plan(input);
    const { live, desired } = prepare(input);
    const simulated = simulate(live, desired, made);
    const after = asServed(simulated, { content: '"s"' });
    const saved = parsed(savePlan(input, made, { ...options, source }).saved);
    const undo = parsed(planUndo(input, made, options).saved);
    // An undo knows no secret, and so not the record that it takes away.
    const undoing = { ...input, live: asServed(simulated) };
    files.push({ input, saved, after }, { input: undoing, saved: undo, after: planRest(undoing, undo).after });
  }
  return files;
}

/** A server gives each record without a TTL its zone's; a secret value is `secret`. */
function asServed(live: Live, secret: Fields = {}): Live {
  const served = [...live.resources].map(([address, each]) =>
    each.kind === "dns_record"
      ? [
          address,
          {
            ...each,
            remotes: each.remotes.map((one) => ({ ...one, fields: { ttl: zone.ttl, ...secret, ...one.fields } })),
          },
        ]
      : [address, each],
  ) as [Address, LiveResource][];
  return { ...live, resources: new Map(served) };
}

export function parsed(saved: SavedPlan): SavedPlan {
  const read = parseSavedPlan(JSON.stringify(fileOf(saved)));
  if ("wrong" in read) throw new Error(read.wrong);
  return read.plan;
}

interface Rest {
  readonly remaining: Plan;
  readonly differences: readonly Difference[];
  readonly after: Live;
}

/** Plans what remains of a file, as `apply FILE` does, and compares it with what the file shows. The secret SECRET is set. */
export function planRest(input: PlanInput, saved: SavedPlan): Rest {
  const asked = askedBy(input, saved);
  const remaining = plan(asked);
  const now = { ...prepare(asked), contract: input.contract };
  const differences = compareSaved(saved, remaining, now);
  return { remaining, differences, after: asServed(simulate(now.live, now.desired, remaining), { content: '"s"' }) };
}

/** What `apply FILE` plans. */
export function askedBy(input: PlanInput, saved: SavedPlan, secret = "s"): PlanInput {
  const desired = desiredOf(saved, (part) =>
    "env" in part && part.env === "SECRET" ? { value: secret } : { missing: "" },
  );
  const sets = Object.entries(saved.consent).map(([flag, named]) => [flag, new Set(named)]);
  const consent = { ...input.consent, ...(Object.fromEntries(sets) as object) };
  return { ...input, desired, consent, ...byItself(desired, input.ownership.inventory, saved.live) };
}

export type Path = readonly (string | number)[];
const walk = (value: Json, path: Path = []): Path[] => [
  path,
  ...(typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => walk(inner, [...path, Array.isArray(value) ? Number(key) : key]))
    : []),
];
const at = (value: Json, path: Path): Json =>
  path.reduce<Json>((inner, key) => (inner as Record<string | number, Json>)[key] ?? null, value);

export interface Alteration {
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

export const anywhere = (path: Path) => path.length > 0;

/** The text of the plan with one alteration at a place; undefined where the draw does not fit it. */
export function alter(
  saved: SavedPlan,
  { where, other, how, seal }: Alteration,
  isPlace: (path: Path) => boolean,
): string | undefined {
  const json = JSON.parse(JSON.stringify(fileOf(saved))) as JsonObject;
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

export const alterations: fc.Arbitrary<Alteration> = fc.record({
  which: fc.nat(),
  where: fc.nat(),
  other: fc.nat(),
  how: fc.constantFrom("leaf", "copy", "delete", "add", "twice", "turn", "swap", "repeat"),
  seal: fc.boolean(),
});
