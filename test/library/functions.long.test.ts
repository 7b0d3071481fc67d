import { execFile, execFileSync } from "node:child_process";
import { getEventListeners } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { inspect, promisify } from "node:util";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { size } from "../proofs/size.ts";
import {
  apply,
  applySavedPlan,
  drift,
  importAccount,
  plan,
  snapshot,
  status,
  type ApplyOptions,
  type EngineEvent,
  type Plan,
} from "../../src/index.ts";
import { openAccount, type Account } from "../support/account.ts";
import { changeRecord } from "../support/live-records.ts";
import { folderForTest } from "../support/temporary-folder.ts";

let account: Account;
const git = (...args: readonly string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t.example", ...args], { cwd: account.folder });
/** The working folder of other processes. */
let away: string;
beforeEach(async () => {
  account = await openAccount();
  git("init", "--quiet", "--initial-branch=main");
  away = folderForTest();
});
afterEach(() => account.close());

const password = "a-password-of-nobody";
const withText = (text: string, rest = "") =>
  `version: 1\nname: library\ndns: { a.example: { records: { a: { TXT: ${text} }, b: { TXT: b } } } }\n${rest}`;
const mail =
  'services: { a.example: { plan: WEB-M, datacenter: MAD1 } }\ndomains: { a.example: { service: a.example } }\nmail: { a.example: { mailboxes: { info: { quota: 1 GiB, password: "${env:PW}" } } } }\n';

const target = (of = account) => ({
  baseUrl: of.baseUrl,
  caFile: join(of.folder, "ca.pem"),
  inventory: join(of.folder, "inventory.json"),
  env: { ...of.env, PATH: process.env["PATH"] ?? "", PW: password },
  acceptTarget: true,
});
const of = (text: string, on = account) => ({ ...target(on), manifests: [on.write("site.yaml", text)] });
const running = (on = account) => ({ journal: join(on.folder, "journal"), settle: 5 });
const applied = async (text: string, on = account) => {
  const wanted = of(text, on);
  git("add", "site.yaml");
  git("commit", "--quiet", "--message=next");
  const { ending, diagnostics } = await apply({ ...wanted, ...running(on), approve: () => true });
  expect({ ending, errors: diagnostics.filter(({ severity }) => severity === "error") }).toEqual({
    ending: "done",
    errors: [],
  });
};
const record = (name: string) => `dns_record/a.example/${name}/TXT`;
const steps = (made: Plan | undefined) => made?.steps.map(({ id }) => id);

/** Calls functions of the built package one after the other in a process of its own, without a terminal. Returns their results. */
async function inOtherProcess(calls: readonly (readonly [name: string, options: object])[]) {
  const code = `import * as hostform from ${JSON.stringify(pathToFileURL("dist/index.js").href)};
const results = [];
for (const [name, options] of ${JSON.stringify(calls)}) results.push(await hostform[name](options));
process.stdout.write(JSON.stringify(results));`;
  const ran = promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], { cwd: away, env: {} });
  ran.child.stdin?.end();
  const { stdout, stderr } = await ran;
  expect(stderr).toBe("");
  return JSON.parse(stdout) as Record<string, never>[];
}

test("functions that need not write print nothing and write no file, in a process without a terminal", async () => {
  await applied(withText("a", mail));
  const asked = of(withText("changed", mail));
  const before = readdirSync(account.folder);
  const results = await inOtherProcess([
    ["validate", { manifests: asked.manifests, env: asked.env }],
    ["plan", { ...asked, out: true, undoOut: true }],
    ["drift", asked],
    ["status", asked],
    ["status", { ...target(), address: ["mailbox/*"] }],
    ["snapshot", asked],
    ["snapshot", target()],
    ["importAccount", target()],
  ]);
  expect(results).toMatchObject([
    { ending: "done" },
    { ending: "changes", saved: { hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/u) } },
    { ending: "done", drift: { items: [] } },
    { ending: "done" },
    { ending: "done", rows: [{ address: "mailbox/info@a.example", state: "ready" }] },
    { ending: "done" },
    { ending: "done" },
    { files: { "a.example.yaml": expect.stringContaining("dns:") } },
  ]);
  expect(readdirSync(away)).toEqual([]);
  expect(readdirSync(account.folder)).toEqual(before);
  expect(JSON.stringify(results)).not.toContain(password);
});

