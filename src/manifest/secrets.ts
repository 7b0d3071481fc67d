import { readFileSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import type { Part } from "../model/resource.ts";

/** Looks up what stands behind `${env:NAME}` and `${file:PATH}`: the value, or why there is none. */
export type ReadSecret = (part: Exclude<Part, string>) => { readonly value: string } | { readonly missing: string };

/**
 * Secrets from the environment and from files. Files are read once, below `folder` only, without their last line break.
 * @param environment names to values, such as process.env.
 * @param folder the manifest's folder; a path that leads out of it is not read.
 */
export function secretReader(environment: Readonly<Record<string, string | undefined>>, folder: string): ReadSecret {
  const files = new Map<string, ReturnType<ReadSecret>>();
  return (part) => {
    if ("ref" in part) return { missing: `${part.ref}.${part.field} is known after apply` };
    if ("env" in part) {
      const value = environment[part.env];
      return value === undefined ? { missing: `the variable ${part.env} is not set` } : { value };
    }
    const known = files.get(part.file) ?? readSecretFile(part.file, folder);
    files.set(part.file, known);
    return known;
  };
}

function readSecretFile(path: string, folder: string): ReturnType<ReadSecret> {
  const full = resolve(folder, path);
  const inside = relative(folder, full);
  if (inside.startsWith("..") || isAbsolute(inside))
    return { missing: `the file ${path} lies outside the manifest's folder` };
  try {
    return { value: readFileSync(full, "utf8").replace(/\r?\n$/u, "") };
  } catch (error) {
    return { missing: `the file ${path} cannot be read: ${(error as Error).message}` };
  }
}

/** The text of all parts, or what is missing of it. */
export function resolveParts(parts: readonly Part[], readSecret: ReadSecret): { value: string } | { missing: string } {
  let text = "";
  for (const part of parts) {
    const found = typeof part === "string" ? { value: part } : readSecret(part);
    if ("missing" in found) return found;
    text += found.value;
  }
  return { value: text };
}
