import { expect, test } from "vitest";
import { refuseUnknown } from "../../src/plan/unread.ts";
import type { Address } from "../../src/model/address.ts";
import { buildInput, records, zone } from "./build-input.ts";

test("what cannot be done without an object is refused where its list was not read whole, and nowhere else", async () => {
  const { live, desired } = await buildInput(records("{ www: { A: 192.0.2.1 } }"), { "/dns/zones": [zone] });
  const resource = desired.resources.get("dns_record/example.com/www/A" as Address);
  if (!resource) throw new Error("Expected a record");
  const cut = [...live.collections].map(([id, each]) => [id, { ...each, incomplete: "page 2 was lost" }] as const);
  expect(refuseUnknown({ live }, resource)).toBeUndefined();
  const refused = refuseUnknown({ live: { ...live, collections: new Map(cut) } }, resource);
  expect(refused?.refusals).toMatchObject([{ address: resource.address }]);
});
