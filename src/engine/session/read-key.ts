import { readFile } from "../../lib/read-file.ts";
import type { AuthRules } from "../../model/contract.ts";
import { chooseSetting, placeText } from "./choose-setting.ts";
import type { Setting } from "../../messages/mistake-words.ts";
import { InputError, orMistake } from "./input-error.ts";
import type { Host } from "./host.ts";
import { orUndefined } from "../../lib/or-undefined.ts";

const mostKeyBytes = 64 * 1024;

/**
 * The API key: from the file of the flag, else from the environment. Never from an argument, where every process could read it.
 * Throws an InputError where there is none, or two, where others may read the file, or where it cannot stand in its headers.
 */
export function readKey(flag: string | undefined, auth: AuthRules, { env, keepKey }: Host): string {
  const { HOSTFORM_API_KEY: own } = env;
  const keyFile = chooseSetting("key_file", flag, {}, env);
  if (keyFile?.from === "variable" && own !== undefined) throw new InputError({ type: "two_keys" });
  const key = keyFile === undefined ? own : readKeyFile(keyFile);
  if (key === undefined || key === "") {
    throw new InputError({ type: "no_key", file: keyFile?.value });
  }
  if (!/^[\u0021-\u007e]+$/u.test(key)) {
    throw new InputError({ type: "bad_key" });
  }
  keepKey(key);
  if (auth.headers !== undefined) {
    const [, second = ""] = /^[^:]+:(.+)$/u.exec(key) ?? [];
    if (second === "") throw new InputError({ type: "undivided_key", headers: auth.headers });
    keepKey(second);
  }
  return key;
}

/**
 * Remembers the keys that a run may use, before anything is read: whatever is wrong with a manifest is shown with its lines, and one of them
 * may be the key. A file that cannot be read is reported when it is used.
 * @param files key files that were named, beside that of the environment.
 */
export function keepKeys(files: readonly string[], { env, keepKey }: Pick<Host, "env" | "keepKey">): void {
  const { HOSTFORM_API_KEY: own, HOSTFORM_KEY_FILE: file } = env;
  for (const key of [own ?? "", ...[file ?? "", ...files].map(textOf)]) {
    keepKey(key);
    // Two headers may hold a key in two parts.
    keepKey(/^[^:]+:(.+)$/u.exec(key)?.[1] ?? "");
  }
}

const textOf = (path: string): string => orUndefined(() => readFile(path, mostKeyBytes).bytes.toString().trim()) ?? "";

/** Reads a key from a file. Throws an InputError where others may read it, too, and where it cannot be read. */
export function readKeyFile(setting: Setting): string {
  const { value: path } = setting;
  const { bytes, mode } = orMistake(
    () => readFile(path, mostKeyBytes),
    (reason) => ({ type: "unreadable", file: "key", path, reason, where: placeText(setting) }),
  );
  if ((mode & 0o077) !== 0) throw new InputError({ type: "open_key_file", path, mode: mode & 0o777 });
  return bytes.toString().trim();
}
