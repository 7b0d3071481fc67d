import { packageFile } from "../../lib/package-file.ts";
import { readText } from "../../lib/read-file.ts";

/** The version in package.json. */
export function version(): string {
  const text = readText(packageFile("package.json"), 1024 * 1024);
  return String((JSON.parse(text) as { version?: unknown }).version);
}
