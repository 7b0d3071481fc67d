import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { fleetForTest } from "../support/fleet.ts";
import { openFront } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { listed, recordsPath } from "../support/live-records.ts";
import { runInProcess } from "../support/run-hostform.ts";

const secrets = {
  env: "env-secret-Kq83hf",
  file: "file-secret-Zx71pd",
  mailbox: "mailbox-Secret-9vmQ!t",
  cron: "cron-live-Secret-44xT",
  former: "former-env-secret-Wm52",
};

const mailOf = (name: string, dkim = true) => `services:
  ${name}.example: { plan: WEB-M, datacenter: MAD1 }
domains:
  ${name}.example: { service: ${name}.example }
mail:
  ${name}.example:
    mailboxes: { info: { quota: 1 GiB, password: "\${env:MAIL_PASSWORD}" } }
    settings: { dkim: { enabled: ${dkim} } }
`;
const records = (name: string, more: string) =>
  `version: 1\nname: ${name}\ndns:\n  ${name}.example:\n    records:\n      a: { TXT: "\${env:TOKEN}" }\n      b: { TXT: "\${file:token}" }\n${more}`;

/** Live values of resources and fields that no plan of the test touches. */
const foreign = {
  record: "foreign-record-Rt5Lw",
  cron: "foreign-cron-Yb2Xc",
  alias: "foreign-alias-gk8qz@example.net",
  message: "foreign-message-Pv6Tn",
};

