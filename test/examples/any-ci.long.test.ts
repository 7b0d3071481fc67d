import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { parse } from "yaml";
import { workshopForFile } from "../state/repositories.ts";
import { accountForFile } from "../support/account.ts";
import { listed, liveRecords, recordsPath } from "../support/live-records.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { exits, type Ran } from "../support/run-hostform.ts";
import { openMachine, top, type Machine } from "./machine.ts";
import { forgeToken, ours, startForge } from "./scripted-forge.ts";

const shop = workshopForFile();
const account = accountForFile({ seed: { domain: [{ name: "a.example", status: "active", expires_at: null }] } });
const forge = openedForFile(startForge);
let remote: string;
let putBack: (() => void) | undefined;
beforeEach(() => {
  putBack ??= account.mirror.keep();
  putBack();
  remote = shop.makeRemote();
  forge.comments.length = 0;
});

const manifest = (...names: string[]) => `version: 1
name: shop
domains: { a.example: {} }
dns: { a.example: { records: { ${names.map((name) => `${name}: { TXT: here }`).join(", ")} } } }
`;

function push(text: string): void {
  const clone = shop.clone(remote);
  shop.commit(clone, "hosting/m.yaml", text);
  shop.git(clone, "push", "--quiet", "origin", "HEAD");
}

/** A machine with a clone of main. */
const open = () => openMachine(shop, account, { remote, forgeCa: forge.ca });
const env = () => ({ ...account.env, HOSTFORM_BASE_URL: account.baseUrl, HOSTFORM_CONTRACT: "v2026" });
const said = (ran: Ran) => ran.stdout + ran.stderr;
const zones = () => listed(account, "/v2026/dns/zones");

describe("deploy.sh", () => {
  const deploy = (command: string, given = env(), machine = open(), killAt?: RegExp) =>
    machine.run(`sh ${join(top, "examples/ci/deploy.sh")} ${command}`, given, killAt);

  test.runIf(size.wholeScript)(
    "plans, applies what was approved, also after a run that was killed, applies main again, and shows drift",
    async () => {
      push(manifest("a", "b"));
      const planned = exits(0, await deploy("plan"));
      const [, hash = "none"] = /^Plan hash: (\S+)$/mu.exec(planned.stdout) ?? [];
      const none = await deploy('apply ""');
      expect([none.status, await zones()], said(none)).toEqual([3, []]);
      const machine = open();
      const killed = await deploy(`apply ${hash}`, env(), machine, /^created {2}dns_zone/mu);
      expect([killed.status, await zones()], said(killed)).toEqual([null, [expect.anything()]]);
      for (const again of [() => deploy(`apply ${hash}`, env(), machine), () => deploy("apply")]) {
        const ran = await again();
        expect([ran.status, (await liveRecords(account)).length], said(ran)).toEqual([0, 2]);
      }
      const [record] = await liveRecords(account);
      await account.byHand("DELETE", `${await recordsPath(account)}/${record?.id}`);
      exits(2, await deploy("drift"));
    },
  );

  test.each([
    ["plan", { HOSTFORM_BASE_URL: "" }, "HOSTFORM_BASE_URL"],
    ["drift", { HOSTFORM_CONTRACT: "" }, "HOSTFORM_CONTRACT"],
    ["deploy", {}, "Usage: "],
  ])("ends with 3, and not with the 2 of drift, for %s with %o", async (command, lacking, words) => {
    const ran = await deploy(command, { ...env(), ...lacking });
    expect(ran).toMatchObject({ status: 3, stderr: expect.stringContaining(words) });
  });
});

