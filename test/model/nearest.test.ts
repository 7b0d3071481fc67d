import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nearest } from "../../src/model/nearest.ts";
import { forDraws } from "../support/for-draws.ts";

const commands = "validate plan apply rehearse show why status inventory snapshot emulator".split(" ");

describe("the nearest word", () => {
  test.each([
    ["plna", commands, "plan"],
    ["aply", commands, "apply"],
    ["SHOW", commands, "show"],
    ["statsu", commands, "status"],
    ["evn", ["env", "file", "ref"], "env"],
    ["mailbox/inof@example.com", ["mailbox/info@example.com", "mailbox/sales@example.com"], "mailbox/info@example.com"],
    ["mailbx/info@exmaple.com", ["mailbox/info@example.com"], "mailbox/info@example.com"],
  ])("to %s is the one with a slip of the fingers less", (word, candidates, expected) => {
    expect(nearest(word, candidates)).toBe(expected);
  });

  test.each([
    ["LOC", ["SOA", "MX", "A", "TXT", "SRV"]],
    ["deploy", commands],
    ["init", commands],
    ["fmt", commands],
    ["up", commands],
    ["B", ["A"]],
    ["mailbox/a@example.com", ["mailbox/b@example.com", "mailbox/ab@other.com", "mail_alias/a@example.com"]],
    ["database/shop.example/one", ["database/shop.example/two", "database/shop.example"]],
  ])("is none where only another word is there: %s", (word, candidates) => {
    expect(nearest(word, candidates)).toBeUndefined();
  });

  test("is found for every word of six letters or more with one letter wrong, missing or too many", async () => {
    const word = fc.stringMatching(/^[a-z]{6,12}$/u);
    const slip = fc.constantFrom(
      (text: string, at: number) => `${text.slice(0, at)}#${text.slice(at + 1)}`,
      (text: string, at: number) => text.slice(0, at) + text.slice(at + 1),
      (text: string, at: number) => `${text.slice(0, at)}#${text.slice(at)}`,
    );
    await forDraws({}, word, slip, fc.nat(5), (text, spoil, at) => {
      expect(nearest(spoil(text, at), ["something-else", text])).toBe(text);
    });
  });
});
