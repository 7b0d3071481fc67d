import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { forDraws } from "../../support/for-draws.ts";
import { checkEvents, eventsOf, noAccount, runInProcess } from "../../support/run-hostform.ts";
import { size } from "../../proofs/size.ts";
import { drawnZone } from "./draw-zone.ts";
import { absent, readAllAsJudge, readAsOurs, writeFiles, type ZoneFiles } from "./judge.ts";
import { good } from "./zones.ts";

const newFolder = (files: ZoneFiles) => {
  const { folder } = writeFiles(files);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Imports a zone file; returns the folder of the manifest, and the text of its zone. */
async function importZone(files: ZoneFiles, first = "example.com.zone") {
  const folder = newFolder(files);
  const out = join(folder, "out");
  const { status, stderr } = await runInProcess(noAccount, ["import", out, "--from", "zone-file", join(folder, first)]);
  expect([status, stderr.includes("error")]).toEqual([0, false]);
  const text = readFileSync(join(out, "example.com.yaml"), "utf8").replaceAll(/^ *#.*\n/gmu, "");
  return { out, text: meaningOf(text) };
}

/** The value of a manifest. A set whose TTL was left out keeps its long form, which means the same as the short. */
const meaningOf = (text: string): unknown =>
  parse(text, (_, value: unknown) => {
    const isLong = typeof value === "object" && value !== null && Object.keys(value).join() === "values";
    return isLong ? (value as { readonly values: unknown }).values : value;
  });

async function exportZone(folder: string, more: readonly string[] = []) {
  const { status, stdout, stderr } = await runInProcess(noAccount, ["export", "-f", folder, "--zone-file", ...more]);
  return { status, stdout, stderr };
}

/** Imports a zone, exports it, and imports that. */
async function comeBack(files: ZoneFiles) {
  const { out, text } = await importZone(files);
  const { stdout } = await exportZone(out);
  const again = await importZone({ "example.com.zone": stdout });
  return { text, stdout, again: again.text };
}

describe("an exported zone", () => {
  test("is the manifest again when it is imported", async () => {
    for (const files of Object.values(good).filter((_, at) => at % (3 * size.everyPlace) === 0)) {
      const { text, again } = await comeBack(files);
      expect(again).toEqual(text);
    }
  });

  test("that was drawn is the manifest again, and BIND takes it", async () => {
    const exported: ZoneFiles[] = [];
    await forDraws(12, drawnZone, async (files) => {
      const { text, stdout, again } = await comeBack(files);
      expect(again).toEqual(text);
      exported.push({ "example.com.zone": stdout });
    });
    if (absent !== undefined) return;
    expect(readAllAsJudge(exported)).toEqual(exported.map((each) => readAsOurs(each)));
  });

  test.skipIf(absent !== undefined)(`passes named-checkzone with its own checks (${absent ?? "asked"})`, async () => {
    const { out } = await importZone(good["sub NS ns.sub\nns.sub A 1.2.3.4"] ?? {});
    const { stdout } = await exportZone(out);
    const folder = newFolder({ zone: stdout });
    expect(execFileSync("named-checkzone", ["example.com", join(folder, "zone")], { encoding: "utf8" })).toContain(
      "OK",
    );
  });

  test("names all that a zone file cannot say, and no secret", async () => {
    const manifest = `version: 1
name: a
dns:
  a.test:
    ttl: 600
    records:
      "@": { ALIAS: b.test., TXT: "\${env:SECRET}", MX: [{ priority: 10, value: mx.b.test. }] }
      www: { A: { ttl: 60, values: [{ value: 192.0.2.1, comment: main }, { value: 192.0.2.2, disabled: true }] } }
`;
    const folder = newFolder({ "a.yaml": manifest });
    const ran = await runInProcess(noAccount, ["export", "-f", folder, "--zone-file", "A.test."], {
      SECRET: "hunter22222",
    });
    expect(ran.status).toBe(0);
    expect(ran.stdout).toMatchInlineSnapshot(`
      "; The zone a.test as the manifest a declares it. The platform sets the SOA and NS records: these are placeholders.
      $ORIGIN a.test.
      $TTL 600
      @	IN	SOA	ns.invalid. hostmaster.invalid. 1 10800 3600 604800 3600
      @	IN	NS	ns.invalid.
      @	IN	MX	10 mx.b.test.
      www	60	IN	A	192.0.2.1
      "
    `);
    expect(ran.stderr.replaceAll(`${folder}/`, "")).toMatchInlineSnapshot(`
      "warning[not_exported]: dns_record/a.test/@/ALIAS is not in the zone file, or not whole: zone files have no such type
       --> a.yaml:7:14

      warning[not_exported]: dns_record/a.test/@/TXT is not in the zone file, or not whole: its value is secret, or not known before an apply
       --> a.yaml:7:30

      warning[not_exported]: dns_record/a.test/www/A is not in the zone file, or not whole: a zone file has no place for its comment
       --> a.yaml:8:14

      warning[not_exported]: dns_record/a.test/www/A is not in the zone file, or not whole: it is disabled
       --> a.yaml:8:14

      4 warnings
      "
    `);
    const json = await runInProcess(noAccount, ["export", "-f", folder, "--zone-file", "--json"], {
      SECRET: "hunter22222",
    });
    expect(checkEvents(eventsOf(json))).toEqual([]);
    expect(ran.stdout + ran.stderr + json.stdout).not.toContain("hunter");
  });

  test("is named, unless the manifest has only that one", async () => {
    const folder = newFolder({ "a.yaml": "version: 1\nname: a\ndns: { a.test: {}, b.test: {} }\n" });
    expect(await exportZone(folder)).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("a.test, b.test") as string,
    });
    expect(await exportZone(folder, ["c.test"])).toMatchObject({ status: 3 });
    expect(await exportZone(folder, ["b.test"])).toMatchObject({ status: 0 });
    writeFileSync(join(folder, "a.yaml"), "version: 1\nname: a\n");
    expect(await exportZone(folder)).toMatchObject({ status: 3 });
    expect(readdirSync(folder)).toEqual(["a.yaml"]);
  });
});
