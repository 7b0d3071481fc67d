import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { accountAsNew } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const domain = [{ name: "a.example", status: "active", expires_at: null }];
const account = accountAsNew({ seed: { domain, mailbox: [{ address: "old@a.example" }] } });
const outside = folderForFile();

beforeEach(() => {
  account.write(
    "m.yaml",
    'version: 1\nname: policy\ndomains: { a.example: {} }\nmail: { a.example: { mailboxes: { info: { password: "${env:PW}" } } } }\n',
  );
});

const writes = async () => (await account.writes()).length;
const shell = (script: string) => JSON.stringify(["sh", "-c", script]);
const PW = "correct-horse-battery";
const refusing = "echo 'not in the week before Christmas'; echo 'mailbox/info@a.example: too small'; exit 1";
const given = (...args: string[]) => [...args, "-f", join(account.folder, "m.yaml")];
const hostform = (args: readonly string[], env: Record<string, string>) =>
  runInProcess(account, args, { PATH: process.env["PATH"] ?? "", ...env });

describe("a policy of the runner", () => {
  test.each([["plan"], ["rehearse"], ["apply", "--auto-approve"]])(
    "refuses what %s shows, with its words",
    async (...args) => {
      const before = await writes();
      const run = args[0] === "apply" ? account.hostform : hostform;
      const ran = exits(6, await run(given(...args, "--policy-command", shell(refusing)), { PW }));
      expect(ran.stdout).toContain("Refused: 2.");
      expect(ran.stdout).toContain("the policy of this runner refuses the plan: not in the week before Christmas");
      expect(ran.stdout).toContain("the policy of this runner refuses mailbox/info@a.example: too small");
      expect(ran.stdout).not.toContain("Plan hash");
      expect(await writes()).toBe(before);
      const events = eventsOf(await hostform(given(...args, "--json", "--policy-command", shell(refusing)), { PW }));
      expect(events.filter(({ type }) => type === "refused")).toMatchObject([
        { code: "policy", summary: expect.stringContaining("Christmas"), hint: expect.stringContaining("no flag") },
        { code: "policy", address: "mailbox/info@a.example" },
      ]);
      expect(events.find(({ type }) => type === "plan")).toMatchObject({ refused: 2 });
    },
  );

  test("stands beside the other refusals, and lifts none", async () => {
    const removed = "removed: [{ address: mailbox/old@a.example, action: delete }]\n";
    account.write("m.yaml", readFileSync(join(account.folder, "m.yaml"), "utf8") + removed);
    const codes = async (command: string) => {
      const ran = await hostform(given("plan", "--json", "--policy-command", command), { PW });
      return [ran.status, ...eventsOf(ran).flatMap(({ type, code }) => (type === "refused" ? code : []))];
    };
    expect(await codes(shell("exit 1"))).toEqual([6, "protected", "policy"]);
    expect(await codes("true")).toEqual([6, "protected"]);
  });

  test("that allows a plan changes nothing of it, and its own output is not shown", async () => {
    const hash = (stdout: string) => /Plan hash: (\S+)/u.exec(stdout)?.[1];
    const plain = await hostform(given("plan"), { PW });
    const allowed = await hostform(given("plan", "--policy-command", "echo fine"), { PW });
    expect([allowed.status, allowed.stdout]).toEqual([0, plain.stdout]);
    const approved = given("apply", "--approve", hash(plain.stdout) ?? "");
    const refused = await hostform(approved, { PW, HOSTFORM_POLICY_COMMAND: shell(refusing) });
    expect(exits(6, refused).stdout).toContain("Refused: 2.");
    expect(await hostform(approved, { PW, HOSTFORM_POLICY_COMMAND: "true" })).toMatchObject({ status: 0 });
  });

  test("is asked by the apply of a saved plan", async () => {
    const saved = await hostform(
      given("plan", "--out", join(account.folder, "p.json"), "--policy-command", shell(refusing)),
      { PW },
    );
    expect([saved.status, saved.stdout]).toEqual([6, expect.not.stringContaining("To apply it")]);
    const before = await writes();
    const refused = await hostform(["apply", join(account.folder, "p.json"), "--policy-command", shell(refusing)], {
      PW,
    });
    expect(exits(6, refused).stdout).toContain("not in the week before");
    expect(await writes()).toBe(before);
    expect(await hostform(["apply", join(account.folder, "p.json"), "--policy-command", "true"], { PW })).toMatchObject(
      {
        status: 0,
      },
    );
  });

  test.each([
    ["is not installed", JSON.stringify(["/nowhere/hostform-has-none-of-this-name"]), "is not installed"],
    ["may not be run", JSON.stringify(["/etc/passwd"]), "did not end well (this user has no permission for it)"],
    ["crashes", shell("echo half a word; kill -SEGV $$"), "it was ended by SIGSEGV"],
    ["fails without a word", shell("exit 2"), "its command ended with exit code 2"],
    [
      "fails with an error",
      shell("echo 'no such rule' >&2; exit 2"),
      "its command ended with exit code 2: no such rule",
    ],
    ["takes too long", shell("cat > /dev/null; sleep 100"), "no answer within 0.5 s", "0.5"],
    ["never stops talking", shell("yes no"), "more than 65536 bytes"],
  ])("that %s refuses, too", async (_name, command, words, seconds = "60") => {
    const flags = ["--command-timeout", seconds, "--policy-command", command];
    const { status, stdout } = await hostform(given("plan", ...flags), { PW });
    expect([status, stdout]).toEqual([6, expect.stringContaining(words)]);
    expect(stdout).toContain("the policy of this runner refuses the plan: its command");
  });

  test.each([["a | b"], ["[1]"], [" "]])("that is not a command is a mistake: %j", async (command) => {
    const { status, stderr } = await hostform(given("plan", "--policy-command", command), { PW });
    expect([status, stderr]).toEqual([3, expect.stringContaining("--policy-command (HOSTFORM_POLICY_COMMAND): it")]);
  });

  test("gets a plan that its schema describes, without the settings of Hostform", async () => {
    const [file, env] = [join(outside, "input.json"), join(outside, "env")];
    const command = shell(`cat > '${file}'; env > '${env}'`);
    const planned = given("plan", "--json", "--policy-command", command);
    const events = eventsOf(await hostform(planned, { PW }));
    const input = JSON.parse(readFileSync(file, "utf8")) as { events: object[] };
    const schema: unknown = JSON.parse(
      readFileSync(new URL("../../schemas/events.schema.json", import.meta.url), "utf8"),
    );
    const ajv = new Ajv2020({ strictRequired: false }).addSchema(schema as object, "events");
    const validate = ajv.compile({ $ref: "events#/$defs/policy_input" });
    expect([validate(input), validate.errors]).toEqual([true, null]);
    expect(input).toMatchObject({ format: 1 });
    const ofPlan = events.filter(({ type }) => type !== "version" && type !== "diagnostic");
    expect(ofPlan.map(({ type }) => type)).toEqual(["target", "planned", "unmanaged", "plan"]);
    expect(input.events).toEqual(ofPlan);
    expect(readFileSync(env, "utf8")).not.toContain("HOSTFORM_");
  });
});

