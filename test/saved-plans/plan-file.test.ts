import fc from "fast-check";
import { expect, test } from "vitest";
import { refusals, savedRefusal, type Refusal } from "../../src/messages/refusals.ts";
import type { Json } from "../../src/model/json.ts";
import type { Step } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { parseSavedPlan } from "../../src/saved-plans/parse-saved-plan.ts";
import { linesOf } from "../../src/saved-plans/lines.ts";
import { ownedAfterFile } from "../../src/saved-plans/ownership-change.ts";
import { fileOf, isSealed } from "../../src/saved-plans/plan-hash.ts";
import { planUndo } from "../../src/saved-plans/plan-undo.ts";
import { savePlan, type Saved } from "../../src/saved-plans/save-plan.ts";
import { addresses, buildInput, inZone, type Lists, ours, record, service } from "../plan/build-input.ts";
import { forDraws } from "../support/for-draws.ts";

const secret = "a secret value";
const options = {
  holdsSecret: (value: Json) => JSON.stringify(value).includes(secret),
  filePath: (path: string) => path,
};

/** An account with secrets that are as declared, others or not known, with names that the server has prefixed, and with much that no plan touches. */
const state = fc.record({
  text: fc.constantFrom(undefined, secret, "a former value"),
  command: fc.constantFrom(undefined, `curl ${secret}`, "curl x"),
  isSet: fc.boolean(),
  shop: fc.constantFrom(undefined, "shop", "u123_shop"),
  engine: fc.constantFrom("mariadb", "postgresql"),
  address: fc.constantFrom("192.0.2.1", "192.0.2.2"),
  ttl: fc.constantFrom(300, 3600),
  removes: fc.boolean(),
  isOwned: fc.boolean(),
});

const job = { id: "j1", etag: "e", service_id: "s1", name: "x", schedule: "0 3 * * *" };
const database = { id: "b1", etag: "e", service_id: "s1", engine: "mariadb", charset: "utf8mb4" };

async function inputOf(given: typeof state extends fc.Arbitrary<infer T> ? T : never, others: number) {
  const { text, command, isSet, shop, engine, address, ttl, removes, isOwned } = given;
  const manifest = `services: { example.com: }
dns: { example.com: { records: { t: { TXT: ["\${env:SECRET}", open] }, www: { A: { ttl: ${ttl}, values: [${address}] } } } } }
crons: { example.com: { jobs: { x: { schedule: "0 3 * * *", command: "curl \${env:SECRET}" } } } }
${removes ? "removed: [{ address: database/example.com/shop, action: delete }]" : `databases: { example.com: { databases: { shop: { engine: ${engine} } } } }`}`;
  const rest = Array.from({ length: others }, (_, index) => record(`other${index}`, "A", "192.0.2.9"));
  const lists: Lists = {
    "/services": [service],
    ...inZone(
      ...(text === undefined ? [] : [record("t", "TXT", JSON.stringify(text))]),
      record("www", "A", "192.0.2.1"),
      ...rest,
    ),
    "/crons?service_id=s1": command === undefined ? [] : [{ ...job, command }],
    "/databases?service_id=s1": shop === undefined ? [] : [{ ...database, name: shop }],
  };
  const consent = { deletes: addresses("database/example.com/shop") };
  const owned = isOwned ? ours(["database/example.com/shop", "dns_zone/example.com"]) : {};
  return buildInput(manifest, lists, consent, undefined, owned, isSet ? { SECRET: secret } : {});
}

const shown = ({ reason, ...step }: Step) => ({ reason, lines: linesOf({ reason, ...step }) });

function expectToFollow({ saved, follows, unsaveable }: Saved): void {
  expect([follows, unsaveable]).toEqual([true, []]);
  const text = JSON.stringify(fileOf(saved));
  expect(text).not.toContain(secret);
  const parsed = parseSavedPlan(text);
  if ("wrong" in parsed) throw new Error(parsed.wrong);
  expect(isSealed(parsed.plan)).toBe(true);
  expect(parsed.plan.hash).toBe(saved.hash);
  expect(parsed.plan.steps.map(shown)).toEqual(saved.steps.map(shown));
}

test("a plan and its undo follow from their files, which hold nothing of what the plan neither touches nor needs, and no secret", () =>
  forDraws(100, state, async (given) => {
    const [input, larger] = [await inputOf(given, 0), await inputOf(given, 50)];
    const [made, madeOfMore] = [plan(input), plan(larger)];
    fc.pre(made.steps.length > 0);
    const [saved, savedOfMore] = [savePlan(input, made, options), savePlan(larger, madeOfMore, options)];
    expectToFollow(saved);
    expectToFollow(planUndo(input, made, options));
    expect(savedOfMore.hash).toBe(saved.hash);
    expect(savedOfMore.saved.live).toEqual(saved.saved.live);
  }));

