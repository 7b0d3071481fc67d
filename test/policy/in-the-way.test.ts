import { expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { runInProcess } from "../support/run-hostform.ts";

const account = accountForFile({
  seed: {
    dns_zone: [{ name: "a.example" }],
    dns_record: [{ zone: "a.example", name: "www", type: "A", content: "192.0.2.1" }],
  },
});

const address = "dns_record/a.example/www/A";
const head = "version: 1\nname: way\ndns: { a.example: { records: { www: { CNAME: b.example. } } } }\n";
const plan = async (removed: string) => {
  const { status, stdout, stderr } = await runInProcess(account, [
    "plan",
    "-f",
    account.write("m.yaml", head + removed),
  ]);
  return { status, said: stdout + stderr };
};

test("a resource in the way that is named under removed: is deleted by following the hint, without a second entry", async () => {
  const forgotten = await plan(`removed: [{ address: ${address}, action: forget }]\n`);
  expect([forgotten.status, forgotten.said]).toEqual([6, expect.stringContaining("write action: delete in its entry")]);
  expect(forgotten.said).not.toContain("add to the manifest");
  const followed = await plan(`removed: [{ address: ${address}, action: delete }]\n`);
  expect([followed.status, followed.said]).toEqual([0, expect.not.stringContaining("removed_twice")]);
});

test("a resource in the way that is not named there is deleted by following the hint to the letter", async () => {
  const { status, said } = await plan("");
  const [, entry = ""] = /add to the manifest {1,2}(removed: \[.*?\])/u.exec(said) ?? [];
  expect([status, entry]).toEqual([6, expect.stringContaining(address)]);
  expect((await plan(`${entry}\n`)).status).toBe(0);
});
