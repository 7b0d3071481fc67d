import fc from "fast-check";
import { expect, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { recordForms } from "../support/forms/record-forms.ts";
import { writtenRecord } from "../support/forms/written-record.ts";
import { openedForTest } from "../support/opened-for-file.ts";
import { eventsOf, exits, noAccount, runInProcess } from "../support/run-hostform.ts";

const account = openedForTest(openAccount);

const zone = "example.com";
const manifest = (records: readonly string[], more = "") =>
  account.write(
    "m.yaml",
    [
      "version: 1",
      "name: types",
      more,
      "dns:",
      `  ${zone}:`,
      "    exclusive: true",
      "    records:",
      ...records.map((record) => `      ${record}`),
    ].join("\n"),
  );
const run = (...args: string[]) => runInProcess(account, args);
const deletions = async (file: string) =>
  eventsOf(await run("plan", "-f", file, "--json")).flatMap((event) =>
    event.type === "planned" && event["action"] === "delete" ? [String(event["address"])] : [],
  );

test("forms of every type are applied, and are no change after", async () => {
  const records = Object.entries(recordForms).flatMap(([type, { good }]) =>
    fc.sample(good, { numRuns: 4, seed: 3 }).flatMap((content) => writtenRecord(type, content) ?? []),
  );
  const file = manifest(records.map((record, index) => `n${index}: { ${record} }`));
  exits(0, await runInProcess(account, ["apply", "-f", file, "--auto-approve", "--settle", "0"]));
  expect((await runInProcess(account, ["plan", "-f", file, "--detailed-exitcode"])).status).toBe(0);
});

test("a type that the contract does not list is an error at its line, with the types that it lists", async () => {
  const contract = account.write(
    "few.yaml",
    "contract: 1\nname: few\nextends: v2026\nkinds: { dns_record: { fields: { type: { values: [A, MX, SOAP, TLSA] } } } }\n",
  );
  const file = manifest([
    "a: { LOC: 1 N 1 E 0m }",
    "b: { TLS: 3 1 1 ab }",
    "c: { A: 192.0.2.1 }",
    String.raw`d: { TYPE65280: '\# 0' }`,
  ]);
  const ran = exits(3, await run("plan", "-f", file, "--contract", contract, "--json"));
  const told = eventsOf(ran).filter((event) => event["code"] === "unlisted_value");
  expect(told.map(({ at }) => (at as { line: number }).line)).toEqual([8, 9, 11]);
  expect(told.map(({ detail }) => detail)).toEqual(Array(3).fill("one of A, MX, SOAP, TLSA"));
  expect(told.map(({ hint }) => String(hint).includes("did you mean"))).toEqual([false, true, false]);
});

test("validate goes by the contract that the manifest names", async () => {
  account.write(
    "few.yaml",
    "contract: 1\nname: few\nextends: v2026\nkinds: { dns_record: { fields: { type: { values: [A] } } } }\n",
  );
  const file = manifest(["a: { TXT: x }"], "provider: { contract: few.yaml }");
  const ran = await runInProcess(noAccount, ["validate", "-f", file]);
  expect([ran.status, ran.stdout + ran.stderr]).toEqual([3, expect.stringContaining("m.yaml:8:")]);
});

test("a live record of an unknown type is kept by exclusive, deleted by removed:, and hinders no command", async () => {
  const { body } = await account.byHand("POST", "/v2026/dns/zones", { name: zone });
  expect(body["data"]).toBeDefined();
  const odd = [
    { zone, name: "child", type: "CDS", content: "0 0 0 00" },
    { zone, name: "old", type: "TYPE65280", content: String.raw`\# 1 00` },
    { zone, name: "@", type: "URLFWD", content: "/ https://example.net 301" },
  ];
  const planted = { dns_record: [...odd, { zone, name: "x", type: "LOC", content: "1 N 1 E 0m" }] };
  const { fill: plant } = account.mirror;
  expect(plant(planted)).toEqual([]);
  const file = manifest(["a: { A: 192.0.2.1 }"]);
  const consent = ["--allow-delete", `dns_record/${zone}/x/LOC`];
  expect(await deletions(file)).toEqual([`dns_record/${zone}/x/LOC`]);
  for (const args of [
    ["plan", "-f", file, ...consent, "--out", `${account.folder}/p.json`, "--undo-out", `${account.folder}/u.json`],
    ["snapshot", "-f", file, "--out", `${account.folder}/live.json`],
    ["status", "-f", file],
    ["rehearse", "-f", file, ...consent],
    ["apply", `${account.folder}/p.json`, "--auto-approve", "--settle", "0"],
    ["apply", `${account.folder}/u.json`, "--auto-approve", "--settle", "0"],
  ]) {
    const ran = await run(...args);
    expect(ran.status, `${args[0]}: ${ran.stdout}${ran.stderr}`).toBe(0);
  }
  const addresses = odd.map(({ name, type }) => `dns_record/${zone}/${name}/${type}`);
  const removing = manifest(
    ["a: { A: 192.0.2.1 }", "x: { LOC: 1 N 1 E 0m }"],
    `removed: [${addresses.map((address) => `{ address: "${address}", action: delete }`).join(", ")}]`,
  );
  expect((await deletions(removing)).sort()).toEqual([...addresses].sort());
  exits(0, await run("apply", "-f", removing, "--auto-approve", "--settle", "0"));
});
