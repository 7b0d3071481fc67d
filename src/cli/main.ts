import { setImmediate } from "node:timers/promises";
import { readStream } from "../lib/read-file.ts";
import { inWords } from "../lib/system-words.ts";
import type { OuterIo } from "./io.ts";
import { nodeHost } from "../engine/session/node-host.ts";
import { columnsToErase } from "./status-line.ts";
import { runCommandLine } from "./command-line.ts";

/** Returns the process as commands see it: what they take from it and print to it goes through this, so that tests give them another one. */
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
  const { createInterface } = await import("node:readline/promises");
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

/** Milliseconds for which lines are gathered after a write: a person does not notice, and an apply prints hundreds of lines a second. */
const gatherFor = 30;

type Stream = Pick<NodeJS.WriteStream, "write" | "on" | "isTTY">;

interface Entry {
  readonly write: (text: string) => void;
  text: string;
}

/**
 * Returns writers to two streams, of which the texts are written in the order in which they came. A text to a terminal, and the first after
 * a pause, is written at once; others are gathered. `flush` writes at once all that was gathered: to be called when the process ends.
 */
export function streamWriters(out: Stream, error: Stream, now: () => number) {
  let waiting: Entry[] = [];
  let timer: NodeJS.Timeout | undefined;
  let last = Number.NEGATIVE_INFINITY;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    last = now();
    const entries = waiting;
    waiting = [];
    for (const { write, text } of entries) write(text);
  };
  const gather = (stream: Stream, write: Entry["write"]) => (text: string) => {
    const previous = waiting.at(-1);
    if (previous?.write === write) previous.text += text;
    else waiting.push({ write, text });
    if (stream.isTTY || now() - last >= gatherFor) flush();
    // The end of the process writes the rest, and does not wait for it.
    else timer ??= setTimeout(flush, gatherFor).unref();
  };
  return {
    write: gather(out, writerTo(out, error)),
    writeError: gather(error, writerTo(error, out)),
    flush,
  };
}

/**
 * Writes to a stream for as long as someone reads it. A reader that has gone (`| head`) must not end an apply in its middle; a disk
 * that is full is said once, on the other stream.
 */
function writerTo(stream: Stream, other: Stream): (text: string) => void {
  let open = true;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // EIO: the terminal was closed.
    if (open && error.code !== "EPIPE" && error.code !== "EIO") {
      process.exitCode = 1;
      other.write(`The output cannot be written: ${(inWords(error) as Error).message}\n`);
    }
    open = false;
  });
  return (text) => {
    if (open) stream.write(text);
  };
}
