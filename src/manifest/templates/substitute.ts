import type { TemplateUse, Diagnostic } from "../../model/diagnostic.ts";
import { forbiddenKey } from "../yaml/build-tree.ts";
import { shownKey } from "../yaml/secret-keys.ts";
import {
  mapTree,
  placeOf,
  type Span,
  type Variable,
  type WrittenEntry,
  type WrittenMap,
  type WrittenNode,
  type WrittenScalar,
} from "../yaml/written.ts";
import { type Mistake, diagnosticAt } from "../yaml/diagnostic-at.ts";
import { divideText, type Placeholder, type TextPart } from "./placeholders.ts";
import { newSuggester, type Suggest } from "../../model/nearest.ts";

/** The values that placeholders have in one place. A name without a value has been reported before. */
export interface Scope {
  readonly variables: ReadonlyMap<string, WrittenNode>;
  readonly parameters?: ReadonlyMap<string, WrittenNode>;
  /** There in with: only, where it may have no value. */
  readonly each?: WrittenNode | undefined;
  readonly uses?: readonly TemplateUse[];
}

/** Copies a tree with the values in the place of its placeholders. All nodes have the places at which the placeholders stand. */
export function substitute(node: WrittenNode, scope: Scope, expansion: Expansion): WrittenNode {
  if (node.type === "scalar") return substituteScalar(node, scope, expansion);
  expansion.spend("nodes");
  if (node.type === "map") return substituteMap(node, scope, expansion);
  return { ...spanIn(node, scope), items: node.items.map((item) => substitute(item, scope, expansion)) };
}

export function substituteMap(map: WrittenMap, scope: Scope, expansion: Expansion): WrittenMap {
  const entries = new Map<string, WrittenEntry>();
  for (const entry of map.entries.values()) {
    const placed = spanIn(entry, scope);
    const key = substituteKey(entry.key, placed, scope, expansion);
    const value = substitute(entry.value, scope, expansion);
    if (key === undefined) continue;
    if (entries.has(key)) expansion.report(placed, duplicateKey(key));
    else entries.set(key, { ...placed, key, value });
  }
  return { ...spanIn(map, scope), entries };
}

export const spanIn = <T extends Span>(span: T, { uses }: Scope): T => (uses ? { ...span, uses } : span);

const valueOf = ({ source, name }: Placeholder, { variables, parameters, each }: Scope): WrittenNode | undefined =>
  source === "var" ? variables.get(name) : source === "param" ? parameters?.get(name) : each;

/** Divides a text. `${each}` stands in with: only; elsewhere it is a text like others. */
const divide = (text: string, scope: Scope): readonly TextPart[] =>
  divideText(text).map((part) =>
    typeof part === "object" && part.source === "each" && !("each" in scope) ? part.text : part,
  );

/** Returns the key with its values, or undefined where it cannot be known. */
function substituteKey(key: string, span: Span, scope: Scope, { report, spend }: Expansion): string | undefined {
  let text = "";
  for (const part of divide(key, scope)) {
    const value = typeof part === "string" ? undefined : valueOf(part, scope);
    if (!value && typeof part === "object") return undefined;
    const piece = typeof part === "string" ? part : keyText(value);
    if (typeof piece === "object") {
      report(span, piece);
      return undefined;
    }
    spend("characters", piece.length);
    text += piece;
  }
  if (text !== "__proto__") return text;
  report(span, forbiddenKey);
  return undefined;
}

/** Returns a value as a part of a name, or why it cannot be one. */
function keyText(value: WrittenNode | undefined): string | Mistake {
  const outside = value?.variables?.find((variable) => variable.outside !== undefined);
  if (outside) return outsideInName(outside);
  if (value?.type !== "scalar" || value.value === null) return noText("This variable");
  const text = textOf(value);
  return text.includes("${") ? referenceInName : text;
}

const textOf = ({ value, text }: WrittenScalar): string => (typeof value === "string" ? value : text);

function substituteScalar(node: WrittenScalar, scope: Scope, expansion: Expansion): WrittenNode {
  const { spend, broken, report } = expansion;
  const own = { ...spanIn(node, scope) };
  const parts = typeof node.value === "string" ? divide(node.value, scope) : [];
  const [first] = parts;
  spend("nodes");
  if (parts.every((part) => typeof part === "string")) return own;
  const whole = parts.length === 1 && typeof first === "object" ? valueOf(first, scope) : undefined;
  if (whole) return copyTo(whole, placeOf(own), spend);
  const joined = joinText(parts, scope, spend);
  if (joined && "text" in joined)
    return { ...own, value: joined.text, text: joined.text, plain: false, variables: joined.variables };
  if (joined) report(own, joined);
  broken.add(own);
  return own;
}

