import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();
let manifest: string;
beforeAll(() => {
  manifest = join(folder, "m.yaml");
  writeFileSync(manifest, "version: 1\nname: t\nprovider: { base_url: https://api.host.example }\ncrons: {}\n");
});

const plan = (...flags: readonly string[]) => runInProcess(noAccount, ["plan", "-f", manifest, ...flags]);

test("an embedded service beside the base URL of a manifest is refused with the way that keeps the manifest", async () => {
  const data = exits(3, await plan("--emulator-data", "trial.db"));
  expect(data.stderr).toContain("leave out --emulator-data, or the base URL (provider.base_url)");
  expect(data.stderr).toContain(
    "start hostform emulator --data trial.db and pass the --base-url and --ca-file that it prints",
  );
  const flag = await plan("--emulator", "--base-url", "https://api.host.example");
  expect(flag.stderr).toContain("leave out --emulator, or the base URL (--base-url)\n");
});

test.each([
  ["dns_record/a.test/*", "is a pattern without the number of deletions that it allows", "'dns_record/a.test/*=N'"],
  ["mailbox/*", "is a pattern without the number of deletions that it allows", "'mailbox/*=N'"],
  ["dns_record/a.test/*=x", 'has "x" for a number after =', "'dns_record/a.test/*=N'"],
  ["dns_record/a.test/*=", "has nothing for a number after =", "'dns_record/a.test/*=N'"],
  ["dns_record/a.test/*=-1", 'has "-1" for a number after =', "'dns_record/a.test/*=N'"],
  ["dns_record/a.test=5", "has a count, but is neither a pattern with *", "'dns_record/a.test/*=5'"],
  ["a.test=", "for a number after =", "'a.test=N'"],
  ["mailbox=5", "mailbox is not the name of a service or domain", "'mailbox/*=5'"],
  ["dns_recrd/a.test/*=5", "the kind dns_recrd does not exist", "did you mean dns_record?"],
  ["mailbox", "is not an address", "write KIND/NAME"],
])("consent to %s is refused with what is wrong with it, and what to write", async (text, wrong, hint) => {
  const { stderr } = exits(3, await plan("--allow-delete", text));
  expect(stderr).toContain(wrong);
  expect(stderr).toContain(hint);
});
