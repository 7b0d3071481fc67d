import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { escapeControls } from "../../lib/escape.ts";
import { inParallel } from "../../lib/in-parallel.ts";
import { isInside } from "../../lib/inside.ts";
import { parseYaml } from "../../lib/yaml.ts";
import { orUndefined } from "../../lib/or-undefined.ts";
import { readText, textIn } from "../../lib/read-file.ts";
import { runProgram, type ProgramEnd } from "../../lib/run-program.ts";
import { shorten } from "../../lib/shorten.ts";
import { inWords } from "../../lib/system-words.ts";
import { notRun } from "../../manifest/read/secrets.ts";
import type { Json } from "../../model/json.ts";
import { isObject } from "../../model/json-pointer.ts";
import type { FoundSecret } from "../../model/resource.ts";
import type { Host } from "./host.ts";
import { InputError } from "./input-error.ts";

/** Options of the runner for what manifests take from commands. */
export interface CommandOptions {
  /** The file with the commands that manifests may name. Default: `HOSTFORM_EXEC_FILE`. */
  readonly execFile?: string | undefined;
  /** Seconds that one command may take. Default: 60. */
  readonly commandTimeout?: number | undefined;
}

/** What becomes of the commands of a manifest: `leave`: they are neither run nor looked for; `check`: it is a mistake if the runner does not allow one. */
export type CommandUse = "run" | "check" | "leave";

export interface SecretCommands {
  /** Returns the output of a command, or why there is none. */
  readonly outputOf: (name: string) => FoundSecret;
  /** Runs these commands, each once, if all are allowed. Those that were run before are not run again. */
  readonly run: (names: Iterable<string>) => Promise<void>;
}

const variable = "HOSTFORM_EXEC_";
const mostFileBytes = 256 * 1024;
const mostOutput = 64 * 1024;
const atATime = 4;

/**
 * Returns the commands that the runner allows: by name, in the environment or in a file. Throws an InputError where they are not
 * commands, and for a file that someone else may write: a manifest must not bring its commands along.
 * @param manifests folders of the manifest.
 */
export function secretCommands(
  use: CommandUse,
  { execFile, commandTimeout = 60 }: CommandOptions,
  manifests: readonly string[],
  io: Pick<Host, "env" | "mask" | "keepSecret">,
): SecretCommands {
  const allowed = use === "leave" ? new Map<string, readonly string[]>() : allowedCommands(execFile, manifests, io.env);
  const outputs = new Map<string, FoundSecret>();
  const isRefused = (name: string) => use !== "leave" && !allowed.has(name);
  return {
    outputOf: (name) => {
      if (isRefused(name))
        return { missing: `this runner allows no command ${name}`, source: name, refused: "command" };
      return outputs.get(name) ?? notRun(name);
    },
    run: async (names) => {
      const wanted = [...new Set(names)];
      if (use !== "run" || wanted.some(isRefused)) return;
      const waiting = wanted.filter((name) => !outputs.has(name));
      const options = { env: commandEnvironment(io.env), timeout: commandTimeout * 1000, maxOutput: mostOutput };
      const ends = await inParallel(waiting, atATime, async (name) => {
        const end = await runProgram(allowed.get(name) ?? [], options);
        io.keepSecret(end.stdout.toString().replace(/\r?\n$/u, ""));
        return [name, end] as const;
      });
      // What one of them says of its failure may hold the secret of another.
      for (const [name, end] of ends) outputs.set(name, readOutput(name, end, io.mask));
    },
  };
}

/** Returns the environment for a command of the runner: what is Hostform's own, such as the API key, is not for it. */
export const commandEnvironment = (env: Host["env"]): Host["env"] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("HOSTFORM_")));

/** Returns why a program did not succeed, with the first line of its errors, or after a crash the one that names it; undefined where it did. */
export function describeEnd({ status, errors, problem }: ProgramEnd, mask: Host["mask"]): string | undefined {
  if (status === 0) return undefined;
  const [line] = /^[ \t]*\w*Error: .*/mu.exec(errors) ?? /\S.*/u.exec(errors) ?? [];
  const words = line === undefined ? "" : `: ${shorten(escapeControls(mask(line.trim())), 200)}`;
  return `${status === undefined ? `did not end well (${mask(problem ?? "")})` : `ended with exit code ${status}`}${words}`;
}

