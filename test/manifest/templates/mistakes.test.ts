import { describe, expect, test } from "vitest";
import { load, places } from "./load-templates.ts";

const head = "version: 1\nname: agency\n";
const zone = `${head}variables: { ttl: { default: 300 }, mail: { default: mx.a.test. } }
templates:
  zone:
    parameters: { domain: { type: string }, ttl: { type: number, default: 60 }, text: }
    dns: { "\${param:domain}": { ttl: "\${var:ttl}", records: { www: { A: { ttl: "\${param:ttl}", values: 192.0.2.1 }, MX: [{ priority: 1, value: "\${var:mail}" }], TXT: "\${param:text}" } } } }
`;
const use = (more: string) => `${zone}use: [{ template: zone, ${more} }]\n`;
const good = "domain: a.test, text: x";
interface Case {
  readonly title: string;
  readonly text: string;
  readonly expected: readonly string[];
  readonly hint?: string;
}

const cases: readonly Case[] = [
  {
    title: "an unknown template",
    text: `${zone}use: [{ template: zoen }]\n`,
    expected: ["unknown_template a.yaml:8:19"],
    hint: 'did you mean "zone"?',
  },
  {
    title: "an unknown variable",
    text: use(`with: { ${good} }`).replace("{var:ttl}", "{var:tll}"),
    expected: ["unknown_variable a.yaml:7:38"],
    hint: 'did you mean "ttl"?',
  },
  {
    title: "an unknown parameter in a template",
    text: use(`with: { ${good} }`).replace("{param:text}", "{param:txt}"),
    expected: ["unknown_parameter a.yaml:7:167"],
    hint: 'did you mean "text"?',
  },
  {
    title: "a parameter that the template does not have",
    text: use(`with: { ${good}, tll: 5 }`),
    expected: ["unknown_parameter a.yaml:8:58"],
    hint: 'did you mean "ttl"?',
  },
  { title: "a missing parameter", text: use("with: { domain: a.test }"), expected: ["missing_parameter a.yaml:8:19"] },
  {
    title: "a parameter of a wrong type",
    text: use(`with: { ${good}, ttl: sixty }`),
    expected: ["wrong_type a.yaml:8:63"],
  },
  {
    title: "a list inside of a text",
    text: use("with: { domain: [a.test], text: x }"),
    expected: ["wrong_type a.yaml:8:41"],
  },
  {
    title: "a value that the schema refuses",
    text: use("with: { domain: a.test, text: [] }"),
    expected: ["wrong_count a.yaml:7:167 < zone 8:19"],
  },
  {
    title: "a parameter outside of a template",
    text: `${use(`with: { ${good} }`)}services: { "\${param:domain}": }\n`,
    expected: ["parameter_outside_template a.yaml:9:13"],
  },
  {
    title: "an item without a list",
    text: use('with: { domain: "${each}", text: x }'),
    expected: ["each_without_list a.yaml:8:41"],
  },
  {
    title: "a for_each that is no list",
    text: use(`for_each: "\${var:mail}", with: { domain: "\${each}", text: x }`),
    expected: ["wrong_type a.yaml:8:35"],
  },
  {
    title: "a placeholder that is not closed",
    text: use(`with: { ${good} }`).replace("{param:text}", "{param:text"),
    expected: ["invalid_interpolation a.yaml:7:167"],
  },
  {
    title: "a variable without a value",
    text: use(`with: { ${good} }`).replace("{ default: 300 }", ""),
    expected: ["unset_variable a.yaml:3:14"],
  },
  {
    title: "a variable that holds a secret",
    text: use(`with: { ${good} }`).replace("mx.a.test.", '"${env:MX}"'),
    expected: ["secret_variable a.yaml:3:54"],
  },
  {
    title: "a default that is not of its type",
    text: use(`with: { ${good} }`).replace("{ default: 300 }", "{ type: number, default: x }"),
    expected: ["wrong_type a.yaml:3:44"],
  },
  {
    title: "a name that variables may not choose",
    text: `${use(`with: { ${good} }`)}removed: [{ address: "service/\${var:mail}", action: forget }]\n`,
    expected: ["placeholder_not_allowed a.yaml:9:22"],
  },
  {
    title: "two uses that write one value",
    text: `${zone}use: [{ template: zone, with: { ${good} } }, { template: zone, with: { ${good} } }]\n`,
    expected: [
      "conflicting_definitions a.yaml:7:33 < zone 8:74",
      "conflicting_definitions a.yaml:7:75 < zone 8:74",
      "conflicting_definitions a.yaml:7:96 < zone 8:74",
      "conflicting_definitions a.yaml:7:117 < zone 8:74",
      "conflicting_definitions a.yaml:7:162 < zone 8:74",
    ],
  },
  {
    title: "a merge key",
    text: `${head}a: &a { b: c }\ndns:\n  <<: *a\n`,
    expected: ["unknown_key a.yaml:3:1", "unsupported_merge_key a.yaml:5:3"],
    hint: "(templates: and use:)",
  },
  {
    title: "a key of its own",
    text: `${head}x-common: { ttl: 60 }\n`,
    expected: ["unknown_key a.yaml:3:1"],
    hint: "(templates: and use:)",
  },
  {
    title: "an unused template and variable",
    text: `${head}variables: { a: { default: 1 } }\ntemplates: { b: { services: {} } }\n`,
    expected: ["unused a.yaml:3:14", "unused a.yaml:4:14"],
  },
];

