import { size } from "../proofs/size.ts";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";

const before = process.cwd();
let place: string;
beforeEach(() => {
  place = folderForTest();
  process.chdir(place);
  for (const name of ["r/.git", "r/hosting", "r/sub", "other", "home/clone/.git", "home/clone/sub"])
    mkdirSync(name, { recursive: true });
  writeFileSync("m.yaml", "version: 1\nname: t\nservices: { a.example: { plan: WEB-M, datacenter: MAD1 } }\n");
  writeFileSync("z.zone", "$ORIGIN a.example.\n@ 60 IN A 192.0.2.1\n");
});
afterEach(() => process.chdir(before));

/** Links in the repository `r`, where they lead, and a folder below them. */
const layouts: readonly (readonly [link: string, target: string, below: string])[] = [
  ["r/cl", "home", "new"],
  ["r/cl", "home/clone", "new"],
  ["r/cl", "home/clone/sub", "new"],
  ["r/cl", "home", "clone/new"],
  ["r/cl", "home", "clone/sub/new"],
  ["r/sub/cl", "home/clone", "sub/new"],
  ["r/cl", "home/absent", "new"],
];
const places = ["r", "r/sub", "other", "home/clone"];
const data = (from: string) => ["--emulator-data", join(from, "service.db")];
/** Commands that write, with the path that each writes to. */
const commands: readonly ((to: string, from: string) => readonly string[])[] = [
  (to) => ["import", to, "--emulator"],
  (to, from) => ["import", to, "--from", "zone-file", join(from, "z.zone")],
  (to) => ["init", to, "--domain", "a.example"],
  (to, from) => ["plan", "-f", join(from, "m.yaml"), "--emulator", "--out", `${to}.json`],
  (to, from) => ["plan", "-f", join(from, "m.yaml"), "--emulator", "--undo-out", `${to}.json`],
  (to, from) => ["plan", "-f", join(from, "m.yaml"), "--emulator", "--html", `${to}.html`],
  (to) => ["snapshot", "--emulator", "--out", `${to}.json`],
  (to, from) => ["apply", "-f", join(from, "m.yaml"), ...data(from), "--auto-approve", "--journal", `${to}.journal`],
  (to, from) => ["apply", "-f", join(from, "m.yaml"), ...data(from), "--auto-approve", "--inventory", `${to}.json`],
  (to, from) => ["plan", "-f", join(from, "m.yaml"), "--emulator-data", `${to}.db`],
];

const files = () =>
  readdirSync("home", { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    // The state folder of the working folder.
    .filter((path) => !path.includes(".hostform"))
    .toSorted();

const cases = layouts.flatMap(([link, target, below], layout) =>
  places.flatMap((cwd, where) =>
    // Each layout meets each command from two of the working folders.
    commands.flatMap((command, at) =>
      (layout + where + at) % 2 === 0 ? [{ link, target, below, cwd, command, at }] : [],
    ),
  ),
);

test.each(size.every(15, cases))(
  "nothing is written through $link -> $target by $below, from $cwd, by command $at",
  async ({ link, target, below, cwd, command }) => {
    symlinkSync(relative(dirname(link), target), link);
    const there = files();
    process.chdir(cwd);
    const path = (to: string) => relative(".", join(place, to));
    const ran = await runInProcess(noAccount, command(path(join(link, below)), path("")));
    process.chdir(place);
    expect(files(), ran.stdout).toEqual(there);
    expect(ran).toMatchObject({ status: 3, stderr: expect.stringContaining("link") });
    expect(readFileSync("m.yaml", "utf8")).toContain("name: t");
  },
);

test("a link outside of all repositories is that of the user", async () => {
  symlinkSync("home/clone", "mine");
  const ran = await runInProcess(noAccount, ["import", "mine/new", "--from", "zone-file", "z.zone"]);
  expect([ran.status, ran.stderr]).toEqual([0, ""]);
});
