import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { targetKey } from "../../src/state/inventory/target-key.ts";
import { accountForFile } from "../support/account.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { sealedLines } from "../support/sealed-lines.ts";

/** What is known of an earlier apply is lost: what it may have bought must not be bought again before someone has looked. */
const account = accountForFile();
let folder: string;
let count = 0;

beforeEach(() => {
  count += 1;
  folder = join(account.folder, `work${count}`);
  mkdirSync(folder);
});

const at = (name: string) => join(folder, name);
const domain = () => `lost${count}.example`;
const manifest = (text: string) => account.write(`work${count}/m.yaml`, `version: 1\nname: lost\n${text}\n`);
const purchase = () => manifest(`domains: { ${domain()}: { register: true } }`);
const zone = () => manifest(`dns: { ${domain()}: { records: {} } }`);
const run = (...args: readonly string[]) => runInProcess(account, [...args, "-f", at("m.yaml")], {}, virtualClock());
const apply = (...more: readonly string[]) =>
  run("apply", "--auto-approve", "--allow-purchase", `domain/${domain()}`, "--inventory", at("ours.json"), ...more);
const applyHere = () => apply("--journal", at("j"));
const sent = async () => (await account.writes()).length;

const key = () => targetKey({ name: "lost", place: `${account.baseUrl}/`, contract: "v2026" });
const who = { by: "ann@desk", host: "desk", pid: 7, since: "2026-01-01T00:00:00Z" };
const beginning = (target = key(), pid = who.pid) => sealedLines([{ type: "begin", version: 1, target, ...who, pid }]);
/** The inventory as an apply that was killed has left it. */
const leaveUnended = (more: object = {}) => {
  const running = { ...who, until: "2026-01-01T01:00:00Z" };
  const text = { version: 1, target: key(), addresses: [], prevent_destroy: [], running, ...more };
  writeFileSync(at("ours.json"), JSON.stringify(text));
};

describe("a journal that cannot be read", () => {
  test("keeps what must not be done twice back, until what is kept of it is removed", async () => {
    writeFileSync(at("j"), `${beginning()}no JSON\n`);
    purchase();
    const before = await sent();
    for (const _time of ["first", "again"]) {
      const ran = exits(6, await applyHere());
      expect(ran.stdout).toContain(
        `domain/${domain()} must not be requested twice, and an earlier apply may have requested it: the journal of an earlier apply could not be read`,
      );
    }
    expect(await sent()).toBe(before);
    rmSync(at("j"));
    exits(0, await applyHere());
    expect(await sent()).toBe(before + 1);
  });

  test("keeps nothing else back", async () => {
    writeFileSync(at("j"), `${beginning()}no JSON\n`);
    zone();
    expect(exits(0, await applyHere()).stderr).toContain("journal_unreadable");
  });
});

describe("an apply that did not end, and whose journal is not here", () => {
  test("keeps what must not be done twice back, until its lock is cleared", async () => {
    leaveUnended();
    purchase();
    const before = await sent();
    const ran = exits(6, await applyHere());
    expect(ran.stdout).toContain("the apply by ann@desk, begun at 2026-01-01T00:00:00Z, did not end");
    expect(ran.stdout).toMatch(/hostform inventory -f .* --unlock$/mu);
    expect(await sent()).toBe(before);
    expect((await run("inventory", "--unlock", "--inventory", at("ours.json"))).status).toBe(0);
    expect((await applyHere()).status).toBe(0);
    expect(await sent()).toBe(before + 1);
  });

  test("keeps nothing else back", async () => {
    leaveUnended();
    zone();
    expect((await applyHere()).status).toBe(0);
  });

  test("has bought nothing where it had only begun its journal", async () => {
    leaveUnended();
    writeFileSync(at("j.new"), beginning());
    purchase();
    expect((await applyHere()).status).toBe(0);
  });

  test("and what it is known to have requested, are refused once, with every command that is needed, in order", async () => {
    leaveUnended({ unconfirmed: [{ address: `domain/${domain()}`, operation: "create", at: who.since }] });
    purchase();
    const before = await sent();
    const ran = exits(6, await apply("--journal", at("j"), "--settle", "1"));
    expect(ran.stdout).toContain("Refused: 1.");
    const hint = ran.stdout.split("\n").find((line) => line.includes(" --unlock")) ?? "";
    const commands = [...hint.matchAll(/hostform (inventory .*?)(?= && |$)/gu)].map(([, words = ""]) =>
      words.split(" "),
    );
    expect(commands.map((words) => words.find((word) => /^--(?:unlock|forget)$/u.test(word)))).toEqual([
      "--unlock",
      "--forget",
    ]);
    for (const words of commands)
      expect(await runInProcess({ ...account, flags: [] }, words, {}, virtualClock())).toMatchObject({ status: 0 });
    exits(0, await apply("--journal", at("j"), "--settle", "1"));
    expect(await sent()).toBe(before + 1);
  });

  test("is not another one, whose journal is here", async () => {
    leaveUnended();
    writeFileSync(at("j"), beginning(key(), 8));
    purchase();
    expect((await applyHere()).status).toBe(6);
  });
});

describe("--journal names", () => {
  test("the journal of another target: it stays, and both targets are reported", async () => {
    const text = beginning("other-0123");
    writeFileSync(at("j"), text);
    zone();
    const { stderr } = exits(3, await applyHere());
    expect(stderr).toContain(`is the journal of another target, "other-0123", and this one is "${key()}"`);
    expect(readFileSync(at("j"), "utf8")).toBe(text);
  });

  test("a file that is not a journal: it stays", async () => {
    const text = readFileSync(zone(), "utf8");
    const { stderr } = exits(3, await apply("--journal", at("m.yaml")));
    expect(stderr).toContain(`${at("m.yaml")} exists and is not a journal`);
    expect(readFileSync(at("m.yaml"), "utf8")).toBe(text);
    expect(readdirSync(folder)).toEqual(["m.yaml"]);
  });

  test("the file of --inventory", async () => {
    zone();
    expect(exits(3, await apply("--journal", `${folder}/./ours.json`)).stderr).toContain("name the same file");
    expect(readdirSync(folder)).toEqual(["m.yaml"]);
  });
});

test("--inventory names a file that is not an inventory: it stays", async () => {
  const text = readFileSync(zone(), "utf8");
  await apply("--journal", at("j"), "--inventory", at("m.yaml"));
  expect(readFileSync(at("m.yaml"), "utf8")).toBe(text);
});
