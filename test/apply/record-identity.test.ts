import fc from "fast-check";
import { expect, test } from "vitest";
import { bindAddress } from "../../src/contract/bound-kind.ts";
import { identifyCreated } from "../../src/apply/object-identity.ts";
import type { Address } from "../../src/model/address.ts";
import { buildInput, zone } from "../plan/build-input.ts";
import { failureOf, fakeContext } from "../support/fake-context.ts";
import { forDraws } from "../support/for-draws.ts";

const zones = ["example.com", "example.net"];
const answers = fc.array(
  fc.record({
    zone: fc.constantFrom(...zones),
    meant: fc.constantFrom("www", "@", "www.example.com.example.com."),
    id: fc.constantFrom("r1", "r2", ""),
    name: fc.constantFrom(
      "www",
      "@",
      "",
      "www.example.com",
      "example.com",
      "www.example.net.",
      "example.com.example.com",
    ),
    type: fc.constantFrom("A", "a", "TXT"),
  }),
  { minLength: 2, maxLength: 8 },
);

test("an answer tells the same of an object, whatever this run has read of other lists before", async () => {
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
  await forDraws({ numRuns: 300 }, answers, (drawn) => {
    const decoders = new Map();
    for (const { zone: own, meant, ...record } of drawn) {
      const bound = bindAddress(context.contract, `dns_record/${own}/${meant}/A` as Address);
      const told = { ...record, content: "192.0.2.1", ttl: 3600 };
      expect(identifyCreated({ ...context, decoders }, bound, told)).toEqual(identifyCreated(context, bound, told));
    }
  });
  const doubled = { id: "r1", name: "www.example.com", type: "A", content: "192.0.2.1", ttl: 3600 };
  for (const meant of ["www", "www.example.com.example.com."])
    expect(
      identifyCreated(context, bindAddress(context.contract, `dns_record/example.com/${meant}/A` as Address), doubled),
    ).toMatchObject({
      is: "created",
    });
});
