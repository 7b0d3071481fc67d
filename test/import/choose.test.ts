import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { accountForFile } from "../support/account.ts";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";

const zones = ["a.example", "b.example"];
const record = (zone: string, name: string) => ({ zone, name, type: "A", content: "192.0.2.1" });

const account = accountForFile({
  seed: {
    service: [{ domain: "a.example", hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" }],
    dns_zone: zones.map((name) => ({ name, ttl: 7200 })),
    dns_record: zones.flatMap((zone) => [record(zone, "www"), record(zone, "shop")]),
    mailbox: [{ address: "info@a.example", quota_mb: 1024 }],
    cron: [{ service: "a.example", name: "nightly", schedule: "0 3 * * *", command: "backup" }],
  },
});
let snapshot: string;
beforeAll(async () => {
  snapshot = join(account.folder, "live.json");
  exits(0, await runInProcess(account, ["snapshot", "--out", snapshot]));
});
afterEach(() => rmSync(folder(), { recursive: true, force: true }));

const folder = () => join(account.folder, "hosting");
const run = (...args: string[]) => runInProcess(noAccount, ["import", ...args, "--live", snapshot]);

/** Returns the files of the manifest without their comments, except the one that is there always. */
const written = () =>
  readdirSync(folder())
    .filter((name) => name.endsWith(".yaml") && name !== "hostform.yaml")
    .toSorted()
    .map((name) => readFileSync(join(folder(), name), "utf8").replaceAll(/^#.*\n+/gmu, ""))
    .join("");

const www = (zone: string) => `dns:\n  ${zone}:\n    records:\n      www:\n        A: 192.0.2.1\n`;

describe("import", () => {
  test.each([
    ["an address", ["--only", "dns_record/A.example/WWW/a"], www("a.example")],
    ["a pattern of addresses", ["--only", "dns_record/*/www/*"], www("a.example") + www("b.example")],
    ["an address of a kind", ["--only", "*/b.example/www/*", "--kind", "dns_record"], www("b.example")],
    ["a kind", ["--kind", "mailbox"], "mail:\n  a.example:\n    mailboxes:\n      info: { quota: 1 GiB }\n"],
  ])("of %s writes that and what it needs, and no more", async (_name, flags, text) => {
    const { status, stdout } = await run(folder(), ...flags);
    expect([status, stdout]).toEqual([0, expect.stringContaining("No changes.")]);
    expect(written().replace("services:\n  a.example: {}\n", "")).toBe(text);
    expect(stdout).not.toContain("Nothing matches");
  });

  test.each([
    ["an address that does not exist", ["--only", "dns_record/a.example/nope/A"]],
    ["a pattern", ["--only", "dns_record/none.example/*"]],
    ["a kind", ["--kind", "database"]],
    ["an address that is of another kind", ["--only", "mailbox/info@a.example", "--kind", "cron"]],
  ])("of %s that matches nothing says so, and writes nothing", async (_name, flags) => {
    const refused = [3, expect.stringContaining(`Nothing in the account matches ${flags.join(" ")}`)];
    const { status, stderr } = await run(folder(), ...flags);
    expect([status, stderr]).toEqual(refused);
    expect(readdirSync(account.folder)).not.toContain("hosting");
    await run(folder(), "--kind", "cron");
    const before = written();
    const into = await run("--into", folder(), ...flags);
    expect([into.status, into.stderr]).toEqual(refused);
    expect(written()).toBe(before);
  });

  test("says of one pattern among several that nothing matches it", async () => {
    const { status, stdout } = await run(folder(), "--only", "mailbox/zz*", "--kind", "mailbox", "--only", "mailbox/*");
    expect([status, stdout]).toEqual([0, expect.stringContaining("Nothing matches mailbox/zz*.")]);
  });

  test("refuses a pattern whose kind is none, and writes nothing", async () => {
    const { status, stderr } = await run(folder(), "--only", "dns_records/*");
    expect([status, stderr]).toEqual([3, expect.stringContaining("dns_record/*")]);
    expect(readdirSync(account.folder)).not.toContain("hosting");
  });
});

interface Snapshot {
  readonly collections: readonly (JsonObject & { readonly kind: string; readonly scope: JsonObject })[];
}

describe("import from an incomplete snapshot", () => {
  const whole = () => JSON.parse(readFileSync(snapshot, "utf8")) as Snapshot;
  const isTaken = ({ kind, scope }: Snapshot["collections"][number]) =>
    kind === "dns_record" && scope["zone"] === "a.example";

  test.each<[string, (from: Snapshot) => Snapshot]>([
    [
      "says that a list is",
      ({ collections, ...rest }) => ({
        ...rest,
        collections: collections.map((each) => (isTaken(each) ? { ...each, incomplete: "it broke off" } : each)),
      }),
    ],
    [
      "lacks a list",
      ({ collections, ...rest }) => ({ ...rest, collections: collections.filter((each) => !isTaken(each)) }),
    ],
  ])("that %s names the list, imports the rest, and exits 6", async (_name, cut) => {
    const file = account.write("cut.json", "");
    writeFileSync(file, JSON.stringify(cut(whole())));
    const ran = exits(6, await runInProcess(noAccount, ["import", folder(), "--live", file]));
    expect(ran.stderr).toContain("dns_record/a.example was left out: the list could not be read whole");
    const text = written();
    expect(text).toContain("  b.example:\n    ttl: 7200\n    records:\n");
    // The list is named by the run: a comment would stay when a later one has read it.
    expect(text).toMatch(/ {2}a\.example:\n {4}ttl: 7200\n(?! *#)/u);
    exits(0, await run("--into", folder()));
    expect(written()).toContain("www");
  });
});
