import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { printedHash, savedPlans, zone } from "./saved-plan-account.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";

/** Saved plans and approval (DESIGN.md section 3), over HTTPS. */
const { account, files, run, done, find } = savedPlans();
const yes = "--auto-approve";

describe("an approval", () => {
  test("runs the plan of the manifest that it was given for without asking, and no other", async () => {
    const { manifest, name, write } = files(zone("www: { A: [192.0.2.1, 192.0.2.2] }"));
    const hash = printedHash(await done(["plan", "-f", manifest]));
    write(zone("www: { A: [192.0.2.1, 192.0.2.3] }")(name));
    const other = exits(6, await run(["apply", "-f", manifest, "--approve", hash]));
    expect(other.stderr).toContain(hash);
    expect(other.stderr).toContain(printedHash(await done(["plan", "-f", manifest])));
    expect(other.stdout).toContain("192.0.2.3");
    write(zone("www: { A: [192.0.2.2, 192.0.2.1] }")(name));
    exits(
      0,
      await runInProcess({ ...account, cwd: account.folder }, [
        "apply",
        "-f",
        manifest,
        "--approve",
        hash.replace("sha256:", ""),
      ]),
    );
    expect(existsSync(join(account.folder, ".hostform"))).toBe(true);
    expect(readdirSync(join(account.folder, ".hostform"))).toEqual([".gitignore"]);
  });

  test.each(["", "abc", "sha256:zz", "0123456789abcdef"])("is refused if it is not a hash: %j", async (given) => {
    const { manifest } = files(zone("www: { A: 192.0.2.1 }"));
    expect((await run(["apply", "-f", manifest, "--approve", given])).status).toBe(3);
  });

  /** The name of an FTP account is taken on another service, so the creation of ours fails until that one is gone. */
  async function halfDone() {
    const made = files(
      (name) =>
        `services: { ${name}: { plan: WEB-M, datacenter: MAD1 } }\n` +
        `ftp: { ${name}: { accounts: { deploy-${name.split(".")[0]}: { password: "\${env:PW}" } } } }\n` +
        `dns: { ${name}: { records: { www: { A: 192.0.2.1 } } } }`,
    );
    const { manifest, plan, name } = made;
    const env = { PW: "an-ftp-password" };
    const user = `deploy-${name.split(".")[0]}`;
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
    const before = process.cwd();
    process.chdir(account.folder);
    onTestFinished(() => process.chdir(before));
    const apply = () => run(["apply", "-f", manifest, "--approve", hash], env);
    expect((await apply()).status).toBe(5);
    expect(readFileSync(record, "utf8")).not.toContain(env.PW);
    expect(statSync(join(account.folder, ".hostform")).mode & 0o777).toBe(0o700);
    await release();
    write(text.replace(/^version.*\nname.*\n/u, "").replace("192.0.2.1", "[192.0.2.1, 192.0.2.66]"));
    expect(exits(6, await apply()).stderr).toContain(`dns_record/${name}/www/A`);
    writeFileSync(manifest, text);
    const rest = exits(0, await apply());
    expect(rest.stdout).toContain("Remaining steps of the plan");
    expect(rest.stdout).toContain("Applied: 1 added");
    expect(existsSync(record)).toBe(false);
    expect((await apply()).status, "nothing is left").toBe(0);
  });

  test("of deletions covers those that an interrupted run has left, and says of the manifest only what is true", async () => {
    const boxes = (names: readonly string[]) => (name: string) =>
      `domains: { ${name}: }\nmail: { ${name}: { mailboxes: { ${names.map((box) => `${box}: { password: "\${env:PW}" }`).join(", ")} } } }`;
    const { manifest, name, write } = files(boxes(["p", "q", "r"]));
    const given = ["-f", manifest, "--inventory", join(account.folder, "ours.json")];
    const env = { PW: "correct horse battery" };
    await done(["apply", ...given, yes], env);
    write(boxes(["p"])(name));
    const allowed = ["q", "r"].flatMap((box) => ["--allow-delete", `mailbox/${box}@${name}`]);
    const approve = ["--approve", printedHash(await done(["plan", ...given, ...allowed], env)), "--parallelism", "1"];
    const faults = [{ match: { method: "DELETE" }, after: 1, count: 1, fault: { status: 403 } }];
    await account.byHand("POST", "/_emulator/faults", { faults });
    exits(5, await run(["apply", ...given, ...approve], env));
    const { stdout, stderr } = exits(0, await run(["apply", ...given, ...approve], env));
    expect(stdout).toContain("Applied: 0 added, 0 changed, 1 destroyed");
    expect(stdout).not.toMatch(/mailbox.* \(p@/u);
    expect(stderr).not.toContain("removed:");
  });

  test("of a file covers what an interrupted run of it has left", async () => {
    const { plan, hash, env, release } = await halfDone();
    expect((await run(["apply", plan, "--approve", hash], env)).status).toBe(5);
    await release();
    const { stdout } = await done(["apply", plan, "--approve", hash], env);
    expect(stdout).toContain("Applied: 1 added");
  });

  test.each([
    ["allowed", 0],
    ["refused", 6],
  ])("of a replace, which plan has %s, covers its creation once the old one is gone", async (is, status) => {
    const { manifest, plan, name, write } = files(
      (own) => `services: { ${own}: { plan: WEB-M, datacenter: MAD1, settings: { php_version: "8.1" } } }`,
    );
    await done(["apply", "-f", manifest, yes]);
    write(`services: { ${name}: { datacenter: FRA1 } }`);
    const allowed = is === "allowed" ? ["--allow-delete", `service/${name}`] : [];
    exits(status, await run(["plan", "-f", manifest, "--out", plan, ...allowed]));
    const { id } = await find("/services", "domain", name);
    await account.byHand("DELETE", `/v2026/services/${String(id)}`);
    const { stdout } = await done(["apply", plan, yes]);
    expect(stdout).toContain(`Done already: delete service/${name}`);
    // What the new one keeps of the old one is in the file.
    const made = await find("/services", "domain", name);
    expect(made).toMatchObject({ datacenter: "FRA1", settings: { php_version: "8.1" } });
  });
});
