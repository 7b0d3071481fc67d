import { hash } from "node:crypto";
import type { AccountDetails, Board, BoardAccount, HistoryEntry } from "../../fleet/board.ts";
import { counted } from "../../lib/shorten.ts";
import { readShown } from "../../fleet/store/run-store.ts";
import type { Drift } from "../../model/drift.ts";
import type { Plan } from "../../model/plan.ts";
import type { Page } from "../layout.ts";
import { html, type Content, type Html, type Part, listTiles, wrapPage } from "../page/html.ts";
import { partsOf, summaryOf } from "../page/html-page.ts";
import { itemsOfDrift } from "../page/page-items.ts";
import { listChoice, listFilters, listItems } from "../page/page-list.ts";
import { listMessages } from "../page/page-parts.ts";
import { countsText, describeRun, sortAccounts } from "./fleet-text.ts";
import { countStates } from "../../fleet/runs/run-ending.ts";
import { states, sumsIn, timeText } from "./states.ts";

const index = "index.html";
/** Accounts whose details are read at once. */
const atOnce = 100;

/**
 * Yields the pages of a board with their paths in its folder: one for each account, and at the end the one that lists them. The page of an
 * account is the same as long as nothing of the account is another.
 */
export async function* boardPages(
  board: Board,
  detailsOf: (names: readonly string[]) => Promise<readonly AccountDetails[]>,
  mask: Page["mask"],
): AsyncGenerator<readonly [path: string, text: string]> {
  const page: Page = { color: false, width: Number.POSITIVE_INFINITY, mask };
  for (let from = 0; from < board.accounts.length; from += atOnce) {
    const accounts = board.accounts.slice(from, from + atOnce);
    const all = await detailsOf(accounts.map(({ name }) => name));
    for (const [index, account] of accounts.entries()) {
      const { name } = account;
      const text = readShown(
        `the last plan and drift of ${name}`,
        `hostform fleet plan --only ${name}, and hostform fleet drift --only ${name}`,
        () => accountPage(board.fleet, account, all[index] ?? { history: [] }, page),
      );
      yield [pathOf(name), text];
    }
  }
  yield [index, indexPage(board, mask)];
}

/** Returns the paths of the pages of a board. */
export const boardPaths = ({ accounts }: Pick<Board, "accounts">): string[] => [
  ...accounts.map(({ name }) => pathOf(name)),
  index,
];

/** Characters of a name in the path of its page. */
const longestName = 80;

/** Returns the path of an account's page: its name where that is harmless, else what is harmless of it with a hash, which two names never share. */
function pathOf(name: string): string {
  const isPlain = name.length <= longestName && /^(?:[a-z0-9_][a-z0-9_.-]*\/)*[a-z0-9_][a-z0-9_.-]*$/u.test(name);
  const harmless = name
    .slice(0, longestName)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-|-$/gu, "");
  const digest = hash("sha256", name).slice(0, 32);
  return `accounts/${isPlain ? name.replaceAll("/", "~") : `${harmless}~~${digest}`}.html`;
}

const stateOf = ({ state, driftSince }: Pick<BoardAccount, "state" | "driftSince">): Html =>
  html`<span class="tag ${states[state].tone}">${states[state].word}</span>${driftSince !== undefined && html` since ${timeOf(driftSince)}`}`;

const timeOf = (time: string | undefined): Content =>
  time === undefined ? html`<span class="quiet">never</span>` : html`<time datetime="${time}">${timeText(time)}</time>`;

/** Returns a text with each command in backticks as code. */
const withCode = (text: string): Content =>
  text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));

function rowOf(account: BoardAccount): Html {
  const { name, owner, group, state, why, planned, applied, driftChecked } = account;
  return html`<tr class="item" data-state="${states[state].word}" data-owner="${owner}" data-group="${group ?? ""}">
<th scope="row"><a href="${pathOf(name)}">${name}</a></th><td>${stateOf(account)}${why !== undefined && html`<p>${why}</p>`}</td>
<td>${owner}</td><td>${group}</td><td class="signs">${countsText(account)}</td><td>${timeOf(planned)}</td><td>${timeOf(applied)}</td><td>${timeOf(driftChecked)}</td></tr>`;
}

