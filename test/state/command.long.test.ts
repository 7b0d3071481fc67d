import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkEvents, eventsOf, exits, runHostform, runInProcess } from "../support/run-hostform.ts";
import { afterApplies, bob, ours, take, workshopForFile } from "./repositories.ts";
import { size } from "../proofs/size.ts";

const shop = workshopForFile();
let clone: string;
const run = (...args: string[]) =>
  runInProcess({ flags: ["-f", join(clone, "manifest.yaml")], env: shop.env }, ["inventory", ...args]);
const hostform = (...args: string[]) => run("--base-url", "https://api.test", ...args);

const fresh = () => {
  clone = shop.clone(shop.makeRemote());
};

describe("hostform inventory", () => {
  test("lists what is ours, without a key and without the API", async () => {
    ({ clone } = await afterApplies(shop, ["a", "b"]));
    const { status, stdout, stderr } = await hostform();
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const args = ["inventory", "-f", "manifest.yaml", "--base-url", "https://api.test"];
    expect(await runHostform(args, { env: shop.env, cwd: clone })).toEqual({ status, stdout, stderr });
    expect(stdout).toMatch(/^Inventory: refs\/hostform\/agency-[0-9a-f]{12} in \//u);
    expect(stdout).toMatch(/Last apply: 2026-06-01T12:00:00\.000Z by alice@desk at commit [0-9a-f]{12}, plan plan-1/u);
    expect(stdout).toMatch(/2 addresses:\n {2}domain\/a\.example\n {2}domain\/b\.example\n$/u);
    const events = eventsOf(await hostform("--json"));
    expect(checkEvents(events)).toEqual([]);
    expect(events.slice(1)).toMatchObject([
      { type: "inventory", count: 2, lastApply: { planHash: "plan-1" } },
      { type: "inventory_address", address: "domain/a.example", preventDestroy: false },
      { type: "inventory_address", address: "domain/b.example" },
    ]);
  });

  test("adopts and forgets, one commit a run, and says what that means", async () => {
    fresh();
    const adopted = await hostform("--adopt", "mailbox/Info@A.example", "--adopt", "domain/b.example");
    expect(adopted).toMatchObject({ status: 0, stderr: "" });
    expect(adopted.stdout).toContain("mailbox/info@a.example is not declared: the next apply deletes it if it exists.");
    expect(adopted.stdout).toContain("2 adopted in refs/hostform/agency-");
    const events = eventsOf(
      await hostform("--json", "--forget", "domain/b.example", "--forget", "domain/never.example"),
    );
    expect(checkEvents(events)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: "inventory_changed", adopted: [], forgotten: ["domain/b.example"] });
    expect((await hostform("--adopt", "mailbox/info@a.example")).stdout).toContain("Nothing was changed.");
    const subjects = shop.git(clone, "log", "--topo-order", "--format=%s", "--glob=refs/hostform/*").split("\n");
    expect(subjects.slice(0, 2)).toEqual(["inventory: 1 forgotten", "inventory: 2 adopted"]);
    expect((await hostform()).stdout).toMatch(/1 address:\n {2}mailbox\/info@a\.example\n/u);
  });

  test("says of an address that it does not hold that nothing is forgotten, and which one is near", async () => {
    ({ clone } = await afterApplies(shop, ["a", "b"]));
    const wrong = await hostform("--forget", "domain/b.exmaple");
    expect(wrong.stdout + wrong.stderr).toContain("domain/b.exmaple is not in the inventory, so it is not forgotten");
    expect([wrong.status, wrong.stderr]).toEqual([3, expect.stringContaining("did you mean domain/b.example?")]);
    const partly = await hostform("--forget", "domain/a.example", "--forget", "domain/shop.test");
    expect([partly.status, partly.stdout]).toEqual([0, expect.stringContaining("1 forgotten")]);
    expect(partly.stderr).toContain("domain/shop.test is not in the inventory");
    expect(partly.stderr).toContain("hostform inventory lists it");
  });

  test("says of a forgotten address that is still declared where, and what the next apply does", async () => {
    ({ clone } = await afterApplies(shop, ["a"]));
    shop.commit(clone, "manifest.yaml", "version: 1\nname: agency\ndomains:\n  a.example: {}\n");
    const { status, stdout, stderr } = await hostform("--forget", "domain/a.example");
    expect([status, stdout]).toEqual([0, expect.stringContaining("1 forgotten")]);
    expect(stderr).toContain("domain/a.example is still declared, so the next apply adopts it again");
    expect(stderr).toMatch(/manifest\.yaml:4:3/u);
  });

  test.runIf(size.whole)("says which apply brought an address in", async () => {
    ({ clone } = await afterApplies(shop, ["a"], ["b"]));
    const { stdout } = await hostform("--why", "domain/a.example");
    expect(stdout).toContain("domain/a.example is not in the inventory.");
    expect(stdout).toMatch(
      /left 2026-06-01T12:00:00\.000Z with [0-9a-f]{12} "apply: b"\n {4}by alice@desk\n {4}plan plan-1\n/u,
    );
    expect(stdout).toMatch(/entered .* "apply: a"/u);
    expect(checkEvents(eventsOf(await hostform("--why", "domain/a.example", "--json")))).toEqual([]);
  });

  test.runIf(size.whole)("names who holds the lock, and clears it", async () => {
    fresh();
    const store = await shop.open(clone, { runner: bob, now: Date.now });
    await take(store);
    await store.read();
    await store.begin(ours("a"), "a".repeat(40));
    expect((await hostform()).stdout).toMatch(
      /Running or interrupted: an apply by bob@laptop since 20.*Z at commit aaaaaaaaaaaa\n/u,
    );
    const refused = exits(6, await hostform("--adopt", "domain/b.example"));
    expect(refused.stderr).toMatch(/Another apply is running since .*bob@laptop.*hostform inventory .*--unlock/su);
    const unlocked = await hostform("--unlock");
    expect(unlocked).toMatchObject({ status: 0, stderr: "" });
    expect(unlocked.stdout).toContain("The lock of the apply by bob@laptop since ");
    expect((await hostform("--unlock")).stdout).toContain("No apply is running.");
    expect((await hostform("--adopt", "domain/b.example")).status).toBe(0);
  });

  test("keeps it in a file where that is asked for", async () => {
    fresh();
    await hostform("--inventory", join(clone, "inv.json"), "--adopt", "domain/b.example");
    expect((await hostform("--inventory", join(clone, "inv.json"))).stdout).toMatch(
      /^Inventory: file \/.*inv\.json\n/u,
    );
    expect((await hostform()).stdout).toContain("0 addresses.");
    expect((await hostform("--inventory", join(clone, "inv.json"), "--why", "domain/b.example")).stdout).toContain(
      "keeps no history",
    );
  });

  test.each(
    size.every(6, [
      ["lists nothing of", []],
      ["tells no history of", ["--why", "domain/a.example"]],
      ["forgets nothing in", ["--forget", "domain/a.example"]],
      ["adopts nothing into", ["--adopt", "domain/b.example"]],
      ["has no lock to clear in", ["--unlock"]],
    ]),
  )("%s the file of another target, and says so", async (_, flags) => {
    fresh();
    const file = join(clone, "of-another.json");
    expect(await hostform("--inventory", file, "--adopt", "domain/a.example")).toMatchObject({ status: 0 });
    const before = readFileSync(file, "utf8");
    const other = exits(6, await run("--base-url", "https://other.test", "--inventory", file, ...flags));
    expect(other.stdout + other.stderr).toContain("it is of another target");
    expect(other.stdout).not.toContain("already contains");
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("is another one for another API, and none for a service that is gone afterwards", async () => {
    fresh();
    const [file, data] = [join(clone, "inv.json"), join(clone, "x.db")];
    await run("--emulator-data", data, "--inventory", file, "--adopt", "domain/b.example");
    expect((await run("--emulator-data", `${clone}/.git/../x.db`, "--inventory", file)).stdout).toContain("1 address:");
    const other = exits(6, await hostform("--inventory", file));
    expect(other.stderr).toContain("it is of another target");
    expect((await run("--emulator")).stdout).toContain("none: the embedded service");
  });

  test.each(
    size.every(6, [
      ["an address that is none", ["--adopt", "teapot/x"], /--adopt: teapot\/x is not an address/u],
      ["two things at once", ["--adopt", "domain/a.example", "--unlock"], /only one of/u],
      [
        "both for one address",
        ["--adopt", "domain/a.example", "--forget", "domain/A.example"],
        /adopted and forgotten/u,
      ],
    ]),
  )("refuses %s", async (_what, args, message) => {
    fresh();
    const { stderr } = exits(3, await hostform(...args));
    expect(stderr).toMatch(message);
  });

  test("outside a repository says that none is kept, and refuses to change it", async () => {
    clone = shop.folder;
    writeFileSync(join(shop.folder, "manifest.yaml"), "version: 1\nname: agency\n");
    const listed = exits(0, await hostform());
    expect(listed.stderr).toContain("No inventory is kept: the manifest is in no git work tree");
    expect((await hostform("--adopt", "domain/a.example")).status).toBe(3);
  });
});