test.each(cases)("$title is reported at its place", ({ text, expected, hint = "" }) => {
  const { all } = load(text);
  expect(places(all.filter(({ severity }) => severity !== "warning"))).toEqual(expected);
  expect(all.map((each) => each.hint).join("\n")).toContain(hint);
});

describe("a secret", () => {
  const mailbox = (password: string, given: string) => `${head}variables: { word: { default: swordfish1 } }
domains: { a.test: }
templates:
  box: { parameters: { p: }, mail: { a.test: { mailboxes: { info: { password: "${password}" } } } } }
use: [{ template: box, with: { p: "${given}" } }]
`;

  test("that is given to a template stays a reference", () => {
    const { errors, read } = load(mailbox("${param:p}", "${env:PW}"));
    expect(errors).toEqual([]);
    expect(read?.desired.resources.get("mailbox/info@a.test" as never)?.fields["password"]).toEqual({
      is: "secret",
      parts: [{ env: "PW" }],
    });
  });

  test.each([
    ["${var:word}", "x"],
    ["${param:p}", "${var:word}"],
    ["a${param:p}", "b${var:word}"],
  ])("takes no variable: %s with %s", (password, given) => {
    const { errors } = load(mailbox(password, given));
    expect(places(errors.filter(({ code }) => code === "variable_in_secret"))).toEqual([
      "variable_in_secret a.yaml:6:79 < box 7:19",
    ]);
    expect(errors.map(({ detail }) => detail).join("\n")).toContain("${env:NAME}");
    expect(JSON.stringify(errors.map(({ frame: _frame, ...error }) => error))).not.toContain("swordfish");
  });
});

test.each([
  ["$${var:x}", "${var:x}"],
  ["a $${param:x} $${each}", "a ${param:x} ${each}"],
  ["$$${var:x}", "$${var:x}"],
])("an escaped text is only text: %s", (written, meant) => {
  const { errors, read } = load(
    `${head}services: { a.test: }\ncrons: { a.test: { jobs: { j: { schedule: "0 3 * * *", command: "${written}" } } } }\n`,
  );
  expect(errors).toEqual([]);
  expect(read?.desired.resources.get("cron/a.test/j" as never)?.fields["command"]).toMatchObject({
    is: "known",
    value: meant,
  });
});
