import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/model/plan.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, zone } from "./build-input.ts";
import { callsOf, drawSchedule, fewestUnanswered, questions, replay, watch } from "./replay.ts";
import { ourServer, type Model } from "./zone-model.ts";

/** A record as drawn: `@` is the apex. */
interface Drawn {
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly disabled: boolean;
  readonly comment: string | null;
}

const zoneIds: Readonly<Record<string, string>> = { "example.com": "z1", "sub.example.com": "z2" };
type Account = Readonly<Record<string, readonly Drawn[]>>;

const contents: Readonly<Record<string, readonly string[]>> = {
  A: ["192.0.2.1", "192.0.2.2", "192.0.2.3"],
  AAAA: ["2001:db8::1", "2001:db8::2"],
  MX: ["mx1.example.net.", "mx2.example.net."],
  TXT: ['"one"', '"two"'],
  NS: [ourServer, "ns2.example.net."],
  CNAME: ["www.example.com.", "mail.example.com.", "elsewhere.example.net."],
  ALIAS: ["www.example.com.", "elsewhere.example.net."],
};

const drawMember = (name: string, type: string) =>
  fc.record({
    name: fc.constant(name),
    type: fc.constant(type),
    content: fc.constantFrom(...(contents[type] ?? [])),
    disabled: fc.boolean().map((yes) => yes && type !== "NS"),
    comment: fc.constantFrom(null, null, null, "kept by hand"),
  });

const drawSet = (name: string, type: string) =>
  fc.uniqueArray(drawMember(name, type), {
    maxLength: ["CNAME", "ALIAS", "NS"].includes(type) ? 1 : 2,
    selector: ({ content }) => content,
  });

const drawSets = (name: string, types: readonly string[]) =>
  fc.tuple(...types.map((type) => drawSet(name, type))).map((sets) => sets.flat());

/** What can stand at a name: a CNAME alone, or others, with addresses or an ALIAS. */
const drawName = (name: string, types: readonly string[]) =>
  fc.oneof(
    fc.constant<Drawn[]>([]),
    drawSets(
      name,
      types.filter((type) => type !== "CNAME" && type !== "ALIAS"),
    ),
    ...(types.includes("CNAME") ? [drawSet(name, "CNAME")] : []),
    ...(types.includes("ALIAS") ? [drawSets(name, ["ALIAS", "TXT"])] : []),
  );

const drawNames = (...names: ReturnType<typeof drawName>[]) => fc.tuple(...names).map((sets) => sets.flat());

async function planBetween(before: Account, after: Account): Promise<{ made: Plan; model: Model }> {
  const ids = new Map<Drawn, string>(
    Object.values(before).flatMap((drawn) => drawn.map((each) => [each, `r${Math.random()}`] as const)),
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
    `dns: ${JSON.stringify(Object.fromEntries(Object.entries(after).map(([name, drawn]) => [name, written(drawn)])))}`,
    `removed: ${JSON.stringify(removed.map((address) => ({ address, action: "delete" })))}`,
  ].join("\n");
  const consent = { deletes: addresses(...Object.keys(before).flatMap(allOf)) };
  const made = plan(await buildInput(manifest, lists, consent));
  expect(made.refusals).toEqual([]);
  const records = [...ids].map(([each, id]) => {
    const name = Object.keys(before).find((zoneName) => before[zoneName]?.includes(each)) ?? "";
    return [id, { ...each, zone: name, name: each.name === "@" ? name : `${each.name}.${name}` }] as const;
  });
  const zones = new Map(Object.keys(before).map((name) => [zoneIds[name] ?? "", name]));
  return {
    made,
    model: { zones, known: new Set([...Object.keys(before), ...Object.keys(after)]), records: new Map(records) },
  };
}

const apexNs: Drawn = { name: "@", type: "NS", content: ourServer, disabled: false, comment: null };

const liveRecord = ({ content, ...each }: Drawn, id: string): JsonObject => ({
  ...each,
  id,
  etag: `e${id}`,
  ttl: 3600,
  priority: each.type === "MX" ? 10 : null,
  managed: false,
  content,
});

function written(drawn: readonly Drawn[]) {
  const records: Record<string, Record<string, unknown[]>> = {};
  for (const { name, type, content, disabled } of drawn) {
    const sets = (records[name] ??= {});
    const item = { value: content.replaceAll('"', ""), disabled, ...(type === "MX" && { priority: 10 }) };
    (sets[type] ??= []).push(item);
  }
  return { exclusive: true, records };
}

/** What a plan leaves untold, tells for nothing, or could have avoided. */
interface Faults {
  readonly untold: readonly string[];
  readonly untrue: readonly unknown[];
  readonly avoidable: number;
}

const none: Faults = { untold: [], untrue: [], avoidable: 0 };

