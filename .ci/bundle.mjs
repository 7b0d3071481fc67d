// Bundles the program into few files: loading three hundred modules one by one was a third of the time of a small plan.
// Runs after tsc and writes over its dist/cli/main.js, which dist/cli.js loads; the library stays as tsc has written it.
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

await build({
  cwd: root,
  input: "src/cli/main.ts",
  platform: "node",
  // It has a native part, and may be missing.
  external: ["libsql"],
  logLevel: "warn",
  output: { dir: "dist/cli", chunkFileNames: "chunk-[name].js" },
});
