import { join } from "node:path";
import { expect, test } from "vitest";
import { accountAsNew } from "../support/account.ts";
import { exits, type Ran, runInProcess } from "../support/run-hostform.ts";
import { size } from "../proofs/size.ts";

/** `apply --approve HASH` as consent, over HTTPS: to every step of the plan that printed the hash, and to nothing else. */
const account = accountAsNew({
  seed: {
    domain: [{ name: "a.example", status: "active", expires_at: null }],
    mailbox: ["p", "q", "r"].map((name) => ({ address: `${name}@a.example` })),
  },
});

const box = (name: string) => `mailbox/${name}@a.example`;
let count = 0;
let inventory: string;
/** Applies a manifest with the mailboxes p, q and r, which are ours then, and takes p out of it. */
async function start() {
  count += 1;
  inventory = join(account.folder, `ours${count}.json`);
  const file = account.write("m.yaml", declaring("p", "q", "r"));
  exits(0, await run("apply", file, "--auto-approve"));
  account.write("m.yaml", declaring("q", "r"));
  return file;
}
const declaring = (...names: string[]) =>
  `version: 1\nname: shop${count}\ndomains: { a.example: {} }\nmail: { a.example: { mailboxes: { ${names.map((name) => `${name}: { password: "\${env:PW}" }`).join(", ")} } } }\n`;
const run = (command: string, file: string, ...flags: string[]) =>
  runInProcess(account, [command, "-f", file, "--inventory", inventory, ...flags], { PW: "correct horse battery" });
const hashIn = ({ stdout }: Ran) => /^Plan hash: (sha256:[0-9a-f]{32})$/mu.exec(stdout)?.[1];
const writes = async () => (await account.writes()).length;
const approve = async (file: string, hash: string, ...flags: string[]) => {
  const before = await writes();
  const { status, stdout, stderr } = await run("apply", file, "--approve", hash, ...flags);
  return { status, said: stdout + stderr, written: (await writes()) - before };
};

test.each(size.every(6, [[box("p")], ["mailbox/*=1"], ["a.example=1"]]))(
  "a deletion that --allow-delete %s allowed in the plan needs no flag, until it is done",
  async (allowed) => {
    const file = await start();
    const refused = await run("plan", file);
    expect([refused.status, hashIn(refused)]).toEqual([6, undefined]);
    const hash = hashIn(await run("plan", file, "--allow-delete", allowed)) ?? "";
    const applied = await approve(file, hash);
    expect(applied, applied.said).toMatchObject({ status: 0, written: 1 });
    // It is no consent to the deletion of what is made later, whatever the inventory says of that.
    await account.create("/mail/accounts", { address: "p@a.example", password: "correct horse" });
    account.write("m.yaml", `${declaring("q", "r")}removed: [{ address: ${box("p")}, action: delete }]\n`);
    expect(await approve(file, hash)).toMatchObject({ status: 6, written: 0 });
  },
);

/** Another run protects the mailbox p, and then the manifest is as it was. */
async function protect(file: string) {
  const kept = declaring("p", "q", "r").replace(
    'p: { password: "${env:PW}" }',
    "p: { lifecycle: { prevent_destroy: true } }",
  );
  account.write("m.yaml", kept);
  exits(0, await run("apply", file, "--auto-approve"));
  account.write("m.yaml", declaring("q", "r"));
}

test.each<[string, (file: string) => unknown, string[]]>(
  size.every(6, [
    ["another deletion", () => account.write("m.yaml", declaring("r")), []],
    ["another change", () => account.write("m.yaml", declaring("q", "r", "s")), []],
    ["prevent_destroy", protect, []],
    ["a number that contradicts the plan", () => undefined, ["--allow-delete", "mailbox/*=2"]],
    ["another flag", () => undefined, ["--rotate", box("q")]],
  ]),
)("the hash is no consent to a plan with %s", async (_name, change, flags) => {
  const file = await start();
  const hash = hashIn(await run("plan", file, "--allow-delete", box("p"))) ?? "";
  await change(file);
  const refused = await approve(file, hash, ...flags);
  expect(refused, refused.said).toMatchObject({ status: 6, written: 0 });
});

test("a refusal of the hash prints no hash of a plan that needs consent, and names the flags that may be the cause", async () => {
  const file = await start();
  const hash = hashIn(await run("plan", file, "--allow-delete", box("p"), "--rotate", box("q"))) ?? "";
  const without = await approve(file, hash);
  expect(without).toMatchObject({ status: 6, written: 0 });
  expect(without.said).toContain(
    "pass the same flags to apply: --only, --except, --rotate, if the plan was made with them",
  );
  expect(without.said.replaceAll(hash, "")).not.toContain("sha256:");
  const other = await approve(file, hash, "--rotate", box("r"));
  expect(other).toMatchObject({ status: 6, written: 0 });
  expect(other.said).toContain("the plan must have been made with the same --rotate");
  const same = await approve(file, hash, "--rotate", box("q"));
  expect(same, same.said).toMatchObject({ status: 0, written: 2 });
});
