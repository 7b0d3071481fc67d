import { cpSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { checkEvents } from "../support/check-events.ts";
import { runInProcess } from "../support/in-process.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { eventsOf, runHostform, type Ran } from "../support/run-hostform.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const examplesEnv = parseEnv(readFileSync(join(root, "examples/examples.env"), "utf8")) as Record<string, string>;
const hour = 3_600_000;
const secret = "correct-horse-battery";

interface File {
  snapshot: unknown;
  taken_at: string;
  target: Record<string, unknown>;
  collections: { kind: string; scope: Record<string, string>; incomplete?: string; objects: Stored[] }[];
}
interface Stored {
  address: string;
  record: Record<string, unknown>;
  redacted?: string[];
}

let account: Account;
let live: string;
beforeAll(async () => {
  account = await openAccount();
  live = join(account.folder, "live.json");
  await applied(
    `
services: { shop.example: { plan: WEB-M, datacenter: MAD1 } }
domains: { shop.example: { service: shop.example } }
dns: { shop.example: { records: { www: { A: 192.0.2.1 }, verify: { TXT: "\${env:TOKEN}" } } } }
mail: { shop.example: { mailboxes: { info: { password: "\${env:TOKEN}", quota: 1 GiB } } } }
crons:
  shop.example:
    jobs:
      backup: { schedule: "0 3 * * *", command: php bin/backup.php }
      ping: { schedule: "0 4 * * *", command: "curl https://ping.example/?token=t0ps3cret" }
`,
    { TOKEN: secret },
  );
});
afterAll(() => account.close());

let written = 0;
function manifest(text: string): string {
  written += 1;
  return account.write(`m${written}.yaml`, `version: 1\nname: offline\n${text}`);
}

async function applied(text: string, env: Record<string, string> = {}): Promise<void> {
  const ran = await account.hostform(["apply", "--auto-approve", "-f", manifest(text)], env);
  expect(ran.status, ran.stdout + ran.stderr).toBe(0);
}

const take = (...args: string[]) => runInProcess(account, ["snapshot", "--out", live, ...args], { TOKEN: secret });
/** Without key, base URL and authority, as a job of a fork has it. */
const plan = (text: string, ...args: string[]) =>
  runInProcess({ ...account, flags: [], env: {} }, ["plan", "--live", live, "-f", manifest(text), ...args]);
const read = () => JSON.parse(readFileSync(live, "utf8")) as File;
const edit = (change: (file: File) => void) => {
  const file = read();
  change(file);
  account.write("live.json", JSON.stringify(file));
};
const pinged = `services: { shop.example: {} }
crons: { shop.example: { jobs: { ping: { schedule: "0 5 * * *", command: curl https://ping.example/?token=another } } } }`;
const planned = (ran: Ran) =>
  eventsOf(ran).flatMap(({ type, action, address }) =>
    type === "planned" ? [`${String(action)} ${String(address)}`] : [],
  );

describe("snapshot", () => {
  test("records the whole account: each list once, no object by itself", async () => {
    const before = (await account.operations()).length;
    const ran = await account.hostform(["snapshot", "--out", live]);
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    expect(ran.stdout).toMatch(
      /^Target: account at .*\nRecorded \d+ objects in \d+ lists \(\d+ reads\) to .*live\.json\. 1 of them without/u,
    );
    const asked = (await account.operations()).slice(before).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.filter((each) => !each.startsWith("GET "))).toEqual([]);
    const kinds = new Set(read().collections.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(
      ["certificate", "cron", "database", "database_user", "dns_record", "dns_zone", "dnssec", "domain"].concat([
        "ftp_account",
        "mail_alias",
        "mail_settings",
        "mailbox",
        "service",
      ]),
    );
  });

  test("is a file of mode 0600, as the schema has it, and is replaced by the next", async () => {
    await take();
    const { mode } = statSync(live);
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
    const text = readFileSync(live, "utf8");
    for (const each of ["t0ps3cret", account.env["HOSTFORM_API_KEY"] ?? ""]) expect(text).not.toContain(each);
    const objects = read().collections.flatMap((each) => each.objects);
    expect(objects.find(({ address }) => address === "cron/shop.example/ping")).toMatchObject({
      record: { schedule: "0 4 * * *" },
      redacted: ["command"],
    });
  });

  test("leaves out a secret of the run wherever it stands", async () => {
    const text = 'dns: { shop.example: { records: { www: { A: 192.0.2.1 }, verify: { TXT: "${env:TOKEN}" } } } }';
    const ran = await take("-f", manifest(text));
    expect(ran.status, ran.stderr).toBe(0);
    expect(readFileSync(live, "utf8")).not.toContain(secret);
    // Neither the value that is not known here, nor another one, nor more of them, is a difference.
    for (const values of ['"${env:TOKEN}"', "another", "[one, another]"]) {
      const offline = await plan(text.replace('"${env:TOKEN}"', values), "--detailed-exitcode");
      expect(offline.stdout).toContain("No changes.");
      expect(offline.stderr).toContain("content of dns_record/shop.example/verify/TXT");
      expect(offline.status).toBe(0);
    }
  });

  test("tells what it could not read, and why; a plan creates and deletes nothing there", async () => {
    const permissions = { services: "read", mail: "read", dns: "read", domains: "read", crons: "none" };
    const { body } = await account.byHand("POST", "/_emulator/keys", { permissions });
    const { key } = body["data"] as { key: string };
    const ran = await runInProcess(account, ["snapshot", "--out", live], { HOSTFORM_API_KEY: key });
    expect(ran.stdout).toMatch(/Incomplete list: cron\/shop\.example: GET \S+ 403/u);
    expect(ran.status).toBe(6);
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
    const before = readFileSync(live, "utf8");
    expect((await runInProcess(account, ["snapshot", "--out", live], { HOSTFORM_API_KEY: "wrong" })).status).toBe(4);
    expect(readFileSync(live, "utf8")).toBe(before);
  });

  test("does not overwrite what is no snapshot, and says where it cannot write", async () => {
    const file = manifest("dns: {}");
    const ran = await runInProcess(account, ["snapshot", "--out", file]);
    expect(ran).toMatchObject({ status: 3 });
    expect(ran.stderr).toContain("exists and is not a snapshot");
    const nowhere = await runInProcess(account, ["snapshot", "--out", join(account.folder, "no/such/live.json")]);
    expect(nowhere).toMatchObject({ status: 3 });
    expect(nowhere.stderr).toMatch(/cannot be written.*no\/such/u);
    expect(existsSync(join(account.folder, "no"))).toBe(false);
  });
});

describe("plan --live", () => {
  beforeEach(async () => {
    await take();
  });

  const change = `services: { shop.example: {} }
crons: { shop.example: { jobs: { backup: { schedule: "@daily", command: other } } } }
removed: [{ address: cron/shop.example/ping, action: delete }]`;

  test("needs neither key nor network, and says what it is against and how old that is", async () => {
    edit((file) => {
      file.taken_at = new Date(Date.now() - 3 * hour).toISOString();
    });
    const ran = await runHostform(["plan", "--live", live, "-f", manifest(change)], { env: {} });
    expect(ran.stdout).toMatch(/^Target: offline at https:/u);
    expect(ran.stdout).toMatch(/\nAgainst a snapshot, not live state: 3 h old, taken \d{4}-\S+Z\n/u);
    expect(ran.stdout).toMatch(/~ cron\/shop\.example\/backup .*\n +~ command .*\n +~ schedule /u);
    expect(ran.stdout).toMatch(/- cron\/shop\.example\/ping .*will be deleted/u);
    expect(ran.status).toBe(0);
    const events = eventsOf(await plan(change, "--json"));
    expect(checkEvents(events)).toEqual([]);
    expect(events.find(({ type }) => type === "target")).toMatchObject({ snapshot: { takenAt: read().taken_at } });
  });

  test.each([
    [0, "less than a minute"],
    [-hour, "less than a minute"],
    [61_000, "1 min"],
    [47 * hour, "47 h"],
    [49 * hour, "2 days"],
  ])("%i ms ago is %s old", async (ago, age) => {
    const taken = Date.parse(read().taken_at);
    const args = ["plan", "--live", live, "-f", manifest("dns: {}")];
    const { stdout } = await runInProcess({ ...account, flags: [], env: {} }, args, {}, virtualClock(taken + ago));
    expect(stdout).toContain(`: ${age} old,`);
  });

  test("takes a field that was left out for neither the same nor another: it is told, and nothing is planned for it", async () => {
    const ran = await plan(pinged, "--json");
    expect(eventsOf(ran).find(({ code }) => code === "not_in_snapshot")).toMatchObject({
      severity: "notice",
      summary: "1 field is left out of the snapshot, and not compared: command of cron/shop.example/ping",
    });
    expect(eventsOf(ran).find(({ type }) => type === "planned")).toMatchObject({ changes: [{ path: "schedule" }] });
  });

  test("does nothing in a list that the snapshot does not hold", async () => {
    edit((file) => {
      file.collections = file.collections.filter(({ kind }) => kind !== "cron");
    });
    const ran = await plan(change, "--json");
    expect(eventsOf(ran).find(({ type }) => type === "incomplete")).toMatchObject({
      collection: "cron/shop.example",
      reason: "not in the snapshot",
    });
    expect(eventsOf(ran).filter(({ type }) => type === "refused").length).toBe(1);
    expect(ran.status).toBe(6);
  });

  test("plans all of what is new: what would belong to it is known not to be there", async () => {
    const ran = await plan(
      `
services: { new.example: { plan: WEB-M, datacenter: MAD1 } }
domains: { new.example: { service: new.example } }
dns: { new.example: { records: { www: { A: 192.0.2.1 } } } }
mail: { new.example: { aliases: { sales: { destinations: [info@shop.example] } } } }
crons: { new.example: { jobs: { x: { schedule: "@daily", command: x } } } }`,
      "--json",
    );
    expect(planned(ran).toSorted()).toEqual([
      "create cron/new.example/x",
      "create dns_record/new.example/www/A",
      "create dns_zone/new.example",
      "create domain/new.example",
      "create mail_alias/sales@new.example",
      "create service/new.example",
    ]);
    expect(ran.status).toBe(0);
  });

  test("but not where the list of its parents is not whole", async () => {
    edit((file) => {
      for (const collection of file.collections)
        if (collection.kind === "dns_zone") collection.incomplete = "cut short";
    });
    expect((await plan("dns: { new.example: { records: { www: { A: 192.0.2.1 } } } }")).status).toBe(6);
  });

  test.each([
    ["--base-url", "https://api.test"],
    ["--emulator"],
    ["--emulator-data", "x.db"],
    ["--key-file", "key"],
    ["--ca-file", "ca.pem"],
  ])("beside %s is a contradiction", async (...flags) => {
    const ran = await plan("dns: {}", ...flags);
    expect(ran.stderr).toContain(`Both a snapshot (--live) and ${flags[0]} are given`);
    expect(ran.status).toBe(3);
  });

  test("is not for apply", async () => {
    const ran = await runInProcess(account, ["apply", "--live", live, "-f", manifest("dns: {}"), "--auto-approve"]);
    expect(ran.status).toBe(3);
    expect(ran.stderr).toContain("live");
  });

  test("refuses a snapshot of another API or contract", async () => {
    const other = await plan("provider: { base_url: https://other.test }");
    expect(other.stderr).toContain("provider.base_url is https://other.test");
    expect(other.status).toBe(3);
    edit((file) => {
      file.target["contract"] = "theirs";
    });
    const contract = await plan("dns: {}");
    expect(contract.stderr).toContain("taken with the contract theirs");
    expect(contract.status).toBe(3);
  });
});

describe("plan --live refuses a file that is no snapshot", () => {
  let good: File;
  beforeAll(async () => {
    await take();
    good = read();
  });
  const collection = (file: File, kind: string) => {
    const found = file.collections.find((each) => each.kind === kind && each.objects.length > 0);
    if (!found) throw new Error(`no ${kind}`);
    return found;
  };
  const first = (file: File, kind: string) => {
    const [object] = collection(file, kind).objects;
    if (!object) throw new Error(`no ${kind}`);
    return object;
  };
  const changed = (change: (file: File) => void) => () => {
    const file = structuredClone(good);
    change(file);
    return JSON.stringify(file);
  };

  const files: [string, () => string, RegExp][] = [
    ["not JSON", () => "version: 1", /it is not JSON/u],
    ["empty", () => "", /it is not JSON/u],
    ["a list", () => "[]", /does not state its version/u],
    ["another JSON", () => "{}", /does not state its version/u],
    ["of another version", changed((file) => (file.snapshot = 2)), /version 2; this Hostform reads version 1/u],
    ["with a key too many", changed((file) => Object.assign(file, { more: 1 })), /additional properties/u],
    [
      "with a wrong type",
      changed((file) => Object.assign(first(file, "domain"), { record: "x" })),
      /record must be object/u,
    ],
    ["without its time", changed((file) => (file.taken_at = "yesterday")), /taken_at/u],
    ["of no time there is", changed((file) => (file.taken_at = "2026-99-99T00:00:00Z")), /is not a time/u],
    ["with an unknown kind", changed((file) => (collection(file, "domain").kind = "dom\u001b[31main")), /not a kind/u],
    [
      "with a scope of another kind",
      changed((file) => (collection(file, "domain").scope = { zone: "x" })),
      /not by zone/u,
    ],
    [
      "with a list of what has no name",
      changed((file) => (collection(file, "cron").scope = { service: "" })),
      /scope\/service/u,
    ],
    [
      "with one list twice",
      changed((file) => file.collections.push(collection(file, "cron"))),
      /holds cron\/\S+ twice/u,
    ],
    [
      "with two objects of one address",
      changed((file) => {
        const again = structuredClone(first(file, "domain"));
        again.record["id"] = "dom_other";
        collection(file, "domain").objects.push(again);
      }),
      /2 objects have the address domain\/shop\.example/u,
    ],
    [
      "with one object twice",
      changed((file) => collection(file, "domain").objects.push(first(file, "domain"))),
      /came twice/u,
    ],
    [
      "with an id that leads elsewhere",
      changed((file) => (first(file, "cron").record["id"] = "x/../../keys")),
      /usable id/u,
    ],
    ["with an id that is none", changed((file) => (first(file, "cron").record["id"] = { a: 1 })), /usable id/u],
    [
      "with an object of another list",
      changed((file) => (collection(file, "cron").scope = { service: "a.example" })),
      /do not agree/u,
    ],
    [
      "with an address that is not its record's",
      changed((file) => (first(file, "domain").address = "domain/other.example")),
      /other\.example|shop\.example/u,
    ],
    [
      "with a key __proto__",
      () => JSON.stringify(good).replace('"record":{', '"record":{"__proto__":{"id":"x"},'),
      /key __proto__/u,
    ],
    [
      "nested without end",
      () => JSON.stringify(good).replace('"record":{', `"record":{"x":${"[".repeat(100_000)}${"]".repeat(100_000)},`),
      /nested/u,
    ],
  ];

  test.each(files)("%s", async (_name, text, words) => {
    account.write("live.json", text());
    const ran = await plan("domains: { shop.example: {} }\ncrons: { shop.example: {} }");
    expect(ran.stderr).toMatch(words);
    expect(ran.stderr).toContain("bad_snapshot");
    expect(ran.stderr).not.toContain("\u001b");
    expect(ran).toMatchObject({ status: 3, stdout: "" });
  });

  test.each([["absent.json"], ["."], ["/dev/zero"]])("%s", async (path) => {
    const args = ["plan", "--live", path, "-f", manifest("dns: {}")];
    const ran = await runHostform(args, { env: {}, cwd: account.folder });
    expect(ran.stderr).toContain(path);
    expect(ran.status).toBe(3);
  });
});

test("against a snapshot of examples/agency, every example plans as it does against the API", async () => {
  const agency = await openAccount();
  try {
    // In a folder of their own, so that nothing is kept in this repository.
    cpSync(join(root, "examples"), join(agency.folder, "examples"), { recursive: true });
    const example = (name: string) => ["-f", join(agency.folder, "examples", name), "--json"];
    const made = await runInProcess(agency, ["apply", "--auto-approve", ...example("agency")], examplesEnv);
    expect(made.status, made.stdout).toBe(0);
    const file = join(agency.folder, "live.json");
    const taken = await runInProcess(agency, ["snapshot", "--out", file, "--json"], examplesEnv);
    expect(checkEvents(eventsOf(taken))).toEqual([]);
    expect(taken.status).toBe(0);
    for (const value of Object.values(examplesEnv)) expect(readFileSync(file, "utf8")).not.toContain(value);
    for (const name of [
      "agency",
      "kinds/cron.yaml",
      "kinds/dns_record.yaml",
      "kinds/mailbox.yaml",
      "kinds/service.yaml",
    ]) {
      const online = await runInProcess(agency, ["plan", ...example(name)], examplesEnv);
      const bare = { ...agency, flags: [], env: {} };
      const offline = await runInProcess(bare, ["plan", "--live", file, ...example(name)], examplesEnv);
      const told = (ran: Ran) =>
        eventsOf(ran).flatMap((event) => (event["type"] === "target" ? [] : [{ ...event, reads: 0 }]));
      expect(told(offline), name).toEqual(told(online));
      expect(offline.status, name).toBe(online.status);
    }
  } finally {
    await agency.close();
  }
});
