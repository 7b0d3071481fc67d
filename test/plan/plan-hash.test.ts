import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nothingOwned } from "../../src/plan/context.ts";
import { plan } from "../../src/plan/plan.ts";
import { isHash, planHash, shortHash } from "../../src/plan/saved/plan-hash.ts";
import { planUndo } from "../../src/plan/saved/plan-undo.ts";
import { savePlan } from "../../src/plan/saved/save-plan.ts";
import { buildInput, record, service, zone, type Lists } from "./build-input.ts";

const options = { now: 0, holdsSecret: () => false, filePath: (path: string) => path };

async function hashOf(manifest: string, lists: Lists = {}, now?: number): Promise<string> {
  const input = await buildInput(manifest, lists, {}, now);
  return savePlan(input, plan(input), options).saved.hash;
}

const records = (text: string) => `dns: { example.com: { records: ${text} } }`;

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
    await fc.assert(
      fc.asyncProperty(any(names), any(values), any(live), fc.nat(1000), async (order, of, listed, now) => {
        expect(await hash(order, of, listed, now)).toBe(expected);
      }),
      { numRuns: 50 },
    );
  });

  const base = records("{ www: { A: 192.0.2.1 } }");
  const there = { "/dns/zones": [zone], "/dns/zones/z1/records": [record("www", "A", "192.0.2.9")] };
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

  test("depends on the target: its name, its base URL and its contract; of the embedded service the port does not count", () => {
    const target = { name: "a", baseUrl: "https://a.test/", contract: "v", emulator: false };
    const hash = (more: object) => planHash({ target: { ...target, ...more }, steps: [], resources: [], refusals: [] });
    const all = [{}, { name: "b" }, { baseUrl: "https://b.test/" }, { contract: "w" }, { emulator: true }].map(hash);
    expect(new Set(all).size).toBe(all.length);
    expect(hash({ emulator: true, baseUrl: "https://127.0.0.1:1/" })).toBe(hash({ emulator: true }));
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
  const lists = { "/dns/zones": [zone], "/dns/zones/z1/records": [record("t", "TXT", '"an old secret"')] };
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
