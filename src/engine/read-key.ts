import { readFile } from "../lib/read-file.ts";
import type { AuthRules } from "../model/contract.ts";
import { chooseSetting, placeText, type Setting } from "./choose-setting.ts";
import { InputError } from "./input-error.ts";
import type { Host } from "./host.ts";

const mostKeyBytes = 64 * 1024;

/**
 * The API key: from the file of the flag, else from the environment. Never from an argument, where every process could read it.
 * Throws an InputError where there is none, or two, where others may read the file, or where it cannot stand in its headers.
 */
export function readKey(flag: string | undefined, auth: AuthRules, { env, keepSecret }: Host): string {
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
  keepSecret(key);
  if (auth.headers !== undefined) {
    const [, second = ""] = /^[^:]+:(.+)$/u.exec(key) ?? [];
    if (second === "") throw new InputError({ type: "undivided_key", headers: auth.headers });
    keepSecret(second);
  }
  return key;
}

function readKeyFile(setting: Setting): string {
  const { value: path } = setting;
  try {
    const { bytes, mode } = readFile(path, mostKeyBytes);
    if ((mode & 0o077) !== 0) {
      throw new InputError({ type: "open_key_file", path, mode: mode & 0o777 });
    }
    return bytes.toString().trim();
  } catch (error) {
    if (error instanceof Error && "code" in error) {
      throw new InputError({ type: "unreadable", file: "key", path, reason: error.message, where: placeText(setting) });
    }
    throw error;
  }
}
