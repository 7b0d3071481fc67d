import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryFolder } from "./memory-folder.ts";

/** Names the folder in which the first test that needs PostgreSQL starts it, and ends it after all tests by its process id. */
export function setup(): () => void {
  const folder = mkdtempSync(join(memoryFolder().TMPDIR ?? tmpdir(), "hostform-tests-"));
  process.env["HOSTFORM_TEST_POSTGRES"] = join(folder, "postgres");
  return () => {
    const pidFile = join(folder, "postgres/data/postmaster.pid");
    // At once: it writes nothing that anybody reads.
    if (existsSync(pidFile)) process.kill(Number(readFileSync(pidFile, "utf8").split("\n")[0]), "SIGQUIT");
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
}
