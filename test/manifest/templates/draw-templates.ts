import fc from "fast-check";
import { stringify } from "yaml";
import { account, manifestText, nameOf, type Sections } from "../../support/draw-account.ts";

type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };
type Entries = Readonly<Record<string, Value>>;

/** One manifest, as it is written out and as it is written with templates. */
export interface Refactored {
  readonly plain: string;
  readonly templated: string;
}

/** Draws a manifest, and the same with parts of it taken into templates, their values into parameters and variables. */
export const refactored: fc.Arbitrary<Refactored> = fc
  .tuple(fc.array(account, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.nat()), fc.nat(3))
  .map(([accounts, stream, extra]) => refactor(accounts, () => Number(stream.next().value), extra));

const sectionsOf = (sections: Sections, index: number) =>
  JSON.parse(manifestText({ ...sections }, index)) as { version: number; name: string } & Record<string, Entries>;

/** Each account becomes a template of its own, nested as deep as `extra`; equal accounts become one use with for_each. */
function refactor(accounts: readonly Sections[], draw: () => number, extra: number): Refactored {
  const variables: Record<string, object> = {};
  const templates: Record<string, object> = {};
  const groups = new Map<string, number[]>();
  for (const [index, each] of accounts.entries()) {
    const text = JSON.stringify(each);
    groups.set(text, [...(groups.get(text) ?? []), index]);
  }
  const uses: object[] = [];
  let last = 0;
  const next = () => (last += 1);
  for (const [text, indexes] of groups) {
    const name = `t${indexes[0]}`;
    const parameters: Record<string, object | null> = { domain: null, short: { type: "string" } };
    const given: Record<string, Value> = {};
    const abstract = abstracter({ draw, next, parameters, given, variables });
    // Names are parameters; the values beside them become parameters and variables by chance.
    const raw = JSON.parse(
      text.replaceAll(/\bNAME\b/gu, "${param:domain}").replaceAll("SHORT", "${param:short}"),
    ) as Entries;
    const body = Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, abstract(value, "")]));
    templates[name] = { parameters, ...body };
    const items = indexes.map((index) => ({ domain: nameOf(index), short: index }));
    uses.push(nested({ name, given, items }, templates, extra));
  }
  const plain = accounts
    .map((each, index) => sectionsOf(each, index))
    .reduce((all, { version: _version, name: _name, ...sections }) => joined(all, sections), {} as Entries);
  const head = { version: 1, name: "drawn" };
  return {
    plain: stringify({ ...head, ...plain }),
    templated: stringify({ ...head, variables, templates, use: uses }),
  };
}

interface Use {
  readonly name: string;
  readonly given: Readonly<Record<string, Value>>;
  readonly items: readonly Entries[];
}

/** A use of a template, through as many templates that only pass their parameters on. */
function nested({ name, given, items }: Use, templates: Record<string, object>, depth: number): object {
  if (depth === 0) return useOf(name, given, items);
  const outer = `${name}-${depth}`;
  const names = [...Object.keys(given), "domain", "short"];
  const pass = Object.fromEntries(names.map((each) => [each, `\${param:${each}}`]));
  templates[outer] = {
    parameters: Object.fromEntries(names.map((each) => [each, {}])),
    use: [{ template: name, with: pass }],
  };
  return nested({ name: outer, given, items }, templates, depth - 1);
}

function useOf(template: string, given: Readonly<Record<string, Value>>, items: readonly Entries[]): object {
  const [first] = items;
  return items.length === 1 ? { template, with: { ...given, ...first } } : { template, for_each: items, with: given };
}

interface Abstraction {
  readonly draw: () => number;
  /** Returns a number that no other name has. */
  readonly next: () => number;
  readonly parameters: Record<string, object | null>;
  readonly given: Record<string, Value>;
  readonly variables: Record<string, object>;
}

/** Returns a function that replaces some of the values in a tree by placeholders. */
function abstracter({ draw, next, parameters, given, variables }: Abstraction) {
  const abstract = (value: Value, key: string): Value => {
    const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
    const way = isMap || (typeof value === "string" && value.includes("${param:")) ? 5 : draw() % 6;
    const isSecret = key === "password";
    const number = next();
    if (way === 0 && !isSecret && value !== null) {
      variables[`v${number}`] = { default: value };
      return `\${var:v${number}}`;
    }
    if (way === 1) {
      parameters[`p${number}`] = {};
      given[`p${number}`] = value;
      return `\${param:p${number}}`;
    }
    if (way === 2) {
      parameters[`p${number}`] = { default: value };
      return `\${param:p${number}}`;
    }
    if (way === 3 && typeof value === "string" && value.length > 2 && !value.includes("${")) {
      parameters[`p${number}`] = { type: "string" };
      given[`p${number}`] = value.slice(1);
      return `${value[0]}\${param:p${number}}`;
    }
    if (isMap) return Object.fromEntries(Object.entries(value).map(([inner, each]) => [inner, abstract(each, inner)]));
    return Array.isArray(value) ? value.map((item: Value) => abstract(item, key)) : value;
  };
  return abstract;
}

function joined(left: Entries, right: Entries): Entries {
  const both: Record<string, Value> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const there = both[key];
    const areMaps = typeof there === "object" && there !== null && typeof value === "object" && value !== null;
    both[key] = areMaps ? joined(there as Entries, value as Entries) : value;
  }
  return both;
}
