import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { folderForTest } from "../support/temporary-folder.ts";

const example = fileURLToPath(new URL("../../examples/fleet/run.mjs", import.meta.url));

test("the fleet of the examples ends without changes after a worker was killed, twice in a row, and leaves nothing", () => {
  const folder = folderForTest();
  for (const time of ["first", "second"]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [example], {
      encoding: "utf8",
      env: { ...process.env, TMPDIR: folder },
    });
    expect([time, status, stderr]).toEqual([time, 0, ""]);
    expect(stdout).toMatch(/Worker \d+ is killed/u);
    expect(stdout).toMatch(/50 clean\nNo changes\./u);
    expect(readdirSync(folder)).toEqual([]);
  }
});
