import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Plan } from "../../model/plan.ts";
import { describeFields } from "../change-text.ts";
import { expectedText, renderNotice, usesOf } from "../diagnostics.ts";
import type { Page } from "../layout.ts";
import { renderIgnoredSpellings, renderLeftOut } from "../plan-text.ts";
import { groupRefusals, viewRefusals, wordsOfGroup } from "../refusals-text.ts";
import { renderAfterRequest, renderMismatch, renderPutBack } from "../report-text.ts";
import { incompleteLists, positionText } from "../shared-cause.ts";
import { incompleteIn, type PageSource } from "./page-items.ts";
import { html, linesOf, type Html, type Part } from "./html.ts";

type Body = Pick<Part, "count" | "body">;

/** A text to be copied as it is. */
export const copyable = (label: string, lines: readonly string[]): Html =>
  html`<div class="copy"><p>${label}</p><pre><code>${linesOf(lines)}</code></pre><button type="button" class="scripted">Copy</button></div>`;

const paragraphs = (lines: readonly string[]) => lines.map((line) => html`<p>${line}</p>`);

/** What did not end well, the mistakes and warnings in the order in which they came, and the notices. */
export function listMessages(source: PageSource, page: Page): Body {
  const { diagnostics, notices, report, rest, putBacks = [] } = source;
  const warnings = [
    ...[...putBacks, ...(report?.putBacks ?? [])].map((each) => renderPutBack(each, page)),
    ...(report?.afterRequests ?? []).map((each) => renderAfterRequest(each, page)),
    ...(report?.mismatches ?? []).map((each) => renderMismatch(each, page)),
    ...(rest?.steps ?? []).map(({ address }) => [`${address} still differs after the apply.`]),
    ...incompleteLists(incompleteIn(source)).map((sentence) => [sentence]),
  ].filter((lines) => lines.length > 0);
  const count = warnings.length + diagnostics.length + notices.length;
  if (count === 0) return {};
  return {
    count,
    body: html`<ul class="messages">${warnings.map((lines) => html`<li class="warning">${paragraphs(lines)}</li>`)}
${diagnostics.map((each) => html`<li class="${each.severity}">${describeDiagnostic(each)}</li>`)}
${notices.map((notice) => html`<li>${paragraphs(renderNotice(notice, page.mask).trim().split("\n"))}</li>`)}</ul>`,
  };
}

function describeDiagnostic({
  severity,
  code,
  summary,
  hint,
  at,
  frame,
  related = [],
  ...diagnostic
}: Diagnostic): Html {
  const places = [...(at ? [{ at, message: "" }] : []), ...related].flatMap((each) => [each, ...usesOf(each.at)]);
  const expected = expectedText(diagnostic);
  return html`<p><b>${severity}</b> ${summary} <code class="quiet">${code}</code></p>
${places.map(({ at: { file, line, col }, message }) => html`<p class="quiet">${file}:${line}:${col} ${message}</p>`)}
${frame !== undefined && html`<pre>${linesOf(frame.split("\n"))}</pre>`}${expected !== undefined && html`<p>Expected: ${expected}</p>`}
${hint !== undefined && html`<p>Help: ${hint}</p>`}`;
}

/** Lists what is refused, each cause once, with the text that allows it. */
export function listRefusals(plan: Plan): Html | undefined {
  if (plan.refusals.length === 0) return undefined;
  const { title, flags, leaving, entries } = viewRefusals(plan);
  const groups = groupRefusals(plan.refusals).map((group) => {
    const [first] = group;
    const isOne = group.length === 1;
    const { summary, hint, alternatives = [], flag } = wordsOfGroup(group);
    const hints = flag === undefined ? [hint] : alternatives.map((each) => `or: ${each}`);
    const whole = flags.length === 1 && plan.refusals.length === 1 ? flags[0] : flag;
    return html`<li><p>${summary}${isOne && positionText(first.at)}</p>
${!isOne && html`<ul class="addresses">${group.map((each) => html`<li><code>${each.address}</code>${positionText(each.at)}</li>`)}</ul>`}
${whole !== undefined && (isOne ? copyable("To allow it", [whole]) : html`<p>To allow one: <code>${flag}</code></p>`)}
${hints.map((each) => html`<p>${each}</p>`)}</li>`;
  });
  const commit = `Or commit at the top level of a manifest file${plan.isSaved ? ", and save a new plan" : ""}`;
  return html`<p class="verdict">${title}</p><ul class="refusals">${groups}</ul>
${plan.refusals.length > 1 && flags.length > 0 && copyable("To allow all", [flags.join(" ")])}
${leaving.length > 0 && copyable("To apply the rest", [leaving.join(" ")])}
${entries.length > 0 && copyable(commit, ["removed:", ...entries.map((entry) => `  ${entry}`)])}`;
}

/** Lists the live resources that the manifest does not name, by collection. */
export function listUnmanaged({ plan, unmanaged }: PageSource, page: Page): Body {
  const broken = new Set(plan?.incomplete.map(({ collection }) => collection));
  const lists =
    unmanaged?.lists ??
    (plan?.unmanaged ?? []).map(({ collection, addresses }) => ({
      collection,
      isWhole: !broken.has(collection),
      resources: addresses.map((address) => ({ address, values: [] })),
    }));
  const count = lists.reduce((sum, { resources }) => sum + resources.length, 0);
  if (count === 0) return {};
  const bodies = lists.map(({ collection, isWhole, resources }) => {
    const rows = resources.map(
      ({ address, values }) => html`<li><code>${address}</code> ${describeFields(values, page).join(", ")}</li>`,
    );
    return html`<details class="list"><summary><code>${collection}</code> <span class="count">${!isWhole && "at least "}${resources.length}</span></summary><ul>${rows}</ul></details>`;
  });
  const where = unmanaged ? "" : "in the lists read ";
  return {
    count,
    body: html`<p>Live resources ${where}that the manifest does not name. Hostform leaves them alone.</p>${bodies}`,
  };
}

/** Lists what the plan leaves out, and the differences in formatting that it ignores. */
export function listAside(plan: Plan, page: Page): Html | undefined {
  const lines = [...renderLeftOut(plan, page), ...renderIgnoredSpellings(plan, page)];
  return lines.length === 0 ? undefined : html`<ul>${lines.map((line) => html`<li>${line.trim()}</li>`)}</ul>`;
}
