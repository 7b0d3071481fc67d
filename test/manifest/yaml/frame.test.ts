import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { frameOf } from "../../../src/manifest/yaml/diagnostic-at.ts";
import { parseManifest } from "../../../src/manifest/load.ts";
import { isSecretKey } from "../../../src/manifest/yaml/secret-keys.ts";
import type { SourceText } from "../../../src/manifest/yaml/written.ts";
import { renderDiagnostics } from "../../../src/render/diagnostics.ts";
import { loadText } from "../load-text.ts";
import { forDraws } from "../../support/for-draws.ts";
import { widePage } from "../../support/plain-page.ts";

/** The frame of the stretch between « and » of a text. */
function frame(marked: string): string[] {
  const start = marked.indexOf("«");
  const end = marked.indexOf("»") - 1;
  const source: SourceText = { file: "a.yaml", text: marked.replace("«", "").replace("»", "") };
  return frameOf({ source, start, end }).split("\n");
}

describe("a frame", () => {
  test("is the one line of the place, with carets under it", () => {
    expect(frame("a: 1\n  b: «two»\nc: 3\n")).toEqual(["  b: two", "     ^^^"]);
  });

  test("has one caret for a place without extent, also at the end of the text", () => {
    expect(frame("a:«»\nb: 1")).toEqual(["a:", "  ^"]);
    expect(frame("a: 1\n«»")).toEqual(["", "^"]);
  });

  test("ends with the line where the place goes on, CRLF or not", () => {
    expect(frame("a: «|\r\n  x»\r\n")).toEqual(["a: |", "   ^"]);
  });

  test("has its carets in place under wide and combining characters", () => {
    expect(frame("日本: «é😀x»: 1")).toEqual(["日本: é😀x: 1", "      ^^^^"]);
    expect(frame("e\u0301: «x»")).toEqual(["e\u0301: x", "   ^"]);
  });

  test("shows control and bidi characters by stand-ins of one column", () => {
    expect(frame("\ta\u001b[31m\u202e: «x»\u0085")).toEqual(["␉a␛[31m�: x�", "          ^"]);
  });

  test("is cut around the place where the line is long", () => {
    const [text = "", carets = ""] = frame(`${"a".repeat(5000)}«here»${"b".repeat(5000)}`);
    expect(text).toMatch(/^…a{60}hereb+…$/u);
    expect(text.length).toBeLessThan(200);
    expect(carets).toBe(`${" ".repeat(61)}^^^^`);
  });

  test("is cut where the place itself is long", () => {
    expect(frame(`a: «${"b".repeat(100_000)}»`)[0]?.length).toBeLessThan(300);
  });
});

