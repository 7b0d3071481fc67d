import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { bindAddress } from "../../src/contract/bound-kind.ts";
import type { ApiResponse } from "../../src/api/response.ts";
import { journaled } from "../../src/apply/journaled-connection.ts";
import { runSet } from "../../src/apply/run-set.ts";
import type { CountedConnection } from "../../src/apply/write-ledger.ts";
import { resolveInFlight } from "../../src/journal/resolve-in-flight.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { Address } from "../../src/model/address.ts";
import type { Contract } from "../../src/model/contract.ts";
import type { Result } from "../../src/model/failure.ts";
import type { SetCall } from "../../src/model/http-call.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Journal, Write } from "../../src/model/journal.ts";
import type { PlanInput } from "../../src/model/plan-input.ts";
import { plan } from "../../src/plan/plan.ts";
import { prepare } from "../../src/plan/prepare.ts";
import { buildInput, ours } from "../plan/build-input.ts";
import { failureOf, fakeContext } from "../support/fake-context.ts";
import { flavours, setContract, type Flavour, type VendorSet } from "../support/set-vendor.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();

const contracts = new Map<Flavour, Contract>();
beforeAll(async () => {
  for (const flavour of flavours) {
    const file = join(folder, `${flavour}.yaml`);
    writeFileSync(file, setContract(flavour));
    const { contract } = await loadContract(file);
    if (!contract) throw new Error("The contract is wrong");
    contracts.set(flavour, contract);
  }
});

const answer = (body: JsonObject | readonly JsonObject[]): Result<ApiResponse> => ({
  ok: true,
  value: { status: 200, location: undefined, requestId: undefined, attempts: 1, body },
});

/** A set of addresses, each with a weight that no contract names. */
const setOf = (name: string, type: string, ttl: number, ...values: readonly string[]): VendorSet => ({
  name,
  type,
  ttl,
  label: `of ${name}`,
  records: values.map((value, weight) => ({ value, note: null, weight })),
});

const asListed = (flavour: Flavour, sets: readonly VendorSet[]) =>
  flavour === "flat" ? sets.flatMap(({ records, ...set }) => records.map((record) => ({ ...set, ...record }))) : sets;

/** A vendor's sets, as a test changes them. */
interface World {
  sets: readonly VendorSet[];
}

/** Plans a manifest's records against the sets of a zone, by the vendor's contract. */
async function planSets(flavour: Flavour, records: string, world: World) {
  const contract = contracts.get(flavour);
  const get = async ({ path }: { readonly path: string }) =>
    path.endsWith("/dns/zones")
      ? answer({ data: [{ id: "z1", name: "a.test", ttl: 3600 }], meta: { page: 1, per_page: 100, total: 1 } })
      : answer({ sets: asListed(flavour, world.sets) } as unknown as JsonObject);
  const manifest = `dns: { a.test: { records: ${records} } }\npolicy: { max_deletes: "100%" }`;
  const owned = ours(world.sets.map(({ name, type }) => `dns_record/a.test/${name}/${type}`));
  const input = await buildInput(manifest, { get }, {}, undefined, {
    ...(contract && { contract }),
    ...owned,
  });
  const steps = plan(input).steps.filter(({ calls }) => calls[0]?.operation === "set");
  const writes = steps.flatMap(({ address, calls }) => calls.map((call) => ({ address, call: call as SetCall })));
  return { input, writes, steps };
}

const declared =
  "{ a: { A: { ttl: 60, values: [192.0.2.1, 192.0.2.3] }, TXT: { ttl: 60, values: [x] } }, b: { A: { ttl: 61, values: [192.0.2.1] } } }";
const live: readonly [VendorSet, VendorSet, VendorSet] = [
  setOf("a", "A", 60, "192.0.2.1", "192.0.2.2"),
  setOf("b", "A", 60, "192.0.2.1"),
  setOf("c", "A", 60, "192.0.2.1"),
];

/** Runs one write against a vendor that has these sets, and others once it was sent. */
async function run(
  flavour: Flavour,
  { input, address, call }: { readonly input: PlanInput; readonly address: Address; readonly call: SetCall },
  { before = live, after, answers = answer({}) }: Vendor,
) {
  const { context, gets, sent } = fakeContext(input, {
    reads: (path) => {
      const [request] = sent;
      const sets = asListed(flavour, request && after ? after : before);
      const set = sets.find(({ name, type }) => path.endsWith(`/${name}/${type}`));
      if (/sets\/.+\/.+/u.test(path)) return set ? answer({ set } as never) : failureOf("not_found");
      // A vendor that takes all sets at once shows them.
      return request?.body && call.zone && !after ? answer(request.body as JsonObject) : answer({ sets } as never);
    },
    writes: [answers],
  });
  const result = await runSet(context, bindAddress(context.contract, address), call);
  const written = sent.map(({ method, path, body }) => [`${method} ${path.replace("/v2026", "")}`, body]);
  return { result, written, gets };
}

