// Runs before `npm start` and `npm test`: installs the packages when they are absent or older than the lock file.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const modified = (path) => statSync(root + path, { throwIfNoEntry: false })?.mtimeMs;
const installed = modified("node_modules/.package-lock.json");

if (installed === undefined || installed < modified("package-lock.json")) {
  console.error("Installing packages (npm ci) ...");
  const npm = spawnSync("npm", ["ci", "--no-fund", "--no-audit", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  process.exit(npm.status ?? 1);
}
