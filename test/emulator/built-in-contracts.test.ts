import { expect, test } from "vitest";
import { exits, runHostform } from "../support/run-hostform.ts";

const manifest = (contract: string) =>
  `{ version: 1, name: rehearsal, provider: { contract: ${contract} }, dns: { a.test: { records: { www: { A: 192.0.2.1 } } } } }`;

test("The built program plans against its own service in the shape of a vendor's API.", async () => {
  const stdin = manifest("cloudflare");
  const { stdout } = exits(0, await runHostform(["plan", "-f", "-", "--emulator"], { stdin }));
  expect(stdout).toContain("dns_record/a.test/www/A");
});
