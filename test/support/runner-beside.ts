import { existsSync, readdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { OuterIo } from "../../src/cli/io.ts";

/** Stands for a process of the machine on which another was killed. That wrote its mark, a path, into its lock. */
export function runnerBeside(lock: string): OuterIo["runner"] {
  const [text = "{}"] = existsSync(lock) ? textsIn(lock) : [];
  const written = (JSON.parse(text) as Record<string, unknown>)["process"];
  const mark = typeof written === "string" ? written : "";
  return {
    user: "tester",
    host: hostname(),
    pid: process.pid,
    processMark: (pid) => (pid === process.pid ? mark : undefined),
  };
}

/** Returns the contents of a lock. */
const textsIn = (lock: string): string[] =>
  readdirSync(lock, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .map((name) => readFileSync(join(lock, name), "utf8"));
