import { expect, test } from "vitest";
import { bindKind } from "../../src/contract/bound-kind.ts";
import { checkContract } from "../../src/contract/check/check-contract.ts";

import { decodeList } from "../../src/contract/decode-record.ts";
import { explodeSets } from "../../src/contract/sets.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import { listReading } from "../../src/contract/list-reading.ts";
import { contradiction } from "../../src/live/group-records.ts";
import type { Contract, KindContract } from "../../src/model/contract.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { builtIn } from "../support/built-in-contract.ts";

const operation = { method: "POST", path: "/sets" } as const;
const entry: KindContract = {
  fields: {
    name: { at: "/name" },
    type: { at: "/type" },
    ttl: { at: "/ttl" },
    content: { at: "/records/value" },
  },
  operations: {
    list: { method: "GET", path: "/sets", explode: "/records" },
    set: {
      create: operation,
      update: [{ ...operation, send: ["name", "type", "content"] }],
      delete: { ...operation, send: ["name", "type"] },
    },
  },
};
const kind = kindNamed("dns_record");
const scope = { zone: "shop.test" };

function read(...items: JsonObject[]) {
  const listed = decodeList({ kind: { ...kind, entry }, scope }, explodeSets(entry, items), () => undefined);
  return listed.map(({ address, key, remote }) => ({ address, key, kind: kind.name, remotes: [remote] }));
}
const told = (...items: JsonObject[]) => {
  const all = read(...items);
  const [first] = all;
  const remotes = all.flatMap((each) => each.remotes);
  return first && contradiction({ kind, scope, id: "dns_record/shop.test" as never }, [{ ...first, remotes }]);
};

const set = (records: unknown) => ({ name: "a", type: "A", ttl: 60, records }) as JsonObject;

test("Each member of a set is a record with an identity of its own, and an empty set has none.", () => {
  const records = [{ value: "192.0.2.1" }, { value: "192.0.2.2" }];
  const ids = read(set(records)).map(({ remotes }) => remotes[0]?.id);
  expect(new Set(ids).size).toBe(2);
  expect(ids.every((id) => /^[0-9a-f]{24}$/u.test(id ?? ""))).toBe(true);
  expect(read(set(records.toReversed())).map(({ remotes }) => remotes[0]?.id)).toEqual(ids.toReversed());
  expect(told(set(records))).toBeUndefined();
  expect(read(set([]), set(null))).toEqual([]);
});

test("A list contradicts itself with a member twice in a set, or a set without a list.", () => {
  expect(told(set([{ value: "192.0.2.1" }, { value: "192.0.2.1" }]))).toMatch(/came twice/u);
  for (const broken of [undefined, "192.0.2.1", 1, {}])
    expect(told(JSON.parse(JSON.stringify(set(broken))) as JsonObject)).toMatch(/without a usable id/u);
});

test("a contract whose requests for sets never send a field is refused with the name of the field", () => {
  const found = (name: string, own: KindContract) =>
    checkContract({ kinds: { [name]: own } } as unknown as Contract, new Set(), false).flatMap(({ path, summary }) =>
      path.includes("set") ? summary : [],
    );
  const unsent = "no request of kinds.dns_record.operations.set.update sends ttl, so it could never be changed";
  expect(found("dns_record", entry)).toEqual([unsent]);
  expect(found("cron", entry)).toEqual(["kinds.cron.operations.set writes sets, and cron has none"]);
  const placeless = { ...entry, fields: { ...entry.fields, content: {} } } as unknown as KindContract;
  expect(found("dns_record", placeless)).toEqual([unsent]);
});

test("a set of a list is distinguished from the others by its id and its name", () => {
  const contract = {
    name: "sets",
    request: {},
    answer: {},
    paging: {},
    kinds: { dns_record: { ...entry, id: "/no" } },
  };
  const { idOf } = listReading(
    { contract: contract as unknown as Contract, idOf: () => undefined },
    {
      kind: { ...kind, entry: { ...entry, id: "/no" } },
      scope,
    },
  );
  const one = { ...set([]), no: 1 };
  const others = [{ ...one, no: 2 }, { ...one, name: "b" }, { ...one, type: "TXT" }, {}];
  expect(new Set([one, ...others].map(idOf)).size).toBe(5);
  expect(idOf({ ...one, ttl: 5 })).toBe(idOf(one));
});

test("An object of a list has its id as a text, and an empty one where the answer has none.", async () => {
  const idOf = (item: JsonObject) =>
    listReading({ contract: builtIn, idOf: () => undefined }, { kind: bindKind(builtIn, "service"), scope: {} }).idOf(
      item,
    );
  expect([idOf({ id: "s1" }), idOf({ id: 7 }), idOf({ id: null }), idOf({})]).toEqual(["s1", "7", "", ""]);
});
