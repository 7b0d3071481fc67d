import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { type Emulator, type EmulatorOptions, readSpelling } from "../../emulator/index.ts";
import { loadNamedContract } from "../../engine/session/choose-target.ts";
import type { Ending } from "../../engine/session/host.ts";
import { badArguments, inputError, orMistake } from "../../engine/session/input-error.ts";
import { quoted, escapeJson } from "../../lib/escape.ts";
import { harmless } from "../../lib/shorten.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { readNamedText } from "../../lib/read-file.ts";
import type { Io } from "../io.ts";
import { printer } from "../printer.ts";
import { versionEvent } from "../../render/json-events.ts";
import { readFaults } from "../read-faults.ts";

/** The flags of `hostform emulator`. */
interface EmulatorCommandOptions extends Pick<
  EmulatorOptions,
  "host" | "port" | "key" | "perPageMax" | "namePrefix" | "lax" | "spelling" | "contract"
> {
  readonly data?: string | undefined;
  /** Milliseconds. */
  readonly latency?: number | undefined;
  /** Such as `600/min`. */
  readonly rateLimit?: string | undefined;
  /** Milliseconds. */
  readonly async?: number | undefined;
  readonly seed?: string | undefined;
  readonly fault?: string | undefined;
  readonly json: boolean;
}

/** Serves the hosting API until it is interrupted. */
export async function emulator(options: EmulatorCommandOptions, io: Io): Promise<Ending> {
  if (options.contract !== undefined) {
    const { contract, diagnostics } = await loadNamedContract(options.contract, "given with --contract");
    printer(io, options)({ type: "diagnostics", diagnostics });
    if (!contract) return "wrong_input";
  }
  const running = await start(options, io);
  const lines = [
    `Listening on ${running.baseUrl}`,
    ...(isLoopback(running.address) ? [] : [openTo(running)]),
    `CA file      ${running.caFile}`,
    `API key      ${running.keySource}`,
    "In another terminal:",
    `  export ${exportsOf(running).join(" ")}`,
    "Ctrl-C ends it.",
  ];
  if (options.json) {
    io.writeEvent(versionEvent());
    io.writeEvent({
      type: "ready",
      message: lines.join("\n"),
      base_url: running.baseUrl,
      ca_file: running.caFile,
      key_source: running.keySource,
      key_file: running.keyFile ?? null,
    });
  } else io.write(`${lines.map(harmless).join("\n")}\n`);
  await new Promise<void>((end) => io.onInterrupt(end));
  await running.close();
  return "done";
}

const isLoopback = (address: string) => address === "::1" || address.startsWith("127.");

const openTo = ({ address }: Emulator): string =>
  address === "0.0.0.0" || address === "::"
    ? `Warning      every network of this machine can reach it (--host ${address}); its certificate holds for this machine alone: name one address with --host to call it from elsewhere`
    : `Warning      the network of ${address} can reach it; whoever has the key can change what it holds`;

/** Returns the settings that lead another process here, as a shell takes them. A key that was given stands in no file. */
const exportsOf = ({ baseUrl, caFile, keyFile }: Emulator): string[] => [
  `HOSTFORM_BASE_URL=${quoted(baseUrl)}`,
  `HOSTFORM_CA_FILE=${quoted(resolve(caFile))}`,
  ...(keyFile === undefined ? [] : [`HOSTFORM_KEY_FILE=${quoted(resolve(keyFile))}`]),
];

async function start(options: EmulatorCommandOptions, io: Io): Promise<Emulator> {
  const { FaultRulesError, startEmulator } = await import("../../emulator/index.ts");
  const faults = options.fault === undefined ? undefined : readFaults(options.fault);
  const deps = { now: io.now, random: randomBytes, exit: io.crash };
  try {
    return await startEmulator({ ...toEmulatorOptions(options), faults: faults?.rules }, deps);
  } catch (error) {
    throw faults !== undefined && error instanceof FaultRulesError ? faults.mistakes(error.errors) : error;
  }
}

function toEmulatorOptions(options: EmulatorCommandOptions): EmulatorOptions {
  const { data, latency, rateLimit, async: asyncMs, spelling, seed } = options;
  return {
    ...options,
    dataFile: data,
    latencyMs: latency,
    rateLimitPerMinute: rateLimit === undefined ? undefined : readRateLimit(rateLimit),
    asyncMs,
    spelling: spelling === undefined ? undefined : checkSpelling(spelling),
    seed: seed === undefined ? undefined : readSeed(seed),
  };
}

function readRateLimit(text: string): number {
  const [, count] = /^(\d+)(?:\/min)?$/u.exec(text) ?? [];
  if (count === undefined || Number(count) === 0)
    throw badArguments(`--rate-limit ${text}: expected requests a minute`, "write it as 600/min");
  return Number(count);
}

function checkSpelling(list: string): string {
  const read = readSpelling(list);
  if ("problem" in read) throw badArguments(`--spelling ${list}: ${read.problem}`, read.hint);
  return list;
}

/** Prints the audit log of a data file, one operation a line; in text below a line with the names of the columns. */
export async function emulatorLog(
  { data, json }: { readonly data: string; readonly json: boolean },
  io: Io,
): Promise<Ending> {
  const { readOperations } = await import("../../emulator/index.ts");
  let isFirst = true;
  for (const operation of readOperations(data)) {
    if (isFirst && !json) io.write(lineOf(Object.keys(operation).map((name) => name.toUpperCase())));
    isFirst = false;
    io.write(json ? `${escapeJson(JSON.stringify(operation))}\n` : lineOf(Object.values(operation).map(textOf)));
  }
  return "done";
}

const lineOf = (columns: readonly string[]): string => `${columns.join("  ")}\n`;

const textOf = (value: string | number | boolean | null): string => harmless(String(value ?? "-"));

/** Far more than the objects of 100,000 records take. */
const maxSeedBytes = 256 * 1024 * 1024;

/** Far more levels than any object of the API has. */
const deepestSeed = 64;

const readSeed = (path: string): unknown =>
  orMistake(
    (): unknown => parseJson(readNamedText(path, maxSeedBytes), deepestSeed),
    (reason) => {
      const summary = `The seed file ${path} cannot be read: ${reason}`;
      return inputError(
        "bad_seed",
        summary,
        "name with --seed a file that holds a JSON object of lists, one for each kind",
      ).mistake;
    },
  );
