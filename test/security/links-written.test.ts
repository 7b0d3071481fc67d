import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { noAccount, runHostform, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";
import { size } from "../proofs/size.ts";

const before = process.cwd();
let place: string;
const at = (name: string) => join(place, name);
beforeEach(() => {
  place = folderForTest();
  for (const name of ["repository/hosting", "home/.ssh"]) mkdirSync(at(name), { recursive: true });
  const manifest = "version: 1\nname: t\nservices: { a.example: { plan: WEB-M, datacenter: MAD1 } }\n";
  writeFileSync(at("repository/hosting/m.yaml"), manifest);
  writeFileSync(at("home/m.yaml"), manifest.replace("a.example", "b.example").replace("name: t\n", ""));
  writeFileSync(at("home/.ssh/config"), "Host *\n");
  process.chdir(at("repository"));
});
afterEach(() => process.chdir(before));

/** Everything in the folder of a user, to which links of a repository lead. */
const home = () =>
  readdirSync(at("home"), { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() ? `${path}: ${readFileSync(path, "utf8")}` : path;
    })
    .toSorted();

function link(name: string, target: string): void {
  mkdirSync(dirname(at(`repository/${name}`)), { recursive: true });
  symlinkSync(target, at(`repository/${name}`));
}

const data = ["--emulator-data", "../service.db"];
const cases: readonly (readonly [name: string, target: string, args: readonly string[]])[] = [
  [".hostform", "../home/.ssh", ["apply", ...data, "--auto-approve"]],
  [".hostform", "../home/absent", ["apply", ...data, "--auto-approve"]],
  [".hostform", "hosting", ["apply", ...data, "--auto-approve"]],
  ["plan.json", "../home/.ssh/config", ["plan", ...data, "--out", "plan.json"]],
  ["plan.json", "../home/.ssh/absent", ["plan", ...data, "--out", "plan.json"]],
  ["plans", "../home/.ssh", ["plan", ...data, "--out", "plans/new.json"]],
  ["deep/plans", "../../home/.ssh", ["plan", ...data, "--out", "deep/plans/new.json"]],
  ["plans", "../home/.ssh", ["plan", ...data, "--undo-out", "plans/new.json"]],
  ["plans", "../home/.ssh", ["plan", ...data, "--html", "plans/new.html"]],
  ["live", "../home/.ssh", ["snapshot", ...data, "--out", "live/new.json"]],
  ["live.json", "../home/.ssh/absent", ["snapshot", ...data, "--out", "live.json"]],
  ["state", "../home/.ssh", ["apply", ...data, "--auto-approve", "--journal", "state/new.journal"]],
  ["inventory.json", "../home/.ssh/config", ["apply", ...data, "--auto-approve", "--inventory", "inventory.json"]],
  ["inventory.json", "../home/.ssh/absent", ["apply", ...data, "--auto-approve", "--inventory", "inventory.json"]],
  ["state", "../home/.ssh", ["apply", ...data, "--auto-approve", "--inventory", "state/new.json"]],
  ["new", "../home/.ssh", ["import", "new/hosting", ...data]],
  ["new", "../home/absent", ["import", "new", ...data]],
  ["hosting/b.yaml", "../../home/m.yaml", ["import", "--into", "hosting", ...data]],
  ["other", "../home", ["import", "--into", "other", ...data]],
  [".github", "../home/.ssh", ["init", "new", "--domain", "a.example"]],
  [".gitignore", "../home/.ssh/config", ["init", "new", "--domain", "a.example"]],
  ["service.db", "../home/.ssh/absent", ["plan", "--emulator-data", "service.db"]],
  ["store", "../home/.ssh", ["plan", "--emulator-data", "store/service.db"]],
  ["service.db-wal", "../home/.ssh/config", ["plan", "--emulator-data", "service.db"]],
];

describe("nothing is written through a link of a repository that leads out of it", () => {
  test.each(size.every(9, cases))("%s -> %s: %j", async (name, target, args) => {
    link(name, target);
    const homeBefore = home();
    const inHosting = readdirSync(at("repository/hosting")).toSorted();
    const ran = await runInProcess(noAccount, args);
    expect(home()).toEqual(homeBefore);
    expect(readdirSync(at("repository/hosting")).toSorted()).toEqual(inHosting);
    expect(ran.stderr).not.toMatch(/This is a bug/u);
    expect(ran).toMatchObject({ status: 3, stderr: expect.stringMatching(/link|exists and is not a saved plan/u) });
  });

  test("but in the folders of the user, whatever links lead there", async () => {
    symlinkSync(at("home/.ssh"), at("linked"));
    const ran = await runHostform(["plan", ...data, "--out", join(at("linked"), "deep", "..", "new.json")], {
      cwd: at("repository"),
    });
    expect(ran.status).toBe(0);
  });
});
