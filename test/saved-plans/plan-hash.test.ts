import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toAddress } from "../../src/model/address.ts";
import { nothingOwned } from "../../src/model/plan-input.ts";
import { plan } from "../../src/plan/plan.ts";
import { planHash, shownPlan, type Hashed } from "../../src/saved-plans/plan-hash.ts";
import { isHash, shortHash } from "../../src/lib/short-hash.ts";
import { planUndo } from "../../src/saved-plans/plan-undo.ts";
import { savePlan } from "../../src/saved-plans/save-plan.ts";
import { addresses, buildInput, inZone, type Lists, record, records, service, zone } from "../plan/build-input.ts";
import { options } from "../proofs/saved-cases.ts";
import { forDraws } from "../support/for-draws.ts";

async function hashOf(manifest: string, lists: Lists = {}, now?: number): Promise<string> {
  const input = await buildInput(manifest, lists, {}, now);
  return savePlan(input, plan(input), options).saved.hash;
}

const job = toAddress("cron", ["example.com", "x"]);
const nothing: Hashed["consent"] = { deletes: [], purchases: [], retries: [], rotations: [] };
const empty: Hashed = {
  target: { name: "a", baseUrl: "https://a.test/", contract: "v", emulator: false },
  consent: nothing,
  protect: [],
  resources: [],
  removals: [],
  needs: [],
  steps: [],
  refusals: [],
};

describe("the hash of a plan", () => {
  test("does not depend on the order of a manifest or of a list, on ids, etags, comments, lines or the time", async () => {
    const values = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];
    const live = ["192.0.2.3", "192.0.2.8", "192.0.2.9"];
    const names = ["a", "b", "c"];
    const hash = (order: readonly string[], of: readonly string[], listed: readonly string[], now: number) =>
      hashOf(
        `# ${now}\n`.repeat(1 + (now % 3)) +
          records(`{ ${order.map((name) => `${name}: { A: [${of.join(", ")}] }`).join(", ")} }`),
        {
          "/dns/zones": [{ ...zone, id: `z${now}`, etag: `e${now}` }],
          [`/dns/zones/z${now}/records`]: listed.map((value) =>
            record("a", "A", value, value === "192.0.2.8" ? { comment: "mine" } : {}),
          ),
        },
        now,
      );
    const expected = await hash(names, values, live, 1);
    const any = <T>(items: readonly T[]) => fc.shuffledSubarray([...items], { minLength: items.length });
    await forDraws(50, any(names), any(values), any(live), fc.nat(1000), async (order, of, listed, now) => {
      expect(await hash(order, of, listed, now)).toBe(expected);
    });
  });

  const base = records("{ www: { A: 192.0.2.1 } }");
  const there = inZone(record("www", "A", "192.0.2.9"));
  test.each([
    ["a value", records("{ www: { A: 192.0.2.2 } }"), there],
    ["a field that is not shown", records("{ www: { A: { values: [{ value: 192.0.2.1, comment: x }] } } }"), there],
    ["another step", records("{ www: { A: 192.0.2.1 }, x: { A: 192.0.2.1 } }"), there],
    ["the value before", base, { ...there, "/dns/zones/z1/records": [record("www", "A", "192.0.2.8")] }],
    ["the action", base, { "/dns/zones": [zone] }],
  ])("depends on %s", async (_what, manifest, lists) => {
    expect(await hashOf(manifest, lists)).not.toBe(await hashOf(base, there));
  });

  test("depends on where a secret comes from, but neither on the secret nor on whether it is set", async () => {
    const cron = (name: string) =>
      `services: { example.com: }\ncrons: { example.com: { jobs: { x: { schedule: "@daily", command: "x \${env:${name}}" } } } }`;
    const lists = { "/services": [service] };
    expect(await hashOf(cron("SECRET"), lists)).toBe(await hashOf(cron("SECRET"), lists));
    expect(await hashOf(cron("SECRET"), lists)).not.toBe(await hashOf(cron("UNSET"), lists));
  });

  test("covers the source that is shown of a value which the file does not hold", async () => {
    const manifest = records('{ t: { TXT: "${env:SECRET}" } }');
    const input = await buildInput(manifest, inZone(), {}, undefined, {}, { SECRET: "s" });
    const shown = shownPlan(savePlan(input, plan(input), options).saved);
    expect(JSON.stringify(shown.steps)).toContain('"from":"${env:SECRET}"');
  });

  test("does not depend on the value of a secret in a set, whichever open value stands beside it", async () => {
    const manifest = records('{ t: { TXT: ["${env:SECRET}", "m"] } }');
    const lists = inZone(record("t", "TXT", '"former"'));
    const hash = async (environment: Record<string, string>) => {
      const input = await buildInput(manifest, lists, {}, undefined, {}, environment);
      return savePlan(input, plan(input), options).hash;
    };
    const expected = await hash({});
    const secrets = fc
      .string({ minLength: 1, unit: "grapheme-ascii" })
      .filter((text) => !["former", "m"].includes(text));
    await forDraws(30, secrets, async (secret) => {
      expect(await hash({ SECRET: secret })).toBe(expected);
    });
  });

  test("depends on the target: its name, its base URL and its contract; of the embedded service the port does not count", () => {
    const target = { name: "a", baseUrl: "https://a.test/", contract: "v", emulator: false };
    const hash = (more: object) => planHash({ ...empty, target: { ...target, ...more } });
    const all = [{}, { name: "b" }, { baseUrl: "https://b.test/" }, { contract: "w" }, { emulator: true }].map(hash);
    expect(new Set(all).size).toBe(all.length);
    expect(hash({ emulator: true, baseUrl: "https://127.0.0.1:1/" })).toBe(hash({ emulator: true }));
  });

  const resource = { address: job, key: { service: "example.com", name: "x" }, fields: {}, late: {} };
  const lifecycle = { preventDestroy: true, ignoreChanges: ["schedule", "command"] };
  test.each<readonly [string, Partial<Hashed>, Partial<Hashed>]>([
    ["a consent to delete", {}, { consent: { ...nothing, deletes: [job] } }],
    ["a consent to buy", { consent: { ...nothing, deletes: [job] } }, { consent: { ...nothing, purchases: [job] } }],
    ["a consent to ask again", {}, { consent: { ...nothing, retries: [job] } }],
    ["a rotation", {}, { consent: { ...nothing, rotations: [job] } }],
    ["whether it is an undo", {}, { undo: true }],
    ["what is protected", {}, { protect: ["cron"] }],
    ["what is kept from being destroyed", { resources: [resource] }, { resources: [{ ...resource, lifecycle }] }],
    [
      "the key",
      { resources: [resource] },
      { resources: [{ ...resource, key: { service: "example.com", name: "y" } }] },
    ],
    ["what is removed", {}, { removals: [{ address: job }] }],
    ["what is needed", {}, { needs: [{ address: job, key: resource.key }] }],
  ])("depends on %s", (_what, one, other) => {
    expect(planHash({ ...empty, ...one })).not.toBe(planHash({ ...empty, ...other }));
  });

  test("does not depend on the order of what is allowed, protected, removed or needed, nor on where it is written", () => {
    const other = toAddress("cron", ["example.com", "y"]);
    const at = { file: "m.yaml", line: 1, col: 1 };
    const hash = (turn: <T>(items: T[]) => T[], more: object) =>
      planHash({
        ...empty,
        consent: { deletes: turn([job, other]), purchases: [], retries: turn([other, job]), rotations: [] },
        protect: turn(["cron", "mailbox"]),
        resources: [
          { ...resource, lifecycle: { ...lifecycle, ignoreChanges: turn([...lifecycle.ignoreChanges]) }, ...more },
        ],
        removals: turn([{ address: job, ...more }, { address: other }]),
        needs: turn([
          { address: job, key: resource.key },
          { address: other, key: { name: "y", service: "example.com" } },
        ]),
      });
    expect(hash((items) => items.toReversed(), { at })).toBe(hash((items) => items, {}));
  });

  test("is the same with a consent that is not used", async () => {
    const input = await buildInput(base, there, { purchases: addresses("domain/elsewhere.example") });
    expect(savePlan(input, plan(input), options).saved.hash).toBe(await hashOf(base, there));
  });

  test("of an undo is that of what is saved", async () => {
    const input = await buildInput(base, there);
    const { saved } = planUndo(input, plan(input), options);
    expect(saved).toMatchObject({ undo: true, hash: planHash(saved) });
  });
});

