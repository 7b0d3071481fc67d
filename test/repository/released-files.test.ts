import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { inFlightIn } from "../journal/journal-samples.ts";
import { eventsOf, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";

// Each folder holds the files that one released version has written, on the embedded service, from its own manifest. docs/versions.md says
// what a later version does with them. Whoever releases a version adds its folder, and changes no older one.
const released = fileURLToPath(new URL("released/", import.meta.url));

describe.each(readdirSync(released))("files that version %s has written", (version) => {
  let folder: string;
  beforeEach(() => {
    folder = folderForTest();
    cpSync(join(released, version), folder, { recursive: true });
  });

  const run = (...args: string[]) =>
    runInProcess({ flags: ["--json"], env: { HOSTFORM_BASE_URL: "https://127.0.0.1:18443" }, cwd: folder }, args);

  test("include a manifest, a snapshot and an inventory, from which plan makes the change that was planned then", async () => {
    const planned = await run("plan", "-f", "hosting.yaml", "--live", "snapshot.json", "--inventory", "inventory.json");
    const events = eventsOf(planned);
    expect(events.find(({ type }) => type === "plan")).toMatchObject({
      add: 0,
      change: 1,
      destroy: 0,
      calls: { PUT: 1 },
    });
    expect(JSON.stringify(events)).not.toContain("inventory_unreadable");
    const { addresses } = JSON.parse(readFileSync(join(folder, "inventory.json"), "utf8")) as { addresses: unknown };
    const owned = await run("inventory", "-f", "hosting.yaml", "--inventory", "inventory.json");
    const listed = eventsOf(owned).filter(({ type }) => type === "inventory_address");
    expect(listed.map(({ address }) => address)).toEqual(addresses);
  });

  test("include a saved plan, which show prints, or refuses with the advice to plan again", async () => {
    const { status, stdout, stderr } = await run("show", "plan.json");
    const isShown = status === 0 && stdout.includes("dns_record/shop.example/@/A");
    expect(isShown || `${stdout}${stderr}`.includes("plan again"), stdout + stderr).toBe(true);
  });

  test("include a journal of a killed apply, of which each write that was under way is found", () => {
    expect(inFlightIn(readFileSync(join(folder, "journal.jsonl"), "utf8"))).toEqual([1, 2, 3]);
  });
});
