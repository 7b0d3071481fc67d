import { describe, expect, test } from "vitest";
import { parseSource } from "../../../src/manifest/yaml/parse.ts";
import { nothingOutside } from "../../../src/manifest/templates/bind-variables.ts";
import { expandTemplates } from "../../../src/manifest/templates/expand.ts";
import { size } from "../../proofs/size.ts";
import { load, places } from "./load-templates.ts";

const head = "version: 1\nname: agency\n";
const each = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join("");

/** Templates of which each uses the next `times`, with the given rest of a use; the last has a body. */
const chain = (depth: number, rest: string, body = `services: { "\${param:p}.example": }`) =>
  `${head}templates:\n${each(depth, (index) =>
    index === depth - 1
      ? `  t${index}: { parameters: { p: }, ${body} }\n`
      : `  t${index}: { parameters: { p: }, use: [{ template: t${index + 1}, ${rest} }] }\n`,
  )}use: [{ template: t0, with: { p: a } }]\n`;

const pass = `with: { p: "\${param:p}" }`;
const ten = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
const tenfold = `for_each: ${ten}, with: { p: "\${param:p}\${each}" }`;
const list = (count: number) => `[${each(count, (index) => `a${index}, `)}]`;

describe("the depth of templates", () => {
  test("is 10 at most", () => {
    const [most, more] = [load(chain(10, pass)), load(chain(11, pass))];
    expect(most.errors).toEqual([]);
    expect([...(most.read?.desired.resources.values() ?? [])][0]?.at?.uses).toHaveLength(10);
    expect(places(more.errors)).toEqual(["too_deep a.yaml:15:19"]);
  });

  test("is found out of a chain as long as a file", () => {
    expect(places(load(chain(500, pass)).errors)).toEqual(["too_deep a.yaml:504:19"]);
  });

  test.each([
    ["itself", `  a: { use: [{ template: a }] }\n`, "A template uses itself: a → a"],
    [
      "another",
      `  a: { use: [{ template: b }] }\n  b: { use: [{ template: a }] }\n`,
      "A template uses itself: a → b → a",
    ],
    [
      "a circle further on",
      `  a: { use: [{ template: b }] }\n  b: { use: [{ template: c }] }\n  c: { use: [{ template: b }] }\n`,
      "A template uses itself: b → c → b",
    ],
  ])("has no end for a template that uses %s", (_, templates, summary) => {
    const { errors } = load(`${head}templates:\n${templates}use: [{ template: a }]\n`);
    expect(errors.map((error) => error.summary)).toEqual([summary]);
  });

  test("counts a circle once for each use that closes it, in a file of circles", () => {
    const { errors } = load(
      `${head}templates:\n${each(300, (index) => `  t${index}: { use: [{ template: t0 }, { template: t${(index + 1) % 300} }] }\n`)}use: [{ template: t0 }]\n`,
    );
    expect(errors.length).toBe(301);
    expect(Math.max(...errors.map(({ summary }) => summary.length))).toBeLessThan(200);
  });
});