test("a hash is given as it is printed, or longer, with or without its name", async () => {
  const hash = await hashOf(records("{ www: { A: 192.0.2.1 } }"));
  for (const given of [hash, shortHash(hash), shortHash(hash).slice(7), hash.slice(7, 50).toUpperCase()])
    expect(isHash(given, hash)).toBe(true);
  for (const given of [
    "",
    "sha256:",
    shortHash(hash).slice(0, -1),
    `${shortHash(hash)}x`,
    shortHash(hash).replace(/.$/u, (last) => (last === "0" ? "1" : "0")),
  ])
    expect(isHash(given, hash)).toBe(false);
});

test("what the manifest of the last apply had as a secret is not saved, though it is declared no more", async () => {
  const { desired: declaredThen } = await buildInput(records('{ t: { TXT: "${env:SECRET}" } }'), {});
  const ownership = { ...nothingOwned, declaredThen };
  const lists = inZone(record("t", "TXT", '"an old secret"'));
  const manifest = "removed: [{ address: dns_record/example.com/t/TXT, action: delete }]";
  const input = await buildInput(manifest, lists, {}, undefined, { ownership });
  const made = plan(input);
  expect(made.steps.map(({ id }) => id)).toEqual(["delete dns_record/example.com/t/TXT"]);
  expect(JSON.stringify(savePlan(input, made, options).saved)).not.toContain("an old secret");
  expect(planUndo(input, made, options).saved).toMatchObject({
    steps: [],
    cannot_undo: [{ address: "dns_record/example.com/t/TXT" }],
  });
});
