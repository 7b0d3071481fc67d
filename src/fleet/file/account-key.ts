import { relative, resolve } from "node:path";
import { inputError } from "../../engine/session/input-error.ts";
import { allowedFolders } from "../../engine/session/load-manifest.ts";
import type { Host } from "../../engine/session/host.ts";
import { readKeyFile } from "../../engine/session/read-key.ts";
import { secretCommands, type CommandOptions } from "../../engine/session/secret-commands.ts";
import { realPath } from "../../lib/inside.ts";
import { secretReader } from "../../manifest/read/secrets.ts";
import { advice } from "../../messages/advice.ts";
import { templateText } from "../../model/template-text.ts";
import type { Account, KeySource } from "../model.ts";

/** The key of an account without one: that of a worker. */
export const keyOfWorker: KeySource = { env: "HOSTFORM_API_KEY" };

const written = /^\$\{(env|file|exec):((?:[^{}]|\$\{(?:account|owner)\})+)\}$/u;

/**
 * Returns where the key of an account comes from, by what fleet.yaml says; undefined where that is not one of the three sources. In the name
 * of a variable or a command, what is not a letter or a digit of an account's name becomes `_`, and letters become capitals.
 */
export function keySource(text: string, account: Pick<Account, "name" | "owner">): KeySource | undefined {
  const [, source, argument = ""] = written.exec(text) ?? [];
  const filled = (change: (value: string) => string) =>
    argument.replaceAll(/\$\{(account|owner)\}/gu, (_, of) => change(of === "owner" ? account.owner : account.name));
  if (source === "file") return { file: filled((value) => value) };
  const name = filled((value) => value.toUpperCase().replaceAll(/[^A-Z0-9]/gu, "_"));
  if (source === undefined || !/^\w+$/u.test(name)) return undefined;
  return source === "env" ? { env: name } : { exec: name };
}

/** Returns a source as it is written. */
export const keyText = (source: KeySource): string => templateText([source]);

/** Returns a source as the database keeps it: for one file on all machines, and by whichever link it is named, the same. */
export const keyPlace = (source: KeySource, folder: string): string =>
  keyText("file" in source ? { file: relative(realPath(folder), realPath(resolve(folder, source.file))) } : source);

interface KeyOptions extends CommandOptions {
  /** The folder of fleet.yaml, which paths are relative to. */
  readonly folder: string;
  /** Folders beside it that key files may lie in. */
  readonly allowFile?: readonly string[];
}

/**
 * Reads the API key of an account at the worker: from a variable, from a file that nobody else may read, or from a command that the runner
 * allows. It is masked from then on. Throws an InputError where there is none.
 */
export async function readAccountKey(
  source: KeySource,
  { folder, allowFile = [], ...options }: KeyOptions,
  host: Pick<Host, "env" | "keepKey" | "mask" | "keepSecret">,
): Promise<string> {
  const commands = "exec" in source ? secretCommands("run", options, [folder], host) : undefined;
  await commands?.run(Object.values(source));
  const read = secretReader(host.env, folder, host.keepKey, allowedFolders(allowFile), commands?.outputOf);
  const found = read(source);
  if ("missing" in found)
    throw inputError(
      "no_account_key",
      `The key ${keyText(source)} cannot be read: ${found.missing}`,
      found.refused === "command"
        ? advice.allowCommand(found.source)
        : found.refused === "file"
          ? advice.allowFolderOfFile
          : "give it to this worker, or name another source as key: in fleet.yaml",
    );
  if ("file" in source)
    readKeyFile({ value: resolve(folder, source.file), from: "manifest", place: "key: of fleet.yaml" });
  const key = found.value.trim();
  host.keepKey(key);
  return key;
}
