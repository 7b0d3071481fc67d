import { realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { isInside } from "../../lib/inside.ts";
import { readText } from "../../lib/read-file.ts";
import { inWords } from "../../lib/system-words.ts";
import type { TemplatePart } from "../../model/resource.ts";

/** Looks up what stands behind `${env:NAME}` and `${file:PATH}`: the value, or why there is none, with the name of the variable or file. */
export type ReadSecret = (
  part: Exclude<TemplatePart, string>,
) => { readonly value: string } | { readonly missing: string; readonly source?: string; readonly refused?: boolean };

/**
 * Secrets from the environment and from files. Files are read once, below the folders only, without their last line break.
 * @param environment names to values, such as process.env.
 * @param folder the manifest's folder, which paths are relative to. A path that leads out of it is read only below one of `allowed`.
 * @param seen receives every secret that is read, so that it can be masked wherever it turns up.
 * @param allowed further folders, such as `/run/secrets`.
 */
export function secretReader(
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
  seen: (secret: string) => void,
  allowed: readonly string[] = [],
): ReadSecret {
  const files = new Map<string, ReturnType<ReadSecret>>();
  return (part) => {
    if ("ref" in part) return { missing: `${part.ref}.${part.field} is known after apply` };
    if ("env" in part) {
      // A name such as "constructor" must not find the object's own properties.
      const value = Object.hasOwn(environment, part.env) ? environment[part.env] : undefined;
      if (value === undefined) return { missing: `the variable ${part.env} is not set`, source: part.env };
      // CI systems set a variable of which they have no secret.
      if (value === "") return { missing: `the variable ${part.env} is set, but empty`, source: part.env };
      seen(value);
      return { value };
    }
    const known = files.get(part.file) ?? readSecretFile(part.file, folder, allowed);
    files.set(part.file, known);
    if ("value" in known) seen(known.value);
    return known;
  };
}

const maxBytes = 1024 * 1024;

// Real paths count: a link below a folder may lead out of it.
function readSecretFile(path: string, folder: string, allowed: readonly string[]): ReturnType<ReadSecret> {
  try {
    const real = realpathSync(resolve(folder, path));
    const isOwn = isInside(realpathSync(folder), real) && !real.split(sep).includes(".git");
    if (!isOwn && !allowed.some((each) => isInside(realpathSync(each), real)))
      return { missing: `the file ${path} lies outside the manifest's folder`, refused: true };
    const value = readText(real, maxBytes).replace(/\r?\n$/u, "");
    return value === "" ? { missing: `the file ${path} is empty`, source: path } : { value };
  } catch (error) {
    const { code, message } = inWords(error) as NodeJS.ErrnoException;
    const missing = `the file ${path} cannot be read: ${message}`;
    return { missing, ...(code === "NOT_READ" ? { refused: true } : { source: path }) };
  }
}

/** The text of all parts, or what is missing of it. */
export function resolveParts(parts: readonly TemplatePart[], readSecret: ReadSecret): ReturnType<ReadSecret> {
  let text = "";
  for (const part of parts) {
    const found = typeof part === "string" ? { value: part } : readSecret(part);
    if ("missing" in found) return found;
    text += found.value;
  }
  return { value: text };
}
