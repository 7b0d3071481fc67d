import { createHash } from "node:crypto";
import { readBuilt } from "../../lib/package-file.ts";
import { comparedText, sumText, whatNext } from "../drift-text.ts";
import type { Page } from "../layout.ts";
import { countSteps, titleOf } from "../plan-counts.ts";
import { layOutTarget, renderSnapshot, renderSums, renderUnset, renderVariables } from "../plan-text.ts";
import { renderRequests, sumsOfReport } from "../report-text.ts";
import { htmlWriter, type Html, type Writer } from "./html.ts";
import { drawOrder } from "./order-graph.ts";
import { itemsOfDrift, itemsOfPlan, type PageSource } from "./page-items.ts";
import { listItems } from "./page-list.ts";
import { copyable, listAside, listMessages, listRefusals, listUnmanaged, type Part } from "./page-parts.ts";

/** Returns a page that a browser shows by itself: it loads nothing, and runs its own script alone. `now` in ms since the epoch. */
export function renderHtmlPage(source: PageSource, mask: Page["mask"], now: number): string {
  const page: Page = { color: false, width: Number.POSITIVE_INFINITY, mask };
  const html = htmlWriter(mask);
  const { plan, report, drift } = source;
  const items = drift ? itemsOfDrift(drift, page) : plan ? itemsOfPlan(plan, report, page) : [];
  const all: readonly (Part | undefined)[] = [
    { id: "messages", title: "Messages", ...listMessages(source, html, page) },
    { id: "refused", title: "Refused", count: plan?.refusals.length, body: plan && listRefusals(plan, html) },
    {
      id: "changes",
      title: drift ? "Differences" : "Changes",
      count: items.length,
      body: listItems(items, html, page),
    },
    { id: "order", title: "Order", body: plan && drawOrder(plan, items, html, page) },
    { id: "unmanaged", title: "Not managed", ...listUnmanaged(source, html, page) },
    { id: "aside", title: "Left aside", body: plan && listAside(plan, html, page) },
  ];
  const parts = all.flatMap((part) => (part?.body ? [part] : []));
  const [script, style] = [readBuilt("page.js"), readBuilt("page.css")];
  const policy = `default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(script)}'; base-uri 'none'; form-action 'none'`;
  const time = new Date(now).toISOString().slice(0, 16).replace("T", " ");
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${raw(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${drift ? `Hostform: ${sumText(drift)}` : report ? `Hostform: ${sumsOfReport(report)}` : titleOf(plan)}</title>
<style>${raw(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${head(source, parts, { ...page, showIgnored: true, now }, html)}
<main id="main">
${parts.map(
  ({
    id,
    title,
    count,
    body,
  }) => html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title} ${countOf(count, html)}</h2>
${body}</section>
`,
)}</main>
<footer>Made by Hostform at ${time} UTC${!report && !drift && ", before any change"}.</footer>
<script>${raw(script)}</script>
</body>
</html>
`.html;
}

const raw = (text: string): Html => ({ html: text });

const hashOf = (text: string) => `sha256-${createHash("sha256").update(text).digest("base64")}`;

const countOf = (count: number | undefined, html: Writer) =>
  count !== undefined && html`<span class="count">${count}</span>`;

type HeadView = Page & { readonly showIgnored: boolean; readonly now: number };

function head(source: PageSource, parts: readonly Part[], view: HeadView, html: Writer): Html {
  const { plan, report, drift } = source;
  const target = plan?.target ?? drift?.target;
  const lines = [
    ...(drift ? [comparedText(drift, view), sumText(drift)] : []),
    ...(drift ? whatNext(drift.items, view) : []),
    ...(report ? [sumsOfReport(report), renderRequests(report.requests)] : []),
    ...(plan && !report ? renderSums(plan, view) : []),
    ...(plan
      ? [...renderSnapshot(plan, view.now, view), ...renderVariables(plan, view), ...renderUnset(plan, view)]
      : []),
  ];
  return html`<header><p class="kicker">Hostform ${drift ? "drift" : report ? "apply" : "plan"}</p><h1>${target?.name ?? "No plan was made"}</h1>
${target && html`<p class="quiet">${layOutTarget(target, view)}</p>`}
<ul class="tiles">${tilesOf(source).map(([count, word, tone]) => html`<li class="tile ${count > 0 ? tone : "quiet"}"><b>${count}</b> ${word}</li>`)}</ul>
${lines.map((line) => html`<p>${line}</p>`)}${plan?.hash !== undefined && copyable("Plan hash", [plan.hash], html)}
<nav aria-label="Parts of this page"><ul>${parts.map(({ id, title, count }) => html`<li><a href="#${id}">${title}</a> ${countOf(count, html)}</li>`)}</ul></nav></header>`;
}

type Tile = readonly [count: number, word: string, tone: string];

function tilesOf({ plan, report, drift }: PageSource): readonly Tile[] {
  if (drift) {
    const count = (is: string) => drift.items.filter((item) => item.is === is).length;
    return [
      [count("differs"), "changed", "update"],
      [count("gone"), "gone", "delete"],
      [count("appeared"), "appeared", "create"],
    ];
  }
  if (!plan) return [];
  const { add, change, destroy, purchase } = countSteps(plan);
  const gaps = plan.steps.flatMap((step) => step.gaps ?? []).length;
  const of = (is: string) => (report?.outcomes ?? []).filter(({ outcome }) => outcome.is === is).length;
  const others: readonly Tile[] = [
    [purchase, "to buy", "renew"],
    [gaps, gaps === 1 ? "gap" : "gaps", "warn"],
    [plan.refusals.length, "refused", "bad"],
    [of("failed"), "failed", "bad"],
    [of("blocked"), "blocked", "warn"],
    [of("not_attempted"), "not attempted", "warn"],
  ];
  return [
    [add, "to add", "create"],
    [change, "to change", "update"],
    [destroy, "to destroy", "delete"],
    ...others.filter(([count]) => count > 0),
  ];
}
