import { expect, test } from "vitest";
import { deleteCall, listParents } from "../../src/contract/binding.ts";
import { collectionOf } from "../../src/kinds/derived/collection.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import type { KindContract } from "../../src/model/contract.ts";
import type { RemoteId } from "../../src/model/resource.ts";
import { builtIn } from "../support/built-in-contract.ts";

/** The parents whose ids a list needs, if it is read like this. */
async function parentsOf(name: string, list: KindContract["operations"]["list"], scope = {}) {
  const entry = builtIn.kinds[name];
  if (!entry) throw new Error("The built-in contract is wrong");
  const other = { ...entry, operations: { ...entry.operations, list } };
  return listParents(builtIn, { kind: { ...kindNamed(name), entry: other }, scope });
}

test("a list needs the id of the object that it belongs to, in its path, its query or a comparison", async () => {
  const scope = { service: "a.test" };
  const needed = ["service/a.test"];
  const ofService = (list: object) => parentsOf("cron", { method: "GET", path: "/crons", ...list }, scope);
  expect(await ofService({})).toEqual([]);
  expect(await ofService({ path: "/services/{service_id}/crons" })).toEqual(needed);
  expect(await ofService({ query: { of: "{service_id}" } })).toEqual(needed);
  expect(await ofService({ where: [{ pointer: "/of", equals: ["{service_id}", 1] }] })).toEqual(needed);
});

test("a list that is read for each object of another kind needs none of them", async () => {
  const list = { method: "GET", path: "/projects/{project}/zones", for_each: { project: "service" } } as const;
  expect(await parentsOf("dns_zone", list)).toEqual([]);
});

test("a deletion names the parent in whose list the object was found", async () => {
  const entry = builtIn.kinds["dns_zone"];
  if (!entry) throw new Error("The built-in contract is wrong");
  const list = { method: "GET", path: "/projects/{project}/zones", for_each: { project: "service" } } as const;
  const removal = { method: "DELETE", path: "/projects/{project}/zones/{id}" } as const;
  const other = { ...entry, operations: { ...entry.operations, list, delete: removal } };
  const kind = { ...kindNamed("dns_zone"), entry: other };
  const { id, scope } = collectionOf(kind, {});
  const parents = new Map([["z1", "p1"]]);
  const live = { collections: new Map([[id, { id, kind: kind.name, scope, list: id, addresses: [], parents }]]) };
  const binding = { contract: builtIn, live, idOf: () => undefined };
  const remote = { id: "z1" as RemoteId, etag: undefined, raw: {}, fields: {} };
  expect(deleteCall(binding, kind, { name: "a.test" }, remote).params).toEqual({ project: "p1", id: "z1" });
});
