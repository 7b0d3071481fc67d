import { cpSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { kinds } from "../../src/kinds/index.ts";
import { openAccount } from "../support/account.ts";
import { checkEvents, eventsOf, exits, type Ran, runInProcess } from "../support/run-hostform.ts";
import { pinged, secret, snapshots } from "./snapshots.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const examplesEnv = parseEnv(readFileSync(join(root, "examples/examples.env"), "utf8")) as Record<string, string>;

const { account, live, manifest, take, plan, read } = snapshots();

describe("snapshot", () => {
  test("records the whole account: each list once, no object by itself", async () => {
    const before = (await account.operations()).length;
    const ran = await account.hostform(["snapshot", "--out", live()]);
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    expect(ran.stdout).toMatch(
      /^Target: account at .*\nRecorded \d+ objects in \d+ lists \(\d+ reads\) to .*live\.json\. 1 of them without/u,
    );
    const asked = (await account.operations()).slice(before).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.filter((each) => !each.startsWith("GET "))).toEqual([]);
    const recorded = new Set(read().collections.map(({ kind }) => kind));
    expect([...recorded].sort()).toEqual(kinds.map(({ name }) => name).sort());
  });

  test("is a file of mode 0600 that its schema accepts, and is replaced by the next snapshot", async () => {
    await take();
    const { mode } = statSync(live());
    expect(mode & 0o777).toBe(0o600);
    const schema = JSON.parse(readFileSync(join(root, "schemas/snapshot.schema.json"), "utf8")) as object;
    const validate = new Ajv2020().compile(schema);
    expect(validate(read()), JSON.stringify(validate.errors)).toBe(true);
    expect((await take()).status).toBe(0);
  });

  test.each([
    ["of the whole account", () => []],
    ["of what a manifest touches", () => ["-f", manifest(pinged)]],
  ])("%s holds no secret, and says which fields it left out", async (_name, flags) => {
    expect((await take(...flags())).status).toBe(0);
    const text = readFileSync(live(), "utf8");
    for (const each of ["t0ps3cret", account.env["HOSTFORM_API_KEY"] ?? ""]) expect(text).not.toContain(each);
    const objects = read().collections.flatMap((each) => each.objects);
    expect(objects.find(({ address }) => address === "cron/shop.example/ping")).toMatchObject({
      record: { schedule: "0 4 * * *" },
      redacted: ["command"],
    });
  });

  test("leaves out a secret of the run wherever it stands", async () => {
    const text = 'dns: { shop.example: { records: { www: { A: 192.0.2.1 }, verify: { TXT: "${env:TOKEN}" } } } }';
    exits(0, await take("-f", manifest(text)));
    expect(readFileSync(live(), "utf8")).not.toContain(secret);
    // Neither the value that is not known here, nor another one, nor more of them, is a difference.
    for (const values of ['"${env:TOKEN}"', "another", "[one, another]"]) {
      const offline = exits(0, await plan(text.replace('"${env:TOKEN}"', values), "--detailed-exitcode"));
      expect(offline.stdout).toContain("No changes.");
      expect(offline.stderr).toContain("content of dns_record/shop.example/verify/TXT");
    }
  });

  test("of the whole account leaves out what a manifest that is not named takes from outside, also while that is not known", async () => {
    const path = manifest('dns: { shop.example: { records: { verify: { TXT: "${env:TOKEN}" } } } }');
    const env = { HOSTFORM_FILE: path };
    const ran = exits(0, await runInProcess(account, ["snapshot", "--out", live()], env));
    expect(ran.stdout).toContain(`Manifest: ${path} (HOSTFORM_FILE)`);
    expect(readFileSync(live(), "utf8")).not.toContain(secret);
    expect(new Set(read().collections.map(({ kind }) => kind)).size).toBe(kinds.length);
  });

  test("tells what it could not read, and why; a plan creates and deletes nothing there", async () => {
    const permissions = { services: "read", mail: "read", dns: "read", domains: "read", crons: "none" };
    const key = await account.keyFor(permissions);
    const ran = exits(6, await runInProcess(account, ["snapshot", "--out", live()], { HOSTFORM_API_KEY: key }));
    expect(ran.stdout).toMatch(/Incomplete list: cron\/shop\.example: GET \S+ 403/u);
    expect(read().collections.find(({ kind }) => kind === "cron")?.incomplete).toMatch(/403/u);
    const jobs = await plan(
      'services: { shop.example: {} }\ncrons: { shop.example: { jobs: { new: { schedule: "@daily", command: x } } } }',
      "--json",
    );
    expect(jobs.status).toBe(6);
    expect(eventsOf(jobs).find(({ type }) => type === "refused")).toMatchObject({ code: "incomplete_read" });
    expect(
      (await plan("services: { shop.example: {} }\nmail: { shop.example: { mailboxes: { info: { quota: 1 GiB } } } }"))
        .status,
    ).toBe(0);
  });

  test("writes nothing where the key is refused, and keeps the file that was there", async () => {
    await take();
    const before = readFileSync(live(), "utf8");
    expect((await runInProcess(account, ["snapshot", "--out", live()], { HOSTFORM_API_KEY: "wrong" })).status).toBe(4);
    expect(readFileSync(live(), "utf8")).toBe(before);
  });

  test("does not overwrite a file that is not a snapshot, and reports a path that it cannot write", async () => {
    const [file, link] = [manifest("dns: {}"), join(account.folder, "link.json")];
    writeFileSync(join(account.folder, "old.json"), '{"snapshot":1}');
    symlinkSync("old.json", link);
    for (const path of [file, link]) {
      const ran = exits(3, await runInProcess(account, ["snapshot", "--out", path]));
      expect(ran.stderr).toContain("exists and is not a snapshot");
    }
    const nowhere = await runInProcess(account, ["snapshot", "--out", join(account.folder, "no/such/live.json")]);
    expect(nowhere).toMatchObject({ status: 3 });
    expect(nowhere.stderr).toMatch(/No file can be written to .*no\/such/u);
    expect(existsSync(join(account.folder, "no"))).toBe(false);
  });
});

test("against a snapshot of examples/agency, every example plans as it does against the API", async () => {
  const agency = await openAccount();
  onTestFinished(agency.close);
  // In a folder of their own, so that nothing is kept in this repository.
  cpSync(join(root, "examples"), join(agency.folder, "examples"), { recursive: true });
  const example = (name: string) => ["-f", join(agency.folder, "examples", name), "--json"];
  exits(0, await runInProcess(agency, ["apply", "--auto-approve", ...example("agency")], examplesEnv));
  const file = join(agency.folder, "live.json");
  const taken = exits(0, await runInProcess(agency, ["snapshot", "--out", file, "--json"], examplesEnv));
  expect(checkEvents(eventsOf(taken))).toEqual([]);
  for (const value of Object.values(examplesEnv)) expect(readFileSync(file, "utf8")).not.toContain(value);
  for (const name of "agency kinds/cron.yaml kinds/dns_record.yaml kinds/mailbox.yaml kinds/service.yaml".split(" ")) {
    const online = await runInProcess(agency, ["plan", ...example(name)], examplesEnv);
    const bare = { ...agency, flags: [], env: {} };
    const offline = await runInProcess(bare, ["plan", "--live", file, ...example(name)], examplesEnv);
    const told = (ran: Ran) =>
      eventsOf(ran).flatMap((event) => (event["type"] === "target" ? [] : [{ ...event, reads: 0 }]));
    expect(told(offline), name).toEqual(told(online));
    expect(offline.status, name).toBe(online.status);
  }
});
