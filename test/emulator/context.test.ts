import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { makeContext } from "../../src/emulator/actions/context.ts";
import { openStore } from "../../src/emulator/store/store.ts";
import { forDraws } from "../support/for-draws.ts";

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

test("objects are found by the beginning of their names just as by their ids, whatever their texts are", async () => {
  const { bring, objects } = openContext();
  const holder = bring("dns_zone", { record: zone }).id;
  const record = { type: "TXT", ttl: 60, priority: null, disabled: false, comment: null, managed: false };
  await forDraws(
    { numRuns: 50 },
    fc.array(fc.string({ unit: "grapheme" }), { maxLength: 4 }),
    fc.nat(),
    (contents, number) => {
      const name = `n${number}.${objects.inScope("dns_record", holder).length}`;
      const made = contents.map((text, index) => {
        const content = `${index} ${text}`;
        return bring("dns_record", {
          scope: holder,
          record: { ...record, name, content },
          schedule: [[8e15, { content }]],
        });
      });
      const found = objects.byKeyPrefix(`dns_record ${holder} ${name} `);
      const byId = (id: string) => objects.inScope("dns_record", holder).find((object) => object.id === id);
      expect(new Set(found)).toEqual(new Set(made.map(({ id }) => byId(id))));
    },
  );
});

test("a field that is set without reading the record leaves the text that writing the whole record leaves", async () => {
  const { bring, save, objects } = openContext();
  const holder = bring("dns_zone", { record: zone }).id;
  const record = { name: "@", type: "SOA", ttl: 60, priority: null, disabled: false, managed: true };
  const soa = bring("dns_record", { scope: holder, record: { ...record, content: "", comment: null } });
  const key = `dns_record ${holder} @ SOA `;
  const text = () => objects.page("dns_record", holder, 1, 1).records;
  // SQLite ends a text at its first zero; JSON of a record has none.
  const words = fc.string({ unit: "grapheme" }).map((word) => word.replaceAll("\0", ""));
  await forDraws({ numRuns: 50 }, words, words, (content, comment) => {
    const before = { ...soa, record: { ...soa.record, comment } };
    save({ ...before, record: { ...before.record, content } });
    const whole = text();
    save(before);
    expect(objects.byId("dns_record", soa.id)?.record["content"]).toBe("");
    objects.setField(key, "content", content);
    expect(text()).toEqual(whole);
    expect(objects.byId("dns_record", soa.id)?.record["content"]).toBe(content);
  });
  objects.setField("dns_record of no zone", "content", "a");
  expect(objects.inScope("dns_record", holder)).toHaveLength(1);
});
