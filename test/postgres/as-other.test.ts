import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asOther } from "../../src/postgres/embedded.ts";
import { folderForTest } from "../support/temporary-folder.ts";

test("PostgreSQL started by root is another user, and may run its programs in a folder that only root may enter", () => {
  const folder = join(folderForTest(), "closed");
  mkdirSync(folder);
  const program = join(folder, "program");
  copyFileSync("/bin/true", program);
  chmodSync(folder, 0o700);
  // Node asks as PostgreSQL does; the shell asks in another way.
  const script = "fs.accessSync(process.argv[1], fs.constants.X_OK); process.stdout.write(String(process.getuid()))";
  const [command, ...args] = [...asOther(), process.execPath, "-e", script, program];
  const user = execFileSync(command, args, { encoding: "utf8" });
  expect(user).toBe(process.getuid?.() === 0 ? "65534" : String(process.getuid?.()));
});
