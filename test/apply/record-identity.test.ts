import { expect, test } from "vitest";
import { bindAddress } from "../../src/contract/bound-kind.ts";
import { identifyCreated } from "../../src/apply/object-identity.ts";
import type { Address } from "../../src/model/address.ts";
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
