import { comparedText, sumText, whatNext } from "../drift-text.ts";
import type { Page } from "../layout.ts";
import { countSteps } from "../plan-groups.ts";
import { layOutTarget, renderSnapshot, renderSums, renderUnset, renderVariables } from "../plan-text.ts";
import { renderRequests, sumsOfReport } from "../report-text.ts";
import { html, type Html, type Part, listTiles, wrapPage, type Tile } from "./html.ts";
import { drawOrder } from "./order-graph.ts";
import { itemsOfDrift, itemsOfPlan, titleOfPage, type PageSource } from "./page-items.ts";
import { listItems } from "./page-list.ts";
import { copyable, listAside, listMessages, listRefusals, listUnmanaged } from "./page-parts.ts";

/** Returns a page that a browser shows by itself: it loads nothing, and runs its own script alone. `now` in ms since the epoch. */
export function renderHtmlPage(source: PageSource, mask: Page["mask"], now: number): string {
  const page: Page = { color: false, width: Number.POSITIVE_INFINITY, mask };
  const { plan, report, drift } = source;
  const parts = partsOf(source, page);
  const target = plan?.target ?? drift?.target;
  const time = new Date(now).toISOString().slice(0, 16).replace("T", " ");
  return wrapPage(mask, {
    title: titleOfPage(source),
    kicker: `Hostform ${drift ? "drift" : report ? "apply" : "plan"}`,
    heading: target?.name ?? "No plan was made",
    intro: html`${target && html`<p class="quiet">${layOutTarget(target, page)}</p>`}
${summaryOf(source, now, page)}`,
    parts,
    footer: `Made by Hostform at ${time} UTC${!report && !drift ? ", before any change" : ""}.`,
  });
}

/** Returns the parts that a page has of a plan, a report or drift. */
export function partsOf(source: PageSource, page: Page): Part[] {
  const { plan, report, drift } = source;
  const items = drift ? itemsOfDrift(drift, page) : plan ? itemsOfPlan(plan, report, page) : [];
  const all: readonly (Part | undefined)[] = [
    { id: "messages", title: "Messages", ...listMessages(source, page) },
    { id: "refused", title: "Refused", count: plan?.refusals.length, body: plan && listRefusals(plan) },
    {
      id: "changes",
      title: drift ? "Differences" : "Changes",
      count: items.length,
      body: listItems(items, page),
    },
    { id: "order", title: "Order", body: plan && drawOrder(plan, items, page) },
    { id: "unmanaged", title: "Not managed", ...listUnmanaged(source, page) },
    { id: "aside", title: "Left aside", body: plan && listAside(plan, page) },
  ];
  return all.flatMap((part) => (part?.body ? [part] : []));
}

/** Returns the sums of a plan, a report or drift, and what is to be known of all of it. `now` in ms since the epoch. */
export function summaryOf(source: PageSource, now: number, page: Page): Html {
  const { plan, report, drift } = source;
  const view = { ...page, showIgnored: true, now };
  const lines = [
    ...(drift ? [comparedText(drift, view), sumText(drift)] : []),
    ...(drift ? whatNext(drift.items, view) : []),
    ...(report ? [sumsOfReport(report), renderRequests(report.requests)] : []),
    ...(plan && !report ? renderSums(plan, view) : []),
    ...(plan ? [...renderSnapshot(plan, now, view), ...renderVariables(plan, view), ...renderUnset(plan, view)] : []),
  ];
  return html`${listTiles(tilesOf(source))}
${lines.map((line) => html`<p>${line}</p>`)}${plan?.hash !== undefined && copyable("Plan hash", [plan.hash])}`;
}

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
