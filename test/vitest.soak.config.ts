import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { memoryFolder } from "./support/memory-folder.ts";

const folder = new URL(".", import.meta.url).pathname;

/** Files that draw, wherever they are: here they draw other values at each run, and more where they take their sizes from proofs/size.ts. */
const drawing = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter(
    (name) =>
      name.endsWith(".test.ts") &&
      /from "(?:fast-check|.*\/(?:size|for-draws)\.ts)"/u.test(readFileSync(join(folder, name), "utf8")),
  )
  .map((name) => `test/${name}`);

/** The proofs at full size, and what takes long by itself (`npm run test:soak`). */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["test/proofs/**/*.test.ts", "test/soak/**/*.test.ts", ...drawing],
    env: { ...memoryFolder(), HOSTFORM_SOAK: "1" },
    globalSetup: ["stop-postgres", "keep-refs"].map((name) => new URL(`support/${name}.ts`, import.meta.url).pathname),
    testTimeout: 3_600_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
  },
});
