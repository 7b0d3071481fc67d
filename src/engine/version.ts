import { packageFile } from "../lib/package-file.ts";
import { readText } from "../lib/read-file.ts";

/** The version in package.json. */
export function version(): string {
  const text = readText(packageFile("package.json"), 1024 * 1024);
  return String((JSON.parse(text) as { version?: unknown }).version);
}

/** Tells one build of a version from another: that of the same sources is the same. */
export const buildMark = (): string => `${version()} ${readText(packageFile("dist/app/build-sum"), 1024)}`;
