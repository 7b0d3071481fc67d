import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { eventsOf, exits, runInProcess } from "../support/run-hostform.ts";

/** An account whose records lead to names that are not there, which a check of the manifest warns of, in an odd spelling. */
let account: Account;
beforeAll(async () => {
  const names = ["a", "b", "c", "d"];
  account = await openAccount({
    seed: {
      dns_zone: [{ name: "a.example" }],
      dns_record: names.map((name) => ({ zone: "a.example", name, type: "CNAME", content: `gone-${name}.a.example.` })),
    },
  });
  await account.byHand("PUT", "/_emulator/spelling", { spelling: "fqdn,upper" });
});
afterAll(() => account.close());

test.each([["a new folder"], ["and owned at once", "--own"]])(
  "an import into %s warns of each thing once, and counts no difference in formatting",
  async (title, ...flags) => {
    const inventory = ["--inventory", join(account.folder, `${title}.json`)];
    const folder = join(account.folder, title);
    const ran = exits(0, await runInProcess(account, ["import", folder, ...inventory, ...flags, "--json"]));
    const warnings = eventsOf(ran).flatMap(({ code, summary, severity }) =>
      severity === "warning" && code !== "ca_file_elsewhere" ? [summary] : [],
    );
    expect(warnings).toHaveLength(4);
    expect(new Set(warnings).size).toBe(4);
    const again = await runInProcess(account, ["import", `${folder}-text`, ...inventory, ...flags]);
    expect(again.stdout).not.toContain("in formatting");
    const planned = await runInProcess(account, ["plan", "-f", folder, ...inventory]);
    expect(planned.stdout).toContain("in formatting ignored");
  },
);

test("an import prints no line that is wider than the terminal", async () => {
  const folder = join(
    account.folder,
    "a folder with a long name of many words, so that the line is long enough to be broken",
  );
  const args = ["import", folder, "--inventory", join(account.folder, "wide.json")];
  const ran = await runInProcess(account, args, { COLUMNS: "80" });
  const wide = ran.stdout.split("\n").filter((line) => line.length > 80 && /^[A-Z]/u.test(line));
  expect(wide).toEqual([]);
});

test("an import says once how many resources become managed, and how at once", async () => {
  const flags = ["--inventory", join(account.folder, "counted.json")];
  const { stdout } = await runInProcess(account, ["import", join(account.folder, "counted"), ...flags]);
  const [, after = ""] = stdout.split("No changes.");
  expect(after.match(/\b5\b[^:.\n]*resources?\b/gu)).toEqual(["5 resources", "5 existing resources"]);
  expect(after).toContain("import --own --into FOLDER adds them to the inventory at once");
});

test("the refusal of a key is printed in lines that are no wider than the terminal", async () => {
  const folder = join(account.folder, "unread");
  const ran = exits(
    4,
    await runInProcess(account, ["import", folder], { HOSTFORM_API_KEY: "another" }, { errorWidth: 80 }),
  );
  expect(ran.stderr.split("\n").filter((line) => line.length > 80)).toEqual([]);
});
