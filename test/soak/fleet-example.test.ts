import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const example = fileURLToPath(new URL("../../examples/fleet/run.mjs", import.meta.url));

test("the fleet of the examples ends without changes after a worker was killed, twice in a row, and leaves nothing", () => {
  const folder = mkdtempSync(join(tmpdir(), "hostform-example-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
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
