import { spawnSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { folderForTest } from "../support/temporary-folder.ts";

const built = (name: string) => fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));

test("without libsql the service says how to install it", () => {
  const folder = folderForTest();
  for (const name of ["emulator", "lib"]) cpSync(built(name), join(folder, name), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "data.db"), "");
  const script = `
    const { readOperations } = await import("./emulator/index.js");
    try { [...readOperations("data.db")]; } catch (error) { console.log(JSON.stringify([error.name, error.message, error.hint])); }
  `;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: folder,
    encoding: "utf8",
  });
  const [name, message, hint] = JSON.parse(stdout) as string[];
  expect(name).toBe("EmulatorError");
  expect(message).toContain("libsql");
  expect(hint).toContain("npm install libsql@0.5.29");
});