test("whatever is secret, a policy does not get it, and its words do not show it", async () => {
  const text = fc
    .string({ unit: fc.constantFrom(...Array.from("abXY09 %&<>$`'\\äß|*_[](){}#@~")), minLength: 12, maxLength: 60 })
    .filter((value) => value.trim().length >= 12 && /[a-z]/iu.test(value));
  const file = join(outside, "masked.json");
  await forDraws(80, text, async (secret) => {
    account.putBack();
    writeFileSync(join(outside, "secret"), secret);
    const path = account.write(
      "s.yaml",
      'version: 1\nname: policy\ndomains: { a.example: {} }\ndns: { a.example: { records: { t: { TXT: "x ${env:PW}" }, u: { TXT: plain } } } }\n',
    );
    // Someone has put it where the manifest has no secret, and the policy repeats it.
    const { id } = await account.create("/dns/zones", { name: "a.example" });
    const record = { name: "u", type: "TXT", content: `"${secret.replaceAll("\\", String.raw`\\`)}"`, ttl: 3600 };
    await account.create(`/dns/zones/${id}/records`, record);
    const command = shell(`cat > '${file}'; cat '${join(outside, "secret")}'; exit 1`);
    const { status, stdout, stderr } = await runInProcess(account, ["plan", "-f", path, "--policy-command", command], {
      PW: secret,
    });
    expect(status).toBe(6);
    const shown = [stdout, stderr, readFileSync(file, "utf8")];
    expect(shown[2]).toContain("dns_record/a.example/u/TXT");
    for (const each of shown)
      for (const form of [secret.trim(), JSON.stringify(secret.trim()).slice(1, -1)]) expect(each).not.toContain(form);
    // A blank at its beginning is masked, too.
    expect(stdout).toMatch(/refuses the plan: ?\(sensitive\)/u);
  });
});

describe("the policy of examples/", () => {
  const example = fileURLToPath(new URL("../../examples/policy/policy.mjs", import.meta.url));
  const run = (...args: string[]) => hostform([...args, "--policy-command", `node ${example}`], { PW });

  test("allows a plan, and refuses deletions of mailboxes, short TTLs and more than 50 steps", async () => {
    expect(await run(...given("plan"))).toMatchObject({ status: 0 });
    const records = Array.from({ length: 50 }, (_, index) => `n${index}: { A: { ttl: 60, values: [192.0.2.1] } }`);
    account.write(
      "m.yaml",
      `version: 1\nname: policy\ndomains: { a.example: {} }\ndns: { a.example: { records: { ${records.join(", ")} } } }\nremoved: [{ address: mailbox/old@a.example, action: delete }]\n`,
    );
    const { status, stdout } = await run(...given("plan", "--allow-delete", "mailbox/old@a.example"));
    expect([status, stdout]).toEqual([6, expect.stringContaining("Refused: 52.")]);
    expect(stdout).toContain("refuses the plan: 52 steps at once");
    expect(stdout).toContain("refuses mailbox/old@a.example: mailboxes are deleted by the support team alone");
    expect(stdout).toContain("a TTL of 60 is below 300");
  });
});