describe("action.yml", () => {
  interface Action {
    readonly inputs: Record<string, { default?: string }>;
    readonly outputs: Record<string, { value: string }>;
    readonly runs: { steps: { run: string; env?: Record<string, string>; if?: string }[] };
  }
  const { inputs, outputs, runs } = parse(readFileSync(join(top, "action.yml"), "utf8")) as Action;

  /** Runs the steps on a machine, as the runner does; and returns the output `status`, too. */
  async function use(machine: Machine, given: Record<string, string>, event = "pull_request") {
    const valueOf = (expression: string): string => {
      const [, source = "", name = ""] = /^(inputs|steps\.run\.outputs)\.(\w+)$/u.exec(expression) ?? [];
      if (source === "inputs") return given[name] ?? inputs[name]?.default ?? "";
      if (source !== "") return machine.outputs()[name] ?? "";
      const values = { "github.token": forgeToken, "github.event.number": "1", "github.event_name": event };
      return values[expression as "github.token"];
    };
    const fill = (text: string) => text.replaceAll(/\$\{\{\s*(.+?)\s*\}\}/gu, (_, each: string) => valueOf(each));
    const holds = (condition: string) =>
      condition.split(" && ").every((each) => {
        const [left = "", right] = each.split(" == ");
        return `'${valueOf(left)}'` === right;
      });
    let ran: Ran = { status: 0, stdout: "", stderr: "" };
    for (const { run, env: own = {}, if: when } of runs.steps) {
      if (ran.status !== 0 || (when !== undefined && !holds(when))) continue;
      const filled = Object.fromEntries(Object.entries(own).map(([name, value]) => [name, fill(value)]));
      const hosted = { GITHUB_API_URL: forge.baseUrl, GITHUB_REPOSITORY: "a/b", GITHUB_ACTION_PATH: top };
      const step = await machine.run(run, { ...env(), ...hosted, ...filled });
      ran = { status: step.status, stdout: ran.stdout + step.stdout, stderr: ran.stderr + step.stderr };
    }
    return { ...ran, output: fill(outputs["status"]?.value ?? "") };
  }
  const tarball = { package: "https://files.host.example/hostform.tgz" };

  test("writes one comment for a plan and for its refusal, ends as the command ends, and hands its words on as they are", async () => {
    push(manifest("a"));
    const machine = open();
    mkdirSync(join(machine.folder, "dns_record"));
    writeFileSync(join(machine.folder, "dns_record/file"), "");
    const planned = await use(machine, { ...tarball, command: "plan --only dns_*/*", comment: "true" });
    expect([planned.status, planned.output], said(planned)).toEqual([0, "0"]);
    expect(ours(forge.comments)).toEqual([expect.objectContaining({ body: expect.stringContaining("2 to add") })]);
    push(`${manifest("a")}removed: [{ address: domain/a.example, action: delete }]\n`);
    const refused = await use(open(), { ...tarball, command: "plan", comment: "true" });
    expect([refused.status, refused.output], said(refused)).toEqual([
      Number(refused.output),
      expect.stringMatching(/^[36]$/u),
    ]);
    expect(ours(forge.comments)).toEqual([expect.objectContaining({ body: expect.not.stringContaining("2 to add") })]);
  });

  test("leaves the comment as it is for a command that writes no page, and without a pull request", async () => {
    push(manifest("a"));
    const machine = open();
    const wrong = await use(machine, { ...tarball, command: "plan --nonsense", comment: "true" });
    expect([wrong.status, wrong.output, said(wrong)]).toEqual([3, "3", expect.not.stringContaining("ENOENT")]);
    const pushed = await use(machine, { ...tarball, command: "validate", comment: "true" }, "push");
    expect([pushed.status, pushed.output], said(pushed)).toEqual([0, "0"]);
    exits(3, await use(machine, { ...tarball, command: "plan --nonsense", comment: "true" }));
    expect(forge.comments).toEqual([]);
  });

  test("needs the variables that decide where the key goes", async () => {
    push(manifest("a"));
    const machine = open();
    const { run = "" } = runs.steps.find(({ env: own }) => own?.["COMMAND"] !== undefined) ?? {};
    const ran = await machine.run(run, { ...env(), HOSTFORM_BASE_URL: "", COMMAND: "plan" });
    expect([ran.status === 0, ran.stderr]).toEqual([false, expect.stringContaining("HOSTFORM_BASE_URL")]);
  });
});
