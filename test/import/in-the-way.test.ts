import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Block } from "../../src/import/block.ts";
import { existingManifest } from "../../src/engine/import/import-destination.ts";
import { settleImport } from "../../src/engine/import/settle-import.ts";
import { sectionsText } from "../../src/import/write-manifest.ts";
import type { Address } from "../../src/model/address.ts";
import type { Desired } from "../../src/model/resource.ts";
import { record, service, zone } from "../plan/build-input.ts";
import { accountForFile } from "../support/account.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { draftOf, nothingToDo, planOf } from "./draft.ts";

const names = ["shop.example", "g.example"];
const account = accountForFile({
  seed: {
    service: names.map((domain) => ({
      domain,
      hosting: { id_service_type: "WEB-M" },
      datacenter: "MAD1",
      status: "active",
    })),
    mailbox: names.flatMap((name) =>
      ["null", "info"].map((local) => ({ address: `${local}@${name}`, quota_mb: 2048 })),
    ),
    cron: [{ service: "g.example", name: "__proto__", schedule: "0 3 * * *", command: "backup" }],
  },
});
const snapshot = () => join(account.folder, "live.json");

beforeAll(async () => {
  exits(0, await runInProcess(account, ["snapshot", "--out", snapshot()]));
});

const importInto = (place: string) => runInProcess(noAccount, ["import", "--into", place, "--live", snapshot()]);

/** Writes a folder with a manifest. */
function manifest(text: string): string {
  const folder = join(account.folder, "k");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(join(folder, "hostform.yaml"), text);
  return folder;
}

describe("import --into", () => {
  test("adds to brackets over several lines, and names above what it leaves out", async () => {
    const text =
      'version: 1\nname: into\nservices:\n  shop.example: {}\nmail:\n  shop.example:\n    mailboxes: {\n      "null": {quota: 2 GiB}\n    }\n';
    const folder = manifest(text);
    const ran = exits(0, await importInto(folder));
    expect(ran.stdout).toContain("No changes.");
    expect(readFileSync(join(folder, "hostform.yaml"), "utf8")).toContain(
      '"null": {quota: 2 GiB}, info: { quota: 2 GiB }\n    }\n',
    );
    expect(ran.stderr.match(/not_imported/gu)).toHaveLength(1);
    expect(ran.printed).toContain("1 left out: the warnings above say which, and why.");
  });

  test("writes nothing if a folder has the name of a new file", async () => {
    const folder = manifest("version: 1\nname: into\nservices:\n  shop.example: {}\n");
    mkdirSync(join(folder, "g.example.yaml"));
    const before = readFileSync(join(folder, "hostform.yaml"), "utf8");
    const ran = exits(3, await importInto(folder));
    expect(ran.stderr).toContain("already exists. Nothing was written");
    expect(ran.stderr).not.toContain("bug");
    expect(readFileSync(join(folder, "hostform.yaml"), "utf8")).toBe(before);
    expect(readdirSync(folder)).toEqual(["g.example.yaml", "hostform.yaml"]);
  });

  test("writes nothing into a manifest that was changed since it was loaded or read again", async () => {
    const folder = manifest("version: 1\nname: into\n");
    const file = join(folder, "hostform.yaml");
    const known = { desired: {} as Desired, outside: { flags: [], files: [], env: {} } };
    const open = (text: string) => existingManifest(file, { ...known, texts: [{ file, text }] });
    const changed = { mistake: { type: "manifest_changed", path: file } };
    await expect(open("version: 1\n")).rejects.toMatchObject(changed);
    const { save, place } = await open("version: 1\nname: into\n");
    const draft = place({ blocks: [job("a.test")], ignores: [], omissions: [] });
    writeFileSync(file, "version: 1\nname: other\n");
    expect(() => save(draft)).toThrow(expect.objectContaining(changed));
    expect(readFileSync(file, "utf8")).toBe("version: 1\nname: other\n");
  });
});

const job = (domain: string, name = "nightly"): Block => ({
  address: `cron/${domain}/${name}` as Address,
  domain,
  path: ["crons", domain, "jobs", name],
  isItem: false,
  body: { schedule: "*/5 * * * *", command: "x" },
});

test("a link at the place of a new folder is named, wherever it leads", async () => {
  const path = join(account.folder, "link");
  symlinkSync(join(account.folder, "nowhere"), path);
  const ran = exits(3, await runInProcess(noAccount, ["import", path, "--live", snapshot()]));
  expect(ran.stderr).toContain("is a symbolic link, so nothing is written");
});

test("an object that has a forbidden name is left out alone", async () => {
  const records = ["__proto__", "constructor", "www"].map((name) => record(name, "A", "192.0.2.1"));
  const draft = await draftOf({ "/dns/zones": [zone], "/services": [service], "/dns/zones/z1/records": records });
  expect(draft.declared.omissions.map(({ of, field }) => [of, field])).toEqual([
    ["dns_record/example.com/__proto__/A", undefined],
  ]);
  expect(planOf(draft)).toMatchObject(nothingToDo);
});

test("a file that cannot be read loses what is in it, and no other file does", async () => {
  const services = names.map((domain): Block => ({
    address: `service/${domain}` as Address,
    domain,
    path: ["services", domain],
    isItem: false,
    body: {},
  }));
  const blocks = [...services, ...names.map((domain) => job(domain))];
  const settled = settleImport(
    { blocks, ignores: [], omissions: [] },
    {
      live: undefined,
      contract: builtIn,
      target: { name: "test", baseUrl: "https://api.test/", contract: "v2026", emulator: false },
      now: 0,
      write: ({ omissions, ...declared }) => [
        { file: "hostform.yaml", text: "version: 1\nname: test\n" },
        ...names.map((domain) => {
          const blocks = declared.blocks.filter((block) => block.domain === domain);
          const isBroken = domain === "g.example" && blocks.length > 0;
          return { file: `${domain}.yaml`, text: isBroken ? "a: [\n" : sectionsText(blocks, omissions) };
        }),
      ],
      valuesOf: () => [],
    },
  );
  expect(settled.blocks.map(({ domain }) => domain)).toEqual(["shop.example", "shop.example"]);
  expect(settled.omissions).toHaveLength(2);
});
