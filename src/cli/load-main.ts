import { loadCode } from "./load-code.ts";
import type * as Main from "./main.ts";
import { tuneV8 } from "./tune-v8.ts";

/** Commands that send no requests. */
const offline = new Set(["validate", "render", "show", "export", "completion"]);

/**
 * Loads the rest of the program from its folder, with the code that V8 compiled in an earlier run of the command. When the process has
 * nothing left to do, it keeps what was compiled in this run: that takes 10 ms, and the next run of a small plan a quarter less time.
 */
export function loadMain(folder: string, argv: readonly string[]): typeof Main.main {
  const [word = ""] = argv;
  // Compiled code is of use only under the flags that V8 had when it was kept.
  if (!offline.has(word)) tuneV8(word);
  return loadCode<typeof Main>(folder, "main.cjs", new Map()).exports.main;
}
