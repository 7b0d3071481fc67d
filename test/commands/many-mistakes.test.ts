import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { eventsOf } from "../support/run-hostform.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hostform-many-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const count = 300;
const printed = (text: string) => text.match(/^ *--> /gmu)?.length;

test.each([
  ["wrong values", "A: 192.0.2.300", "invalid_value"],
  ["unknown keys", "A: { values: 192.0.2.1, colour: red }", "unknown_key"],
])(
  "%s: the first 100 are printed, the others counted; --all-diagnostics and --json print all",
  async (_, record, code) => {
    const file = join(folder, "m.yaml");
    const lines = Array.from({ length: count }, (_, index) => `      h${index}: { ${record} }\n`).join("");
    writeFileSync(file, `version: 1\nname: t\ndns:\n  example.com:\n    records:\n${lines}`);
    const run = (...more: string[]) => runInProcess({ flags: [], env: {} }, ["validate", "-f", file, ...more]);
    const cut = await run();
    expect(cut.status).toBe(3);
    expect(printed(cut.stderr)).toBe(100);
    expect(cut.stderr).toContain(`and 200 more: 200 ${code} (--all-diagnostics prints them)`);
    expect(cut.stderr).toContain(`${count} errors`);
    expect(printed((await run("--all-diagnostics")).stderr)).toBe(count);
    const events = eventsOf(await run("--json")).filter(({ type }) => type === "diagnostic");
    expect(events.length).toBe(count);
    expect(events.every(({ frame }) => typeof frame === "string")).toBe(true);
  },
);
