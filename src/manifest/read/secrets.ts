import { realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { isInside } from "../../lib/inside.ts";
import { readText } from "../../lib/read-file.ts";
import { inWords } from "../../lib/system-words.ts";
import type { FoundSecret } from "../../model/resource.ts";
import type { ReadSecret } from "../../model/template-parts.ts";

/**
 * Secrets from the environment, from files and from commands. Files are read once, below the folders only, without their last line break.
 * @param environment names to values, such as process.env.
 * @param folder the manifest's folder, which paths are relative to. A path that leads out of it is read only below one of `allowed`.
 * @param seen receives every secret that is read, so that it can be masked wherever it turns up.
 * @param allowed further folders, such as `/run/secrets`.
 * @param outputOf returns what a command of the runner has printed, which is masked already.
 */
export function secretReader(
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
  seen: (secret: string) => void,
  allowed: readonly string[] = [],
  outputOf: (name: string) => FoundSecret = notRun,
): ReadSecret {
  const files = new Map<string, FoundSecret>();
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
    if ("exec" in part) return outputOf(part.exec);
    const known = files.get(part.file) ?? readSecretFile(part.file, folder, allowed);
    files.set(part.file, known);
    if ("value" in known) seen(known.value);
    return known;
  };
}

/** Returns what stands for the output of a command that is not run here. */
export const notRun = (name: string): FoundSecret => ({
  missing: `the command ${name} was not run`,
  source: name,
  isUnread: true,
});

const maxBytes = 1024 * 1024;

// Real paths count: a link below a folder may lead out of it.
function readSecretFile(path: string, folder: string, allowed: readonly string[]): FoundSecret {
  try {
    const real = realpathSync(resolve(folder, path));
    const isOwn = isInside(realpathSync(folder), real) && !real.split(sep).includes(".git");
    if (!isOwn && !allowed.some((each) => isInside(realpathSync(each), real)))
      return { missing: `the file ${path} lies outside the manifest's folder`, refused: "file" };
    const value = readText(real, maxBytes).replace(/\r?\n$/u, "");
    return value === "" ? { missing: `the file ${path} is empty`, source: path } : { value };
  } catch (error) {
    const { code, message } = inWords(error) as NodeJS.ErrnoException;
    const missing = `the file ${path} cannot be read: ${message}`;
    return { missing, ...(code === "NOT_READ" ? { refused: "file" as const } : { source: path }) };
  }
}
