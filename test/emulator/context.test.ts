import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { makeContext } from "../../src/emulator/actions/context.ts";
import { openStore } from "../../src/emulator/store/store.ts";

function openContext() {
  const store = openStore(":memory:", { now: Date.now, random: randomBytes });
  onTestFinished(store.close);
  return makeContext({ store, now: Date.now(), asyncMs: 0, namePrefix: "", random: randomBytes });
}

const zone = { name: "a.test", ttl: 60, nameservers: [], serial: 1, status: "active" };

test("a request sees its own changes of objects that it has read before", () => {
  const { bring, save, objects } = openContext();
  const { id } = bring("dns_zone", { record: zone });
  const read = () => objects.byId("dns_zone", id)?.record;
  const before = objects.byId("dns_zone", id);
  if (before === undefined) throw new Error("The zone is not there.");
  save({ ...before, record: { ...before.record, serial: 2 } });
  expect(read()).toMatchObject({ name: "a.test", serial: 2 });
  save({ ...before, record: { ...before.record, name: "b.test" } });
  expect(read()).toMatchObject({ name: "b.test" });
  expect(objects.byId("service", id)).toBeUndefined();
  objects.remove(id);
  expect(read()).toBeUndefined();
});

test("what exists already is refused by its name, and by its id if no name is equal; the store goes on", () => {
  const { bring, objects } = openContext();
  const { id } = bring("dns_zone", { record: zone });
  expect(() => bring("dns_zone", { record: zone })).toThrow(`There is already the dns zone "a.test", as ${id}.`);
  expect(() => bring("dns_zone", { id, record: zone })).toThrow("There is already the dns zone");
  expect(() => bring("dns_zone", { id, record: { ...zone, name: "b.test" } })).toThrow(/UNIQUE/u);
  bring("dns_zone", { record: { ...zone, name: "b.test" } });
  expect(objects.inScope("dns_zone", "").map(({ record }) => record["name"])).toEqual(["a.test", "b.test"]);
});