interface Vendor {
  readonly before?: readonly VendorSet[];
  readonly after?: readonly VendorSet[];
  readonly answers?: Result<ApiResponse>;
}

const kept = { value: "192.0.2.1", note: null, weight: 0 };
const added = { value: "192.0.2.3" };
const [a, b, c] = live;
const newText = { name: "a", type: "TXT", ttl: 60, records: [{ value: '"x"' }] };
const changedA = { ...a, records: [kept, added] };
const changedB = { ...b, ttl: 61 };
const flat = (sets: readonly unknown[]) =>
  asListed("flat", sets as readonly VendorSet[]).map((record) =>
    (record as unknown as { value: string }).value === added.value
      ? { name: "a", type: "A", ttl: 60, ...added }
      : record,
  );

/** The requests that write the four sets, each by itself: a changed member, a new set, a changed TTL, a deletion. */
const expected: Readonly<Record<Flavour, readonly unknown[]>> = {
  rrset: [
    ["POST /zones/a.test/sets/a/A/records", { records: [kept, added] }],
    ["POST /zones/a.test/sets", newText],
    ["POST /zones/a.test/sets/b/A/ttl", { ttl: 61 }],
    ["DELETE /zones/a.test/sets/c/A", undefined],
  ],
  filters: [
    ["PUT /zones/a.test/sets", { overwrite: true, zone: [changedA] }],
    ["PUT /zones/a.test/sets", { overwrite: true, zone: [newText] }],
    ["PUT /zones/a.test/sets", { overwrite: true, zone: [changedB] }],
    ["DELETE /zones/a.test/sets", { filters: [{ name: "c", type: "A" }] }],
  ],
  bulk: [
    ["PATCH /zones/a.test/sets", [{ name: "a", type: "A", ttl: 60, records: [kept, added] }]],
    ["PATCH /zones/a.test/sets", [newText]],
    ["PATCH /zones/a.test/sets", [{ name: "b", type: "A", ttl: 61, records: b.records }]],
    ["PATCH /zones/a.test/sets", [{ name: "c", type: "A", records: [] }]],
  ],
  whole: [
    ["PUT /zones/a.test/sets", { sets: [changedA, b, c] }],
    ["PUT /zones/a.test/sets", { sets: [a, b, c, newText] }],
    ["PUT /zones/a.test/sets", { sets: [a, changedB, c] }],
    ["PUT /zones/a.test/sets", { sets: [a, b] }],
  ],
  flat: [
    ["PUT /zones/a.test/sets", { sets: flat([changedA, b, c]) }],
    ["PUT /zones/a.test/sets", { sets: flat([a, b, c, newText]) }],
    ["PUT /zones/a.test/sets", { sets: flat([a, changedB, c]) }],
    ["PUT /zones/a.test/sets", { sets: flat([a, b]) }],
  ],
};

