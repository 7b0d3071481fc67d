import { countEach, groupBy } from "../lib/collect.ts";
import { counted } from "../lib/shorten.ts";
import { explainingFirst } from "./annotations.ts";
import { describeChange, describeFields, isOneSided } from "./change-text.ts";
import { renderDiagnostics, renderNotice } from "./diagnostics.ts";
import { comparedText, renderDriftDangers, sumText, whatNext } from "./drift-text.ts";
import { layOutText, printable, type Page } from "./layout.ts";
import {
  incompleteIn,
  itemsOfDrift,
  itemsOfPlan,
  titleOfPage,
  type PageItem,
  type PageSource,
} from "./page/page-items.ts";
import {
  dangersOf,
  layOutTarget,
  renderDangers,
  renderHash,
  renderIgnoredSpellings,
  renderIncomplete,
  renderLeftOut,
  renderSnapshot,
  renderSums,
  renderUnset,
  renderVariables,
  type PlanView,
} from "./plan-text.ts";
import { renderRefusals } from "./refusals-text.ts";
import { renderPutBack, renderReport } from "./report-text.ts";
import { renderUnmanaged, renderUnmanagedLists } from "./unmanaged-text.ts";
import { html, writeHtml } from "./page/html.ts";

/** Characters of a whole page, of what stands above its changes, and of what stands below: a comment on GitHub takes 65,536. */
const most = { page: 65_000, above: 24_000, below: 6_000 };

/** Items of a page whose groups need no click. */
const fewItems = 20;

/** Lines of a block of code, in which nothing is a link, a mention or HTML. */
interface Block {
  readonly language: "text" | "diff";
  readonly lines: readonly string[];
  /** The title of a block that is opened by a click. */
  readonly title?: string;
}

/**
 * Returns what a run tells as Markdown, for a comment on a pull request: its sums as heading, a mark by which the comment is found again, what
 * needs a decision, then the changes by domain or service, each group to be opened, and the hash.
 * @param key what the comment is about, such as `plan:hosting/`: its mark.
 * @param now in ms since the epoch.
 * @param showIgnored whether each difference in spelling that was ignored gets a line.
 */
export function renderMarkdownPage(
  source: PageSource,
  key: string,
  mask: Page["mask"],
  now: number,
  showIgnored = false,
): string {
  const page: Page = { color: false, width: 100, mask };
  const { plan, report, drift } = source;
  const items = drift ? itemsOfDrift(drift, page) : plan ? itemsOfPlan(plan, report, page) : [];
  const above = textBlock(cutLines(linesAbove(source, now, page), most.above));
  const [lists, closing] = linesBelow(source, { ...page, showIgnored, now });
  const below = textBlock(inSections([cutLines(inSections(lists), most.below), ...closing]));
  const room = most.page - lengthOf([above, below]) - 500;
  const blocks = [above, ...groupBlocks(items, room, page), below].filter(({ lines }) => lines.length > 0);
  const fence = fenceFor(blocks);
  const [first, ...rest] = blocks.map((block) => renderBlock(block, fence, items.length <= fewItems));
  const mark = `<!-- hostform:${encodeURIComponent(key).replace("%3A", ":")} -->`;
  return `${[`### ${titleOfPage(source)}`, ...(first === undefined ? [] : [first]), mark, ...rest].join("\n\n")}\n`;
}

const textBlock = (lines: readonly string[]): Block => ({ language: "text", lines });

const lengthOf = (blocks: readonly Block[]) =>
  blocks.flatMap(({ lines }) => lines).reduce((sum, { length }) => sum + length + 1, 0);

