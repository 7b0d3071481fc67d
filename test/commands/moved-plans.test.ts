import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { sealAgain } from "../support/seal-again.ts";
import { printedHash, savedPlans, zone } from "./saved-plan-account.ts";
import { size } from "../proofs/size.ts";

/** Saved plans and approval (DESIGN.md section 3), over HTTPS: by the built binary, and in process where many runs are needed. */
const { account, files, run, done, find, recordsOf, change } = savedPlans();
const yes = "--auto-approve";

describe("a saved plan is refused, and says what has moved,", () => {
  /** Runs it, sees that it is refused and that nothing was written, and gives what it says. */
  async function refused(...args: readonly string[]): Promise<string> {
    const { length: before } = await account.writes();
    const { stderr, stdout } = exits(6, await run(["apply", ...args]));
    expect(await account.writes()).toHaveLength(before);
    return stdout + stderr;
  }
  const service = (more: string) => (name: string) => `services: { ${name}: { plan: WEB-M, datacenter: MAD1${more} } }`;

  test("where a field that it does not manage is another", async () => {
    const { manifest, plan, name, write } = files(service(""));
    await done(["apply", "-f", manifest, yes]);
    write(service(", settings: { backups: false }")(name));
    await done(["plan", "-f", manifest, "--out", plan]);
    const { settings } = await find("/services", "domain", name);
    await change("/services", "domain", name, { settings: { ...(settings as object), php_version: "8.1" } });
    expect(await refused(plan, yes)).toMatch(
      new RegExp(`service/${name} has moved.*settings\\.php_version was .*, and is 8\\.1`, "u"),
    );
  });

  test("where the field that it changes is another already", async () => {
    const { manifest, plan, name, write } = files(service(""));
    await done(["apply", "-f", manifest, yes]);
    write(service("").call(undefined, name).replace("WEB-M", "WEB-L"));
    await done(["plan", "-f", manifest, "--out", plan]);
    await change("/services", "domain", name, { hosting: { id_service_type: "WEB-S" } });
    expect(await refused(plan, yes)).toMatch(
      `service/${name} has moved since the plan was made: plan was WEB-M, and is WEB-S`,
    );
  });

  test("where a value came to an RRset, or one that it leaves alone went", async () => {
    const { manifest, plan, name, write } = files(zone("www: { A: [192.0.2.1, 192.0.2.2] }"));
    await done(["apply", "-f", manifest, yes]);
    write(zone("www: { A: [192.0.2.1, 192.0.2.3] }")(name));
    await done(["plan", "-f", manifest, "--out", plan]);
    const records = await recordsOf(name);
    await account.create(records, { name: "www", type: "A", content: "192.0.2.9", ttl: 3600 });
    expect(await refused(plan, yes)).toMatch(/value was not there, and is 192\.0\.2\.9/u);
    const added = await find(records, "content", "192.0.2.9");
    await account.byHand("DELETE", `/v2026${records}/${String(added["id"])}`);
    const kept = await find(records, "content", "192.0.2.1");
    await account.byHand("DELETE", `/v2026${records}/${String(kept["id"])}`);
    expect(await refused(plan, yes)).toMatch(/value was 192\.0\.2\.1.*, and is not there/u);
  });

  test("where what it creates is there, but is another", async () => {
    const { manifest, plan, name } = files(zone("www: { A: 192.0.2.1 }"));
    await account.create("/dns/zones", { name });
    await done(["plan", "-f", manifest, "--out", plan]);
    await account.create(await recordsOf(name), { name: "www", type: "A", content: "192.0.2.9", ttl: 60 });
    expect(await refused(plan, yes)).toMatch(/192\.0\.2\.9/u);
  });

  const shop = (quota: string) => (name: string) =>
    `services: { ${name}: { plan: WEB-M, datacenter: MAD1 } }\nmail: { ${name}: { mailboxes: { info: { quota: ${quota}, password: "\${env:PW}" } } } }`;
  const cron = (command: string) => (name: string) =>
    `services: { ${name}: { plan: WEB-M, datacenter: MAD1 } }\ncrons: { ${name}: { jobs: { j: { schedule: "0 3 * * *", command: ${command} } } } }`;
  const imported = (quota: string) => (name: string) => shop(quota)(name).replace(/, password: [^}]*\}"/u, "");
  const later = (name: string) =>
    cron("")(name)
      .replace("0 3", "0 4")
      .replace(/, command: /u, "");
  test.each(
    size.every(6, [
      ["a record", zone("www: { A: 192.0.2.1 }"), zone("www: { A: 192.0.2.2 }"), "dns_record", "content", "192.0.2.1"],
      [
        "each record of a set",
        zone("w: { A: [192.0.2.3] }"),
        zone("w: { A: { ttl: 60, values: [192.0.2.3] } }"),
        "dns_record",
        "content",
        "192.0.2.3",
      ],
      ["a mailbox", shop("1 GiB"), shop("2 GiB"), "/mail/accounts?", "address", "info@NAME"],
      ["a task", cron("one"), cron("two"), "/crons?", "command", "one"],
      // Neither could be made from what the plan declares.
      ["a mailbox without its password", shop("1 GiB"), imported("2 GiB"), "/mail/accounts?", "address", "info@NAME"],
      ["a task without its command", cron("one"), later, "/crons?", "command", "one"],
    ] as const),
  )("where %s that it changes is gone: it makes none", async (_what, from, to, path, field, value) => {
    const { manifest, plan, name, write } = files(from);
    const env = { PW: "correct horse battery" };
    await done(["apply", "-f", manifest, yes], env);
    write(to(name));
    await done(["plan", "-f", manifest, "--out", plan], env);
    const list = path === "dns_record" ? await recordsOf(name) : path.slice(0, -1);
    const { id } = await find(list, field, value.replace("NAME", name));
    await account.byHand("DELETE", `/v2026${list}/${String(id)}`);
    expect(await refused(plan, yes)).toContain("has moved since the plan was made: it is gone");
  });

  test("where what it needs is gone", async () => {
    const { manifest, plan, name } = files(zone("www: { A: 192.0.2.1 }"));
    await account.create("/dns/zones", { name });
    await done(["plan", "-f", manifest, "--out", plan]);
    await account.byHand("DELETE", `/v2026/dns/zones/${String((await find("/dns/zones", "name", name))["id"])}`);
    expect(await refused(plan, yes)).toMatch(`dns_zone/${name} has moved since the plan was made: it is gone`);
  });

  test("where its steps were altered, with or without its own hash", async () => {
    const { manifest, plan } = files(zone("www: { A: 192.0.2.1 }"));
    const hash = printedHash(await done(["plan", "-f", manifest, "--out", plan]));
    const text = readFileSync(plan, "utf8");
    writeFileSync(plan, text.replaceAll("192.0.2.1", "203.0.113.66"));
    expect(await refused(plan, yes)).toMatch(hash);
    expect(await refused(plan, "--approve", hash)).toMatch(hash);
    expect((await runInProcess({ ...account, flags: [] }, ["show", plan])).status).toBe(6);

    // With a digest and a hash that fit it is another plan, which nobody has approved.
    writeFileSync(plan, JSON.stringify(sealAgain(JSON.parse(text.replaceAll("192.0.2.1", "203.0.113.66")) as object)));
    expect(await refused(plan, "--approve", hash)).toContain("but the approved plan is");
  });

  test("but not for what has changed elsewhere", async () => {
    const { manifest, plan, name } = files(zone("www: { A: 192.0.2.1 }"));
    await account.create("/dns/zones", { name });
    await done(["plan", "-f", manifest, "--out", plan]);
    await account.create(await recordsOf(name), { name: "x", type: "A", content: "192.0.2.9", ttl: 60 });
    expect((await run(["apply", plan, yes])).status).toBe(0);
  });
});
