import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import type { Plan } from "../../src/model/plan.ts";
import type { PlanInput } from "../../src/model/plan-input.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, zone } from "./build-input.ts";
import { callsOf, drawSchedule, fewestUnanswered, pointers, questions, replay, watch } from "../order/replay.ts";
import { ourServer, type Model } from "../order/zone-model.ts";

/** A record as drawn: `@` is the apex. */
export interface Drawn {
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly disabled: boolean;
  readonly comment: string | null;
}

const zoneIds: Readonly<Record<string, string>> = { "example.com": "z1", "sub.example.com": "z2", "example.org": "z3" };
/** The records of each zone. */
export type Account = Readonly<Record<string, readonly Drawn[]>>;

/** What records may hold, by type. */
export type Contents = Readonly<Record<string, readonly string[]>>;

/** Records of which only aliases and delegations lead to another name of the account. */
export const contents: Contents = {
  A: ["192.0.2.1", "192.0.2.2", "192.0.2.3"],
  AAAA: ["2001:db8::1", "2001:db8::2"],
  MX: ["mx1.example.net.", "mx2.example.net."],
  TXT: ['"one"', '"two"'],
  NS: [ourServer, "ns2.example.net."],
  CNAME: ["www.example.com.", "mail.example.com.", "elsewhere.example.net."],
  ALIAS: ["www.example.com.", "elsewhere.example.net."],
};

const hosts = ["h1.example.com.", "h2.example.com.", "h3.example.org.", "x.w.example.com.", "mx.example.net."];
const hostData = { A: ["192.0.2.1", "192.0.2.2"], AAAA: ["2001:db8::1", "2001:db8::2"], TXT: ['"one"'] };
/** Records that name hosts of the account, in either of its zones, and outside. */
export const namingHosts: Contents = {
  ...hostData,
  MX: hosts,
  SRV: hosts.map((host) => `0 5060 ${host}`),
  HTTPS: [...hosts.map((host) => `1 ${host}`), "1 .", "0 h2.example.com."],
  CNAME: hosts,
  ALIAS: hosts,
  NS: [...hosts, ourServer, "ns.sub.example.com."],
  DS: ["12345 13 2 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"],
  DNAME: ["t.example.com.", "t.example.org.", "t.example.net."],
};

/** Draws what can stand at a name, of some types: a CNAME alone, or others, with addresses or an ALIAS. */
export function nameDrawer(contents: Contents) {
  const drawMember = (name: string, type: string) =>
    fc.record({
      name: fc.constant(name),
      type: fc.constant(type),
      content: fc.constantFrom(...(contents[type] ?? [])),
      disabled: fc.boolean().map((yes) => yes && type !== "NS" && type !== "DNAME"),
      comment: fc.constantFrom(null, null, null, "kept by hand"),
    });
  const drawSet = (name: string, type: string) =>
    fc.uniqueArray(drawMember(name, type), {
      maxLength: ["CNAME", "ALIAS", "NS", "DNAME"].includes(type) ? 1 : 2,
      selector: ({ content }) => content,
    });
  const drawSets = (name: string, types: readonly string[]) =>
    fc.tuple(...types.map((type) => drawSet(name, type))).map((sets) => sets.flat());
  return (name: string, types: readonly string[]) =>
    fc.oneof(
      fc.constant<Drawn[]>([]),
      drawSets(
        name,
        types.filter((type) => type !== "CNAME" && type !== "ALIAS"),
      ),
      ...(types.includes("CNAME") ? [drawSet(name, "CNAME")] : []),
      ...(types.includes("ALIAS") ? [drawSets(name, ["ALIAS", "TXT"])] : []),
    );
}

export const drawNames = (...names: ReturnType<ReturnType<typeof nameDrawer>>[]) =>
  fc.tuple(...names).map((sets) => sets.flat());

/** An id whose order tells nothing, and which is the same at each run. */
const idAt = (place: string) => `r${createHash("sha256").update(place).digest("hex").slice(0, 16)}`;

