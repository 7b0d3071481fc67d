import type { Plan } from "../model/plan.ts";
import { titleOf } from "./plan-counts.ts";

/** Characters of a plan's text: the comment of a pull request takes 65,536 on GitHub. */
const mostShown = 60_000;

/**
 * Returns the text of a plan as Markdown, for the comment of a pull request: a heading with its sums, and the text in a block of code, in
 * which nothing is a link, a mention or HTML, and which no text of a manifest or of the API can end.
 * @param plan undefined: none was made.
 */
export function renderMarkdown(plan: Plan | undefined, text: string): string {
  const shown = cut(text.replaceAll(/`{99,}/gu, ({ length }) => `[${length} backticks]`));
  const runs = shown.match(/`+/gu) ?? [];
  const fence = "`".repeat(runs.reduce((longest, { length }) => Math.max(longest, length + 1), 3));
  return `### ${titleOf(plan)}\n\n${fence}text\n${shown}\n${fence}\n`;
}

/** Leaves out the middle of a text that is too long: the dangers stand first, and the refusals and sums last. */
function cut(text: string): string {
  const whole = text.replace(/^\n+|\n+$/gu, "");
  if (whole.length <= mostShown) return whole;
  const begin = Math.max(0, whole.lastIndexOf("\n", mostShown / 2));
  const end = whole.length - mostShown / 2 + Math.max(0, whole.slice(-mostShown / 2).indexOf("\n"));
  const count = whole.slice(begin + 1, end).split("\n").length;
  return `${whole.slice(0, begin)}\n\n… ${count.toLocaleString("en")} lines are left out; hostform plan prints them without --format …\n${whole.slice(end)}`;
}
