import { spawnSync } from "node:child_process";

/** The inventories in the repository of this project, and the leases. */
const inventories = () => spawnSync("git", ["for-each-ref", "refs/hostform"], { encoding: "utf8" }).stdout;

/** Lets the run fail where a test has applied something from this repository: that pushes an inventory to its remote. */
export function setup(): () => void {
  const before = inventories();
  return () => {
    if (inventories() === before) return;
    process.exitCode = 1;
    throw new Error(
      "A test has written refs/hostform/ of this repository: what it applies must lie in a folder of its own",
    );
  };
}