describe("a secret", () => {
  test.each([10, 40, 600])("is hidden where %i names give it to each other, or more than are followed", (count) => {
    const name = (index: number) => `n${String(index).repeat(4)}`;
    const links = Array.from({ length: count }, (_, index) => `${name(index)}: \${param:${name(index + 1)}}\n`);
    const text = `${links.toReversed().join("")}password: \${param:${name(0)}}\n${name(count)}: «hunter2»\n`;
    expect(frame(text)[0]).toBe(`${name(count)}: (sensitive)`);
  });

  test.each([
    [
      "as a plain value",
      "password: «hunter2» # or hunter2",
      ["password: (sensitive) (sensitive)", "          ^^^^^^^^^^^"],
    ],
    [
      "in quotes",
      "  'auth_code': \"hunter2\"\n".replace('"h', '«"h').replace('2"', '2"»'),
      ["  'auth_code': (sensitive)", "               ^^^^^^^^^^^"],
    ],
    [
      "in a flow map, beside others",
      "{ a: 1, password: hunter2, b: «x» }",
      ["{ a: 1, password: (sensitive), b: x }", "                                  ^"],
    ],
    ["in JSON", '{"password":"hunter2","b":«1»}', ['{"password":(sensitive),"b":1}', "                            ^"]],
    ["half under the carets", "password: hun«ter»2", ["password: (sensitive)", "          ^^^^^^^^^^^"]],
    ["in a list", "password: [hunter2, «hunter2»]", ["password: (sensitive)", "          ^^^^^^^^^^^"]],
    ["on the lines of a block", "private_key: |\n  hunter2\n  «hunter2»\n", ["(sensitive)", "^^^^^^^^^^^"]],
    ["on the line after its key", "password:\n  «hunter2»\n", ["  (sensitive)", "  ^^^^^^^^^^^"]],
    ["in a list at the indentation of its key", "password:\n- «hunter2»\nb: 1", ["- (sensitive)", "  ^^^^^^^^^^^"]],
    ["in a commented line", "a: «x» # password: hunter2", ["a: x # password: (sensitive)", "   ^"]],
    ["as an alias by mistake", "password: «*hunter2»", ["password: (sensitive)", "          ^^^^^^^^^^^"]],
    ["as a tag by mistake", "password: «!hunter2»", ["password: (sensitive)", "          ^^^^^^^^^^^"]],
    ["under a misspelt key", "«pasword»: hunter2", ["pasword: (sensitive)", "^^^^^^^"]],
    [
      "below a quote that swallows its key",
      'a: "b\npassword: «hunter2»',
      ["password: (sensitive)", "          ^^^^^^^^^^^"],
    ],
  ])("is masked %s", (_, marked, expected) => {
    const shown = frame(marked);
    expect(shown.join("\n")).not.toContain("hunter2");
    if (!marked.includes("or hunter2")) expect(shown).toEqual(expected);
  });

  test.each([
    ['password: «"${env:INFO_PASSWORD}"»', 'password: "${env:INFO_PASSWORD}"'],
    ["{ password: «${env:INFO_PASSWORD}», a: 1 }", "{ password: ${env:INFO_PASSWORD}, a: 1 }"],
    ["private_key: «${file:keys/a.pem}»", "private_key: ${file:keys/a.pem}"],
    ["password: «x1${env:A}hunter2${env:B}»", "password: (sensitive)${env:A}(sensitive)${env:B}"],
    ["password: «${env:hunter 2}»", "password: (sensitive)"],
    ["a: «x» # password: ${env:OLD}", "a: x # password: ${env:OLD}"],
  ])("shows the names of the variables, files and resources that it is made of: %s", (marked, expected) => {
    expect(frame(marked)[0]).toBe(expected);
  });

  test("ends where its value ends", () => {
    expect(frame("a:\n  password: |\n    hunter2\n  «b»: c\n")).toEqual(["  b: c", "  ^"]);
    expect(frame("password: {a: b,\n c: d}\n«e»: f\n")).toEqual(["e: f", "^"]);
    expect(frame("[{password: x}, «y»]")).toEqual(["[{password: (sensitive)}, y]", "                          ^"]);
  });

  test.each([
    "password",
    "Password",
    "auth_code",
    "private_key",
    "pasword",
    "passwrd",
    "passwd",
    "authcode",
    "private-key",
    "api_key",
    "token",
    "client_secret",
  ])("is what stands under %s", (key) => {
    expect(isSecretKey(key)).toBe(true);
  });

  test.each(["plan", "name", "sel._domainkey", "_domainkey", "command", "autoresponder", "constructor"])(
    "is not what stands under %s",
    (key) => {
      expect(isSecretKey(key)).toBe(false);
    },
  );

  test("is in no diagnostic, however the text around it is broken", async () => {
    const secret = "Zq7S3cr3tXw";
    const noise = fc.string({ unit: fc.constantFrom(...Array.from("!&*@`%|>-?:{}[]'\"#\\~=$")), maxLength: 3 });
    const key = fc.constantFrom("password", "auth_code", "private_key", "pasword", '"password"', "'auth_code'");
    const line = fc
      .tuple(key, noise, noise, fc.constantFrom(" ", ""))
      .map(([name, left, right, blank]) => `${name}:${blank}${left}${secret}${right}`);
    const around = fc.constantFrom(
      (text: string) => `a: @\n${text}\nb: @`,
      (text: string) => `a:\n  ${text}\n   c: d\n`,
      (text: string) => `a: { x: @y, ${text} , z: @w }`,
      (text: string) => `mail: { a.b: { mailboxes: { info: { ${text}, quota: 0 } } } }`,
      (text: string) => `a: "open\n${text}\n`,
      (text: string) => `a:\n\t${text}\n`,
    );
    await forDraws(400, line, around, async (text, wrap) => {
      const { diagnostics } = await loadText(wrap(text));
      expect(renderDiagnostics(diagnostics, widePage)).not.toContain(secret);
    });
  });

  const uses: readonly ((pw: string, other: string) => string)[] = [
    (pw, other) => `use: [{ template: mb, with: { name: jo, ${pw}, ${other} } }]`,
    (pw, other) => `use:\n  - template: mb\n    with:\n      ${pw}\n      ${other}\n`,
    (pw, other) => `use: [{ template: mb, with: { name: jo }, for_each: [{ ${pw}, ${other} }] }]`,
    (pw, other) =>
      `variables: { all: { default: [{ ${pw}, ${other} }] } }\nuse: [{ template: mb, for_each: "\${var:all}" }]`,
    (pw, other) => `templates: { two: { parameters: { ${pw}, ${other} } } }`,
    (pw, other) => `use: [{ template: outer, with: { from_outside: Zq7S3cr3tXw, ${pw}, ${other} } }]`,
    (_, other) => `use: [{ template: mb, for_each: [Zq7S3cr3tXw, { ${other} }], with: { pw: "\${each}", ${other} } }]`,
  ];
  const templates = `templates:
  mb:
    parameters: { name: , pw: }
    mail: { a.example: { mailboxes: { "\${param:name}": { password: "x\${param:pw}" } } } }
  outer:
    parameters: { from_outside: }
    use: [{ template: mb, with: { name: jo, pw: "\${param:from_outside}" } }]
`;
  test.each(uses)("is what a template puts into a password, wherever it is given: %s", async (use) => {
    for (const key of ["pw: ", "pww: ", '"pw": ', "pw:"])
      for (const other of ["wrong: 1", "name: [1]", "pw: 2", "type: 5, default: {}"]) {
        const text = use(`${key}Zq7S3cr3tXw`, other);
        for (const texts of [[templates, text], [`${templates}${text.replace("templates: ", "others: ")}`]]) {
          const sources = texts.map((each, index) => ({ file: `${index}.yaml`, text: `version: 1\nname: a\n${each}` }));
          const { diagnostics } = parseManifest(sources);
          expect(renderDiagnostics(diagnostics, widePage)).not.toContain("Zq7S3cr3tXw");
          expect(JSON.stringify(diagnostics)).not.toContain("Zq7S3cr3tXw");
        }
      }
  });

  test("is not the name of a variable that a parameter tells", () => {
    const text = templates.replace("x${param:pw}", "${env:PASSWORD_${param:pw}}");
    const use = "use: [{ template: mb, with: { name: jo, pw: PUBLIC, wrong: 1 } }]";
    const { diagnostics } = parseManifest([{ file: "a.yaml", text: `version: 1\nname: a\n${text}${use}` }]);
    expect(renderDiagnostics(diagnostics, widePage)).toContain("pw: PUBLIC");
  });
});