function readOutput(name: string, end: ProgramEnd, mask: Host["mask"]): FoundSecret {
  const failed = describeEnd(end, mask);
  if (failed !== undefined) return { missing: `the command ${name} ${failed}`, source: name };
  const value = textIn(end.stdout)?.replace(/\r?\n$/u, "");
  if (value === undefined) return { missing: `the command ${name} printed what is not UTF-8 text`, source: name };
  return value === "" ? { missing: `the command ${name} printed nothing`, source: name } : { value };
}

function allowedCommands(
  flag: string | undefined,
  manifests: readonly string[],
  env: Host["env"],
): ReadonlyMap<string, readonly string[]> {
  const { HOSTFORM_EXEC_FILE: path = "" } = env;
  const file = flag ?? path;
  const inFile =
    file === "" ? [] : Object.entries(readCommands(file, manifests)).map((each) => [...each, file] as const);
  const inEnvironment = Object.entries(env).flatMap(([name, value = ""]) =>
    name.startsWith(variable) && name !== `${variable}FILE` && value !== ""
      ? [[name.slice(variable.length), value, name] as const]
      : [],
  );
  return new Map(
    [...inFile, ...inEnvironment].map(([name, written, place]) => {
      const words = wordsOf(written);
      if (typeof words === "string") throw new InputError({ type: "bad_command", place, name, reason: words });
      if (/^[^/].*\//u.test(words[0] ?? ""))
        throw new InputError({ type: "bad_command", place, name, reason: "its program has a relative path" });
      return [name, words];
    }),
  );
}

/** Returns the program and its arguments, or what is wrong with them. */
export function wordsOf(written: unknown): readonly string[] | string {
  const list = typeof written === "string" ? splitWords(written.trim()) : written;
  if (typeof list === "string") return list;
  const isList = Array.isArray(list) && list.length > 0 && list.every((word) => typeof word === "string");
  return isList && list[0] !== "" ? list : "it is not a text, or a list of texts";
}

function splitWords(text: string): unknown {
  if (text.startsWith("[")) return orUndefined(() => JSON.parse(text)) ?? "it begins as a JSON list, and is none";
  return /["'`\\|;&<>$]/u.test(text)
    ? "it holds a character of a shell, and no shell reads it"
    : text.split(/\s+/u).filter((word) => word !== "");
}

function readCommands(file: string, manifests: readonly string[]): object {
  const fault = (reason: string) => new InputError({ type: "bad_exec_file", path: file, reason });
  try {
    const real = realpathSync(file);
    const unsafe = whyUnsafe(real, realpathSync(dirname(file)), manifests);
    if (unsafe !== undefined) throw fault(unsafe);
    const document = parseYaml(readText(real, mostFileBytes));
    const [error] = document.errors;
    const commands = error ? undefined : (document.toJS() as Json);
    if (!isObject(commands)) throw fault(error ? "it is not YAML" : "it is not a map of names to commands");
    return commands;
  } catch (error) {
    throw error instanceof InputError ? error : fault((inWords(error) as Error).message);
  }
}

/** Returns why another than this user may choose what a file holds; undefined where none may. `folder`: where the user named it, maybe as a link. */
function whyUnsafe(real: string, folder: string, manifests: readonly string[]): string | undefined {
  const homes = [...manifests.map((each) => repositoryOf(each) ?? realpathSync(each)), repositoryOf(".")];
  if (homes.some((home) => home !== undefined && (isInside(home, real) || isInside(home, folder))))
    return "it lies in the repository, so who may change the manifest may change it";
  const own = process.getuid?.();
  for (const path of waysTo(real)) {
    const { mode, uid } = statSync(path);
    if (own !== undefined && uid !== own && uid !== 0) return `${path} belongs to another user`;
    // In a sticky folder, such as /tmp, only the owner of a file replaces it.
    if ((mode & 0o022) !== 0 && !(path !== real && (mode & 0o1000) !== 0)) return `others may write to ${path}`;
  }
  return undefined;
}

/** Returns a path and each folder above it. */
const waysTo = (path: string): readonly string[] =>
  dirname(path) === path ? [path] : [path, ...waysTo(dirname(path))];

/** Returns the outermost repository around a folder. */
const repositoryOf = (folder: string): string | undefined =>
  waysTo(realpathSync(resolve(folder))).findLast((each) => existsSync(join(each, ".git")));
