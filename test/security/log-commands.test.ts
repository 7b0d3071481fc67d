import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { breakLogCommands } from "../../src/lib/escape.ts";
import { forDraws } from "../support/for-draws.ts";

/** What GitHub's and Azure's runners take for a command: https://github.com/actions/runner, ActionCommand; azure-pipelines-agent, Command. */
const gitHub = (line: string) => /^\s*::[^\n]*::/u.test(line) || line.includes("##[");
const azure = (line: string) => /##vso\[/iu.test(line) || line.includes("##[");
const isCommand = (text: string) => text.split("\n").some((line) => gitHub(line) || azure(line));

describe("no printed line commands a CI job", () => {
  test.each([
    ["::set-output name=x::y", String.raw`\u003a:set-output name=x::y`],
    ["one\n \t::error::two", `one\n \t${String.raw`\u003a:error::two`}`],
    ["a ##[error]b", String.raw`a \u0023#[error]b`],
    ["a ##VSO[task.setvariable variable=k]v", String.raw`a \u0023#VSO[task.setvariable variable=k]v`],
    ["###[group]", String.raw`#\u0023#[group]`],
  ])("%j is printed as %s", (text, printed) => {
    expect(isCommand(text)).toBe(true);
    expect(breakLogCommands(text)).toBe(printed);
  });

  test.each(["::1", "AAAA ::1 -> 2001:db8::1", "2001:db8::1", "a ::error::b", "## a [b]", "# ##"])(
    "%j is left as it is",
    (text) => {
      expect(breakLogCommands(text)).toBe(text);
    },
  );

  const hostile = fc.string({
    unit: fc.constantFrom(":", "::", "#", "##[", "##vso[", " ", "\n", "\u00a0", "a", '"', "\\"),
  });

  test("whatever it is made of", () =>
    forDraws({}, hostile, (text) => {
      expect(isCommand(breakLogCommands(text))).toBe(false);
    }));

  test("and an event is still the same JSON", () =>
    forDraws({}, hostile, (text) => {
      const event = JSON.stringify({ [text]: text });
      expect(JSON.parse(breakLogCommands(event))).toEqual({ [text]: text });
    }));
});
