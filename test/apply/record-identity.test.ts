import { expect, test } from "vitest";
import { bindAddress } from "../../src/contract/bound-kind.ts";
import { identifyCreated, keep } from "../../src/apply/object-identity.ts";
import type { Address } from "../../src/model/address.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { RemoteId } from "../../src/model/resource.ts";
import { buildInput, zone } from "../plan/build-input.ts";
import { failureOf, fakeContext } from "../support/fake-context.ts";

const zones = ["example.com", "example.net"];
test("an answer whose name may be whole or relative is of the object that either reading names", async () => {
  const input = await buildInput(`dns: { ${zones.map((name) => `${name}: `).join(", ")} }`, {
    "/dns/zones": zones.map((name) => ({ ...zone, id: name, name })),
  });
  const { dns_record: entry } = input.contract.kinds;
  if (!entry?.fields["name"]) throw new Error("The contract has no records");
  // Of a contract that does not say whether names are relative, each record is read both ways.
  const { as: _as, ...untold } = entry.fields["name"];
  const kinds = { ...input.contract.kinds, dns_record: { ...entry, fields: { ...entry.fields, name: untold } } };
  const { context } = fakeContext(
    { ...input, contract: { ...input.contract, kinds } },
    { reads: () => failureOf("unexpected") },
  );
  const doubled = { id: "r1", name: "www.example.com", type: "A", content: "192.0.2.1", ttl: 3600 };
  for (const meant of ["www", "www.example.com.example.com."])
    expect(
      identifyCreated(context, bindAddress(context.contract, `dns_record/example.com/${meant}/A` as Address), doubled),
    ).toMatchObject({
      is: "created",
    });
});

test.each([
  ["that no object of its list has", undefined, "created", "created"],
  ["that its own address has, as where it takes the place of an older one", "own", "created", "none"],
  ["that another object has", "other", "none", "none"],
])(
  "an answer to a creation with an id %s is of the new object: an only one or a member of a set",
  async (_, owner, only, member) => {
    const input = await buildInput("dns: { example.com: , example.net: }", { "/dns/zones": [{ ...zone, id: "z1" }] });
    const { context } = fakeContext(input, { reads: () => failureOf("unexpected") });
    const described = (own: string, other: string, record: JsonObject) => {
      const bound = bindAddress(context.contract, own as Address);
      const { kind, key } = bound;
      const id = record["id"] as RemoteId;
      if (owner) keep(context, { kind, key, address: (owner === "own" ? own : other) as Address }, { id });
      return identifyCreated(context, bound, record).is;
    };
    expect(described("dns_zone/example.com", "dns_zone/example.net", { ...zone, id: "z9" })).toBe(only);
    const record = { id: "r1", name: "www", type: "A", content: "192.0.2.1", ttl: 3600 };
    expect(described("dns_record/example.com/www/A", "dns_record/example.com/mail/A", record)).toBe(member);
  },
);
