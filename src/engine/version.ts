import { fileURLToPath } from "node:url";
import { readText } from "../lib/read-file.ts";

/** The version in package.json. */
export function version(): string {
  const text = readText(fileURLToPath(new URL("../../package.json", import.meta.url)), 1024 * 1024);
  return String((JSON.parse(text) as { version?: unknown }).version);
}
