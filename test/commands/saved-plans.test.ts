import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { checkEvents } from "../support/check-events.ts";
import { noAccount, runInProcess } from "../support/in-process.ts";
import { eventsOf, runHostform, type Ran } from "../support/run-hostform.ts";

/** Saved plans and approval (DESIGN.md section 3), over HTTPS: by the built binary, and in process where many runs are needed. */
let account: Account;
beforeAll(async () => {
  account = await openAccount();
});
afterAll(() => account.close());

let count = 0;
/** A manifest of its own, a file for its plan, and a name that no other test uses. */
function files(text: (name: string) => string) {
  count += 1;
  const name = `n${count}.example`;
  const write = (body: string) => account.write(`${name}.yaml`, `version: 1\nname: saved\n${body}`);
  return { name, manifest: write(text(name)), plan: join(account.folder, `${name}.json`), write };
}
const run = (args: readonly string[], env: Record<string, string> = {}) => runInProcess(account, args, env);
const yes = "--auto-approve";
const zone = (records: string) => (name: string) => `dns: { ${name}: { records: { ${records} } } }`;
const printedHash = ({ stdout }: Ran) => /^Plan hash: (sha256:[0-9a-f]{32})$/mu.exec(stdout)?.[1] ?? "";

async function done(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const ran = await run(args, env);
  expect(ran.status, ran.stdout + ran.stderr).toBe(0);
  return ran;
}

async function listed(path: string): Promise<Record<string, unknown>[]> {
  const { body } = await account.byHand("GET", `/v2026${path}${path.includes("?") ? "&" : "?"}per_page=100`);
  return body["data"] as Record<string, unknown>[];
}
async function find(path: string, field: string, value: string): Promise<Record<string, unknown>> {
  const found = (await listed(path)).find((item) => item[field] === value);
  if (!found) throw new Error(`Nothing in ${path} has the ${field} ${value}`);
  return found;
}
const recordsOf = async (name: string) =>
  `/dns/zones/${String((await find("/dns/zones", "name", name))["id"])}/records`;
