import { statSync } from "node:fs";
import { packageFile } from "../lib/package-file.ts";
import { readText } from "../lib/read-file.ts";

/** The version in package.json. */
export function version(): string {
  const text = readText(packageFile("package.json"), 1024 * 1024);
  return String((JSON.parse(text) as { version?: unknown }).version);
}

/** Tells one build of a version from another: during development the version stays. */
export const buildMark = (): string =>
  `${version()} ${statSync(packageFile("dist/cli.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0}`;