describe("the size of an expansion", () => {
  const limits = { uses: 2000, resources: 1000, nodes: 20_000, characters: 1_000_000 };
  const expand = (text: string, most = limits) => {
    const { root } = parseSource({ file: "a.yaml", text });
    const { diagnostics, roots } = expandTemplates(root ? [root] : [], nothingOutside, most);
    return { codes: diagnostics.flatMap(({ code, severity }) => (severity === "error" ? code : [])), roots };
  };

  test("is 1,000 resources at most, where that is the limit, those beside the templates among them", () => {
    const many = (count: number) =>
      `${chain(4, tenfold)}services: { ${each(count, (index) => `s${index}.test: , `)} }\n`;
    expect(expand(many(0)).codes).toEqual([]);
    expect(expand(many(1)).codes).toEqual(["too_large"]);
  });

  test.each([
    ["resources", chain(10, tenfold)],
    ["nothing but uses", chain(10, tenfold, "services: {}")],
    ["texts", chain(10, `with: { p: "${"${param:p}".repeat(200)}" }`)],
    [
      "texts in keys",
      chain(10, pass, `services: { ${each(2000, (index) => `"\${param:p}${index}.example": , `)} }`).replace(
        "p: a",
        `p: ${"x".repeat(20_000)}`,
      ),
    ],
    [
      "values",
      chain(10, `for_each: ${ten}, with: { p: "\${param:p}" }`, `services: { "\${param:p}": }`).replace(
        "p: a",
        `p: ${list(2000)}`,
      ),
    ],
    ["lists in lists", chain(10, `with: { p: [${`"\${param:p}", `.repeat(50)}] }`)],
    [
      "defaults",
      `${head}templates: { a: { parameters: { ${each(200, (index) => `p${index}: { default: x }, `)} }, services: {} } }\nuse: [{ template: a, for_each: ${list(2000)}, with: {} }]\n`,
    ],
  ])("stops at too many %s, and leaves nothing of it", (_, text) => {
    const { codes, roots } = expand(text);
    expect(codes.filter((code) => code === "too_large")).toEqual(["too_large"]);
    expect(roots).toEqual([]);
  });

  const uses = (count: number) => `[${each(count, () => "{ template: t1 }, ")}]`;

  test.each([
    [
      "uses that make nothing",
      `${head}templates: { t0: { use: ${uses(100)} }, t1: { use: [{ template: t2, for_each: ${list(30)} }] }, t2: {} }\nuse: [{ template: t0 }]\n`,
    ],
    [
      "uses in a circle of tens",
      `${head}templates:\n${each(9, (index) => `  t${index}: { use: [${each(10, () => `{ template: t${index + 1} }, `)}] }\n`)}  t9: {}\nuse: [{ template: t0 }]\n`,
    ],
    ["lists in lists of uses", chain(10, tenfold, "services: {}")],
  ])("is known of %s before the first of them is expanded", (_, text) => {
    let spent = 0;
    const counting = {
      ...limits,
      get nodes() {
        spent += 1;
        return limits.nodes;
      },
    };
    expect(expand(text, counting).codes).toContain("too_large");
    expect(spent).toBe(0);
  });

  test("is counted by uses where only the expansion shows how long a list is", () => {
    const pass = `for_each: "\${param:l}", with: { l: "\${param:l}" }`;
    const nested = (depth: number) =>
      `${head}templates:\n${each(depth, (index) => `  t${index}: { parameters: { l: }, ${index < depth - 1 ? `use: [{ template: t${index + 1}, ${pass} }]` : ""} }\n`)}use: [{ template: t0, with: { l: [{}, {}] } }]\n`;
    expect(expand(nested(3), { ...limits, uses: 7 }).codes).toEqual([]);
    expect(expand(nested(3), { ...limits, uses: 6 }).codes).toEqual(["too_large"]);
  });

  test.runIf(size.largestZones)("is 100,000 resources in a manifest", () => {
    const many = (count: number) =>
      `${chain(6, tenfold)}services: { ${each(count, (index) => `s${index}.test: , `)} }\n`;
    expect(load(many(0)).errors).toEqual([]);
    expect(places(load(many(1)).errors)).toEqual(["too_large"]);
  });
});

test.each([1, 10])("twice as many uses make twice the work, with %i parameters each", (parameters) => {
  const names = Array.from({ length: parameters }, (_, index) => `p${index}`);
  const write = (count: number) =>
    `${head}variables: { v: { default: 1.2.3.4 } }\ntemplates:\n  t: { parameters: { d: , ${names.map((name) => `${name}: `).join(", ")} }, dns: { "\${param:d}": { records: { www: { A: "\${var:v}" }, m: { TXT: "${names.map((name) => `\${param:${name}}`).join("")}" } } } } }\nuse: [{ template: t, for_each: [${each(count, (index) => `z${index}.test, `)}], with: { d: "\${each}", ${names.map((name) => `${name}: x`).join(", ")} } }]\n`;
  const nodes = (count: number) => {
    let spent = 0;
    const most = {
      uses: 1e6,
      resources: 1e6,
      characters: 1e9,
      get nodes() {
        spent += 1;
        return 1e9;
      },
    };
    const { root } = parseSource({ file: "a.yaml", text: write(count) });
    expandTemplates(root ? [root] : [], nothingOutside, most);
    return spent;
  };
  expect(nodes(200)).toBeLessThan(2.2 * nodes(100));
});

test("a text of 100,000 placeholders is joined once, and not copied at each of them", () => {
  const text = "${param:p}".repeat(100_000);
  const template = `{ parameters: { p: }, dns: { a.example: { records: { "@": { TXT: "${text}" } } } } }`;
  const manifest = `${head}templates: { t: ${template} }\nuse: [{ template: t, with: { p: ${"y".repeat(200)} } }]\n`;
  expect(places(load(manifest).errors)).toEqual(["invalid_value a.yaml:3:82 < t 4:19"]);
});
