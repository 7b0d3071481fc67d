import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadContract } from "../../src/contract/load-contract.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { checkEvents, eventsOf, exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();

function write(text: string): string {
  const file = join(folder, "contract.yaml");
  writeFileSync(file, text);
  return file;
}

describe("contract show", () => {
  test.each([
    ["the built-in contract", "extends: v2026\n"],
    [
      "what is taken away",
      "extends: v2026\nkinds: { cron: null, mailbox: { fields: { status: { absent: true } } } }\n",
    ],
    ["what is changed", "extends: v2026\nbase_path: /v3\nkinds: { cron: { operations: { list: { path: /all } } } }\n"],
  ])("prints a contract that is the same when it is loaded again: %s", async (_, text) => {
    const file = write(`contract: 1\nname: mine\n${text}`);
    const { stdout } = exits(0, await runInProcess(noAccount, ["contract", "show", file]));
    const whole = (await loadContract(file)).contract;
    const again = await loadContract(write(stdout));
    expect(again.diagnostics).toEqual([]);
    expect({ ...again.contract, extends: "v2026" }).toEqual(whole);
  });

  test("prints the built-in contract where no file is named, also as an event", async () => {
    const events = eventsOf(await runInProcess(noAccount, ["contract", "show", "--json"]));
    expect(checkEvents(events)).toEqual([]);
    expect(events[1]).toEqual({ type: "contract", contract: builtIn });
  });

  test("prints the mistakes of a contract that cannot be used", async () => {
    const file = write("contract: 1\nname: mine\nextends: v2026\nkinds: { mailbx: { } }\n");
    expect((await runInProcess(noAccount, ["contract", "show", file])).status).toBe(3);
    expect((await runInProcess(noAccount, ["contract", "show", join(folder, "absent.yaml")])).status).toBe(3);
  });
});
