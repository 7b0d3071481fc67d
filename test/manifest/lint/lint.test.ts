import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readDesired } from "../../../src/manifest/read/desired.ts";
import { lintIds } from "../../../src/manifest/lint/lint.ts";
import { parseManifest } from "../../../src/manifest/load.ts";
import { secretReader } from "../../../src/manifest/read/secrets.ts";
import { draw, textOf } from "./lint-cases/draw.ts";
import { mailCases } from "./lint-cases/mail.ts";
import { nameAndCertificateCases } from "./lint-cases/names-and-certificates.ts";
import { targetCases } from "./lint-cases/targets.ts";
import { forDraws } from "../../support/for-draws.ts";

/** Every warning of a manifest as `id line:col`; a mistake in it is a mistake of the test. */
function warningsOf(text: string): string[] {
  const { tree, diagnostics } = parseManifest([{ file: "m.yaml", text }]);
  if (!tree || diagnostics.length > 0) throw new Error(`${JSON.stringify(diagnostics)}\n${text}`);
  const { diagnostics: told } = readDesired(
    tree,
    secretReader({}, "/nowhere", () => undefined),
  );
  const wrong = told.filter(({ severity }) => severity === "error");
  if (wrong.length > 0) throw new Error(`${JSON.stringify(wrong)}\n${text}`);
  for (const each of told) expect(each, "says what to do").toMatchObject({ hint: expect.any(String) });
  for (const { code, rule } of told) expect(rule).toBe(lintIds.includes(code) ? code : undefined);
  return told
    .filter(({ severity }) => severity === "warning")
    .map(({ code, at }) => `${code} ${at?.line}:${at?.col}`)
    .sort();
}

/** A manifest in which `<<id>>` marks the places where a rule is to fire. */
function unmarked(marked: string): { readonly text: string; readonly expected: string[] } {
  const expected: string[] = [];
  const lines = marked.split("\n").map((line, index) => {
    let rest = line;
    for (let mark = /<<(\w+)>>/u.exec(rest); mark; mark = /<<(\w+)>>/u.exec(rest)) {
      expected.push(`${mark[1]} ${index + 1}:${mark.index + 1}`);
      rest = rest.replace(mark[0], "");
    }
    return rest;
  });
  return { text: lines.join("\n"), expected: expected.sort() };
}

const cases = { ...targetCases, ...mailCases, ...nameAndCertificateCases };

const head = "version: 1\nname: lint-test\n";

describe("a rule about content that is legal but surely wrong", () => {
  test("has cases here, and its id in the schema", () => {
    expect(Object.keys(cases).sort()).toEqual(lintIds);
  });

  test.each(lintIds)(
    "%s fires where the flaw is, at its place, and nowhere else; disabling it silences only it",
    (id) =>
      forDraws(60, draw, fc.constantFrom(...(cases[id] ?? [])), (drawn, written) => {
        const { text, expected } = unmarked(head + textOf(written, drawn));
        expect(warningsOf(text)).toEqual(expected);
        const without = (...ids: string[]) => warningsOf(`${text}\nlint: { disable: [${ids.join(", ")}] }`);
        expect(without(id)).toEqual(expected.filter((each) => !each.startsWith(`${id} `)));
        expect(without(...lintIds.filter((other) => other !== id))).toEqual(
          expected.filter((each) => each.startsWith(`${id} `)),
        );
      }),
  );

  test("every one of them is silenced where all are", async () => {
    const every = Object.values(cases).flat();
    await forDraws(40, draw, fc.constantFrom(...every), (drawn, written) => {
      const { text } = unmarked(head + textOf(written, drawn));
      expect(warningsOf(`${text}\nlint: { disable: [${lintIds.join(", ")}] }`)).toEqual([]);
    });
  });
});

test("a mailbox and an alias of one address are an error with both places", () => {
  const text = `${head}domains: { a.test: }\nmail:\n  a.test:\n    mailboxes: { x: {} }\n    aliases: { X: { destinations: [y@b.test] } }\n`;
  const { tree } = parseManifest([{ file: "m.yaml", text }]);
  if (!tree) throw new Error("the manifest of the test is broken");
  const { diagnostics } = readDesired(
    tree,
    secretReader({}, "/nowhere", () => undefined),
  );
  expect(diagnostics).toMatchObject([
    {
      severity: "error",
      code: "duplicate_name",
      summary: "mail_alias/x@a.test and mailbox/x@a.test cannot both hold the mail address x@a.test",
      at: { line: 7, col: 16 },
      related: [{ at: { line: 6, col: 18 } }],
    },
  ]);
});

describe("lint: { disable: […] }", () => {
  const sources = (...texts: string[]) =>
    parseManifest(
      texts.map((text, index) => ({ file: `${index}.yaml`, text: `version: 1\nname: lint-test\n${text}` })),
    );

  test("names a rule that exists: an unknown id is a mistake with a suggestion", () => {
    expect(sources("lint: { disable: [target_mising] }").diagnostics).toMatchObject([
      { severity: "error", hint: 'did you mean "target_missing"?', at: { line: 3, col: 19 } },
    ]);
  });

  test("is joined over several files", () => {
    const zone = "dns: { example.com: { records: { www: { CNAME: gone.example.com. }, c: { CAA: 0 x y } } } }";
    const { tree, diagnostics } = sources(
      zone,
      "lint: { disable: [target_missing] }",
      "lint: { disable: [unknown_caa_tag, target_missing] }",
    );
    expect(diagnostics).toEqual([]);
    expect(tree && readDesired(tree, () => ({ missing: "x" })).diagnostics).toEqual([]);
  });
});
