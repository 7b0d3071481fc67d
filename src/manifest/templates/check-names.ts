import type { Diagnostic } from "../../model/diagnostic.ts";
import { didYouMean, newSuggester, type Suggest } from "../../model/nearest.ts";
import { diagnosticAt, type Mistake } from "../yaml/diagnostic-at.ts";
import { itemsOf, type Span, type WrittenMap, type WrittenNode } from "../yaml/written.ts";
import type { Definition, Definitions, Template, Use } from "./definitions.ts";
import { findTexts, mayHavePlaceholders, type FoundText, type Placeholder } from "./placeholders.ts";

export interface CheckedNames {
  readonly diagnostics: readonly Diagnostic[];
  /** The variables that a value is needed for. */
  readonly needed: ReadonlyMap<string, VariableNeed>;
}

export interface VariableNeed {
  /** The first place of the variable; if it names resources anywhere, the first such place. */
  readonly span: Span;
  readonly isName: boolean;
}

interface NameCheck extends Pick<Definitions, "variables" | "templates"> {
  readonly diagnostics: Diagnostic[];
  readonly needed: Map<string, VariableNeed>;
  /** Each definition that is mentioned. */
  readonly used: Set<Definition | Template | undefined>;
  readonly suggest: Suggest;
}

/** Finds placeholders that name nothing, or stand where none may, and definitions that nothing uses. Each text is looked at once, however often it is used. */
export function checkNames(definitions: Definitions): CheckedNames {
  const { variables, templates, uses, rest } = definitions;
  const check: NameCheck = {
    variables,
    templates,
    diagnostics: [],
    needed: new Map(),
    used: new Set(),
    suggest: newSuggester(),
  };
  for (const root of rest) checkRoot(check, root);
  for (const use of uses) checkUse(check, use, undefined);
  for (const template of templates.values()) checkTemplate(check, template);
  for (const { default: value } of variables.values()) if (value) checkDefault(check, value);
  // A name that is misspelled where it is used is not unused.
  if (check.diagnostics.length === 0) reportUnused(check);
  return check;
}

const plainSections = new Set(["version", "name", "provider", "policy", "removed"]);

function checkRoot(check: NameCheck, root: WrittenMap): void {
  if (!mayHavePlaceholders(root)) return;
  for (const { key, value } of root.entries.values()) {
    for (const found of findTexts(value)) {
      if (plainSections.has(key)) report(check, found.span, plainSection(key));
      else checkText(check, found, undefined);
    }
  }
}

function checkTemplate(check: NameCheck, template: Template): void {
  for (const found of findTexts(template.body)) checkText(check, found, template);
  for (const use of template.uses) checkUse(check, use, template);
  for (const { default: value } of template.parameters.values()) {
    if (value) for (const found of findTexts(value)) checkText(check, found, undefined);
  }
}

/** @param template the template that the use stands in, if it stands in one. */
function checkUse(check: NameCheck, use: Use, template: Template | undefined): void {
  check.used.add(check.templates.get(use.template));
  if (!check.templates.has(use.template)) report(check, use.nameSpan, unknownTemplate(use.template, check));
  const { forEach } = use;
  const items = itemsOf(forEach);
  const isOfMaps = items.length > 0 && items.every(({ type }) => type === "map");
  const takesEach = forEach !== undefined && !isOfMaps;
  for (const node of [forEach, use.given].filter((value) => value !== undefined)) {
    for (const each of findTexts(node, node === use.given)) {
      // A list that decides which resources there are.
      const found = node === forEach && node.type === "scalar" ? { ...each, isKey: true } : each;
      checkText(check, found, template);
      if (!takesEach && found.placeholders.some(({ source }) => source === "each"))
        report(check, found.span, eachWithoutList);
    }
  }
}