/** Returns a fence that is longer than any run of backticks; `renderBlock` breaks those of more than 30: a page may have hundreds of fences. */
function fenceFor(blocks: readonly Block[]): string {
  const runs = blocks.flatMap(({ lines }) => lines.flatMap((line) => line.match(/`+/gu) ?? []));
  return "`".repeat(runs.reduce((longest, { length }) => Math.max(longest, Math.min(length, 30) + 1), 3));
}

function renderBlock({ language, lines, title }: Block, fence: string, isOpen: boolean): string {
  const text = lines.join("\n").replaceAll(/`{31,}/gu, ({ length }) => `[${length} backticks]`);
  const block = `${fence}${language}\n${text}\n${fence}`;
  if (title === undefined) return block;
  return `<details${isOpen ? " open" : ""}><summary>${title}</summary>\n\n${block}\n\n</details>`;
}

/** What needs a decision: the mistakes, then why a plan is refused, which may explain the warnings that follow, and what is dangerous. */
function linesAbove(source: PageSource, now: number, page: Page): string[] {
  const { plan, report, drift, diagnostics, notices, putBacks = [] } = source;
  const ordered = explainingFirst(diagnostics);
  const isFirst = ({ severity, code }: (typeof diagnostics)[number]) => severity === "error" || code === "rolled_back";
  const errors = ordered.filter(isFirst);
  const others = ordered.filter((each) => !isFirst(each));
  const said = (all: typeof diagnostics) => renderDiagnostics(all, page).trimEnd().split("\n");
  return inSections([
    plan
      ? [...layOutTarget(plan.target, page), ...renderVariables(plan, page), ...renderSnapshot(plan, now, page)]
      : [],
    drift ? [...layOutTarget(drift.target, page), ...layOutText(page, comparedText(drift, page))] : [],
    said(errors),
    putBacks.flatMap((each) => renderPutBack(each, page)),
    report ? renderReport(report, page).trimEnd().split("\n") : [],
    plan && !report ? renderRefusals(plan, page) : [],
    plan && !report ? renderDangers(plan, dangersOf(plan), page) : [],
    drift ? renderDriftDangers(drift.items, page) : [],
    renderIncomplete(incompleteIn(source), page),
    said(others),
    notices.flatMap((notice) =>
      renderNotice(notice, page.mask)
        .trimEnd()
        .split("\n")
        .flatMap((line) => layOutText(page, line)),
    ),
  ]);
}

/** Returns the sections of lists, which may be long, and those that close the page. */
function linesBelow(source: PageSource, view: PlanView): readonly [lists: string[][], closing: string[][]] {
  const { plan, report, drift, unmanaged, rest } = source;
  if (drift) return [[], [layOutText(view, sumText(drift)), whatNext(drift.items, view)]];
  if (!plan) return [[], []];
  const still = rest?.steps.map(({ address }) => printable(view, `Still differs after the apply: ${address}`)) ?? [];
  const lists = [
    still,
    renderLeftOut(plan, view),
    view.showIgnored ? renderIgnoredSpellings(plan, view) : [],
    unmanaged ? renderUnmanagedLists(unmanaged, view).trimEnd().split("\n") : renderUnmanaged(plan, view),
  ];
  return [lists, report ? [] : [renderSums(plan, view), renderUnset(plan, view), renderHash(plan)]];
}

const inSections = (sections: readonly (readonly string[])[]): string[] =>
  sections
    .filter((lines) => lines.some((line) => line !== ""))
    .flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));

/** Leaves out the last lines of a text that is too long, and says how many. */
function cutLines(lines: readonly string[], characters: number): readonly string[] {
  let used = 0;
  const end = lines.findIndex(({ length }) => (used += length + 1) > characters);
  if (end < 0) return lines;
  return [...lines.slice(0, end), `… ${counted(lines.length - end, "line")} more: the output of the command has them`];
}

/** The changes by domain or service. What does not fit is counted before them, because a reader may not reach the end. */
function groupBlocks(items: readonly PageItem[], room: number, page: Page): Block[] {
  const groups = groupBy(items, ({ subject }) => subject);
  const blocks: Block[] = [];
  let [free, shown] = [room, 0];
  for (const [subject, all] of groups) {
    const title = writeHtml(html`<code>${subject}</code>: ${sumsOf(all)}`, page.mask);
    free -= title.length + 120;
    const lines: string[] = [];
    for (const item of all) {
      const own = diffLines(item, page);
      const length = own.reduce((sum, line) => sum + line.length + 1, 0);
      if (length > free) break;
      free -= length;
      shown += 1;
      lines.push(...own);
    }
    if (lines.length > 0) blocks.push({ language: "diff", lines, title });
    if (free < 0) break;
  }
  const [missing, total] = [items.length - shown, items.length].map((count) => count.toLocaleString("en"));
  if (shown === items.length) return blocks;
  const short = `This text is too long for a comment: ${missing} of ${total} changes are missing below. --full, --html FILE and --json have them all.`;
  return [textBlock(layOutText(page, short)), ...blocks];
}

/** Returns how many of some items are to be added, changed and so on, in the order of the first of each. */
const sumsOf = (items: readonly PageItem[]): string =>
  [...countEach(items.map(({ word }) => word))].map(([word, count]) => `${count} × ${word}`).join(", ");

/** Returns an item as the lines of a diff: GitHub and GitLab colour them by their first character. */
function diffLines(item: PageItem, page: Page): string[] {
  const { numbers, address, sign, tone, tags, at, changes, warnings, outcome } = item;
  const first = tone === "create" ? "+" : tone === "delete" ? "-" : "!";
  const about = [...tags.map(({ text }) => `[${text}]`), ...(outcome ? [outcome.word] : [])];
  const place = at === undefined ? "" : `   ${printable(page, `${at.file}:${at.line}`)}`;
  const head = `${first} ${numbers.join(", ")} ${sign} ${address}${about.map((text) => `   ${text}`).join("")}${place}`;
  const fields = isOneSided(changes, tone)
    ? describeFields(changes, page).map((text) => `${first}     ${text}`)
    : changes.flatMap((change) => changeLines(change, page));
  const more = [...warnings, ...(outcome?.lines ?? [])].flatMap((text) =>
    text.split("\n").map((line) => printable(page, line)),
  );
  return [head, ...fields, ...more.map((text) => `!     ${text}`)];
}

function changeLines(change: PageItem["changes"][number], page: Page): string[] {
  const { before, after, forcesReplace } = change;
  const { sign, name, text } = describeChange(change, page);
  const line = (mark: string, words: string) => `${mark}     ${name}${name === "" ? "" : " "}${words}`;
  if (sign !== "~") return [line(sign, text)];
  const [old = "", made = ""] = [before, after].map(
    (side) => describeFields([{ path: "value", before: side, after: { is: "absent" } }], page)[0],
  );
  return [line("-", old), line("+", `${made}${forcesReplace === true ? " (forces replacement)" : ""}`)];
}
