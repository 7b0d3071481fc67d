import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { size } from "../proofs/size.ts";

/** A plan file that is applied again, after somebody has made anew what it deleted. */
const account = accountForFile({ seed: { domain: [{ name: "a.example", status: "active", expires_at: null }] } });
let here: string;
beforeEach(() => (here = process.cwd()));
afterEach(() => process.chdir(here));

const secrets = { PW: "correct horse battery" };
const run = async (...args: string[]) => {
  const { status, stdout, stderr } = await runInProcess(account, args, secrets);
  return { status, said: stdout + stderr };
};
const deletions = async () => (await account.operations()).filter(({ method }) => method === "DELETE").length;
const makeAlias = async () => {
  const alias = { address: "s1@a.example", destinations: ["boss@x.example"], keep_copy: false };
  await account.create("/mail/aliases", alias);
};

const aliases = (...names: string[]) =>
  names.map((name) => `${name}: { destinations: [boss@x.example], keep_copy: false }`).join(", ");
const manifest = (...names: string[]) =>
  `version: 1\nname: replay\ndomains: { a.example: {} }\nmail: { a.example: { aliases: { ${aliases(...names)} } } }\n`;

function writeTo(folder: string, text: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@t.test", ...args]);
  writeFileSync(join(folder, "m.yaml"), text);
  git("add", "m.yaml");
  git("commit", "--quiet", "--message", "change");
}

/** A repository whose manifest has had two aliases, and from which one was taken out. */
let begun: string;
let putBack: () => void;
beforeAll(async () => {
  begun = join(account.folder, "begun");
  execFileSync("git", ["init", "--quiet", begun]);
  writeTo(begun, manifest("s1", "s2"));
  exits(0, await run("apply", "-f", join(begun, "m.yaml"), "--auto-approve"));
  writeTo(begun, manifest("s2"));
  putBack = account.mirror.keep();
});

/** That repository and its account as new, with its plan in a file. */
async function openCheckout(place: (folder: string) => string) {
  putBack();
  const folder = mkdtempSync(join(account.folder, "checkout-"));
  cpSync(begun, folder, { recursive: true });
  const file = join(folder, "m.yaml");
  const plan = place(folder);
  expect(await run("plan", "-f", file, "--out", plan)).toMatchObject({ status: 0 });
  return { folder, file, plan, write: (text: string) => writeTo(folder, text) };
}

type Place = readonly [where: string, place: (folder: string) => string];
const places: readonly [Place, Place] = [
  ["in the repository", (folder) => join(folder, "plan.json")],
  ["outside the repository, applied in it", () => join(mkdtempSync(join(account.folder, "artifacts-")), "plan.json")],
];

describe.each(size.every(6, places))("a plan file %s", (_, place) => {
  test("is carried out once: what it deleted is not ours, and what is made there later is not deleted by anything", async () => {
    const { folder, file, plan } = await openCheckout(place);
    process.chdir(folder);
    expect(await run("apply", plan)).toMatchObject({ status: 0 });
    expect((await run("inventory", "-f", file)).said).not.toContain("s1@a.example");
    const before = await deletions();
    await makeAlias();
    const again = exits(6, await run("apply", plan));
    expect(again.said).toContain("mail_alias/s1@a.example has moved since the plan was made: there is another object");
    const { hash } = JSON.parse(readFileSync(plan, "utf8")) as { hash: string };
    expect(await run("apply", plan, "--approve", hash)).toMatchObject({ status: 6 });
    expect(await run("apply", "-f", file, "--auto-approve")).toMatchObject({ status: 0 });
    expect(await deletions()).toBe(before);
  });
});

