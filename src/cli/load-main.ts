import { openCache, type Cache } from "../cache/cache.ts";
import { buildMark } from "../engine/version.ts";
import { loadCode, packCode, unpackCode } from "./load-code.ts";
import type * as Main from "./main.ts";

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
  const store = argv.includes("--no-cache") ? undefined : openStore(word);
  const { exports, compiled } = loadCode<typeof Main>(folder, "main.cjs", store?.read() ?? new Map());
  process.once("beforeExit", () => {
    const code = store && compiled();
    if (code) store.keep(packCode(code));
  });
  return exports.main;
}

/**
 * Keeps V8 from optimising WebAssembly: the first answers that undici reads make it optimise their parser, a single function so large that
 * this takes 80 ms and 35 MB, and over thousands of answers the parser is no faster for it. Also makes V8 look for garbage each time the
 * heap has grown by 50 %: by itself it waits until a large plan has grown to the triple, which saves it next to no time. In a
 * plan it runs a function several times as long as by itself before it optimises that: compiling was a third of the CPU time of a plan of
 * 10,000 records; and room for new objects grows by four instead of two, since looking through it often was a thirtieth. Commands that run for longer, such as the embedded service, would lose a fifth of their speed by it.
 */
function tuneV8(word: string): void {
  // Later V8 may not know these flags, and say so.
  if (Number.parseInt(process.versions.node, 10) > 24) return;
  // Loading that module takes 2 ms.
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  const flags = [
    "--no-wasm-tier-up",
    "--no-wasm-dynamic-tiering",
    "--heap-growing-percent=50",
    ...(word === "plan" ? ["--interrupt-budget=800000", "--semi-space-growth-factor=4"] : []),
  ];
  for (const flag of flags) setFlagsFromString(flag);
}

function openStore(word: string) {
  const { env, execArgv } = process;
  const uid = process.getuid?.();
  const cache: Cache | undefined = openCache(env, uid);
  const parts = [/^[a-z]{2,12}$/u.test(word) ? word : "", buildMark(), env["NODE_OPTIONS"] ?? "", ...execArgv];
  return (
    cache && {
      read: () => {
        const bytes = cache.read("code", parts);
        return bytes && unpackCode(bytes);
      },
      keep: (code: Uint8Array) => cache.keep("code", parts, code),
    }
  );
}
