import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chosenCommand } from "../../src/cli/parse-arguments.ts";
import { describeStop } from "../../src/render/fleet/fleet-text.ts";
import { namesOf, shopManifest, withWorker } from "../support/fleet.ts";
import { folderForTest } from "../support/temporary-folder.ts";
import { commandsOf, readBlocks } from "./read-commands.ts";
import { root } from "./workplace.ts";

const blocks = readBlocks(readFileSync(join(root, "docs", "fleet.md"), "utf8"));
const commands = blocks.flatMap((block) => (block.language === "sh" ? commandsOf(block) : []));

test("the commands of docs/fleet.md run in their order", async () => {
  const { fleet, database, write } = await withWorker(namesOf(3), { settings: "    group: shops\n" });
  const board = folderForTest();
  const last = { run: "", hash: "" };
  const results: Record<string, string> = {};
  for (const command of commands.filter((each) => !each.startsWith("export "))) {
    const words = command.split(" ").map((word) =>
      word
        .replaceAll("'", "")
        .replace(/^(?:sha256:…|HASH)$/u, last.hash)
        .replace(/^RUN$/u, last.run)
        .replace(/^board\/$/u, board),
    );
    expect(words.slice(0, 2), command).toEqual(["hostform", "fleet"]);
    expect(typeof (await chosenCommand(words.slice(1), 80)), command).toBe("function");
    // The worker of this test runs already.
    if (words[2] === "worker") continue;
    const { status, stdout, stderr } = await fleet(words.slice(2));
    expect([0, 2], `${command}\n${stdout}${stderr}`).toContain(status);
    last.run = /^Run ([0-9a-f]{8})/mu.exec(stdout)?.[1] ?? last.run;
    last.hash = /sha256:[0-9a-f]{32}/u.exec(stdout)?.[0] ?? last.hash;
    results[command] = stdout;
    // Something has to be planned, approved and applied each day.
    if (stdout.includes("No changes.")) for (const name of namesOf(3)) write(name, shopManifest(name, "192.0.2.2"));
  }
  expect(results["hostform fleet apply --approve sha256:…"]).toContain("3 applied");
  expect(results["hostform fleet apply --group shops --wave 1,5%,rest --stop-at 2%"]).toContain("3 applied");
  for (const { text } of blocks.filter(({ language }) => language === "sql")) await database.query(text);
});

test("docs/fleet-first.md shows a stopped wave in the words of the program", () => {
  const reason = { wave: 0, accounts: 2, failed: ["clinics/clinic-02"], notConverged: [], unlike: [] };
  expect(readFileSync(join(root, "docs", "fleet-first.md"), "utf8")).toContain(
    describeStop("3f40cccf", reason).join("\n"),
  );
});
