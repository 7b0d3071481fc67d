import type { Diagnostic } from "../../model/diagnostic.ts";
import { checkSchema, validPart } from "../schema/check-schema.ts";
import { mergeMaps } from "../yaml/merge.ts";
import { countResources } from "../read/read-resources.ts";
import {
  itemsOf,
  memberOf,
  placeOf,
  withEntries,
  type Span,
  type WrittenEntry,
  type WrittenMap,
  type WrittenNode,
} from "../yaml/written.ts";

export type ValueType = "string" | "number" | "boolean" | "list";

/** A variable, or a parameter of a template. */
export interface Definition {
  readonly name: string;
  readonly span: Span;
  readonly type: ValueType | undefined;
  readonly default: WrittenNode | undefined;
}

export interface Template {
  readonly name: string;
  readonly span: Span;
  readonly parameters: ReadonlyMap<string, Definition>;
  /** Its sections. */
  readonly body: WrittenMap;
  readonly uses: readonly Use[];
  /** Resources in its own sections. */
  readonly resources: number;
}

/** An item of `use:`. */
export interface Use {
  readonly span: Span;
  readonly template: string;
  /** The place of the template's name. */
  readonly nameSpan: Span;
  readonly given: WrittenMap | undefined;
  readonly forEach: WrittenNode | undefined;
}

export interface Definitions {
  readonly variables: ReadonlyMap<string, Definition>;
  readonly templates: ReadonlyMap<string, Template>;
  readonly uses: readonly Use[];
  /** The sources without these sections. */
  readonly rest: readonly WrittenMap[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The sections of a manifest that say how others are made. */
export const ownSections = ["variables", "templates", "use"];

/** Takes variables, templates and uses out of the sources, and checks their form. Those of several files are merged first. */
export function readDefinitions(sources: readonly WrittenMap[]): Definitions {
  const own = sources.map((source) => sectionsOf(source, true));
  const [first, ...others] = own.filter(({ entries }) => entries.size > 0);
  if (!first) return { variables: new Map(), templates: new Map(), uses: [], rest: sources, diagnostics: [] };
  const merged = mergeMaps([first, ...others]);
  const checked = checkSchema(merged.root, false);
  const tree = validPart(merged.root, checked.wrong);
  return {
    variables: definitionsIn(memberOf(tree, "variables")),
    templates: new Map(entriesOf(memberOf(tree, "templates")).map((entry) => [entry.key, templateOf(entry)])),
    uses: usesIn(memberOf(tree, "use")),
    rest: sources.map((source) => sectionsOf(source, false)),
    diagnostics: [...merged.diagnostics, ...checked.diagnostics],
  };
}

/** Returns a source with these sections alone, or without them. */
const sectionsOf = (source: WrittenMap, own: boolean): WrittenMap =>
  withEntries(source, new Map([...source.entries].filter(([key]) => ownSections.includes(key) === own)));

function definitionsIn(node: WrittenNode | undefined): Map<string, Definition> {
  return new Map(
    entriesOf(node).map((entry) => {
      const { key, value } = entry;
      const type = textOf(memberOf(value, "type")) as ValueType | undefined;
      return [key, { name: key, span: entry, type, default: memberOf(value, "default") }];
    }),
  );
}

const outsideOfBody = new Set(["parameters", "use"]);

function templateOf(entry: WrittenEntry): Template {
  const { key, value } = entry;
  const sections = entriesOf(value).filter((each) => !outsideOfBody.has(each.key));
  const body: WrittenMap = {
    type: "map",
    ...placeOf(value),
    entries: new Map(sections.map((each) => [each.key, each])),
  };
  return {
    name: key,
    span: entry,
    parameters: definitionsIn(memberOf(value, "parameters")),
    body,
    resources: countResources(body),
    uses: usesIn(memberOf(value, "use")),
  };
}

const usesIn = (node: WrittenNode | undefined): Use[] =>
  itemsOf(node).flatMap((item) => {
    const name = memberOf(item, "template");
    const template = textOf(name);
    const given = memberOf(item, "with");
    if (!name || template === undefined) return [];
    return {
      span: item,
      template,
      nameSpan: name,
      given: given?.type === "map" ? given : undefined,
      forEach: memberOf(item, "for_each"),
    };
  });

const entriesOf = (node: WrittenNode | undefined): WrittenEntry[] =>
  node?.type === "map" ? [...node.entries.values()] : [];

const textOf = (node: WrittenNode | undefined): string | undefined =>
  node?.type === "scalar" && typeof node.value === "string" ? node.value : undefined;

const words: Readonly<Record<ValueType, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  list: "a list",
};

/** Describes a type, or that of a value, in words. The value itself is not shown. */
export function describeType(value: ValueType | WrittenNode): string {
  if (typeof value === "string") return words[value];
  const type = typeOf(value);
  return type === undefined ? (value.type === "map" ? "a map" : "null") : words[type];
}

/** Returns the type of a value; undefined for a map and for null. */
export function typeOf(node: WrittenNode): ValueType | undefined {
  if (node.type === "list") return "list";
  if (node.type === "map" || node.value === null) return undefined;
  const type = typeof node.value;
  return type === "number" || type === "boolean" ? type : "string";
}

/** Returns a value as one of a type, or undefined where it is none. An unquoted number or `true` is a text too, as it is written. */
export function convertTo(node: WrittenNode, type: ValueType | undefined): WrittenNode | undefined {
  if (type === undefined) return node.type === "map" ? undefined : node;
  if (typeOf(node) === type) return node;
  const isText = type === "string" && node.type === "scalar" && node.value !== null;
  return isText ? { ...node, value: node.text } : undefined;
}
