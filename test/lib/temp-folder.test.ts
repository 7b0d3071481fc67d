import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { makeTempFolder } from "../../src/lib/temp-folder.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const parent = folderForFile();

const module_ = new URL("../../dist/lib/temp-folder.js", import.meta.url).href;

/** Another process that has made a folder, and lives on until it is killed. */
async function otherProcess(use: string) {
  const code = `import(${JSON.stringify(module_)}).then(({ makeTempFolder }) => {
    process.stdout.write(makeTempFolder(${JSON.stringify(use)}, ${JSON.stringify(parent)}));
    setInterval(() => {}, 1000);
  });`;
  const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  const [folder] = (await once(child.stdout, "data")) as [Buffer];
  const kill = async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { folder: folder.toString(), kill };
}

test.each(["hostform-git", "hostform-emulator", ".hostform-new"] as const)(
  "the folder of a killed run is removed by the next: %s",
  async (use) => {
    const other = await otherProcess(use);
    mkdirSync(join(other.folder, "objects"));
    writeFileSync(join(other.folder, "objects", "x"), "x");
    const own = makeTempFolder("hostform-git", parent);
    expect(existsSync(other.folder)).toBe(true);
    await other.kill();
    const next = makeTempFolder("hostform-emulator", parent);
    expect([other.folder, own, next].map((folder) => existsSync(folder))).toEqual([false, true, true]);
  },
);

test("nothing else is removed: of another machine, of another name, or a link", () => {
  const dead = String(spawnSync(process.execPath, ["-e", ""]).pid);
  const own = basename(makeTempFolder("hostform-git", parent));
  const [, , machine = ""] = own.split("-");
  const outside = join(parent, "outside");
  mkdirSync(outside);
  const kept = [
    `hostform-git-00000000-${dead}-abcdef`,
    `hostform-git-${machine}-${dead}-abcdef.d`,
    `hostform-other-${machine}-${dead}-abcdef`,
    `hostform-git-${machine}-0-abcdef`,
  ].map((name) => join(parent, name));
  for (const path of kept) mkdirSync(path, { mode: 0o700 });
  const open = join(parent, `hostform-git-${machine}-${dead}-opened`);
  mkdirSync(open, { mode: 0o777 });
  const link = join(parent, `hostform-git-${machine}-${dead}-linked`);
  symlinkSync(outside, link);
  const gone = join(parent, `hostform-git-${machine}-${dead}-gone12`);
  mkdirSync(gone, { mode: 0o700 });
  makeTempFolder("hostform-git", parent);
  for (const path of [...kept, outside, open, link]) expect(existsSync(path), path).toBe(true);
  expect(existsSync(gone)).toBe(false);
});
