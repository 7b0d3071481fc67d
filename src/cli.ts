#!/usr/bin/env node
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Io } from "./commands/io.ts";
import { runCommandLine } from "./commands/command-line.ts";

/** The only reader of `process`: everything else is given what it needs. */
function processIo(argv: readonly string[]): Io {
  const interactive = process.stdin.isTTY && process.stdout.isTTY;
  const noColor =
    (process.env["NO_COLOR"] ?? "") !== "" || argv.includes("--no-color") || process.env["TERM"] === "dumb";
  return {
    env: process.env,
    write: (text) => process.stdout.write(text),
    writeError: (text) => process.stderr.write(text),
    readStdin: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    },
    interactive,
    color: process.stdout.isTTY && !noColor,
    ask: async (question) => {
      const terminal = createInterface({ input: process.stdin, output: process.stdout });
      try {
        return await terminal.question(question);
      } finally {
        terminal.close();
      }
    },
    onInterrupt,
    now: Date.now,
    random: Math.random,
    sleep: async (milliseconds) => {
      await sleep(milliseconds);
    },
    every: (milliseconds, handler) => {
      const timer = setInterval(handler, milliseconds);
      return () => clearInterval(timer);
    },
    newId: randomUUID,
  };
}

const interruptedStatus = 130;

function onInterrupt(handler: () => void): void {
  let seen = 0;
  const onSignal = () => {
    seen += 1;
    if (seen > 1) process.exit(interruptedStatus);
    handler();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
}

// A reader that has gone (`| head`) is no error of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

const argv = process.argv.slice(2);
process.exitCode = await runCommandLine(argv, processIo(argv));
