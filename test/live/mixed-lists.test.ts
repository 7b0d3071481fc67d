import fc from "fast-check";
import { expect, test } from "vitest";
import type { Reader } from "../../src/api/connection.ts";
import { collectionOf } from "../../src/kinds/derived/collection.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import { readLive } from "../../src/live/read-live.ts";
import type { Contract } from "../../src/model/contract.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { forDraws } from "../support/for-draws.ts";
import { respellName } from "../support/respell.ts";

const contractWith = (scope: { scope?: "mixed" }): Contract => ({
  contract: 1,
  name: "mixed",
  base_path: "",
  request: { auth: { header: "X-Key", scheme: "" }, headers: {} },
  answer: { record: "", list: "", error: { message: "/message" }, rate_limit: { statuses: [429] } },
  paging: { style: "none" },
  kinds: {
    mailbox: {
      id: "/id",
      fields: { address: { at: "/address" } },
      operations: { list: { method: "GET", path: "/mail-addresses", ...scope } },
    },
    cron: {
      id: "/id",
      fields: { service: { at: "/site" }, name: { at: "/name" } },
      operations: { list: { method: "GET", path: "/jobs", ...scope } },
    },
  },
});

const readerOf = (body: readonly JsonObject[]): Reader => ({
  get: async () => ({ ok: true, value: { status: 200, body, location: undefined, requestId: undefined, attempts: 1 } }),
});

const drawn = fc.array(fc.constantFrom("a.example", "b.example", "x.a.example"), { maxLength: 8 });

test("a list of several domains gives each its own objects; one that is not to hold others contradicts itself", () =>
  forDraws(100, drawn, fc.boolean(), async (names, isMixed) => {
    const body = names.map((domain, index) => ({ id: index, address: `m${index}@${domain}` }));
    const contract = contractWith(isMixed ? { scope: "mixed" } : {});
    const ref = collectionOf(kindNamed("mailbox"), { domain: "a.example" });
    const live = await readLive(readerOf(body), contract, [ref]);
    const collection = live.ok ? live.value.collections.get(ref.id) : undefined;
    const own = body.filter(({ address }) => address.endsWith("@a.example"));
    if (isMixed) expect(collection?.addresses).toEqual(own.map(({ address }) => `mailbox/${address}`));
    expect(collection?.incomplete === undefined).toBe(isMixed || own.length === body.length);
  }));

test("a list that all domains have in common is read once, and each domain has its own objects of it", () =>
  forDraws(100, drawn, async (names) => {
    const body = names.map((domain, index) => ({ id: index, address: `m${index}@${domain}` }));
    const refs = ["a.example", "b.example", "x.a.example"].map((domain) =>
      collectionOf(kindNamed("mailbox"), { domain }),
    );
    const live = await readLive(readerOf(body), contractWith({ scope: "mixed" }), refs);
    if (!live.ok) throw new Error(live.error.message);
    const { collections, reads } = live.value;
    const own = (domain: string | undefined) => body.filter(({ address }) => address.endsWith(`@${domain}`));
    expect(refs.map(({ id }) => collections.get(id)?.addresses)).toEqual(
      refs.map(({ scope }) => own(scope["domain"]).map(({ address }) => `mailbox/${address}`)),
    );
    expect(reads).toBe(1);
  }));

test("an object is in the list of its service, in whatever spelling it names that", () =>
  forDraws(
    30,
    fc.array(respellName("a.example"), { minLength: 1, maxLength: 3 }),
    fc.boolean(),
    async (sites, isMixed) => {
      const body = [...sites, "b.example"].map((site, index) => ({ id: index, site, name: `job ${index}` }));
      const ref = collectionOf(kindNamed("cron"), { service: "a.example" });
      const contract = contractWith(isMixed ? { scope: "mixed" } : {});
      const live = await readLive(readerOf(isMixed ? body : body.slice(0, -1)), contract, [ref]);
      const collection = live.ok ? live.value.collections.get(ref.id) : undefined;
      expect(collection?.incomplete).toBeUndefined();
      expect(collection?.addresses).toEqual(sites.map((_, index) => `cron/a.example/job%20${index}`));
    },
  ));

/** The ids of the objects that are in the list of `a.example`, of all that a mixed list holds. */
async function idsOf(kind: string, body: readonly JsonObject[]): Promise<string[]> {
  const ref = collectionOf(kindNamed(kind), { [kind === "mailbox" ? "domain" : "service"]: "a.example" });
  const live = await readLive(readerOf(body), contractWith({ scope: "mixed" }), [ref]);
  const incomplete = live.ok ? live.value.collections.get(ref.id)?.incomplete : live.error.message;
  if (!live.ok || incomplete !== undefined) throw new Error(incomplete);
  return [...live.value.resources.values()].flatMap(({ remotes }) => remotes.map(({ id }) => id)).toSorted();
}

test("the address for all mail of a domain is in the list of that domain alone, in any spelling", async () => {
  const addresses = ["@a.example", "m@a.example", "@b.example", "@B.Example.", "@x.a.example"];
  expect(
    await idsOf(
      "mailbox",
      addresses.map((address) => ({ id: address, address })),
    ),
  ).toEqual(["@a.example", "m@a.example"]);
});

test("an object that says to belong to none is in no list, and one without a name makes each list incomplete", async () => {
  const jobs: JsonObject[] = [
    { id: 1, name: "a", site: "a.example" },
    { id: 2, name: "b", site: null },
    { id: 3, name: "c" },
  ];
  expect(await idsOf("cron", jobs)).toEqual(["1"]);
  expect(
    await idsOf("mailbox", [
      { id: 1, address: "m@a.example" },
      { id: 2, address: "m" },
    ]),
  ).toEqual(["1"]);
  await expect(idsOf("mailbox", [{ id: 1, address: null }])).rejects.toThrow("without a usable name");
});

test.each([
  ["a path", { path: "/sites/{site}/jobs" }],
  ["a query", { path: "/jobs", query: { site: "{site}" } }],
])("a list that %s selects by a lookup which finds nothing is not asked for", async (_by, at) => {
  const contract = contractWith({});
  const { cron } = contract.kinds;
  if (!cron) throw new Error("The contract of this test is wrong");
  const list = { method: "GET" as const, ...at };
  const lookup = { path: "/sites", query: { name: "{service}" }, at: "/id" };
  const jobs = { ...cron, params: { service: { key: "service" }, site: { lookup } }, operations: { list } };
  const asked: string[] = [];
  const reader: Reader = {
    get: (request) => {
      asked.push(request.path);
      return readerOf(request.path === "/sites" ? [] : [{ id: "1", name: "x" }]).get(request);
    },
  };
  const wanted = [collectionOf(kindNamed("cron"), { service: "a.example" })];
  const read = await readLive(reader, { ...contract, kinds: { cron: jobs } }, wanted);
  expect(asked).toEqual(["/sites"]);
  expect(read).toMatchObject({ ok: true, value: { resources: new Map() } });
});