function checkText(check: NameCheck, found: FoundText, template: Template | undefined): void {
  for (const { source, name, text, closed, inside } of found.placeholders) {
    const isName = found.isKey || inside;
    if (!closed)
      report(check, found.span, {
        code: "invalid_interpolation",
        summary: `${text} is never closed`,
        hint: `write the "}", or $${text} for a literal text`,
      });
    else if (source === "var") {
      check.used.add(check.variables.get(name));
      if (!check.variables.has(name)) report(check, found.span, unknownName("variable", name, check));
      else if (!check.needed.has(name) || (isName && check.needed.get(name)?.isName === false))
        check.needed.set(name, { span: found.span, isName });
    } else if (source === "param") {
      check.used.add(template?.parameters.get(name));
      if (!template) report(check, found.span, paramOutside(text));
      else if (!template.parameters.has(name))
        report(check, found.span, unknownName("parameter", name, check, template));
    }
  }
}

/** A variable's default is taken as it is. */
function checkDefault(check: NameCheck, value: WrittenNode): void {
  for (const found of findTexts(value)) report(check, found.span, defaultOfOthers(found.placeholders[0]));
  for (const span of secretsIn(value)) report(check, span, secretDefault);
}

function* secretsIn(node: WrittenNode): Generator<Span, void> {
  if (node.type === "list") for (const item of node.items) yield* secretsIn(item);
  else if (node.type === "map") for (const { value } of node.entries.values()) yield* secretsIn(value);
  else if (typeof node.value === "string" && /(?<!\$)\$\{(?:env|file|exec):/u.test(node.value)) yield node;
}

function reportUnused({ variables, templates, used, diagnostics }: NameCheck): void {
  const look = (each: Definition | Template, what: string) => {
    if (!used.has(each)) diagnostics.push(unused(each.span, what));
  };
  for (const { name, parameters } of templates.values())
    for (const each of parameters.values()) look(each, `The parameter ${each.name} of templates.${name}`);
  for (const each of variables.values()) look(each, `The variable ${each.name}`);
  for (const each of templates.values()) look(each, `The template ${each.name}`);
}

const report = ({ diagnostics }: NameCheck, span: Span, mistake: Mistake) =>
  diagnostics.push(diagnosticAt(span, mistake));

const unused = (span: Span, what: string): Diagnostic =>
  diagnosticAt(span, {
    severity: "notice",
    code: "unused",
    summary: `${what} is not used`,
    hint: "use it, or remove it",
  });

const unknownTemplate = (name: string, { templates, suggest }: NameCheck): Mistake => ({
  code: "unknown_template",
  summary: `There is no template "${name}"`,
  hint: didYouMean(suggest(name, templates.keys())) ?? "define it under templates:, or check its name",
});

/** @param template the template whose parameters are known, for a parameter. */
function unknownName(what: "variable" | "parameter", name: string, check: NameCheck, template?: Template): Mistake {
  const near = check.suggest(name, (template?.parameters ?? check.variables).keys());
  const owner = template ? ` of templates.${template.name}` : "";
  const section = template ? "parameters: of the template" : "variables:";
  return {
    code: `unknown_${what}`,
    summary: `There is no ${what} "${name}"${owner}`,
    hint: didYouMean(near) ?? `define it under ${section}, or check its name`,
  };
}

const plainSection = (section: string): Mistake => ({
  code: "placeholder_not_allowed",
  summary: `${section} takes neither variables nor parameters`,
  hint: "write the value out: it decides which account is meant, and which resources may be deleted",
});

const paramOutside = (text: string): Mistake => ({
  code: "parameter_outside_template",
  summary: `${text} stands outside of a template`,
  hint: "parameters have values only in templates: here, write ${var:NAME}",
});

const eachWithoutList: Mistake = {
  code: "each_without_list",
  summary: "${each} stands in a use without a for_each of values",
  detail: "for_each: [example.com, example.net] beside it; the keys of a map in for_each are parameters already",
};

const defaultOfOthers = (first: Placeholder | undefined): Mistake => ({
  code: "placeholder_not_allowed",
  summary: `The default of a variable takes no ${first?.text ?? "placeholder"}`,
  hint: "write the value out",
});

const secretDefault: Mistake = {
  code: "secret_variable",
  summary: "A variable cannot hold a secret: plans show its value",
  hint: "write ${env:NAME} or ${file:PATH} in the field itself, or in with: of a use",
};