/** Replays the plan in its own order, in three others that it allows, drawn by `seed`, and, where the calls are few, in all that the service allows. */
async function findFaults(before: Account, after: Account, seed: readonly number[]): Promise<Faults> {
  const { made, model } = await planBetween(before, after);
  const calls = callsOf(made.steps);
  const asked = questions(model, replay(model, calls));
  const { untold, seen, missed } = watch(model, calls, asked);
  let next = 0;
  const pick = (count: number) => (seed[(next += 1) % seed.length] ?? 0) % Math.max(1, count);
  const others = [1, 2, 3].flatMap(() => {
    const schedule = drawSchedule(made, pick);
    if (schedule.length !== calls.length) throw new Error("Some steps wait for ever");
    return watch(model, schedule, asked).untold;
  });
  const areFew = calls.length <= 9 && asked.length <= 30;
  return {
    untold: [...untold, ...others],
    untrue: made.steps.flatMap(({ gaps = [] }) => gaps).filter((gap) => !seen.has(gap)),
    avoidable: areFew ? missed.size - fewestUnanswered(model, calls, asked) : 0,
  };
}

const seeds = fc.array(fc.nat(), { minLength: 7, maxLength: 7 });
const hostTypes = ["A", "AAAA", "CNAME", "MX", "TXT"];

describe("whatever changes, no name misses an answer unless the plan tells", () => {
  const oneZone = drawNames(
    drawName("@", ["A", "ALIAS", "MX"]),
    drawName("www", [...hostTypes, "ALIAS"]),
    drawName("mail", ["A", "CNAME", "NS"]),
  );
  test("in a zone", async () => {
    await fc.assert(
      fc.asyncProperty(oneZone, oneZone, seeds, async (before, after, seed) => {
        expect(await findFaults({ "example.com": before }, { "example.com": after }, seed)).toEqual(none);
      }),
      { numRuns: 60 },
    );
  });

  const withWildcard = drawNames(drawName("*", ["A", "TXT", "CNAME"]), drawName("www", ["A", "TXT", "CNAME"]));
  test("in a zone with a wildcard", async () => {
    await fc.assert(
      fc.asyncProperty(withWildcard, withWildcard, seeds, async (before, after, seed) => {
        expect(await findFaults({ "example.com": before }, { "example.com": after }, seed)).toEqual(none);
      }),
      { numRuns: 60 },
    );
  });

  const parent = drawNames(
    drawName("sub", ["A", "NS"]),
    drawName("x.sub", ["A", "TXT", "CNAME"]),
    drawName("www", ["CNAME"]),
  );
  const child = fc.option(drawNames(drawName("@", ["A"]), drawName("x", ["A", "TXT", "CNAME"])));
  const family = fc
    .tuple(parent, child)
    .map(([above, below]): Account => ({ "example.com": above, ...(below && { "sub.example.com": below }) }));
  // A manifest may have nothing but the delegation in the parent of a zone that it declares.
  const declared = family.map((drawn): Account => {
    if (!drawn["sub.example.com"]) return drawn;
    const above = drawn["example.com"] ?? [];
    return { ...drawn, "example.com": above.filter(({ name, type }) => !name.endsWith("sub") || type === "NS") };
  });
  test("where names move between a zone and one below it", async () => {
    await fc.assert(
      fc.asyncProperty(family, declared, seeds, async (before, after, seed) => {
        expect(await findFaults(before, after, seed)).toEqual(none);
      }),
      { numRuns: 60 },
    );
  });
});

describe("whatever the pace, no name misses an answer unless the plan tells", () => {
  const has = (name: string, type: string, content = contents[type]?.[0] ?? ""): Drawn => ({
    name,
    type,
    content,
    disabled: false,
    comment: null,
  });
  const cases: [string, Account, Account][] = [
    [
      "when a wildcard that is to go answers between an A and a CNAME",
      { "example.com": [has("*", "A"), has("www", "A")] },
      { "example.com": [has("www", "CNAME", "elsewhere.example.net.")] },
    ],
    [
      "when a wildcard that is to come answers between a CNAME and an A",
      { "example.com": [has("www", "CNAME", "elsewhere.example.net.")] },
      { "example.com": [has("*", "A"), has("www", "A")] },
    ],
    [
      "when a wildcard does not reach below a name that is there",
      { "example.com": [has("*", "A"), has("dev", "TXT"), has("x.dev", "A")] },
      { "example.com": [has("*", "A"), has("dev", "TXT"), has("x.dev", "CNAME", "elsewhere.example.net.")] },
    ],
    [
      "when a zone below answers while the one above changes its mind",
      { "example.com": [has("x.sub", "CNAME")], "sub.example.com": [has("x", "CNAME", "elsewhere.example.net.")] },
      { "example.com": [has("x.sub", "TXT")] },
    ],
    [
      "when a zone comes back from other servers",
      { "example.com": [has("sub", "NS", "ns2.example.net.")] },
      { "example.com": [has("sub", "NS")], "sub.example.com": [has("@", "A"), has("x", "A")] },
    ],
    [
      "when a chain of pointers is laid anew",
      { "example.com": [has("www", "CNAME", "old.example.com."), has("old", "A")] },
      {
        "example.com": [
          has("www", "CNAME", "mail.example.com."),
          has("mail", "CNAME", "new.example.com."),
          has("new", "A"),
        ],
      },
    ],
  ];
  test.each(cases)("%s", async (_title, before, after) => {
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        expect(await findFaults(before, after, seed)).toEqual(none);
      }),
      { numRuns: 15 },
    );
  });
});
