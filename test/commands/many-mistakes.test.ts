import fc from "fast-check";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf, exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();

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
    const run = (...more: string[]) => runInProcess(noAccount, ["validate", "-f", file, ...more]);
    const cut = exits(3, await run());
    expect(printed(cut.stderr)).toBe(100);
    expect(cut.stderr).toContain(`and 200 more: 200 ${code} (--all-diagnostics prints them)`);
    expect(cut.stderr).toContain(`${count} errors`);
    expect(printed((await run("--all-diagnostics")).stderr)).toBe(count);
    const events = eventsOf(await run("--json")).filter(({ type }) => type === "diagnostic");
    expect(events.length).toBe(count);
    expect(events.every(({ frame }) => typeof frame === "string")).toBe(true);
  },
);

/** Sections of a manifest, each with the codes of its mistakes in order of place. */
const sections: readonly (readonly [text: string, codes: readonly string[]])[] = [
  ["provider: { base_url: tcp }", ["bad_base_url"]],
  ["provider: { base_url: http://api.host.example }", ["not_https"]],
  ["provider: { base_url: https://api.host.example/v2026 }", ["bad_base_url"]],
  ["provider: { base_url: https://api.host.example, colour: red }", ["unknown_key"]],
  ["removed: [{ address: mailbox/info, action: delete }]", ["invalid_address"]],
  ["removed: [{ address: foo/bar, action: deleted }]", ["invalid_address", "wrong_value"]],
  [
    "removed: [{ address: foo/bar }, { address: a/b, action: x }]",
    ["missing_key", "invalid_address", "invalid_address", "wrong_value"],
  ],
  [
    "removed: [{ address: mailbox/a@a.example, action: x }, { address: mailbox/a@a.example, action: delete }]",
    ["wrong_value"],
  ],
  ["removed: [{ address: 5, action: delete }, 7]", ["wrong_format", "wrong_type"]],
  ["dns: { a.example: { records: { www: { A: 192.0.2.300 } } } }", ["invalid_value"]],
  ["mail: { a.example: { colour: red } }", ["unknown_key"]],
  [
    "databases: { a.example: { databases: { shop: { engine: mariadb, service: nowhere.example } } } }",
    ["unknown_service", "unknown_key"],
  ],
];
const keyOf = (text: string) => text.replace(/:.*/su, "");

test("mistakes of every section are shown together, in order of place", async () => {
  const chosen = fc.shuffledSubarray([...sections], { minLength: 2 });
  await forDraws(40, chosen, async (drawn) => {
    const used = drawn.filter(([text], index) => drawn.findIndex(([other]) => keyOf(other) === keyOf(text)) === index);
    const file = join(folder, "sections.yaml");
    writeFileSync(file, `version: 1\nname: t\n${used.map(([text]) => `${text}\n`).join("")}`);
    const events = eventsOf(await runInProcess(noAccount, ["validate", "-f", file, "--json"]));
    const errors = events.filter(({ severity }) => severity === "error");
    expect(errors.map(({ code }) => code)).toEqual(used.flatMap(([, codes]) => codes));
  });
});

test.each([
  ["HOSTFORM_BASE_URL", []],
  ["", ["--base-url"]],
])("a base URL of the manifest is not looked at where another one counts: %s %j", async (variable, flags) => {
  const file = join(folder, "provider.yaml");
  writeFileSync(file, "version: 1\nname: t\nprovider: { base_url: tcp }\n");
  const other = "https://other.example";
  const env = variable === "" ? {} : { [variable]: other };
  const args = ["plan", "-f", file, ...flags.flatMap((flag) => [flag, other])];
  const { stderr } = await runInProcess({ flags: [], env }, args);
  expect(stderr).toContain("no_key");
  expect(stderr).not.toContain("bad_base_url");
});
