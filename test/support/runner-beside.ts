import { existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { OuterIo } from "../../src/cli/io.ts";
import { recordsIn } from "./sealed-lines.ts";

/** Stands for a process of the machine on which another was killed. That wrote its mark, a path, into its lock. */
export function runnerBeside(lock: string): OuterIo["runner"] {
  const written = existsSync(lock) ? recordsIn(readFileSync(lock, "utf8"))[0]?.["process"] : undefined;
  const mark = typeof written === "string" ? written : "";
  return {
    user: "tester",
    host: hostname(),
    pid: process.pid,
    processMark: (pid) => (pid === process.pid ? mark : undefined),
  };
}
