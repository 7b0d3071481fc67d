import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { memoryFolder } from "./memory-folder.ts";

/**
 * Names the folder in which the first test that needs PostgreSQL starts it. After all tests ends it by its process id, and removes the folder
 * of all of them.
 */
export function setup(project: { readonly config: { readonly env: { readonly TMPDIR?: string } } }): () => void {
  const folder = project.config.env.TMPDIR ?? memoryFolder().TMPDIR;
  process.env["HOSTFORM_TEST_POSTGRES"] = join(folder, "postgres");
  return () => {
    const pidFile = join(folder, "postgres/data/postmaster.pid");
    // At once: it writes nothing that anybody reads.
    if (existsSync(pidFile)) process.kill(Number(readFileSync(pidFile, "utf8").split("\n")[0]), "SIGQUIT");
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
}
