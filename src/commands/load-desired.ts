import { dirname, resolve } from "node:path";
import { statSync } from "node:fs";
import { readDesired, type ReadDesired } from "../manifest/desired.ts";
import { loadManifest } from "../manifest/load.ts";
import { secretReader, type ReadSecret } from "../manifest/secrets.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Io } from "./io.ts";

export interface LoadedDesired {
  /** Undefined where a mistake stands in the way. */
  readonly result: ReadDesired | undefined;
  readonly readSecret: ReadSecret;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads and checks the manifests at the paths: everything that needs no API. */
export async function loadDesired(paths: readonly string[], io: Io): Promise<LoadedDesired> {
  const readSecret = secretReader(io.env, manifestFolder(paths[0] ?? "."), io.keepSecret);
  const { tree, diagnostics } = await loadManifest(paths, { readStdin: io.readStdin });
  if (!tree) return { result: undefined, readSecret, diagnostics };
  const read = readDesired(tree, readSecret);
  const all = [...diagnostics, ...read.diagnostics].toSorted(byPlace);
  return { result: hasErrors(all) ? undefined : read, readSecret, diagnostics: all };
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  const files = (a.at?.file ?? "").localeCompare(b.at?.file ?? "", "en");
  return files || (a.at?.line ?? 0) - (b.at?.line ?? 0) || (a.at?.col ?? 0) - (b.at?.col ?? 0);
}

/** All but the notices that a variable is unset: a plan says so itself, for those that it would send. */
export const withoutUnset = (diagnostics: readonly Diagnostic[]) =>
  diagnostics.filter(({ code, severity }) => severity !== "notice" || code !== "unset");

export const hasErrors = (diagnostics: readonly Diagnostic[]) =>
  diagnostics.some(({ severity }) => severity === "error");

/** The folder that `${file:…}` is relative to and may not leave: the first manifest's. */
function manifestFolder(path: string): string {
  if (path === "-") return resolve(".");
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? resolve(path) : dirname(resolve(path));
}