describe.each(flavours)("a vendor with sets: %s", (flavour) => {
  test("is sent each set with its unchanged members in the vendor's own form", async () => {
    const { input, writes } = await planSets(flavour, declared, { sets: live });
    const runs = [];
    for (const write of writes) runs.push(await run(flavour, { input, ...write }, {}));
    expect(runs.flatMap(({ written }) => written)).toEqual(expected[flavour]);
    expect(runs.map(({ result }) => result.ok)).toEqual(writes.map(() => true));
  });

  test.each([false, true])(
    "is sent another TTL where no member stays (its members have comments: %s)",
    async (noted) => {
      const was = setOf("a", "A", 60, "192.0.2.1", "192.0.2.2");
      const records = was.records.map((record) => ({ ...record, note: noted ? "theirs" : null }));
      const sets = [{ ...was, records }];
      const { input, writes } = await planSets(flavour, "{ a: { A: { ttl: 61, values: [192.0.2.8, 192.0.2.9] } } }", {
        sets,
      });
      const bodies = [];
      for (const write of writes) {
        const { written } = await run(flavour, { input, ...write }, { before: sets });
        bodies.push(...written.map(([, body]) => JSON.stringify(body)));
      }
      for (const text of ['"ttl":61', "192.0.2.8", "192.0.2.9"]) expect(bodies.join()).toContain(text);
      expect(bodies.join()).not.toContain('"ttl":60');
    },
  );

  const changes: Readonly<Record<string, VendorSet>> = {
    "another value": { ...a, records: [kept, { value: "192.0.2.9" }] },
    "a member more": { ...a, records: [...a.records, { value: "192.0.2.9" }] },
    "a member less": { ...a, records: [kept] },
    "a member twice": { ...a, records: [kept, kept] },
    "another comment": { ...a, records: [kept, { value: "192.0.2.2", note: "theirs" }] },
  };

  test.each(Object.keys(changes))("is sent nothing where a set has %s since it was planned", async (name) => {
    const { input, writes } = await planSets(flavour, declared, { sets: live });
    const [write] = writes;
    if (!write) throw new Error("Expected a write");
    const { result, written } = await run(flavour, { input, ...write }, { before: [changes[name] as VendorSet, b, c] });
    expect(result).toMatchObject({ ok: false, error: { sort: "stale" } });
    expect(written).toEqual([]);
  });

  test("has what was sent without an answer, if it shows exactly that", async () => {
    const { input, writes } = await planSets(flavour, declared, { sets: live });
    const [changed, , ttl, deleted] = writes;
    const outcome = async (write: typeof changed, after: readonly VendorSet[]) => {
      if (!write) throw new Error("Expected a write");
      const { result } = await run(flavour, { input, ...write }, { after, answers: failureOf("unknown_outcome") });
      return result.ok || result.error.sort;
    };
    expect(await outcome(changed, [changedA, b, c])).toBe(true);
    expect(await outcome(changed, [{ ...changedA, records: [added, kept] }, b, c])).toBe(true);
    for (const not of [...Object.values(changes), { ...a, records: [kept, added, { value: "192.0.2.9" }] }])
      expect(await outcome(changed, [not, b, c])).toBe("unknown_outcome");
    expect(await outcome(ttl, [a, changedB, c])).toBe(true);
    expect(await outcome(ttl, live)).toBe("unknown_outcome");
    expect(await outcome(ttl, [a, c])).toBe("unknown_outcome");
    expect(await outcome(deleted, [a, b])).toBe(true);
    expect(await outcome(deleted, live)).toBe("unknown_outcome");
  });

  test("may have lost a set that is to be deleted, but none that is to be changed", async () => {
    const { input, writes } = await planSets(flavour, declared, { sets: live });
    const [changed, , , deleted] = writes;
    if (!changed || !deleted) throw new Error("Expected writes");
    const gone = await run(flavour, { input, ...deleted }, { before: [a, b], answers: failureOf("not_found") });
    expect(gone.result.ok).toBe(true);
    const lost = await run(flavour, { input, ...changed }, { before: [b, c] });
    expect(lost).toMatchObject({ result: { ok: false, error: { sort: "stale" } }, written: [] });
  });

  test("stands in the journal with the word of the plan, and is recovered like an update", async () => {
    const { input, steps } = await planSets(flavour, declared, { sets: live });
    for (const step of steps)
      for (const call of step.calls) {
        const intents: Write[] = [];
        const intend = async (write: Write) => ({ ok: false as const, error: String(intents.push(write)) });
        const context = { ...input, moved: new Map(), made: new Map(), owners: new Map(), isSecret: () => false };
        const sending = journaled({} as CountedConnection, { intend } as unknown as Journal, { step, call }, context);
        await sending.send({ method: call.method, path: call.path });
        expect(intents).toMatchObject([{ operation: step.action, set: true }]);
        const [intent] = intents.map((write) => ({
          ...write,
          type: "intent" as const,
          n: 1,
          at: "2026-01-01T00:00:00Z",
        }));
        if (!intent) throw new Error("Expected an intent");
        const live = prepare(input).live;
        const inFlight = { intent, doneBeside: 0 };
        expect(resolveInFlight(inFlight, live, { ...plan(input) }, input.contract)).toEqual({
          is: "not_done",
          planned: true,
        });
        expect(resolveInFlight(inFlight, live, { ...plan(input), steps: [] }, input.contract)).toEqual({ is: "done" });
      }
    expect(new Set(steps.map(({ action }) => action))).toEqual(new Set(["create", "update", "delete"]));
  });
});