/** Changes one object as someone else would. */
async function change(path: string, field: string, value: string, fields: object): Promise<void> {
  const item = await find(path, field, value);
  const answer = await account.byHand("PUT", `/v2026${path.split("?")[0]}/${String(item["id"])}`, {
    ...item,
    ...fields,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}

describe("a saved plan", () => {
  test("is shown without key and network, and then does what it says, and nothing more", async () => {
    const { manifest, plan, name } = files(zone("www: { A: 192.0.2.1 }"));
    const planned = await account.hostform(["plan", "-f", manifest, "--out", plan]);
    expect(planned.status, planned.stderr).toBe(0);
    expect(planned.stdout).toMatch(/\nPlan hash: sha256:[0-9a-f]{32}\nSaved in .*\n$/u);
    expect(statSync(plan).mode & 0o777).toBe(0o600);

    const shown = await runHostform(["show", plan]);
    expect(shown).toMatchObject({ status: 0, stderr: "" });
    expect(shown.stdout).toContain(`+ dns_record/${name}/www/A `);
    expect(shown.stdout).toContain(account.baseUrl);
    expect(printedHash(shown)).toBe(printedHash(planned));
    const events = await runInProcess(noAccount, ["show", plan, "--json"]);
    expect(checkEvents(eventsOf(events))).toEqual([]);

    rmSync(manifest);
    const applied = await account.hostform(["apply", plan, yes, "--json"]);
    expect(applied.status, applied.stdout + applied.stderr).toBe(0);
    expect(checkEvents(eventsOf(applied))).toEqual([]);
    expect(await find(await recordsOf(name), "name", "www")).toMatchObject({ content: "192.0.2.1" });
  });

  test("tells of the gaps that no order of its steps avoids", async () => {
    const { manifest, plan, name, write } = files(zone("www: { A: 192.0.2.1 }"));
    await done(["apply", "-f", manifest, yes]);
    write(
      `dns: { ${name}: { records: { www: { CNAME: x.test. } } } }\nremoved: [{ address: dns_record/${name}/www/A, action: delete }]`,
    );
    const planned = await done(["plan", "-f", manifest, "--out", plan]);
    const gap = /^.*! .*has no answer.*$/mu;
    expect(planned.stdout).toMatch(gap);
    const shown = await runInProcess({ ...account, flags: [] }, ["show", plan]);
    expect(gap.exec(shown.stdout)?.[0]).toBe(gap.exec(planned.stdout)?.[0]);
    await done(["apply", plan, yes]);
  });

  test("that was applied is done already", async () => {
    const { manifest, plan, name } = files(zone("www: { A: 192.0.2.1 }"));
    await done(["plan", "-f", manifest, "--out", plan]);
    const first = await done(["apply", plan, yes]);
    const { stdout } = await done(["apply", plan, yes]);
    expect(stdout).toContain(`Done already: create dns_record/${name}/www/A`);
    for (const each of [first.stdout, stdout])
      expect(each).toMatch(/No changes\. \d+ resources? match(es)? the saved plan \(/u);
    expect((await done(["plan", "-f", manifest])).stdout).toMatch(/No changes\. \d+ resources match the manifest \(/u);
  });

  test("says nothing of what it does not hold, nor of what it has removed already", async () => {
    const { manifest, plan, name, write } = files(zone("a: { A: 192.0.2.1 }, b: { A: 192.0.2.1 }"));
    await done(["apply", "-f", manifest, yes]);
    write(
      `dns: { ${name}: { records: { a: { A: 192.0.2.1 } } } }\nremoved: [{ address: dns_record/${name}/b/A, action: delete }]`,
    );
    await done(["plan", "-f", manifest, "--out", plan]);
    const first = await done(["apply", plan, yes]);
    expect(first.stdout).toContain("Applied: 0 added, 0 changed, 1 destroyed");
    expect(first.stdout).not.toContain("Not managed");
    const second = await done(["apply", plan, yes]);
    expect(second.stdout).toContain(`Done already: delete dns_record/${name}/b/A`);
    expect(second.stderr).not.toContain("already_removed");
  });

  test("holds no secret: neither a new nor an old one, nor one that this run happens to know", async () => {
    const { manifest, plan, name, write } = files(
      (own) =>
        `domains: { ${own}: }\nservices: { ${own}: { plan: WEB-M, datacenter: MAD1 } }\n` +
        `mail: { ${own}: { mailboxes: { info: { password: "\${env:PW}" } } } }\n` +
        `crons: { ${own}: { jobs: { x: { schedule: "@daily", command: "curl \${env:TOKEN}" } } } }\n` +
        `dns: { ${own}: { records: { t: { TXT: "\${env:TOKEN}" }, u: { TXT: "\${env:TOKEN}" } } } }`,
    );
    const secrets = { PW: "a-mailbox-password", TOKEN: "token-of-then" };
    const planned = await done(["plan", "-f", manifest, "--out", plan, "--undo-out", `${plan}.undo`], secrets);
    const texts = () => [plan, `${plan}.undo`].map((file) => readFileSync(file, "utf8")).join("");
    for (const secret of Object.values(secrets)) expect(texts()).not.toContain(secret);
    expect(readFileSync(plan, "utf8")).toContain('"env": "PW"');
    expect(printedHash(await done(["plan", "-f", manifest], {}))).toBe(printedHash(planned));

    await done(["apply", plan, yes], secrets);
    const [box] = await listed(`/mail/accounts?domain=${name}`);
    expect(box).toMatchObject({ address: `info@${name}` });
    // The record u goes: what was live of it is known to be the secret of the other.
    write(
      readFileSync(manifest, "utf8")
        .replace(/^version.*\nname.*\n/u, "")
        .replace(/, u: .*\}\} /u, "")
        .concat("\n"),
    );
    const later = { ...secrets, TOKEN: "token-of-now" };
    await done(["plan", "-f", manifest, "--out", plan, "--undo-out", `${plan}.undo`], later);
    for (const secret of ["token-of-then", "token-of-now"]) expect(texts()).not.toContain(secret);
    await done(["apply", plan, yes], later);
    expect(await find(await recordsOf(name), "name", "t")).toMatchObject({ content: '"token-of-now"' });
  });

  test("cannot hold a secret that the manifest writes out, and then is not written", async () => {
    const { manifest, plan } = files(
      (name) => `domains: { ${name}: }\nmail: { ${name}: { mailboxes: { info: { password: written-out } } } }`,
    );
    const { status, stderr } = await run(["plan", "-f", manifest, "--out", plan]);
    expect(status).toBe(3);
    expect(stderr).toContain("its password is written out in the manifest");
    expect(existsSync(plan)).toBe(false);
  });

  test("needs its secrets when it is applied, before anything is written", async () => {
    const { manifest, plan, name } = files(
      (own) => `domains: { ${own}: }\nmail: { ${own}: { mailboxes: { info: { password: "\${env:PW}" } } } }`,
    );
    await done(["plan", "-f", manifest, "--out", plan]);
    const { status, stderr } = await run(["apply", plan, yes]);
    expect(stderr).toContain("the variable PW is not set");
    expect(status).toBe(3);
    expect((await listed("/domains")).map((domain) => domain["name"])).not.toContain(name);
  });

  test("takes the place of an older one, but of nothing else", async () => {
    const { manifest, plan } = files(zone("www: { A: 192.0.2.1 }"));
    await done(["plan", "-f", manifest, "--out", plan]);
    await done(["plan", "-f", manifest, "--out", plan]);
    writeFileSync(`${plan}.txt`, "not a plan");
    symlinkSync(plan, `${plan}.link`);
    for (const path of [`${plan}.txt`, `${plan}.link`, manifest, account.folder]) {
      const { status, stderr } = await run(["plan", "-f", manifest, "--out", path]);
      expect(stderr).toContain("exists and is not a saved plan");
      expect(status).toBe(3);
    }
    expect((await run(["plan", "-f", manifest, "--out=-"])).status).toBe(3);
    expect(readFileSync(`${plan}.txt`, "utf8")).toBe("not a plan");
    expect(
      readdirSync(account.folder).filter((file) => file.startsWith(`${plan}.`) && file.length > plan.length + 20),
    ).toEqual([]);
  });

  test("is only for the target that it was made for, and does not choose it", async () => {
    const { manifest, plan } = files(zone("www: { A: 192.0.2.1 }"));
    await done(["plan", "-f", manifest, "--out", plan]);
    const env = { HOSTFORM_API_KEY: "k" };
    const none = await runInProcess(noAccount, ["apply", plan, yes], env);
    expect(none.stderr).toContain("No API was selected");
    expect(none.status).toBe(3);
    const other = await runInProcess(noAccount, ["apply", plan, yes, "--base-url", "https://other.test"], env);
    expect(other.stderr).toContain(account.baseUrl);
    expect(other.stderr).toContain("https://other.test");
    expect(other.status).toBe(3);
    const flags = ["-f", manifest, yes, "--base-url", account.baseUrl];
    const both = await runInProcess(noAccount, ["apply", plan, ...flags], env);
    expect(both.stderr).toContain("Both a saved plan and a manifest");
    expect(both.status).toBe(3);
  });

  test("with refusals is saved, and applied only once each is allowed", async () => {
    const { manifest, plan, name, write } = files(
      (own) =>
        `databases: { ${own}: { databases: { shop: { engine: mariadb } } } }\nservices: { ${own}: { plan: WEB-M, datacenter: MAD1 } }`,
    );
    await done(["apply", "-f", manifest, yes]);
    write(`services: { ${name}: }\nremoved: [{ address: database/${name}/shop, action: delete }]`);
    const planned = await run(["plan", "-f", manifest, "--out", plan]);
    expect(planned.status).toBe(6);
    expect(planned.stdout).not.toContain("Plan hash");
    expect((await run(["apply", plan, yes])).status).toBe(6);
    await done(["apply", plan, yes, "--allow-delete", `database/${name}/shop`]);
    await done(["plan", "-f", manifest, "--detailed-exitcode"]);
  });

  test("that was refused says in the same words why, and names no way that leads back to it", async () => {
    const { manifest, plan, name, write } = files(
      (own) =>
        `databases: { ${own}: { databases: { shop: { engine: mariadb }, blog: { engine: mariadb } } } }\nservices: { ${own}: { plan: WEB-M, datacenter: MAD1 } }\ncrons: { ${own}: { jobs: { old: { schedule: "0 3 * * *", command: x } } } }`,
    );
    const inventory = ["--inventory", join(account.folder, `${name}.inventory`)];
    await done(["apply", "-f", manifest, yes, ...inventory]);
    write(
      `services: { ${name}: }\npolicy: { max_deletes: 0 }\nremoved: [{ address: database/${name}/blog, action: delete }]`,
    );
    const planned = await run(["plan", "-f", manifest, "--out", plan, ...inventory]);
    const why = `database/${name}/shop would be deleted (in the inventory, and no longer declared); its kind is protected`;
    expect([planned.status, planned.stdout]).toEqual([6, expect.stringContaining(why)]);
    for (const refused of [
      await run(["apply", plan, yes, ...inventory]),
      await runInProcess(noAccount, ["show", plan]),
    ]) {
      const text = refused.stdout.replaceAll(/\s+/gu, " ");
      expect(text).toContain(why);
      expect(text).toContain("to allow all: --allow-delete ");
      expect(text).toContain("or is resolved in the manifest and a new plan is saved.");
      expect(text).toContain("or commit at the top level of a manifest file, and save a new plan: removed: - {");
      expect(text).not.toContain("--except");
    }
    const all = ["database/NAME/shop", "database/NAME/blog", "cron/NAME/old"].flatMap((address) => [
      "--allow-delete",
      address.replace("NAME", name),
    ]);
    await done(["apply", plan, yes, ...inventory, ...all]);
  });

  test("that was refused for more than its consent says that a new plan is needed", async () => {
    const { manifest, plan, name, write } = files(zone("a: { A: 192.0.2.1 }"));
    const inventory = ["--inventory", join(account.folder, `${name}.inventory`)];
    await done(["apply", "-f", manifest, yes, ...inventory]);
    const lifecycle = zone("a: { A: { values: [192.0.2.1], lifecycle: { prevent_destroy: true } } }")(name);
    write(lifecycle);
    await done(["apply", "-f", manifest, yes, ...inventory]);
    write(`removed: [{ address: dns_record/${name}/a/A, action: delete }]`);
    expect((await run(["plan", "-f", manifest, "--out", plan, ...inventory])).status).toBe(6);
    const { status, stdout } = await run(["apply", plan, yes, ...inventory]);
    expect([status, stdout.replaceAll(/\s+/gu, " ")]).toEqual([
      6,
      expect.stringContaining("apply that, then take it out, and save a new plan"),
    ]);
  });
});

describe("a saved plan is refused, and says what has moved,", () => {
  /** Runs it, sees that it is refused and that nothing was written, and gives what it says. */
  async function refused(...args: readonly string[]): Promise<string> {
    const before = (await account.operations()).length;
    const { status, stderr, stdout } = await run(["apply", ...args]);
    expect(status, stdout + stderr).toBe(6);
    const writes = (await account.operations()).slice(before).filter(({ method }) => method !== "GET");
    expect(writes).toEqual([]);
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
    const record = { name: "www", type: "A", content: "192.0.2.9", ttl: 3600 };
    expect((await account.byHand("POST", `/v2026${records}`, record)).status).toBe(201);
    expect(await refused(plan, yes)).toMatch(/value was not there, and is 192\.0\.2\.9/u);
    const added = await find(records, "content", "192.0.2.9");
    await account.byHand("DELETE", `/v2026${records}/${String(added["id"])}`);
    const kept = await find(records, "content", "192.0.2.1");
    await account.byHand("DELETE", `/v2026${records}/${String(kept["id"])}`);
    expect(await refused(plan, yes)).toMatch(/value was 192\.0\.2\.1.*, and is not there/u);
  });

  test("where what it creates is there, but is another", async () => {
    const { manifest, plan, name } = files(zone("www: { A: 192.0.2.1 }"));
    await account.byHand("POST", "/v2026/dns/zones", { name });
    await done(["plan", "-f", manifest, "--out", plan]);
    await account.byHand("POST", `/v2026${await recordsOf(name)}`, {
      name: "www",
      type: "A",
      content: "192.0.2.9",
      ttl: 60,
    });
    expect(await refused(plan, yes)).toMatch(/192\.0\.2\.9/u);
  });

  test("where what it needs is gone", async () => {
    const { manifest, plan, name } = files(zone("www: { A: 192.0.2.1 }"));
    await account.byHand("POST", "/v2026/dns/zones", { name });
    await done(["plan", "-f", manifest, "--out", plan]);
    await account.byHand("DELETE", `/v2026/dns/zones/${String((await find("/dns/zones", "name", name))["id"])}`);
    expect(await refused(plan, yes)).toMatch(`dns_zone/${name} has moved since the plan was made: it is gone`);
  });

  test("where its steps were altered, with or without its own hash", async () => {
    const { manifest, plan, name } = files(zone("www: { A: 192.0.2.1 }"));
    const hash = printedHash(await done(["plan", "-f", manifest, "--out", plan]));
    const text = readFileSync(plan, "utf8");
    writeFileSync(plan, text.replaceAll("192.0.2.1", "203.0.113.66"));
    expect(await refused(plan, yes)).toMatch(hash);
    expect(await refused(plan, "--approve", hash)).toMatch(hash);
    expect((await runInProcess({ ...account, flags: [] }, ["show", plan])).status).toBe(6);

    // Its desired state alone is altered, and its hash made to fit: it is not what its steps show.
    const parsed = JSON.parse(text) as { hash: string; resources: { members?: { fields: { content: string } }[] }[] };
    for (const { members = [] } of parsed.resources) for (const { fields } of members) fields.content = "203.0.113.66";
    const { planHash } = await import("../../src/saved-plans/plan-hash.ts");
    writeFileSync(plan, JSON.stringify({ ...parsed, hash: planHash(parsed as never) }));
    const { status, stderr } = await run(["apply", plan, yes]);
    expect(stderr).toContain(`the step for dns_record/${name}/www/A shows another "value" than it declares`);
    expect(status).toBe(3);
  });

  test("but not for what has changed elsewhere", async () => {
    const { manifest, plan, name } = files(zone("www: { A: 192.0.2.1 }"));
    await account.byHand("POST", "/v2026/dns/zones", { name });
    await done(["plan", "-f", manifest, "--out", plan]);
    await account.byHand("POST", `/v2026${await recordsOf(name)}`, {
      name: "x",
      type: "A",
      content: "192.0.2.9",
      ttl: 60,
    });
    expect((await run(["apply", plan, yes])).status).toBe(0);
  });
});

describe("an approval", () => {
  test("runs the plan of the manifest that it was given for without asking, and no other", async () => {
    const { manifest, name, write } = files(zone("www: { A: [192.0.2.1, 192.0.2.2] }"));
    const hash = printedHash(await done(["plan", "-f", manifest]));
    write(zone("www: { A: [192.0.2.1, 192.0.2.3] }")(name));
    const other = await run(["apply", "-f", manifest, "--approve", hash]);
    expect(other.status).toBe(6);
    expect(other.stderr).toContain(hash);
    expect(other.stderr).toContain(printedHash(await done(["plan", "-f", manifest])));
    expect(other.stdout).toContain("192.0.2.3");
    write(zone("www: { A: [192.0.2.2, 192.0.2.1] }")(name));
    const applied = await account.hostform(["apply", "-f", manifest, "--approve", hash.replace("sha256:", "")]);
    expect(applied.status, applied.stdout + applied.stderr).toBe(0);
    expect(existsSync(join(account.folder, ".hostform"))).toBe(true);
    expect(readdirSync(join(account.folder, ".hostform"))).toEqual([".gitignore"]);
  });

  test.each(["", "abc", "sha256:zz", "0123456789abcdef"])("%j is no hash", async (given) => {
    const { manifest } = files(zone("www: { A: 192.0.2.1 }"));
    expect((await run(["apply", "-f", manifest, "--approve", given])).status).toBe(3);
  });

  /** The name of an FTP account is taken on another service, so the creation of ours fails until that one is gone. */
  async function halfDone() {
    const made = files(
      (name) =>
        `services: { ${name}: { plan: WEB-M, datacenter: MAD1 } }\n` +
        `ftp: { ${name}: { accounts: { deploy${name[1]}${name[2]}: { password: "\${env:PW}" } } } }\n` +
        `dns: { ${name}: { records: { www: { A: 192.0.2.1 } } } }`,
    );
    const { manifest, plan, name } = made;
    const env = { PW: "an-ftp-password" };
    const user = `deploy${name[1]}${name[2]}`;
    const other = account.write(
      "other.yaml",
      `version: 1\nname: saved\nservices: { other-${name}: { plan: WEB-M, datacenter: MAD1 } }\nftp: { other-${name}: { accounts: { ${user}: { password: "\${env:PW}" } } } }`,
    );
    await done(["apply", "-f", other, yes], env);
    const hash = printedHash(await done(["plan", "-f", manifest, "--out", plan], env));
    const release = async () => {
      const service = await find("/services", "domain", `other-${name}`);
      const list = `/ftp/accounts?service_id=${String(service["id"])}`;
      const taken = await find(list, "username", user);
      expect((await account.byHand("DELETE", `/v2026/ftp/accounts/${String(taken["id"])}`)).status).toBeLessThan(300);
    };
    return { ...made, env, hash, release };
  }

  test("of a manifest's plan covers what an interrupted run of it has left, and nothing else", async () => {
    const { manifest, hash, env, release, name, write } = await halfDone();
    const record = join(account.folder, ".hostform", `approved-${hash.slice(7)}.json`);
    const text = readFileSync(manifest, "utf8");
    // It is remembered in the folder where it runs.
    const apply = () => account.hostform(["apply", "-f", manifest, "--approve", hash], env);
    expect((await apply()).status).toBe(5);
    expect(readFileSync(record, "utf8")).not.toContain(env.PW);
    expect(statSync(join(account.folder, ".hostform")).mode & 0o777).toBe(0o700);
    await release();
    write(text.replace(/^version.*\nname.*\n/u, "").replace("192.0.2.1", "[192.0.2.1, 192.0.2.66]"));
    const more = await apply();
    expect(more.status, more.stdout + more.stderr).toBe(6);
    expect(more.stderr).toContain(`dns_record/${name}/www/A`);
    writeFileSync(manifest, text);
    const rest = await apply();
    expect(rest.status, rest.stdout + rest.stderr).toBe(0);
    expect(rest.stdout).toContain("Remaining steps of the plan");
    expect(rest.stdout).toContain("Applied: 1 added");
    expect(existsSync(record)).toBe(false);
    expect((await apply()).status, "nothing is left").toBe(0);
  });

  test("of a file covers what an interrupted run of it has left", async () => {
    const { plan, hash, env, release } = await halfDone();
    expect((await run(["apply", plan, "--approve", hash], env)).status).toBe(5);
    await release();
    const { stdout } = await done(["apply", plan, "--approve", hash], env);
    expect(stdout).toContain("Applied: 1 added");
  });

  test("of a replace covers its creation once the old one is gone, with what it keeps of it", async () => {
    const { manifest, plan, name, write } = files(
      (own) => `services: { ${own}: { plan: WEB-M, datacenter: MAD1, settings: { php_version: "8.1" } } }`,
    );
    await done(["apply", "-f", manifest, yes]);
    write(`services: { ${name}: { datacenter: FRA1 } }`);
    await done(["plan", "-f", manifest, "--out", plan, "--allow-delete", `service/${name}`]);
    const { id } = await find("/services", "domain", name);
    await account.byHand("DELETE", `/v2026/services/${String(id)}`);
    const { stdout } = await done(["apply", plan, yes]);
    expect(stdout).toContain(`Done already: delete service/${name}`);
    const made = await find("/services", "domain", name);
    expect(made).toMatchObject({ datacenter: "FRA1", settings: { php_version: "8.1" } });
  });
});

describe("a file that is no plan is told so, and exits 3", () => {
  const wrong: readonly (readonly [string, (plan: Record<string, unknown>) => unknown, RegExp])[] = [
    ["no JSON", () => undefined, /no JSON/u],
    ["another version", (plan) => ({ ...plan, format: 2 }), /its format is 2/u],
    ["no version", ({ format: _format, ...plan }) => plan, /format/u],
    ["a list", () => [], /must be object/u],
    [
      "a step of another shape",
      (plan) => ({ ...plan, steps: [{ ...(plan["steps"] as object[])[0], gaps: "none" }] }),
      /gaps must be array/u,
    ],
    [
      "an unknown kind",
      (plan) => ({ ...plan, needs: [{ address: "planet/mars", key: {} }] }),
      /"planet\/mars" is no address/u,
    ],
    [
      "an address with control characters",
      (plan) => ({ ...plan, removals: [{ address: "cron/x.example/\u001b[2J" }] }),
      /is no address/u,
    ],
    [
      "the key of another",
      (plan) => ({ ...plan, needs: [{ address: "dns_zone/a.example", key: { name: "b.example" } }] }),
      /key of dns_zone\/a\.example/u,
    ],
    [
      "a field that only the server sets",
      (plan) => ({
        ...plan,
        resources: [{ address: "dns_zone/a.example", key: { name: "a.example" }, fields: { serial: 1 }, late: {} }],
      }),
      /no field "serial"/u,
    ],
    [
      "a value that is none",
      (plan) => ({
        ...plan,
        resources: [
          {
            address: "cron/a.example/x",
            key: { service: "a.example", name: "x" },
            fields: { schedule: "never" },
            late: {},
          },
        ],
      }),
      /schedule of cron/u,
    ],
    [
      "a resource twice",
      (plan) => ({ ...plan, needs: [1, 2].map(() => ({ address: "dns_zone/a.example", key: { name: "a.example" } })) }),
      /stands in it twice/u,
    ],
    [
      "a reference to what only looks like one",
      (plan) => ({
        ...plan,
        resources: [
          {
            address: "dns_zone/a.example",
            key: { name: "a.example" },
            fields: {},
            late: { ttl: { parts: [{ ref: "../../x", field: "y" }], sensitive: false } },
          },
        ],
      }),
      /names no field to be read/u,
    ],
  ];
  let good: Record<string, unknown>;
  beforeAll(async () => {
    const { manifest, plan } = files(zone("www: { A: 192.0.2.1 }"));
    await done(["plan", "-f", manifest, "--out", plan]);
    good = JSON.parse(readFileSync(plan, "utf8")) as Record<string, unknown>;
  });
  const without = (): Account => ({ ...account, flags: [] });

  test.each(wrong)("%s", async (_name, alter, expected) => {
    const altered = alter(good);
    const path = account.write("wrong.json", altered === undefined ? "{ no" : JSON.stringify(altered));
    for (const ran of [await runInProcess(without(), ["show", path]), await run(["apply", path, yes])]) {
      expect(ran.stderr).toMatch(expected);
      expect(ran.stdout + ran.stderr).not.toContain("\u001b");
      expect(ran.status).toBe(3);
    }
  });

  test.each([
    ["one nested without end", `{"format":1,"seen":${"[".repeat(100_000)}`],
    ["one with a prototype", '{"format":1,"__proto__":{"steps":[]}}'],
    ["an empty one", ""],
  ])("%s", async (_name, text) => {
    const path = account.write("hostile.json", text);
    const { status, stderr } = await runInProcess(without(), ["show", path]);
    expect(stderr).toContain("is not a saved plan");
    expect(status).toBe(3);
  });

  test("none, a folder, a device", async () => {
    for (const path of ["absent.json", account.folder, "/dev/zero"])
      expect((await runInProcess(without(), ["show", path])).status).toBe(3);
  });
});