test("a file holds the TTL that a set has from its zone, from which its plan follows without the zone", async () => {
  const { "/dns/zones": zones = [], ...records } = inZone({ ...record("www", "A", "192.0.2.1"), ttl: 3600 });
  const lists = { ...records, "/dns/zones": zones.map((each) => ({ ...each, ttl: 300 })) };
  const input = await buildInput("dns: { example.com: { records: { www: { A: [192.0.2.2] } } } }", lists);
  const saved = savePlan(input, plan(input), options);
  expectToFollow(saved);
  expect(saved.saved.resources).toMatchObject([{ fields: { ttl: 300 } }]);
});

test("a plan file holds the rule and the data of each refusal, from which the words follow, and other data end nothing", async () => {
  const given = { text: undefined, command: undefined, isSet: true, address: "192.0.2.1", ttl: 300 } as const;
  const input = await inputOf({ ...given, engine: "mariadb", shop: "shop", removes: true, isOwned: true }, 0);
  const refusedInput = { ...input, consent: { ...input.consent, deletes: addresses() } };
  const made = plan(refusedInput);
  const { saved } = savePlan(refusedInput, made, options);
  const text = JSON.stringify(fileOf(saved));
  expect(made.refusals.length).toBeGreaterThan(0);
  for (const { summary, hint } of made.refusals) {
    expect(text).not.toContain(summary);
    expect(text).not.toContain(hint);
  }
  const parsed = parseSavedPlan(text);
  if ("wrong" in parsed) throw new Error(parsed.wrong);
  const words = ({ code, summary, flag }: Refusal) => ({ code, summary, flag });
  expect(parsed.plan.refusals.map(savedRefusal).map(words)).toEqual(made.refusals.map(words));
  const other = fc.record({
    rule: fc.constantFrom(...Object.keys(refusals), "constructor", "__proto__"),
    data: fc.array(fc.jsonValue(), { maxLength: 3 }),
  });
  await forDraws(100, other, (from) => {
    const altered = { ...fileOf(saved), refusals: saved.refusals.map((each) => ({ ...each, from })) };
    expect(() => parseSavedPlan(JSON.stringify(altered))).not.toThrow();
  });
});

test("a plan that changes a value which is masked, and is still what a reference gives, follows from its file", async () => {
  const command = {
    id: "j1",
    etag: "e",
    service_id: "s1",
    name: "x",
    schedule: "0 3 * * *",
    command: "run db1.host.test",
  };
  const input = await buildInput(
    `services: { example.com: }
databases: { example.com: { databases: { shop: { engine: postgresql } } } }
crons: { example.com: { jobs: { x: { schedule: "0 3 * * *", command: "run \${ref:database/example.com/shop.host}" } } } }`,
    {
      "/services": [service],
      "/databases?service_id=s1": [{ ...database, name: "shop", host: "db1.host.test" }],
      "/crons?service_id=s1": [command],
    },
    { deletes: addresses("database/example.com/shop") },
  );
  const holdsSecret = (value: Json) => JSON.stringify(value).includes("run db1");
  const { follows, saved } = savePlan(input, plan(input), { ...options, holdsSecret });
  expect(follows).toBe(true);
  expect(JSON.stringify(saved.live)).not.toContain("run db1");
});

test("a file makes ours what its plan does: not what the server makes again with another, and of which the manifest writes nothing", async () => {
  const made = { catch_all: null, dkim: { enabled: false, selector: "sel", record: "k" } };
  const input = await buildInput(
    `services: { example.com: { plan: WEB-M, datacenter: BCN1 } }\nmail: { example.com: { settings: {} } }`,
    { "/services": [service], "/mail/settings/example.com": [made] },
    { deletes: addresses("service/example.com") },
    undefined,
    ours(["service/example.com"]),
  );
  const planned = plan(input);
  expect(planned.steps.map(({ id }) => id)).toContain("update mail_settings/example.com");
  const { saved } = savePlan(input, planned, options);
  const after = ownedAfterFile(saved, input.ownership.inventory, new Set());
  expect(after.addresses).toEqual(planned.owned.addresses);
});

const hosts = fc.uniqueArray(
  fc.record({
    priority: fc.constantFrom(10, 20),
    value: fc.constantFrom("one.test.", "two.test.", "mx.example.com."),
    disabled: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3, selector: ({ value }) => value },
);

test("a plan and its undo follow from their files where records of hosts are enabled and disabled, come and go", () =>
  forDraws(1600, hosts, hosts, fc.boolean(), async (live, declared, isHere) => {
    const there = live.map(({ priority, value, disabled }) => record("x", "MX", value, { priority, disabled }));
    const manifest = `dns: { example.com: { records: { x: { MX: ${JSON.stringify(declared)} } } } }`;
    const input = await buildInput(manifest, inZone(...there, ...(isHere ? [record("mx", "A", "192.0.2.1")] : [])));
    const made = plan(input);
    const files = [savePlan(input, made, options), planUndo(input, made, options)];
    expect(files.map(({ follows }) => follows)).toEqual([true, true]);
    files.forEach(expectToFollow);
  }));
