import { shownKeyIn } from "../yaml/secret-spans.ts";
import { positionOf, type Span, type WrittenMap, type WrittenNode } from "../yaml/written.ts";
import { type Definition, type Template, type Use, convertTo, describeType } from "./definitions.ts";
import { didYouMean } from "../../model/nearest.ts";
import type { Mistake } from "../yaml/diagnostic-at.ts";
import { type Expansion, spanIn, substitute, type Scope } from "./substitute.ts";

interface OneUse {
  readonly template: Template;
  readonly use: Use;
  /** The parameters that an item of for_each gives, beside those of with:. */
  readonly more: WrittenMap | undefined;
  /** The place of the use. */
  readonly span: Span;
}

/** Returns the values of a template's parameters for one use. A parameter with a mistake has none. */
export function bindParameters(
  { template, use, more, span }: OneUse,
  caller: Scope,
  expansion: Expansion,
): Map<string, WrittenNode> {
  const { broken, report } = expansion;
  const values = new Map<string, WrittenNode>();
  const given = new Set<string>();
  const give = (name: string, keySpan: Span, value: WrittenNode) => {
    const definition = template.parameters.get(name);
    if (!definition) return report(keySpan, unknownParameter(shownKeyIn(keySpan.source, name), template, expansion));
    if (given.has(name)) return report(keySpan, givenTwice(name, template));
    given.add(name);
    if (broken.has(value)) return;
    const typed = convertTo(value, definition.type);
    if (typed) values.set(name, typed);
    else report(value, wrongType(definition, template, value));
  };
  for (const entry of use.given?.entries.values() ?? [])
    give(entry.key, spanIn(entry, caller), substitute(entry.value, caller, expansion));
  // The items of for_each have their values already.
  for (const entry of more?.entries.values() ?? []) give(entry.key, entry, entry.value);
  for (const { name, default: value } of template.parameters.values()) {
    if (given.has(name)) continue;
    if (value) give(name, value, substitute(value, { variables: caller.variables }, expansion));
    else report(spanIn(span, caller), missingParameter(name, template));
  }
  return values;
}

const listed = 20;

function unknownParameter(
  name: string,
  { name: template, parameters, span }: Template,
  { suggest }: Expansion,
): Mistake {
  const names = [...parameters.keys()].slice(0, listed);
  return {
    code: "unknown_parameter",
    summary: `templates.${template} has no parameter "${name}"`,
    detail:
      names.length === 0
        ? "no values: the template has no parameters"
        : `one of ${names.join(", ")}${parameters.size > listed ? ", …" : ""}`,
    hint: didYouMean(suggest(name, parameters.keys())),
    related: [{ at: positionOf(span), message: "the template is defined here" }],
  };
}

const givenTwice = (name: string, { name: template }: Template): Mistake => ({
  code: "duplicate_key",
  summary: `The parameter ${name} of templates.${template} has two values, in with: and in for_each:`,
  hint: "keep one of the two",
});

const missingParameter = (name: string, { name: template, parameters }: Template): Mistake => ({
  code: "missing_parameter",
  summary: `templates.${template} needs the parameter "${name}"`,
  hint: `write it under with:, or give it a default`,
  related: [...parameters.values()].flatMap((each) =>
    each.name === name ? { at: positionOf(each.span), message: "defined here" } : [],
  ),
});

const wrongType = ({ name, type, span }: Definition, { name: template }: Template, value: WrittenNode): Mistake => ({
  code: "wrong_type",
  summary: `The parameter ${name} of templates.${template} is ${describeType(value)}`,
  detail: type === undefined ? "a text, a number, true or false, a list, or null" : describeType(type),
  related: [{ at: positionOf(span), message: "defined here" }],
});
