import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeRecord } from "../../src/contract/decode-record.ts";
import { findMistakes } from "../../src/contract/find-mistakes.ts";
import { spellBody } from "../../src/contract/spelling/spell-body.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import type { Codec, Contract, FieldContract } from "../../src/model/contract.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { forDraws } from "../support/for-draws.ts";
import { builtIn } from "../support/built-in-contract.ts";

const kind = kindNamed("dns_record");
const zone = "example.com";

const label = fc.constantFrom("sip", "xmpp-client", "a1", "tcp", "udp");
const rest = fc.constantFrom(undefined, "pbx", "a.b", "com", `${zone}.${zone}.`);
/** Names of SRV records, also such as have no labels, in normal form. */
const names = fc
  .oneof(
    fc
      .tuple(label, label, rest)
      .map(([service, protocol, below]) =>
        [`_${service}`, `_${protocol}`, ...(below === undefined ? [] : [below])].join("."),
      ),
    fc.constantFrom("@", "www", "_sip", "__a._tcp", "_sip.tcp"),
  )
  .map((name) => kind.naming.normalise({ zone, name, type: "SRV" })["name"] ?? "");

const nameCodecs = fc.constantFrom<readonly Codec[]>(
  ["relative_name"],
  ["whole_name"],
  ["whole_name", "final_dot"],
  ["relative_name", "empty_apex"],
);

const labelPlaces = fc.constantFrom<Readonly<Record<string, string>>[]>(
  { _service: "/service", _protocol: "/protocol" },
  { service: "/data/service", protocol: "/data/protocol" },
  { _service: "/service", protocol: "/protocol" },
);

/** The numbers of an SRV record, each at its place or several in one text, in any order. */
const contentPlaces = fc
  .tuple(
    fc.shuffledSubarray(["priority", "weight", "port"], { minLength: 3 }),
    fc.constantFrom([3], [1, 2], [2, 1], [1, 1, 1]),
  )
  .map(([numbers, sizes]) => {
    let from = 0;
    const keys = sizes.map((count) => numbers.slice(from, (from += count)).join(" "));
    return Object.fromEntries([...keys, "target"].map((key, index) => [key, `/data/p${index}`]));
  });

const contractOf = (name: Partial<FieldContract>, content: Partial<FieldContract>): Contract => {
  const { fields, ...entry } = builtIn.kinds["dns_record"] as NonNullable<Contract["kinds"][string]>;
  const { priority: _priority, ...others } = fields;
  const spelt = {
    ...others,
    name: { at: "/name", ...name },
    content: { at: "/content", ...content },
    priority: { at: "/priority", absent: true } as const,
  };
  return { ...builtIn, kinds: { ...builtIn.kinds, dns_record: { ...entry, fields: spelt } } };
};

test("an SRV record whose name and numbers stand in pieces is read back as it was written", async () => {
  const drawn = fc.record({ name: names, as: nameCodecs, labels: labelPlaces, places: contentPlaces });
  const numbers = fc.tuple(fc.nat(65_535), fc.nat(65_535), fc.nat(65_535));
  await forDraws(2000, drawn, numbers, fc.constantFrom("", "/record"), (each, [priority, weight, port], above) => {
    const contract = contractOf({ as: each.as, parts: { SRV: each.labels } }, { parts: { SRV: each.places } });
    expect(findMistakes(contract as unknown as JsonObject).filter(({ isWarning }) => !isWarning)).toEqual([]);
    const entry = contract.kinds["dns_record"] as NonNullable<Contract["kinds"][string]>;
    const key = { zone, name: each.name, type: "SRV" };
    const content = `${weight} ${port} sip.example.net.`;
    const values = { name: each.name, type: "SRV", content, priority, ttl: 300 };
    const written = Object.entries(values).map(([field, value]) => ({
      pointer: above + (entry.fields[field]?.at ?? ""),
      field,
      value,
    }));
    const body = spellBody({ kind: { ...kind, entry }, key }, {}, written);
    const raw = (above === "" ? body : body["record"]) as JsonObject;
    const read = decodeRecord({ ...kind, entry }, { id: "7", ...raw }, { scope: { zone } });
    expect(read.key, JSON.stringify(raw)).toEqual(key);
    expect(read.remote.fields).toMatchObject({ content, priority, ttl: 300 });
    if (/^_[a-z]/u.test(each.name) && each.name.includes("._")) expect(JSON.stringify(raw)).not.toContain(each.name);
  });
});

test("several numbers are one text beside the target", () => {
  const contract = contractOf({}, { parts: { SRV: { "priority weight port": "/data", target: "/target" } } });
  const entry = contract.kinds["dns_record"] as NonNullable<Contract["kinds"][string]>;
  const values = [
    { pointer: "/content", field: "content", value: "5 5060 sip.example.net." },
    { pointer: "/priority", field: "priority", value: 10 },
  ];
  const spelt = { kind: { ...kind, entry }, key: { zone, name: "_sip._tcp", type: "SRV" } };
  expect(spellBody(spelt, {}, values)).toEqual({ data: "10 5 5060", target: "sip.example.net." });
});
