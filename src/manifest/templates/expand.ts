import type { Diagnostic, Place, TemplateUse } from "../../model/diagnostic.ts";
import type { GivenVariable } from "../../model/resource.ts";
import { countResources } from "../read/read-resources.ts";
import { positionOf, type Span, type WrittenMap, type WrittenNode } from "../yaml/written.ts";
import { bindParameters } from "./bind-parameters.ts";
import { bindVariables, type OutsideValues } from "./bind-variables.ts";
import { checkDepth } from "./check-depth.ts";
import { checkNames } from "./check-names.ts";
import { readDefinitions, type Template, type Use } from "./definitions.ts";
import {
  newExpansion,
  TooLarge,
  type Expansion,
  type Limits,
  outsideInName,
  substitute,
  substituteMap,
  type Scope,
} from "./substitute.ts";
import { findTexts, mayHavePlaceholders } from "./placeholders.ts";

export interface Expanded {
  /** The sources without definitions, and a tree for each use of a template. */
  readonly roots: readonly WrittenMap[];
  /** Nodes whose placeholders have no value. */
  readonly broken: ReadonlySet<WrittenNode>;
  readonly given: readonly GivenVariable[];
  /** Whether values of variables stand in the trees. */
  readonly hasVariables: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** As much as a machine can hold. */
const limits: Limits = { uses: 200_000, resources: 100_000, nodes: 2_000_000, characters: 50 * 1024 * 1024 };

interface ExpansionRun extends Expansion {
  readonly templates: ReadonlyMap<string, Template>;
  readonly usable: ReadonlySet<string>;
  readonly roots: WrittenMap[];
}

/** Puts the values of variables into the sources of a manifest, and adds what its uses of templates make. */
export function expandTemplates(sources: readonly WrittenMap[], outside: OutsideValues, most = limits): Expanded {
  const definitions = readDefinitions(sources);
  const { variables, templates, uses, rest } = definitions;
  const names = checkNames(definitions);
  const bound = bindVariables(variables, names.needed, outside);
  const { usable, diagnostics } = checkDepth(templates, uses);
  const found = [...definitions.diagnostics, ...names.diagnostics, ...bound.diagnostics, ...diagnostics];
  const run: ExpansionRun = {
    ...newExpansion(found, most),
    templates,
    usable,
    roots: [],
  };
  const scope: Scope = { variables: bound.values };
  try {
    for (const root of rest) run.roots.push(hasPlaceholders(root) ? substituteMap(root, scope, run) : root);
    if (uses.length > 0) for (const root of run.roots) run.spend("resources", countResources(root));
    if (leastOf(uses, run, () => 1) > most.uses) throw new TooLarge();
    if (leastOf(uses, run, ({ resources }) => resources) > most.resources) throw new TooLarge();
    for (const use of uses) expandUse(use, scope, run);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    // A part of a manifest would only add mistakes that follow from this one.
    run.roots.length = 0;
    found.push(tooLarge(most));
  }
  return {
    roots: run.roots,
    broken: run.broken,
    given: bound.given,
    hasVariables: bound.values.size > 0,
    diagnostics: found,
  };
}

const hasPlaceholders = (root: WrittenMap): boolean => mayHavePlaceholders(root) && findTexts(root).length > 0;

/** Returns the least sum of a number of each template that uses lead to, before any is expanded: a list behind a name counts as one item. */
function leastOf(
  uses: readonly Use[],
  run: Pick<ExpansionRun, "templates" | "usable">,
  numberOf: (template: Template) => number,
  known = new Map<string, number>(),
): number {
  return uses.reduce((sum, { template: name, forEach }) => {
    const template = run.usable.has(name) ? run.templates.get(name) : undefined;
    const times = forEach?.type === "list" ? forEach.items.length : 1;
    if (template && !known.has(name))
      known.set(name, numberOf(template) + leastOf(template.uses, run, numberOf, known));
    return sum + times * (known.get(name) ?? 0);
  }, 0);
}

/** Adds what one item of `use:` makes, and what the uses in its template make. */
function expandUse(use: Use, caller: Scope, run: ExpansionRun): void {
  const template = run.templates.get(use.template);
  if (!template || !run.usable.has(template.name)) return;
  for (const { each, more, span } of itemsOf(use, caller, run)) {
    run.spend("uses");
    const parameters = bindParameters({ template, use, more, span }, { ...caller, each }, run);
    const uses = [useOf(template, span), ...(caller.uses ?? [])];
    const scope: Scope = { variables: caller.variables, parameters, uses };
    const body = substituteMap(template.body, scope, run);
    run.spend("resources", template.resources);
    run.roots.push(body);
    for (const inner of template.uses) expandUse(inner, scope, run);
  }
}

interface Item {
  /** The place that makes it: the item of for_each, or the use. */
  readonly span: Span;
  readonly each?: WrittenNode;
  /** The parameters that the item gives. */
  readonly more?: WrittenMap;
}

/** Returns one item for each time that the template is used. */
function itemsOf({ span, nameSpan, forEach }: Use, caller: Scope, run: ExpansionRun): readonly Item[] {
  if (!forEach) return [{ span: nameSpan }];
  const list = substitute(forEach, caller, run);
  if (run.broken.has(list)) return [];
  const outside = list.variables?.find((variable) => variable.outside !== undefined);
  if (outside || list.type !== "list") {
    run.report(list, outside ? outsideInName(outside) : noList);
    return [];
  }
  return list.items.map((item) => ({
    // A list that a variable or parameter holds has one place for all of its items.
    span: item.start === list.start ? span : item,
    ...(item.type === "map" ? { more: item } : { each: item }),
  }));
}

const noList = {
  code: "wrong_type",
  summary: "for_each takes a list",
  detail: "a list, such as [example.com, example.net], or a variable or parameter that holds one",
};

const useOf = ({ name, span }: Template, used: Span): TemplateUse => ({
  template: name,
  at: placeOf(span),
  used: placeOf(used),
});

function placeOf(span: Span): Place {
  const { file, line, col } = positionOf(span);
  return { file, line, col };
}

const tooLarge = ({ resources, uses }: Limits): Diagnostic => ({
  severity: "error",
  code: "too_large",
  summary: `The templates make more than ${resources.toLocaleString("en")} resources, or as many values and as much text as that, or are used more than ${uses.toLocaleString("en")} times`,
  detail: `at most ${resources.toLocaleString("en")} resources in one manifest that uses templates`,
  hint: "look for a for_each inside of a template that is itself used for each item of a list; or divide the manifest",
});