test("no secret and no live value that no plan shows stands in the database or in what is printed, whatever a run of a fleet does", async () => {
  const names = ["shop-a", "shop-b", "shop-c"];
  const open = await fleetForTest(names);
  const { folder, database, api, env } = open;
  const front = await openFront(api);
  onTestFinished(front.close);
  const key = String(env["HOSTFORM_API_KEY"]);
  mkdirSync(join(folder, "keys"));
  writeFileSync(join(folder, "keys/key"), `${key}\n`, { mode: 0o600 });
  writeFileSync(join(folder, "accounts/shop-a/token"), secrets.file, { mode: 0o600 });
  const fleetFile = join(folder, "fleet.yaml");
  writeFileSync(
    fleetFile,
    readFileSync(fleetFile, "utf8")
      .replace(api.baseUrl, front.baseUrl)
      .replace("ca.pem", "front.pem")
      .replace(
        /accounts:[^]*$/u,
        'accounts:\n  - { folder: accounts/shop-a, key: "${file:keys/key}" }\n  - { folder: accounts/shop-b, key: "${env:KEY_B}" }\n  - { folder: accounts/shop-c, key: "${exec:KEY_C}" }\n',
      ),
  );
  const job = (command: string) =>
    `crons: { shop-a.example: { jobs: { job: { schedule: "0 3 * * *", command: ${command} } } } }\n`;
  open.write("shop-a", records("shop-a", mailOf("shop-a")));
  let said = "";
  const given = {
    KEY_B: key,
    HOSTFORM_EXEC_KEY_C: `cat ${join(folder, "keys/key")}`,
    TOKEN: secrets.env,
    MAIL_PASSWORD: secrets.mailbox,
  };
  // Nothing here waits for anything that takes time.
  const sleep = (milliseconds: number, signal?: AbortSignal) =>
    wait(Math.min(milliseconds, 20), undefined, { ...(signal && { signal }) }).catch(() => undefined);
  const run = async (args: readonly string[], more: Record<string, string> = {}) => {
    const ran = await runInProcess(
      { flags: ["-f", folder], env },
      ["fleet", ...args],
      { ...given, ...more },
      { sleep },
    );
    said += ran.printed;
    return ran.status;
  };
  const found = async (where: string) => {
    const tables = await database.query<{ name: string }>(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('hostform', 'hostform_queue')",
    );
    let all = said;
    for (const { name } of tables)
      for (const { row } of await database.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`)) all += row;
    const names = Object.entries({ ...secrets, ...foreign, key }).filter(([, secret]) => all.includes(secret));
    expect([where, names.map(([name]) => name)]).toEqual([where, []]);
    return all;
  };
  const applies = ["run", "--auto-approve", "--allow-purchase", "service/shop-a.example"];

  expect(await run(applies, { TOKEN: secrets.former })).toBe(0);
  await found("after the first apply");
  const settings = "/v2026/mail/settings/shop-a.example";
  const inZone = await recordsPath(api, "shop-a.example");
  const { dkim, ...live } = (await api.byHand("GET", settings)).body["data"] as { dkim: { enabled: boolean } };
  const autoresponder = { enabled: true, subject: foreign.message, message: foreign.message };
  const planted = [
    ["POST", inZone, { name: "foreign", type: "TXT", content: `"${foreign.record}"` }],
    ["POST", "/v2026/mail/aliases", { address: "foreign@shop-a.example", destinations: [foreign.alias] }],
    ["PUT", settings, { ...live, dkim: { enabled: dkim.enabled }, autoresponder }],
  ] as const;
  for (const [method, path, body] of planted)
    expect((await api.byHand(method, path, body)).status, path).toBeLessThan(300);
  const [service] = await listed(api, "/v2026/services");
  const command = `MYSQL_PWD=${secrets.cron} mysqldump shop`;
  const cron = { service_id: service?.id, name: "job", schedule: "0 3 * * *", command };
  const { id } = await api.create("/crons", cron);
  await api.create("/crons", { ...cron, name: "foreign", command: foreign.cron });
  open.write("shop-a", records("shop-a", mailOf("shop-a", false) + job('"run ${env:TOKEN}"')));
  await run(["run"]);
  const planned = await found("after a plan");
  expect(planned).toContain("update dns_record/shop-a.example/a/TXT");
  expect(planned).toContain("cron/shop-a.example/job");
  const sent: string[] = [];
  front.interfere(async ({ method, url }) => {
    if (method === "GET") return false;
    sent.push(`${method} ${url}`);
    await found("while a request is sent");
    return false;
  });
  expect(await run(applies)).toBe(0);
  expect(sent).toContain(`PUT ${settings}`);
  front.interfere(() => false);
  await found("after an apply");
  expect((await api.byHand("PUT", `/v2026/crons/${id}`, { ...cron, command: `${command} --all` })).status).toBe(200);
  let end: () => void = () => undefined;
  const working = runInProcess({ flags: ["-f", folder], env }, ["fleet", "worker"], given, {
    sleep,
    onInterrupt: (handler) => (end = handler),
  });
  expect(await run(["drift"])).toBe(2);
  end();
  said += (await working).printed;
  expect(await found("after a check for drift")).toContain("drifted");
  for (const echoed of ["GET", "POST"]) {
    open.write("shop-c", records("shop-c", "").replace("${file:token}", "${env:MAIL_PASSWORD}"));
    front.interfere((request, response, _pass, body) => {
      if (request.method !== echoed) return false;
      const { authorization = "" } = request.headers;
      const message = `${authorization} ${authorization.slice(7)} ${body}`;
      return answerJson(response, 422, { error: { message } });
    });
    await run(["run", "--auto-approve", "--only", "accounts/shop-c"]);
    expect(await found(`with an API that says again what it was asked by ${echoed}`)).toContain(`${echoed} /v2026/dns`);
  }
  front.interfere(() => false);
  await run(applies, { KEY_B: `${key.slice(0, -1)}x` });
  await found("with a key that is refused");
  open.write(
    "shop-b",
    `version: 1\nname: shop-b\ndns: { shop-b.example: { records: { "${"a".repeat(70)}": { TXT: "\${env:TOKEN}" } } } }\n`,
  );
  await run(applies);
  open.write(
    "shop-b",
    'version: 1\nname: shop-b\ndns: { shop-b.example: { records: { www: { A: "${env:TOKEN}" } } } }\n',
  );
  await run(applies);
  open.write(
    "shop-b",
    'version: 1\nname: shop-b\ndns: { shop-b.example: { records: { www: { A: "${file:../../keys/key}" } } } }\n',
  );
  await run(applies);
  await found("with secrets in the wrong places");
});
