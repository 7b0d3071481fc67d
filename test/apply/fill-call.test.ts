import { expect, test } from "vitest";
import { bindAddress } from "../../src/contract/bound-kind.ts";
import { fillRead } from "../../src/apply/build-body.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { Address } from "../../src/model/address.ts";
import type { RemoteId } from "../../src/model/resource.ts";
import { buildInput } from "../plan/build-input.ts";
import { failureOf, fakeContext } from "../support/fake-context.ts";

test("what the server made with its parent is read by the id of the parent, if it has no id of its own", async () => {
  const { live } = await buildInput("", {});
  const { contract } = await loadContract("powerdns");
  if (!contract) throw new Error("The built-in contract is wrong");
  const { context } = fakeContext({ contract, live }, { reads: () => failureOf("not_found") });
  context.made.set("dns_zone/a.test" as Address, { id: "a.test." as RemoteId });
  expect(fillRead(context, bindAddress(contract, "dnssec/a.test" as Address))).toMatchObject({
    path: `${contract.base_path}/zones/a.test.`,
  });
});