describe("a saved plan", () => {
  test.runIf(size.whole)("is applied by its text in another process, and its undo takes it back", async () => {
    await applied(withText("before"));
    const { saved, undo } = await plan({ ...of(withText("after")), out: true, undoOut: true });
    const run = { ...target(), ...running(), checkout: account.folder };
    const [, done, again] = await inOtherProcess([
      ["applySavedPlan", { ...run, plan: { text: saved?.text ?? "" }, approve: `sha256:${"0".repeat(64)}` }],
      ["applySavedPlan", { ...run, plan: { text: saved?.text ?? "" }, approve: saved?.hash }],
      ["applySavedPlan", { ...run, plan: saved }],
    ]);
    expect(done?.["diagnostics"]).toEqual([]);
    expect(done).toMatchObject({ ending: "done", report: { outcomes: [{ outcome: { is: "done" } }] } });
    expect(again).toMatchObject({ ending: "done", plan: { steps: [] } });
    expect(await plan(of(withText("after")))).toMatchObject({ ending: "done", plan: { steps: [] } });
    const asked: unknown[] = [];
    const back = await applySavedPlan({ ...run, plan: undo ?? "", approve: (made) => asked.push(steps(made)) > 0 });
    expect(back.ending).toBe("done");
    expect(asked).toEqual([[`update ${record("a")}`]]);
    expect((await plan(of(withText("before")))).ending).toBe("done");
    expect(readdirSync(away)).toEqual([]);
  });

  test.each([
    ["of another hash", (text: string) => ({ text }), "refused"],
    ["that was altered", (text: string) => ({ text: text.replace('\\"after\\"', '\\"other\\"') }), "refused"],
    ["that is none", () => ({ text: "{}", name: "plan of shop" }), "wrong_input"],
  ])("%s is not applied", async (name, textOf, ending) => {
    await applied(withText("before"));
    const { saved } = await plan({ ...of(withText("after")), out: true });
    const { length: before } = await account.operations();
    const approve = name === "of another hash" ? `sha256:${"0".repeat(64)}` : undefined;
    const given = {
      ...target(),
      ...running(),
      plan: textOf(saved?.text ?? ""),
      ...(approve !== undefined && { approve }),
    };
    const ran = await applySavedPlan(given);
    expect(ran).toMatchObject({ ending, report: undefined });
    expect((await account.operations()).length).toBe(before);
    if (ending === "wrong_input") expect(ran.diagnostics[0]?.summary).toContain("plan of shop is not a saved plan");
  });

  test("of an account that has moved since is refused", async () => {
    await applied(withText("before"));
    const { saved } = await plan({ ...of(withText("after")), out: true });
    await applied(withText("meanwhile"));
    expect(await applySavedPlan({ ...target(), ...running(), plan: saved ?? "" })).toMatchObject({
      ending: "refused",
      report: undefined,
    });
  });
});

describe("apply", () => {
  test("by a hash runs that plan, which is consent to its deletions, and no other", async () => {
    await applied(withText("a", mail));
    const without = of(withText("a", mail.replace(/\nmail: .*/u, "")));
    const { plan: made } = await plan({ ...without, allowDelete: ["mailbox/info@a.example"] });
    expect(made?.hash).toMatch(/^sha256:/u);
    const run = { ...without, ...running() };
    const [other, wrong, done] = await inOtherProcess([
      ["apply", { ...run, approve: `sha256:${"0".repeat(64)}` }],
      ["apply", { ...run, approve: "yes" }],
      ["apply", { ...run, approve: made?.hash }],
    ]);
    expect(other).toMatchObject({ ending: "refused" });
    expect(wrong).toMatchObject({ ending: "wrong_input", diagnostics: [{ code: "bad_hash" }] });
    expect(done).toMatchObject({ ending: "done" });
  });

  test.runIf(size.whole)("sends a password again, rehearses before, and asks a policy", async () => {
    await applied(withText("a", mail));
    const types: string[] = [];
    const options = { ...of(withText("a", mail)), ...running(), rotate: ["mailbox/info@a.example"] };
    const refused = await apply({
      ...options,
      approve: () => true,
      policy: ({ steps: all }) => [`${all[0]?.address}: not on a Friday`, "too late"],
    });
    expect(refused).toMatchObject({ ending: "refused", report: undefined });
    expect(refused.plan?.refusals.map(({ address, summary }) => [address, summary])).toEqual([
      ["mailbox/info@a.example", expect.stringContaining("not on a Friday")],
      [undefined, expect.stringContaining("too late")],
    ]);
    const done = await apply({
      ...options,
      rehearse: true,
      policy: () => [],
      approve: () => true,
      onEvent: ({ type }) => types.push(type),
    });
    expect(done).toMatchObject({ ending: "done", report: { requests: { writes: 1 } } });
    expect(types).toContain("rehearsal");
  });

  test("takes the default of an option that is undefined", async () => {
    const numbers = { parallelism: undefined, settle: undefined, lockTimeout: undefined } as object;
    const { ending } = await apply({ ...of(withText("a")), ...running(), approve: () => false, ...numbers });
    expect(ending).toBe("done");
  });
});

