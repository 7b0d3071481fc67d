import { readFile } from "../lib/read-file.ts";
import { inputError } from "./input-error.ts";
import type { Host } from "./host.ts";

const mostKeyBytes = 64 * 1024;

/**
 * The API key: from the file of `--key-file`, else from HOSTFORM_API_KEY. Never from a flag, where every process could read it.
 * Throws an InputError where there is none, where others may read the file, or where it cannot stand in a header.
 */
export function readKey(keyFile: string | undefined, { env, keepSecret }: Host): string {
  const key = keyFile === undefined ? env["HOSTFORM_API_KEY"] : readKeyFile(keyFile);
  if (key === undefined || key === "") {
    throw keyFile === undefined
      ? inputError("no_key", "There is no API key", "set HOSTFORM_API_KEY, or pass --key-file FILE")
      : inputError("no_key", `There is no API key in the file ${keyFile}: it is empty`, "write the key into it");
  }
  if (!/^[\u0021-\u007e]+$/u.test(key)) {
    throw inputError(
      "bad_key",
      "The API key holds blanks, line breaks or characters outside ASCII",
      "check what was pasted; the key itself is not shown",
    );
  }
  keepSecret(key);
  return key;
}

function readKeyFile(path: string): string {
  try {
    const { bytes, mode } = readFile(path, mostKeyBytes);
    if ((mode & 0o077) !== 0) {
      const summary = `The key file ${path} can be read by others (mode ${(mode & 0o777).toString(8)})`;
      throw inputError("open_key_file", summary, `chmod 600 ${path}`);
    }
    return bytes.toString().trim();
  } catch (error) {
    if (error instanceof Error && "code" in error) {
      throw inputError(
        "no_key_file",
        `The key file ${path} cannot be read: ${error.message}`,
        "check the path given with --key-file",
      );
    }
    throw error;
  }
}
