import { expect, test } from "vitest";
import { isSecretField, withholdSecrets } from "../../src/apply/exchanges/held.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { Address } from "../../src/model/address.ts";

const address = "cron/example.com/nightly" as Address;
const secrecy = { fields: () => new Set(["comment"]), mask: (text: string) => text.replaceAll("hunter2", "***") };

test.each([
  ["command", "curl https://user:pass1234@example.net/", "looks like credentials, in a field that may hold them", true],
  ["schedule", "curl https://user:pass1234@example.net/", "looks like credentials, in a field that holds none", false],
  ["command", "php cron.php", "does not look like credentials", false],
  ["schedule", "x hunter2", "holds a secret of this run", true],
  ["schedule", { deep: ["hunter2"] }, "holds a secret of this run somewhere", true],
  ["comment", "plain", "was taken from a secret at the last apply", true],
  ["password", "plain", "is named like a secret", true],
  ["password", null, "is empty", false],
])("the field %s with %j, which %s, is secret: %s", (name, value, _, isSecret) => {
  expect(isSecretField(secrecy, address, name, value)).toBe(isSecret);
});

test("of a set that holds no secret, no member is left out of the journal", async () => {
  const { contract } = await loadContract("hetzner-cloud");
  if (!contract) throw new Error("The contract is wrong");
  const record = { name: "www", type: "A", records: [{ value: "192.0.2.1" }] };
  const held = {
    address: "dns_record/a.test/www/A" as Address,
    successor: "dns_record/a.test/www/CNAME" as Address,
    id: "1",
    method: "POST",
    path: "/",
    query: {},
    key: "k",
    record,
    withheld: [],
  };
  const none = { ...secrecy, fields: () => new Set<string>() };
  expect(withholdSecrets(contract, held, none)).toEqual(held);
  const comment = withholdSecrets(contract, held, secrecy);
  expect(comment).toEqual({ ...held, record: {}, withheld: ["/name", "/type", "/records"] });
});
