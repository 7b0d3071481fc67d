import { advice, flagMistakes, sources } from "../../messages/advice.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Json } from "../../model/json.ts";
import { didYouMean, newSuggester, type Suggest } from "../../model/nearest.ts";
import type { GivenVariable } from "../../model/resource.ts";
import { diagnosticAt } from "../yaml/diagnostic-at.ts";
import { mergeMaps } from "../yaml/merge.ts";
import { parseSource } from "../yaml/parse.ts";
import {
  mapTree,
  nameOfPlace,
  placeOf,
  positionOf,
  toJson,
  type SourceText,
  type Variable,
  type WrittenNode,
} from "../yaml/written.ts";
import type { VariableNeed } from "./check-names.ts";
import { type Definition, type ValueType, convertTo, describeType, typeOf } from "./definitions.ts";

/** Values of variables that do not stand in the manifest. */
export interface OutsideValues {
  /** `NAME=VALUE`, from the command line. */
  readonly flags: readonly string[];
  readonly files: readonly SourceText[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const nothingOutside: OutsideValues = { flags: [], files: [], env: {} };

export interface BoundVariables {
  /** By name; a variable with a mistake has none. */
  readonly values: ReadonlyMap<string, WrittenNode>;
  readonly given: readonly GivenVariable[];
  readonly diagnostics: readonly Diagnostic[];
}

interface GivenValue {
  readonly node: WrittenNode;
  readonly from: string;
  /** True for a text that takes its type from the variable. */
  readonly isText: boolean;
}

/**
 * Gives each variable its value: from the command line, else from a file, else from the environment, else its default.
 * @param needed the variables that have to have a value, each with a place that needs it.
 */
export function bindVariables(
  definitions: ReadonlyMap<string, Definition>,
  needed: ReadonlyMap<string, VariableNeed>,
  outside: OutsideValues,
): BoundVariables {
  const { values: read, diagnostics } = readOutside(definitions, outside);
  const values = new Map<string, WrittenNode>();
  const given: GivenVariable[] = [];
  for (const definition of definitions.values()) {
    const { name } = definition;
    const own = read.get(name);
    const value = own ? ofOutside(definition, own) : ofDefault(definition, needed.get(name));
    if (value === undefined) continue;
    if ("severity" in value) diagnostics.push(value);
    else if (!own) values.set(name, withVariable(value, { name }));
    else {
      values.set(name, withVariable(escaped(value), { name, outside: own.from }));
      given.push({ name, value: shownValue(value), from: own.from });
    }
  }
  return { values, given, diagnostics };
}

function ofDefault(definition: Definition, need: VariableNeed | undefined): WrittenNode | Diagnostic | undefined {
  const { name, span, type, default: value } = definition;
  if (!value) {
    if (!need) return undefined;
    return diagnosticAt(span, {
      code: "unset_variable",
      summary: `The variable ${name} has no value`,
      hint: need.isName
        ? `write its value as the default of ${name}: it names resources, so it comes from the manifest alone`
        : advice.giveValue(name),
      related: [{ at: positionOf(need.span), message: "used here" }],
    });
  }
  const typed = convertTo(value, type);
  return typed ?? wrongType(`The default of ${name}`, value, type);
}

function ofOutside(definition: Definition, { node, from, isText }: GivenValue): WrittenNode | Diagnostic {
  const { name, type = definition.default ? typeOf(definition.default) : "string" } = definition;
  const typed = isText ? readText(node, type) : convertTo(node, type);
  if (typed && isOfScalars(typed)) return typed;
  return wrongType(`The variable ${name}, from ${from},`, node, type);
}

/** The data, less a number or a boolean that is written in another way than JSON writes it: it goes into texts as it is written. */
function shownValue(node: WrittenNode): Json {
  if (node.type === "list") return node.items.map(shownValue);
  const value = toJson(node);
  const isPlain = typeof value === "number" || typeof value === "boolean";
  return node.type === "scalar" && isPlain && String(value) !== node.text ? node.text : value;
}

/** A list from outside holds no maps and lists: its items are values. */
const isOfScalars = (node: WrittenNode): boolean =>
  node.type === "scalar" || (node.type === "list" && node.items.every(({ type }) => type === "scalar"));

/** Reads a text from the command line or the environment as a value of a type. */
function readText(node: WrittenNode, type: ValueType | undefined): WrittenNode | undefined {
  if (type === undefined || type === "string" || node.type !== "scalar") return node;
  const { file, text } = node.source;
  const { root } = parseSource({ file, text: `value: ${text.trim()}` });
  const value = root?.entries.get("value")?.value;
  if (root?.entries.size !== 1 || !value || typeOf(value) !== type) return undefined;
  // The place is the whole text: the key before it was not written.
  return mapTree(value, (each) => ({ ...each, ...placeOf(node) }));
}

/** Nothing from outside is an interpolation: a `${` in it is only text. */
function escaped(node: WrittenNode): WrittenNode {
  if (node.type === "list") return { ...node, items: node.items.map(escaped) };
  if (node.type !== "scalar" || typeof node.value !== "string") return node;
  const text = node.value.replaceAll("${", () => "$${");
  return { ...node, value: text, text };
}

/** Marks a value, and all that is in it, as that of a variable. */
function withVariable(node: WrittenNode, variable: Variable): WrittenNode {
  const variables = [variable];
  return mapTree(node, (each) => ({ ...each, variables }));
}

function readOutside(definitions: ReadonlyMap<string, Definition>, outside: OutsideValues) {
  const values = new Map<string, GivenValue>();
  const diagnostics: Diagnostic[] = [];
  const suggest = newSuggester();
  readEnvironment(definitions, outside.env, values);
  for (const entry of readFiles(outside.files, diagnostics)) {
    const { key, value } = entry;
    if (definitions.has(key)) values.set(key, { node: value, from: nameOfPlace(entry), isText: false });
    else diagnostics.push(diagnosticAt(entry, unknownVariable(key, definitions, suggest)));
  }
  const flags = new Map<string, string>();
  for (const flag of outside.flags) {
    const [, name, value = ""] = /^([^=]+)=(.*)$/su.exec(flag) ?? [];
    if (name === undefined) diagnostics.push(badVariable(flagMistakes.notAPair));
    else if (flags.has(name)) diagnostics.push(badVariable(flagMistakes.givenTwice(name)));
    else if (!definitions.has(name)) diagnostics.push(unknownVariable(name, definitions, suggest, sources.flag(name)));
    else {
      const from = sources.flag(name);
      values.set(name, { node: textNode(from, value), from, isText: true });
    }
    if (name !== undefined) flags.set(name, value);
  }
  return { values, diagnostics };
}

const prefix = "HOSTFORM_VAR_";

/** A name in the environment is that of the variable, or that in upper-case letters. */
function readEnvironment(
  definitions: ReadonlyMap<string, Definition>,
  env: OutsideValues["env"],
  values: Map<string, GivenValue>,
): void {
  for (const name of definitions.keys()) {
    const upper = definitions.has(name.toUpperCase()) ? name : name.toUpperCase();
    const key = [name, upper].map((each) => `${prefix}${each}`).find((each) => Object.hasOwn(env, each));
    const value = key === undefined ? undefined : env[key];
    if (key !== undefined && value !== undefined)
      values.set(name, { node: textNode(key, value), from: key, isText: true });
  }
}

function readFiles(files: readonly SourceText[], diagnostics: Diagnostic[]) {
  const parsed = files.map(parseSource);
  diagnostics.push(...parsed.flatMap((each) => each.diagnostics));
  const [first, ...others] = parsed.flatMap(({ root }) => root ?? []);
  if (!first) return [];
  const merged = mergeMaps([first, ...others]);
  diagnostics.push(...merged.diagnostics);
  return merged.root.entries.values();
}

const textNode = (file: string, text: string): WrittenNode => ({
  type: "scalar",
  source: { file, text },
  start: 0,
  end: text.length,
  value: text,
  text,
  plain: false,
});

function unknownVariable(
  name: string,
  definitions: ReadonlyMap<string, Definition>,
  suggest: Suggest,
  subject = name,
): Omit<Diagnostic, "at" | "frame"> {
  return {
    severity: "error",
    code: "unknown_given_variable",
    summary: `${subject}: the manifest has no variable of this name`,
    hint: didYouMean(suggest(name, definitions.keys()), "") ?? "define it under variables:, or leave it out",
  };
}

// The text may be a value whose name was forgotten, so it is not shown.
const badVariable = (words: Pick<Diagnostic, "summary" | "hint">): Diagnostic => ({
  severity: "error",
  code: "bad_variable",
  ...words,
});

function wrongType(subject: string, node: WrittenNode, type: ValueType | undefined): Diagnostic {
  return diagnosticAt(node, {
    code: "wrong_type",
    summary: `${subject} is ${describeType(node)}`,
    detail: type === undefined ? "a text, a number, true or false, or a list" : describeType(type),
  });
}
