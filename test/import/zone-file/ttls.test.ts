import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { exits, noAccount, runInProcess } from "../../support/run-hostform.ts";
import { writeFiles } from "./judge.ts";

/** Imports a zone file under a contract; returns what the manifest has of the zone. */
async function importZone(contract: string, lines: string): Promise<string> {
  const { folder, first } = writeFiles({ "bakery.example.zone": `@ 300 SOA ns. h. 1 2 3 4 5\n${lines}` });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const out = join(folder, "hosting");
  const args = ["import", out, "--contract", contract, "--from", "zone-file", join(folder, first)];
  exits(0, await runInProcess(noAccount, args));
  return readFileSync(join(out, "bakery.example.yaml"), "utf8").replace(/^[^]*bakery\.example:\n/u, "");
}

test.each(["cloudflare", "hostinger"])(
  "each set has its TTL where zones have none under the contract %s",
  async (contract) => {
    expect(await importZone(contract, "$TTL 300\na A 192.0.2.1\nb 7200 A 192.0.2.1\n")).toBe(
      "    records:\n      a:\n        A: { ttl: 300, values: 192.0.2.1 }\n      b:\n        A: { ttl: 7200, values: 192.0.2.1 }\n",
    );
  },
);

const hetznerTtls = "expected a number of 60 or more and 2147483647 or less";

test.each([
  [
    "of a record",
    "$TTL 300\na A 192.0.2.1\nlow 5 A 192.0.2.1\n",
    "    ttl: 300\n    records:\n      a:\n        A: 192.0.2.1\n",
  ],
  [
    "of most records",
    "$TTL 5\na 300 A 192.0.2.1\nlow A 192.0.2.1\n",
    "    records:\n      a:\n        A: { ttl: 300, values: 192.0.2.1 }\n",
  ],
])("a TTL %s that the contract does not allow becomes a comment together with its record", async (_, lines, text) => {
  const reason = `dns_record ttl cannot be 5: the contract hetzner-cloud does not allow it (${hetznerTtls})`;
  expect(await importZone("hetzner-cloud", lines)).toBe(
    `${text}      # dns_record/bakery.example/low/A is not managed here: ${reason}\n      #   { ttl: 5, values: 192.0.2.1 }\n`,
  );
});