test("a plan that deletes what is ours is refused where no inventory is open, or none that can be read, and is applied with --inventory", async () => {
  const inventory = join(account.folder, "ours.json");
  const elsewhere = (...names: string[]) => manifest(...names).replace("replay", "elsewhere");
  const file = account.write("e.yaml", elsewhere("s3", "s4"));
  expect(await run("apply", "-f", file, "--inventory", inventory, "--auto-approve")).toMatchObject({ status: 0 });
  account.write("e.yaml", elsewhere("s4"));
  const plan = join(account.folder, "elsewhere.json");
  expect(await run("plan", "-f", file, "--inventory", inventory, "--out", plan)).toMatchObject({ status: 0 });
  process.chdir(account.folder);
  const damaged = account.write("damaged.json", "{");
  const unread = exits(6, await run("apply", plan, "--inventory", damaged));
  expect(unread.said).toContain("undeclared resources are not deleted until the inventory is readable again");
  const refused = exits(6, await run("apply", plan));
  expect(refused.said).toContain("pass --inventory FILE");
  expect(await run("apply", plan, "--inventory", inventory)).toMatchObject({ status: 0 });
});

test("a plan file does not delete what was forgotten since, nor anything where another repository has no inventory of it", async () => {
  const { folder, file, plan } = await openCheckout((place) => join(place, "plan.json"));
  const before = await deletions();
  const other = mkdtempSync(join(account.folder, "other-"));
  execFileSync("git", ["-C", other, "init", "--quiet"]);
  process.chdir(other);
  const outside = join(other, "plan.json");
  copyFileSync(plan, outside);
  const elsewhere = exits(6, await run("apply", outside));
  process.chdir(folder);
  exits(0, await run("inventory", "-f", file, "--forget", "mail_alias/s1@a.example"));
  const forgotten = exits(6, await run("apply", plan));
  for (const { said } of [elsewhere, forgotten])
    expect(said).toContain("and does not name now, such as mail_alias/s1@a.example");
  expect(await deletions()).toBe(before);
  exits(0, await run("inventory", "-f", file, "--adopt", "mail_alias/s1@a.example"));
  exits(0, await run("apply", plan));
  expect(await deletions()).toBe(before + 1);
});

describe("a plan file whose commit is older than that of the last apply", () => {
  test.each([
    ["declares", manifest("s1", "s2", "s3")],
    ["ignores", manifest("s2", "s3").replace("{ aliases:", "{ ignore: [s1], aliases:")],
  ])("deletes nothing that the newer manifest %s, unless --rollback says that it is meant", async (_, newer) => {
    const { folder, file, plan, write } = await openCheckout((place) => join(place, "plan.json"));
    write(newer);
    exits(0, await run("apply", "-f", file, "--auto-approve"));
    const before = await deletions();
    process.chdir(folder);
    const { said } = exits(6, await run("apply", plan));
    expect(said).toContain("a newer commit than that of this plan: plan again");
    expect(await deletions()).toBe(before);
    exits(0, await run("apply", plan, "--rollback"));
    expect(await deletions()).toBe(before + 1);
  });

  test("deletes what the newer manifest does not declare either", async () => {
    const { folder, file, plan, write } = await openCheckout((place) => join(place, "plan.json"));
    write(manifest("s2", "s3"));
    exits(0, await run("apply", "-f", file, "--auto-approve", "--except", "mail_alias/s1@a.example"));
    const before = await deletions();
    process.chdir(folder);
    exits(0, await run("apply", plan));
    expect(await deletions()).toBe(before + 1);
  });
});

const [, [, outside]] = places;
test.runIf(size.whole)(
  "a plan of --only outside the repository, applied in it, takes what it deletes out of the inventory",
  async () => {
    const { folder, file, plan } = await openCheckout(outside);
    process.chdir(folder);
    const only = ["--only", "mail_alias/s1@a.example"];
    expect(await run("plan", "-f", file, "--out", plan, ...only)).toMatchObject({ status: 0 });
    exits(0, await run("apply", plan));
    expect((await run("inventory", "-f", file)).said).not.toContain("s1@a.example");
  },
);

test.runIf(size.whole)("an undo outside the repository, applied in it, makes ours what it brings back", async () => {
  const { folder, file, plan } = await openCheckout(outside);
  process.chdir(folder);
  expect(await run("plan", "-f", file, "--undo-out", plan)).toMatchObject({ status: 0 });
  expect(await run("apply", "-f", file, "--auto-approve")).toMatchObject({ status: 0 });
  exits(0, await run("apply", plan));
  expect((await run("inventory", "-f", file)).said).toContain("s1@a.example");
});