/** Copies a value to a place. A node of its own for every place, since the schema check may settle a scalar differently in each. */
function copyTo(node: WrittenNode, place: Span, spend: Expansion["spend"]): WrittenNode {
  return mapTree(node, (each) => {
    if ("type" in each) spend("nodes");
    if ("text" in each) spend("characters", String(each.text).length);
    return { ...each, ...place };
  });
}

type Joined = { readonly text: string; readonly variables: readonly Variable[] } | Mistake | undefined;

/** Joins the parts of a text. Undefined where a part has no value. */
function joinText(parts: readonly TextPart[], scope: Scope, spend: Expansion["spend"]): Joined {
  let text = "";
  // To look at the text itself would copy it whole at each part.
  let endsInDollar = false;
  const variables = new Set<Variable>();
  for (const part of parts) {
    const value = typeof part === "string" ? undefined : valueOf(part, scope);
    if (!value && typeof part === "object") return undefined;
    const piece = typeof part === "string" ? part : pieceOf(part, value);
    if (typeof piece === "object") return piece;
    spend("characters", piece.length + (value?.variables?.length ?? 0));
    if (endsInDollar && piece.startsWith("${")) return dollarBeforeReference;
    // A `$` and a `{` that meet are text. Together they would begin an interpolation that nobody has written.
    text += endsInDollar && piece.startsWith("{") ? `$${piece}` : piece;
    if (piece !== "") endsInDollar = piece.endsWith("$");
    for (const variable of value?.variables ?? []) variables.add(variable);
  }
  return { text, variables: [...variables] };
}

function pieceOf({ inside, text }: Placeholder, value: WrittenNode | undefined): string | Mistake {
  if (value?.type !== "scalar" || value.value === null) return noText(text);
  const piece = textOf(value);
  if (!inside) return piece;
  const outside = value.variables?.find((variable) => variable.outside !== undefined);
  if (outside) return outsideInName(outside);
  return /[${}]/u.test(piece) ? referenceInName : piece;
}

const noText = (where: string): Mistake => ({
  code: "wrong_type",
  summary: `${where} stands inside a string, but its value is a list, a map or null`,
  detail: "a text, a number, or true or false; a list stands only as a whole value",
});

export const outsideInName = ({ name, outside }: Variable): Mistake => ({
  code: "outside_value_in_address",
  summary: `The variable ${name} names resources here, and its value comes from outside the manifest: ${outside}`,
  detail: "a value that stands in the manifest, so that no command line can change which resources are meant",
  hint: `write the value as the default of ${name}, and leave out ${outside}`,
});

const referenceInName: Mistake = {
  code: "reference_in_name",
  summary: "A name takes no ${…} in the value of its variable or parameter",
  detail: "plain text; secrets and references stand in values",
};

const dollarBeforeReference: Mistake = {
  code: "dollar_before_reference",
  summary: "A value that ends with $ stands directly before ${…}, which would make it $${…}: an escaped text",
  hint: "put another character between the two",
};

const duplicateKey = (key: string): Mistake => ({
  code: "duplicate_key",
  summary: `The key "${shownKey(key)}" is written twice in one map, once its values are put in`,
  detail: "each key once",
  hint: "join the two, or give one another value",
});

/** The most that an expansion may make. */
export interface Limits {
  /** Uses of templates, nested ones and each item of for_each among them: they take their time, though nothing may come of them. */
  readonly uses: number;
  readonly resources: number;
  readonly nodes: number;
  readonly characters: number;
}

/** Thrown where an expansion grows too large. */
export class TooLarge extends Error {}

/** The results of an expansion, beside its trees. */
export interface Expansion {
  /** Adds a mistake. The same of the same place is added once, however often its template is used. */
  readonly report: (span: Span, mistake: Mistake) => void;
  /** Counts what is made, such as nodes; by default one. Throws `TooLarge` when there are too many. */
  readonly spend: (what: keyof Limits, count?: number) => void;
  readonly suggest: Suggest;
  /** Nodes that keep their placeholders, because these have no value: the reason is reported, and their content says nothing. */
  readonly broken: Set<WrittenNode>;
}

/** @param diagnostics receives the mistakes. */
export function newExpansion(diagnostics: Diagnostic[], limits: Limits): Expansion {
  const reported = new Set<string>();
  const spent = { uses: 0, resources: 0, nodes: 0, characters: 0 };
  return {
    broken: new Set(),
    suggest: newSuggester(),
    report: (span, mistake) => {
      const id = `${span.source.file}:${span.start}:${mistake.summary}`;
      if (!reported.has(id)) diagnostics.push(diagnosticAt(span, mistake));
      reported.add(id);
    },
    spend: (what, count = 1) => {
      spent[what] += count;
      if (spent[what] > limits[what]) throw new TooLarge();
    },
  };
}
