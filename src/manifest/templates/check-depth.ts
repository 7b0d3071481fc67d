import type { Diagnostic } from "../../model/diagnostic.ts";
import { diagnosticAt } from "../yaml/diagnostic-at.ts";
import type { Template, Use } from "./definitions.ts";

export interface CheckedDepth {
  /** The templates that can be used: those that lead to no circle. */
  readonly usable: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

const maxDepth = 10;

interface TemplateVisit {
  readonly template: Template;
  readonly uses: Use[];
  /** Templates on the longest way down from this one, itself among them; Infinity for a circle. */
  depth: number;
}

/** Finds templates that use themselves, and uses that lead through too many templates. */
export function checkDepth(templates: ReadonlyMap<string, Template>, uses: readonly Use[]): CheckedDepth {
  const depths = new Map<string, number>();
  const diagnostics: Diagnostic[] = [];
  for (const template of templates.values())
    if (!depths.has(template.name)) visit(template, templates, depths, diagnostics);
  for (const { template, nameSpan } of uses) {
    const depth = depths.get(template) ?? 0;
    if (depth > maxDepth && depth < Infinity)
      diagnostics.push(
        diagnosticAt(nameSpan, {
          code: "too_deep",
          summary: `templates.${template} leads through ${depth} templates, each of which uses the next`,
          detail: `at most ${maxDepth}`,
          hint: "join some of them",
        }),
      );
  }
  return { usable: new Set([...depths].flatMap(([name, depth]) => (depth <= maxDepth ? name : []))), diagnostics };
}

/** Goes down from a template, depth first and without recursion: a chain may be as long as a file. */
function visit(
  start: Template,
  templates: ReadonlyMap<string, Template>,
  depths: Map<string, number>,
  diagnostics: Diagnostic[],
): void {
  const path: TemplateVisit[] = [];
  const onPath = new Map<string, number>();
  const enter = (template: Template) => {
    onPath.set(template.name, path.push({ template, uses: [...template.uses], depth: 1 }) - 1);
  };
  enter(start);
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const next = top.uses.pop();
    const template = next && templates.get(next.template);
    if (!next) leave(path, onPath, depths);
    else if (template && onPath.has(template.name)) {
      top.depth = Infinity;
      diagnostics.push(circle(next, path, onPath.get(template.name) ?? 0));
    } else if (template) {
      const known = depths.get(template.name);
      if (known === undefined) enter(template);
      else top.depth = Math.max(top.depth, known + 1);
    }
  }
}

function leave(path: TemplateVisit[], onPath: Map<string, number>, depths: Map<string, number>): void {
  const done = path.pop();
  if (!done) return;
  onPath.delete(done.template.name);
  depths.set(done.template.name, done.depth);
  const above = path.at(-1);
  if (above) above.depth = Math.max(above.depth, done.depth + 1);
}

/** @param from the place in the path that the use leads back to. */
function circle(use: Use, path: readonly TemplateVisit[], from: number): Diagnostic {
  const members = path.slice(from, from + maxDepth).map(({ template }) => template.name);
  const shown = [...members, ...(path.length - from > maxDepth ? ["…"] : []), use.template];
  return diagnosticAt(use.nameSpan, {
    code: "template_cycle",
    summary: `A template uses itself: ${shown.join(" → ")}`,
    hint: "take one of these uses out",
  });
}