function indexPage({ fleet, madeAt, accounts, runs }: Board, mask: Page["mask"]): string {
  const sums = sumsIn(countStates(accounts));
  const choices = [
    listChoice("state", "State", accounts, ({ state }) => states[state].word),
    listChoice("owner", "Owner", accounts, ({ name, owner }) => (owner === name ? undefined : owner)),
    listChoice("group", "Group", accounts, ({ group }) => group),
  ];
  const heads = ["Account", "State", "Owner", "Group", "Changes", "Planned", "Applied", "Drift checked"];
  const table = tableOf("accounts", heads, sortAccounts(accounts).map(rowOf));
  const open = runs.map(
    (run) => html`<li class="warning">${describeRun(run).map((text) => html`<p>${withCode(text)}</p>`)}</li>`,
  );
  const parts: readonly Part[] = [
    ...(runs.length > 0
      ? [{ id: "runs", title: "Open runs", count: runs.length, body: html`<ul class="messages">${open}</ul>` }]
      : []),
    {
      id: "accounts",
      title: "Accounts",
      count: accounts.length,
      body: html`${listFilters("Filter the accounts", choices)}${table}`,
    },
  ];
  return wrapPage(mask, {
    title: `Hostform: ${fleet}, ${counted(accounts.length, "account")}`,
    kicker: "Hostform fleet",
    heading: fleet,
    intro: listTiles(sums.map(([state, count]) => [count, states[state].word, states[state].tone])),
    parts,
    footer: `Made by Hostform at ${timeText(madeAt)}. All times are in UTC.`,
  });
}

function accountPage(
  fleet: string,
  account: BoardAccount,
  { plan: planText, drift: driftText, history }: AccountDetails,
  page: Page,
): string {
  const plan = planText === undefined ? undefined : (JSON.parse(planText) as Plan);
  const drift = driftText === undefined ? undefined : (JSON.parse(driftText) as Drift);
  const { name, owner, group, state, why, planned, applied, driftChecked } = account;
  const now = Date.parse(planned ?? "");
  const facts: readonly (readonly [string, Content])[] = [
    ["State", stateOf(account)],
    ["Why", why],
    ["Owner", owner],
    ["Group", group],
    ["Planned", timeOf(planned)],
    ["Applied", timeOf(applied)],
    ["Drift", html`checked: ${timeOf(driftChecked)}`],
  ];
  const source = plan && { plan, diagnostics: plan.diagnostics, notices: [] };
  const parts = [
    ...(source ? [{ id: "plan", title: "Last plan", body: summaryOf(source, now, page) }] : []),
    ...(source ? partsOf(source, page) : []),
    ...(drift ? [driftPart(drift, now, page)] : []),
    { id: "history", title: "History", count: history.length, body: historyTable(history) },
  ];
  return wrapPage(page.mask, {
    title: `Hostform: ${name}, ${states[state].word}`,
    kicker: html`Hostform fleet <a href="../${index}">${fleet}</a>`,
    heading: name,
    intro: html`<dl>${facts.map(([word, content]) => content !== undefined && html`<dt>${word}</dt><dd>${content}</dd>`)}</dl>`,
    parts,
    footer: "Made by Hostform. All times are in UTC.",
  });
}

function driftPart(drift: Drift, now: number, page: Page): Part {
  const source = { drift, diagnostics: [], notices: [] };
  const items = itemsOfDrift(drift, page);
  const body = html`${summaryOf(source, now, page)}${listMessages(source, page).body}${listItems(items, page, "d")}`;
  return { id: "drift", title: "Drift", count: drift.items.length, body };
}

function historyTable(history: readonly HistoryEntry[]): Html {
  if (history.length === 0) return html`<p>No run is recorded.</p>`;
  const heads = ["Run", "When", "By", "State", "Changes"];
  const rows = history.map(
    ({ run, kind, at, by, why, ...ended }) =>
      html`<tr><th scope="row">${kind} <code>${run}</code></th><td>${timeOf(at)}</td><td>${by}</td><td>${stateOf(ended)}${why !== undefined && html`<p>${why}</p>`}</td><td class="signs">${countsText(ended)}</td></tr>`,
  );
  return tableOf("runs", heads, rows);
}

const tableOf = (name: string, heads: readonly string[], rows: readonly Html[]): Html =>
  html`<table class="board ${name}"><thead><tr>${heads.map((each) => html`<th scope="col">${each}</th>`)}</tr></thead><tbody>
${rows}</tbody></table>`;
