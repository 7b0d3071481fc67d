import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forDraws } from "../../support/for-draws.ts";
import { exits, noAccount, runInProcess } from "../../support/run-hostform.ts";

const validate = (manifest: string) =>
  runInProcess(noAccount, ["validate", "-f", "-"], {}, { readStdin: async () => new TextEncoder().encode(manifest) });

const head = "version: 1\nname: t\n";
const records = (lines: string) => `${head}dns:\n  a.example:\n    records:\n      www: { A: 192.0.2.1 }\n${lines}\n`;
const jobs = (lines: string) => `${head}crons:\n  a.example:\n    jobs:\n${lines}\n`;

const stars = fc
  .stringMatching(/^\*(\.[a-z]{1,8}){0,3}$/u)
  .filter((name) => name.length < 20)
  .chain((name) =>
    fc.constantFrom(
      { text: records(`      ${name}: { A: 192.0.2.1 }`), line: 7, column: 7 },
      { text: records(`      ${name}:\n        A: 192.0.2.1`), line: 7, column: 7 },
    ),
  );
const schedules = fc
  .tuple(fc.constantFrom("*", "*/15", "*/5"), fc.constantFrom("* * * *", "3 * * 1", "0 1 1 *"))
  .chain(([minutes, others]) =>
    fc.constantFrom(
      { text: jobs(`      x: { schedule: ${minutes} ${others}, command: x }`), line: 6, column: 22 },
      { text: jobs(`      x:\n        schedule: ${minutes} ${others}\n        command: x`), line: 7, column: 19 },
    ),
  );
const references = fc
  .tuple(fc.constantFrom("", "a-", "secret"), fc.constantFrom("env:X", "file:x.txt", "ref:database/a.example/x.host"))
  .map(([before, name]) => ({
    text: jobs(`      x: { schedule: 0 0 * * *, command: ${before}\${${name}} }`),
    line: 6,
    column: 42 + before.length,
  }));

describe("a text that needs quotes", () => {
  test("is named at its place, with what to write", () =>
    forDraws(60, fc.oneof(stars, schedules, references), async ({ text, line, column }) => {
      const { stderr } = exits(3, await validate(text));
      expect(stderr, text).toContain(`:${line}:${column}\n`);
      expect(stderr).toContain("put it in quotes, such as ");
    }));

  test.each([
    ["a comment", records("      # www: *.dev\n      }")],
    ["a text in quotes", records('      ftp: { TXT: "x: *.dev" }\n      }')],
    ["an alias", records("      ftp: *base\n      }")],
    ["a schedule in its middle", jobs("      x:\n        schedule: 0 3 * * *\n      }")],
  ])("is not seen in %s", async (_, text) => {
    const { stderr } = await validate(text);
    expect(stderr).toContain("error[yaml_syntax]");
    expect(stderr).not.toContain("put it in quotes, such as");
  });
});
