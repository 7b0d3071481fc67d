import { countEach, groupBy } from "../../lib/collect.ts";
import { shorten } from "../../lib/shorten.ts";
import type { Change } from "../../model/plan.ts";
import { changesInBrief, describeShown, isOneSided } from "../change-text.ts";
import type { Page } from "../layout.ts";
import { html, type Html } from "./html.ts";
import type { PageItem } from "./page-items.ts";

/** Items that are open at first, of all or of the dangers; and those that a browser lays out at once. */
const mostOpen = 12;
const mostDrawn = 200;

/** Characters of a value, and fields, beside an address. */
const longestBrief = 140;
const mostInBrief = 2;

/** Lists items by domain or service, the dangers first, below what filters them. `prefix`: of their ids; another than `s` has no filter. */
export function listItems(items: readonly PageItem[], page: Page, prefix = "s"): Html | undefined {
  if (items.length === 0) return undefined;
  const dangers = items.filter(({ isDanger }) => isDanger);
  const others = items.filter(({ isDanger }) => !isDanger);
  const groups = groupBy(others, ({ subject }) => subject);
  const isShort = items.length <= mostOpen;
  const list = (title: string, group: readonly PageItem[], isOpen: boolean) =>
    html`<h3>${title} <span class="count">${group.length}</span></h3>${group.map((item) => listItem(item, isOpen, prefix, page))}`;
  return html`${prefix === "s" && filters(items)}<div ${items.length > mostDrawn && html`class="many"`}>
${dangers.length > 0 && html`<section class="group danger">${list("Check first", dangers, dangers.length <= mostOpen)}</section>`}
${[...groups].map(([subject, group]) => html`<section class="group">${list(subject, group, isShort)}</section>`)}</div>`;
}

function filters(items: readonly PageItem[]): Html {
  const choices = [
    listChoice("action", "Action", items, ({ word }) => word),
    listChoice("kind", "Kind", items, ({ kind }) => kind),
    listChoice("subject", "Domain", items, ({ subject }) => subject),
    listChoice("outcome", "Outcome", items, ({ outcome }) => outcome?.word),
  ];
  const fold = html`<button type="button" id="fold" aria-pressed="false">Open all</button>`;
  return listFilters("Filter the changes", [...choices, fold]);
}

/** Returns what filters the items that follow it: by their text, and by choices. */
export const listFilters = (label: string, choices: readonly (Html | undefined)[]): Html =>
  html`<form class="filters scripted" role="search" aria-label="${label}">
<span class="text"><label for="by-text">Text</label> <input id="by-text" type="search" autocomplete="off" spellcheck="false" placeholder="press / to search"></span>
${choices}<button type="reset">Reset</button><p role="status"></p></form>`;

/** Returns a choice among the values that the items have at their attribute `data-NAME`; undefined if there are less than two. */
export function listChoice<T>(
  name: string,
  label: string,
  items: readonly T[],
  of: (item: T) => string | undefined,
): Html | undefined {
  const counts = countEach(items.flatMap((item) => of(item) ?? []));
  if (counts.size < 2) return undefined;
  const sorted = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return html`<span><label for="by-${name}">${label}</label> <select id="by-${name}" data-by="${name}"><option value="">all</option>
${sorted.map(([value, count]) => html`<option value="${value}">${value} (${count})</option>`)}</select></span>`;
}

const row = (title: string, ...content: readonly (Html | string)[]) =>
  content.length > 0 && html`<dt>${title}</dt><dd>${content}</dd>`;

function listItem(item: PageItem, isOpen: boolean, prefix: string, page: Page): Html {
  const { numbers, address, kind, subject, sign, tone, word, tags, outcome, warnings, reason, at, after, calls } = item;
  const losses = [...(outcome?.lines ?? []), ...warnings].map((line) => html`<p class="loss">${line}</p>`);
  const shownTags = [...(outcome ? [{ tone: outcome.tone, text: outcome.word }] : []), ...tags];
  return html`<details class="item" id="${prefix}${numbers[0]}" ${isOpen && html`open`} data-action="${word}" data-kind="${kind}" data-subject="${subject}"${outcome && html` data-outcome="${outcome.word}"`}>
<summary><span class="number">${numbers.join("/")}</span><span class="sign ${tone}">${sign} ${word}</span><span><code class="address">${address}</code> <span class="brief">${briefOf(item, page)}</span></span>
<span class="tags">${shownTags.map((tag) => html`<span class="tag ${tag.tone}">${tag.text}</span>`)}</span></summary>
<div class="body">${losses}${item.changes.length > 0 && tableOf(item, page)}<dl>${row("Why", reason)}${at && row("Manifest", html`<code>${at.file}:${at.line}</code>`)}
${row("Waits for", ...after.map((each) => html`<a href="#${prefix}${each}">${each}</a> `))}${row("Calls", ...calls.map((call) => html`<code class="call">${call}</code>`))}</dl></div></details>`;
}

/** Returns what changes in as few words as fit beside an address. */
function briefOf(item: PageItem, page: Page): string {
  const texts = changesInBrief(item.changes, item.tone, page, "→");
  const more = texts.length - mostInBrief;
  const shown = texts.slice(0, mostInBrief).map((text) => shorten(text, longestBrief));
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(" · ");
}

function tableOf(item: PageItem, page: Page): Html {
  const heads = isOneSided(item.changes, item.tone) ? ["Value"] : ["Before", "After"];
  const rows = item.changes.map((change) => {
    const { path, before, after, forcesReplace, carried, notCarried } = change;
    const [old, made] = [describeShown(before, page), describeShown(after, page)];
    const lost = notCarried !== undefined && `not carried over: ${notCarried}`;
    const note = forcesReplace ? "forces replacement" : carried ? "carried over" : lost;
    const head = html`<th scope="row">${path}${note !== false && html` <span class="note">${note}</span>`}</th>`;
    if (heads.length === 1) return html`<tr>${head}<td>${after.is === "absent" ? old : made}</td></tr>`;
    const [from, to] = markChanged(old, made, change);
    return html`<tr>${head}<td class="before">${from}</td><td class="after">${to}</td></tr>`;
  });
  return html`<table><thead><tr><th scope="col">Field</th>${heads.map((each) => html`<th scope="col">${each}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`;
}

/** Marks the part of two values in which they differ, where most of them is the same. */
function markChanged(old: string, made: string, { before, after }: Change): [Html, Html] {
  const isText = before.is === "value" && after.is === "value";
  const [a, b] = [wordsOf(old), wordsOf(made)];
  const most = Math.min(a.length, b.length);
  let begin = 0;
  while (begin < most && a[begin] === b[begin]) begin += 1;
  let end = 0;
  while (end < most - begin && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const mark = (words: readonly string[]) => {
    const part = (from: number, to?: number) => words.slice(from, to).join("");
    const last = words.length - end;
    return isText && begin + end > 1 && begin < last
      ? html`${part(0, begin)}<mark>${part(begin, last)}</mark>${part(last)}`
      : html`${part(0)}`;
  };
  return [mark(a), mark(b)];
}

const wordsOf = (text: string): readonly string[] => text.match(/\w+|\W/gu) ?? [];