/** The plan between two states of an account, and the account as a name server knows it before. */
export async function planBetween(
  before: Account,
  after: Account,
): Promise<{ input: PlanInput; made: Plan; model: Model }> {
  const ids = new Map<Drawn, string>(
    Object.entries(before).flatMap(([name, drawn]) =>
      drawn.map((each, index) => [each, idAt(`${name} ${index} ${JSON.stringify(each)}`)] as const),
    ),
  );
  const lists: Record<string, JsonObject[]> = {
    "/dns/zones": Object.keys(before).map((name) => ({ ...zone, id: zoneIds[name] ?? "", name })),
  };
  for (const [name, drawn] of Object.entries(before))
    lists[`/dns/zones/${zoneIds[name]}/records`] = [
      { ...liveRecord(apexNs, `ns of ${name}`), managed: true },
      ...drawn.map((each) => liveRecord(each, ids.get(each) ?? "")),
    ];
  const gone = Object.keys(before).filter((name) => !(name in after));
  const allOf = (name: string) => [
    `dns_zone/${name}`,
    ...new Set((before[name] ?? []).map((each) => `dns_record/${name}/${each.name}/${each.type}`)),
  ];
  const removed = gone.flatMap(allOf);
  const manifest = [
    writtenZones(after),
    `removed: ${JSON.stringify(removed.map((address) => ({ address, action: "delete" })))}`,
  ].join("\n");
  const consent = { deletes: addresses(...Object.keys(before).flatMap(allOf)) };
  const input = await buildInput(manifest, lists, consent);
  const made = plan(input);
  expect(made.refusals).toEqual([]);
  for (const { after } of made.steps) expect(after).toEqual(after.toSorted());
  const records = [...ids].map(([each, id]) => {
    const name = Object.keys(before).find((zoneName) => before[zoneName]?.includes(each)) ?? "";
    return [id, { ...each, zone: name, name: each.name === "@" ? name : `${each.name}.${name}` }] as const;
  });
  const zones = new Map(Object.keys(before).map((name) => [zoneIds[name] ?? "", name]));
  return {
    input,
    made,
    model: { zones, known: new Set([...Object.keys(before), ...Object.keys(after)]), records: new Map(records) },
  };
}

const apexNs: Drawn = { name: "@", type: "NS", content: ourServer, disabled: false, comment: null };

export const hasPriority = (type: string) => type === "MX" || type === "SRV";

const liveRecord = ({ content, ...each }: Drawn, id: string): JsonObject => ({
  ...each,
  id,
  etag: `e${id}`,
  ttl: 3600,
  priority: hasPriority(each.type) ? 10 : null,
  managed: false,
  content,
});

/** The `dns` section that declares these records, and no others. */
export const writtenZones = (account: Account): string =>
  `dns: ${JSON.stringify(Object.fromEntries(Object.entries(account).map(([name, drawn]) => [name, written(drawn)])))}`;

function written(drawn: readonly Drawn[]) {
  const records: Record<string, Record<string, unknown[]>> = {};
  for (const { name, type, content, disabled } of drawn) {
    const sets = (records[name] ??= {});
    const item = { ...writtenValue(type, content), disabled, ...(hasPriority(type) && { priority: 10 }) };
    (sets[type] ??= []).push(item);
  }
  return { exclusive: true, records };
}

function writtenValue(type: string, content: string) {
  if (type !== "SRV") return { value: content.replaceAll('"', "") };
  const [weight, port, target] = content.split(" ");
  return { weight: Number(weight), port: Number(port), target };
}

/** What a plan leaves untold, tells for nothing, or could have avoided. */
export interface Faults {
  readonly untold: readonly string[];
  readonly untrue: readonly unknown[];
  readonly avoidable: number;
}

export const none: Faults = { untold: [], untrue: [], avoidable: 0 };

/**
 * Replays the plan in its own order, in three others that it allows, drawn by `seed`, in two more in which the service refuses one call,
 * and, where the calls are few, in all that the service allows.
 */
export async function findFaults(before: Account, after: Account, seed: readonly number[]): Promise<Faults> {
  const { made, model } = await planBetween(before, after);
  const calls = callsOf(made.steps);
  const last = replay(model, calls);
  const watched = { asked: questions(model, last), named: pointers(model, last) };
  const { untold, seen, missed } = watch(made, model, calls, watched);
  let next = 0;
  const pick = (count: number) => (seed[(next += 1) % seed.length] ?? 0) % Math.max(1, count);
  const others = [1, 2, 3].flatMap(() => {
    const schedule = drawSchedule(made, pick);
    if (schedule.length !== calls.length) throw new Error("Some steps wait for ever");
    return watch(made, model, schedule, watched).untold;
  });
  const cutOff = [1, 2].flatMap(() => {
    const refused = calls[pick(calls.length)]?.call;
    const schedule = drawSchedule(made, pick, refused);
    const { untold } = watch(made, model, schedule, watched);
    return untold.map((text) => `${text}, ${refused?.method} of ${refused?.path} refused`);
  });
  const areFew = calls.length <= 9 && watched.asked.length <= 30;
  return {
    untold: [...untold, ...others, ...cutOff],
    untrue: made.steps.flatMap(({ gaps = [] }) => gaps).filter((gap) => !seen.has(gap)),
    avoidable: areFew ? missed.size - fewestUnanswered(model, calls, watched.asked) : 0,
  };
}

export const seeds = fc.array(fc.nat(), { minLength: 7, maxLength: 7 });
