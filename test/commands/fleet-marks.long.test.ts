import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { namesOf, withWorker } from "../support/fleet.ts";
import { changeRecord, liveRecords, type LiveRecord } from "../support/live-records.ts";
import { exits } from "../support/run-hostform.ts";

const declared = (zone: string) => `version: 1\nname: shop-001\ndns: {${zone}}\n`;

test("an entry under removed: that deletes nothing is written down by one apply", async () => {
  const { fleet, write } = await withWorker(namesOf(1));
  exits(0, await fleet(["apply", "--auto-approve"]));
  const zone = "shop-001.example: { records: { www: { A: 192.0.2.1 } } }";
  const removed = `${declared(zone)}removed: [{ address: dns_record/shop-001.example/old/TXT, action: delete }]\n`;
  for (const text of [removed, declared(zone)]) {
    write("shop-001", text);
    expect(exits(0, await fleet(["apply", "--auto-approve"])).stdout).toContain("only the inventory changes");
    expect((await fleet(["plan"])).stdout).toContain("No changes.");
  }
});

test("an account whose apply failed in part is checked for drift again once others have done the rest", async () => {
  const { fleet, write, api } = await withWorker(namesOf(1));
  exits(0, await fleet(["apply", "--auto-approve"]));
  write("shop-001", declared("shop-001.example: { records: { www: { A: 192.0.2.2 } } }"));
  await api.inject({ match: { method: "PUT" }, fault: { status: 422 } });
  exits(5, await fleet(["apply", "--auto-approve"]));
  await api.endFaults();
  const isAddress = ({ type }: LiveRecord) => type === "A";
  await changeRecord(api, isAddress, "192.0.2.2");
  exits(0, await fleet(["apply", "--auto-approve"]));
  await changeRecord(api, isAddress, "192.0.2.3");
  expect(exits(2, await fleet(["drift"])).stdout).toContain("dns_record/shop-001.example/www/A");
});

test("a zone that a manifest protects after it was applied outlives that manifest", async () => {
  const { fleet, write, api } = await withWorker(namesOf(1));
  exits(0, await fleet(["apply", "--auto-approve"]));
  write(
    "shop-001",
    declared("shop-001.example: { records: { www: { A: 192.0.2.1 } }, lifecycle: { prevent_destroy: true } }"),
  );
  const protecting = exits(0, await fleet(["apply", "--auto-approve"])).stdout;
  expect(protecting).toContain("only the inventory changes, and nothing is sent");
  expect((await fleet(["plan"])).stdout).toContain("No changes.");
  write("shop-001", declared(""));
  const deleting = await fleet(["apply", "--auto-approve", "--allow-delete", "dns_zone/shop-001.example"]);
  expect(exits(6, deleting).stdout).toContain("prevent_destroy");
  expect(await liveRecords(api)).toHaveLength(1);
});

test("what an earlier commit declared without values, and removed: gives up, is given up by one apply", async () => {
  const { fleet, write, api, folder } = await withWorker(namesOf(1));
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=anna", "-c", "user.email=anna@a.example", ...args]);
  const commit = (text: string) => {
    write("shop-001", text);
    git("add", ".");
    git("commit", "-qm", "another");
  };
  git("init", "-q");
  await api.create("/domains", { name: "kept.example", period_years: 1 });
  const zone = "shop-001.example: { records: { www: { A: 192.0.2.1 } } }";
  commit(`${declared(zone)}domains: { kept.example: }\n`);
  exits(0, await fleet(["apply", "--auto-approve"]));
  commit(`${declared(zone)}removed: [{ address: domain/kept.example, action: forget }]\n`);
  expect(exits(0, await fleet(["apply", "--auto-approve"])).stdout).toContain("only the inventory changes");
  expect((await fleet(["plan"])).stdout).toContain("No changes.");
});