describe("what was changed by hand", () => {
  const byHand = (name: string, content: string) => changeRecord(account, (each) => each.name === name, content);

  test("is drift, and a plan of it alone takes it back", async () => {
    await applied(withText("a"));
    await byHand("b", "by hand");
    const next = of(withText("wanted"));
    const found = await drift(next);
    expect(found).toMatchObject({ ending: "changes", drift: { items: [{ address: record("b"), is: "differs" }] } });
    expect(await drift({ ...next, tolerate: ["dns_record/*"] })).toMatchObject({
      ending: "done",
      drift: { items: [] },
    });
    expect(steps((await plan(next)).plan)).toEqual([`update ${record("a")}`, `update ${record("b")}`]);
    expect(steps((await plan({ ...next, onlyDrift: true })).plan)).toEqual([`update ${record("b")}`]);
  });

  test("is found in a snapshot, without key and network", async () => {
    await applied(withText("a"));
    await byHand("b", "by hand");
    const { text = "" } = await snapshot(of(withText("a")));
    const { manifests, inventory } = of(withText("wanted"));
    const offline = { manifests, inventory, env: {}, live: { text } };
    expect(steps((await plan(offline)).plan)).toEqual([`update ${record("a")}`, `update ${record("b")}`]);
    expect((await drift(offline)).drift?.items.map(({ address }) => address)).toEqual([record("b")]);
    const { ending, diagnostics } = await plan({ ...offline, live: { text: "{}", name: "shop" } });
    expect([ending, diagnostics[0]?.summary]).toEqual(["wrong_input", expect.stringContaining("shop")]);
  });
});

test("status ends with changes where a row says so", async () => {
  await applied(withText("a", mail));
  const rows: string[] = [];
  const seen = await status({
    ...of(withText("a", mail)),
    address: ["mailbox/*"],
    failOn: ({ address }) => rows.push(address) > 0,
  });
  expect(seen.ending).toBe("changes");
  expect(rows).toContain("mailbox/info@a.example");
});

test("an account is imported as data, as the files that are written", async () => {
  await applied(withText("a", mail));
  const { files, ending } = await importAccount(target());
  const folder = join(away, "hosting");
  expect(await importAccount({ ...target(), folder })).toMatchObject({ ending, files: undefined });
  expect(Object.keys(files ?? {}).toSorted()).toEqual(readdirSync(folder).toSorted());
  expect(await importAccount({ ...target(), own: true })).toMatchObject({ ending: "wrong_input", files: undefined });
});

test.runIf(size.whole)("two accounts at once share nothing: a secret of one is a plain text of the other", async () => {
  const other = await openAccount();
  onTestFinished(other.close);
  const texts = { ours: withText("a", mail), theirs: withText(password) };
  const events: { readonly ours: unknown[]; readonly theirs: unknown[] } = { ours: [], theirs: [] };
  const run = async (name: keyof typeof texts, on: Account) => {
    const { env, manifests, ...rest } = of(texts[name], on);
    const onEvent = (event: EngineEvent) => events[name].push(event);
    const given = { ...rest, env: { ...env, PW: name === "ours" ? password : "another-password" }, onEvent };
    const { saved } = await plan({ ...given, manifests, out: true });
    const done = await applySavedPlan({ ...given, ...running(on), plan: saved ?? "" });
    return { ending: done.ending, saved, live: (await snapshot({ ...given, manifests })).text };
  };
  const [ours, theirs] = await Promise.all([run("ours", account), run("theirs", other)]);
  expect([ours.ending, theirs.ending]).toEqual(["done", "done"]);
  for (const each of [ours.saved?.text, ours.live, inspect(events.ours, { depth: Infinity })])
    expect(each).not.toContain(password);
  for (const each of [theirs.saved?.text, theirs.live, inspect(events.theirs, { depth: Infinity })])
    expect(each).toContain(password);
});

test.each(Object.entries({ plan, drift, status, snapshot, importAccount, apply }))(
  "%s ends as interrupted when it is aborted, and asks nothing more",
  async (name, call: (options: ApplyOptions) => Promise<object>) => {
    const controller = new AbortController();
    const { signal } = controller;
    const { manifests, ...rest } = of(withText("a"));
    const own = { ...(name !== "importAccount" && { manifests }), ...(name === "apply" && { approve: () => true }) };
    const options = { ...rest, signal, ...own } as ApplyOptions;
    const onEvent = ({ type }: EngineEvent) => type === "target" && controller.abort();
    expect(await call({ ...options, onEvent })).toMatchObject({ ending: "interrupted" });
    expect(await call(options)).toMatchObject({ ending: "interrupted", diagnostics: [] });
    expect(await account.operations()).toEqual([]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  },
);
