import fc from "fast-check";
import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { Document, parse } from "yaml";
import { escapeControls, escapeJson, escapeZoneFile, standIns } from "../../src/lib/escape.ts";
import { readString } from "../../src/kinds/dns/character-strings.ts";
import { writeYaml } from "../../src/lib/yaml.ts";
import { forDraws } from "../support/for-draws.ts";
import { unseen, unseenText } from "../support/unseen-characters.ts";

const lines = (text: string) => text.replaceAll("\n", "");

describe("a character that nobody sees, or that a terminal obeys", () => {
  test("is an escape in every text that is printed", () =>
    forDraws({}, unseenText, (text) => {
      expect(escapeControls(text)).not.toMatch(unseen);
      expect(standIns(text)).not.toMatch(unseen);
    }));

  test("is an escape in JSON, which holds the same value", () =>
    forDraws({}, unseenText, (text) => {
      const json = escapeJson(JSON.stringify({ [text]: [text] }, undefined, 1));
      expect(lines(json)).not.toMatch(unseen);
      expect(JSON.parse(json)).toEqual({ [text]: [text] });
    }));

  test("is an escape in YAML, in a key, a value and a comment, and each reader of YAML reads the same value", () =>
    forDraws({}, unseenText, fc.boolean(), (text, isLong) => {
      const long = isLong ? `${text}\n${"word ".repeat(20)}\n${text}` : text;
      const value = { version: 1, [text]: long, list: [text, { deep: long }] };
      const document = new Document(value);
      document.comment = ` ${text}`;
      const yaml = writeYaml(document);
      expect(lines(yaml)).not.toMatch(unseen);
      expect(parse(yaml)).toEqual(value);
      expect(load(yaml)).toEqual(value);
    }));

  test("is written as bytes in a zone file, which holds the same text", () =>
    forDraws({}, unseenText, (text) => {
      const written = escapeZoneFile(text.replaceAll(/[\n\t]/gu, ""));
      expect(written).not.toMatch(unseen);
      expect(readString(written).toString()).toBe(text.replaceAll(/[\n\t]/gu, ""));
    }));
});
