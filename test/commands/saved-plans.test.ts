import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkEvents, eventsOf, exits, noAccount, runHostform, runInProcess } from "../support/run-hostform.ts";
import { printedHash, savedPlans, zone } from "./saved-plan-account.ts";
import { size } from "../proofs/size.ts";

/** Saved plans and approval (DESIGN.md section 3), over HTTPS: by the built binary, and in process where many runs are needed. */
const { account, files, run, done, find, listed, recordsOf } = savedPlans();
const yes = "--auto-approve";

describe("a saved plan", () => {
  test("is shown without key and network, and then does what it says, and nothing more", async () => {
    const { manifest, plan, name } = files(zone("www: { A: 192.0.2.1 }"));
    const planned = exits(0, await run(["plan", "-f", manifest, "--out", plan]));
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
    const applied = exits(0, await run(["apply", plan, yes, "--json"]));
    expect(checkEvents(eventsOf(applied))).toEqual([]);
    expect(await find(await recordsOf(name), "name", "www")).toMatchObject({ content: "192.0.2.1" });
  });

  test.each([
    ["beside a member that has it", "[${env:SEC}]", "[${env:SEC}, b]"],
    ["in place of a member", "[a]", "[${env:SEC}]"],
    ["in place of the only member", "a", "${env:SEC}"],
  ])("whose variable is not set any more names that, and sends nothing: %s", async (_which, before, after) => {
    const text = (values: string) => (own: string) =>
      `dns: { ${own}: { records: { t: { TXT: ${values.replace("${env:SEC}", '"${env:SEC}"')} } } } }`;
    const { manifest, plan, name, write } = files(text(before));
    const env = { SEC: "only-for-the-test-1" };
    await done(["apply", "-f", manifest, yes], { ...env });
    write(text(after)(name));
    await done(["plan", "-f", manifest, "--out", plan], env);
    const { length: sent } = await account.writes();
    for (const given of [plan, "-f"]) {
      const ran = exits(3, await run(["apply", given, ...(given === plan ? [] : [manifest]), yes]));
      expect(ran.stderr).toContain("error[unset]");
      expect(ran.stderr).toContain("the variable SEC is not set");
      expect(ran.stderr).not.toContain("error[moved]");
    }
    expect(await account.writes()).toHaveLength(sent);
  });

  test("of a part names what is declared and goes with that, though it is not selected, and is applied", async () => {
    const text = (datacenter: string) => (own: string) =>
      `services: { ${own}: { plan: WEB-M, datacenter: ${datacenter} } }\nmail: { ${own}: { settings: { catch_all: null } } }`;
    const { manifest, plan, name, write } = files(text("MAD1"));
    await done(["apply", "-f", manifest, yes]);
    write(text("BCN1")(name));
    const part = ["--only", `service/${name}`, "--allow-delete", `service/${name}`];
    const planned = exits(0, await run(["plan", "-f", manifest, "--out", plan, ...part]));
    expect(planned.stdout).toMatch(new RegExp(`reset with it, not in this plan: .*mail_settings/${name}`, "u"));
    exits(0, await run(["apply", plan, yes]));
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

  test("names what exists and becomes ours without a call, where it is shown and where it is applied", async () => {
    const { manifest, plan, name, write } = files(zone("www: { A: 192.0.2.1 }"));
    await done(["apply", "-f", manifest, yes]);
    write(zone("www: { A: 192.0.2.1 }, more: { A: 192.0.2.2 }")(name));
    const inventory = ["--inventory", join(dirname(plan), `${name}.inventory.json`)];
    const planned = await done(["plan", "-f", manifest, "--out", plan, ...inventory]);
    const named = /^Once this is applied, Hostform manages .*$/mu.exec(planned.stdout)?.[0];
    expect(named).toContain(`dns_record/${name}/www/A`);
    const shown = await runInProcess({ ...account, flags: [] }, ["show", plan]);
    const applied = await done(["apply", plan, yes, ...inventory]);
    for (const { stdout } of [shown, applied]) expect(stdout).toContain(named);
    expect(applied.stdout).toContain("ours now");
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

  test.runIf(size.whole)("says nothing of what it does not hold, nor of what it has removed already", async () => {
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
    const { stderr } = exits(3, await run(["plan", "-f", manifest, "--out", plan]));
    expect(stderr).toContain("its password is written out in the manifest");
    expect(existsSync(plan)).toBe(false);
  });

  test("needs its secrets when it is applied, before anything is written", async () => {
    const { manifest, plan, name } = files(
      (own) => `domains: { ${own}: }\nmail: { ${own}: { mailboxes: { info: { password: "\${env:PW}" } } } }`,
    );
    await done(["plan", "-f", manifest, "--out", plan]);
    expect(exits(3, await run(["apply", plan, yes])).stderr).toContain("the variable PW is not set");
    expect((await listed("/domains")).map((domain) => domain["name"])).not.toContain(name);
  });

  test("takes the place of an older one, but of nothing else", async () => {
    const { manifest, plan } = files(zone("www: { A: 192.0.2.1 }"));
    await done(["plan", "-f", manifest, "--out", plan]);
    await done(["plan", "-f", manifest, "--out", plan]);
    writeFileSync(`${plan}.empty`, "");
    await done(["plan", "-f", manifest, "--out", `${plan}.empty`]);
    writeFileSync(`${plan}.txt`, "not a plan");
    symlinkSync(plan, `${plan}.link`);
    for (const path of [`${plan}.txt`, `${plan}.link`, manifest, account.folder]) {
      const { stderr } = exits(3, await run(["plan", "-f", manifest, "--out", path]));
      expect(stderr).toMatch(/exists and is not a saved plan|it is a folder/u);
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
    expect(exits(3, await runInProcess(noAccount, ["apply", plan, yes], env)).stderr).toContain("No API was selected");
    const other = await runInProcess(noAccount, ["apply", plan, yes, "--base-url", "https://other.test"], env);
    expect(other.stderr).toContain(account.baseUrl);
    expect(other.stderr).toContain("https://other.test");
    expect(other.status).toBe(3);
    const flags = ["-f", manifest, yes, "--base-url", account.baseUrl];
    const both = exits(3, await runInProcess(noAccount, ["apply", plan, ...flags], env));
    expect(both.stderr).toContain("Both a saved plan and a manifest");
  });

  test("with refusals is saved, and applied only once each is allowed", async () => {
    const { manifest, plan, name, write } = files(
      (own) =>
        `databases: { ${own}: { databases: { shop: { engine: mariadb } } } }\nservices: { ${own}: { plan: WEB-M, datacenter: MAD1 } }`,
    );
    await done(["apply", "-f", manifest, yes]);
    write(`services: { ${name}: }\nremoved: [{ address: database/${name}/shop, action: delete }]`);
    expect(exits(6, await run(["plan", "-f", manifest, "--out", plan])).stdout).not.toContain("Plan hash");
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
    expect(exits(6, planned).stdout).toContain(why);
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
