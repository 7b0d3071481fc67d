import { createInterface } from "node:readline/promises";
import { setImmediate } from "node:timers/promises";
import { readStream } from "../lib/read-file.ts";
import type { OuterIo } from "./io.ts";
import { nodeHost } from "../engine/node-host.ts";
import { columnsToErase } from "./status-line.ts";
import { streamWriters } from "./stream-writer.ts";
import { runCommandLine } from "./command-line.ts";

/** The only reader of `process`: everything else is given what it needs. */
function processIo(argv: readonly string[], onInterrupt: OuterIo["onInterrupt"]): OuterIo {
  // Standard input is opened when it is first looked at.
  const interactive = process.stdout.isTTY && process.stdin.isTTY;
  // Node loads what `performance` needs when it is first looked at.
  const { write, writeError, flush } = streamWriters(process.stdout, process.stderr, () => 1000 * process.uptime());
  process.on("beforeExit", flush);
  process.on("exit", flush);
  return {
    env: process.env,
    write,
    writeError,
    readStdin: async (maxBytes) => readStream(process.stdin, maxBytes),
    interactive,
    color: !argv.includes("--no-color") && isColorWanted(process.env, process.stdout.isTTY),
    width: lineWidth(process.env, process.stdout.columns),
    errorWidth: process.stderr.isTTY ? lineWidth(process.env, process.stderr.columns) : undefined,
    columnsToErase: () => columnsToErase(process),
    ask,
    onInterrupt,
    ...nodeHost(),
    crash: () => {
      flush();
      process.kill(process.pid, "SIGKILL");
    },
  };
}

/** Returns whether to use colours: FORCE_COLOR decides (`0` and `false` switch them off), then NO_COLOR, then the terminal. As Node does. */
function isColorWanted(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  const forced = env["FORCE_COLOR"] ?? "";
  if (forced !== "") return forced !== "0" && forced !== "false";
  return isTerminal && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

/** Returns the characters of a line: COLUMNS decides, then the terminal; a file has 100. Narrower than 40, words would stand alone. */
function lineWidth({ COLUMNS = "" }: NodeJS.ProcessEnv, columns: number | undefined): number {
  const given = /^[1-9]\d{0,4}$/u.test(COLUMNS) ? Number(COLUMNS) : columns;
  return given === undefined || given === 0 ? 100 : Math.max(40, given);
}

/** Ctrl-C and a stop answer undefined, the end of the input (Ctrl-D) nothing. */
async function ask(question: string, stop: AbortSignal): Promise<string | undefined> {
  if (stop.aborted) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await new Promise((resolve, reject) => {
      terminal.once("SIGINT", () => resolve(undefined));
      stop.addEventListener("abort", () => resolve(undefined), { once: true });
      terminal.once("close", () => resolve(""));
      terminal.question(question).then(resolve, reject);
    });
  } finally {
    terminal.close();
  }
}

/** Runs the command line of this process. */
export async function main(onInterrupt: OuterIo["onInterrupt"]): Promise<void> {
  const argv = process.argv.slice(2);
  const status = await runCommandLine(argv, processIo(argv, onInterrupt));
  // A signal that came meanwhile ends the process.
  await setImmediate();
  process.exitCode ??= status;
}
