import { hash } from "node:crypto";
import type { AccountDetails, Board, BoardAccount, HistoryEntry } from "../../fleet/board.ts";
import { counted } from "../../lib/shorten.ts";
import { readShown } from "../../fleet/store/run-store.ts";
import type { Drift } from "../../model/drift.ts";
import type { Plan } from "../../model/plan.ts";
import type { Page } from "../layout.ts";
import { htmlWriter, type Content, type Html, type Part, type Writer, listTiles, wrapPage } from "../page/html.ts";
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
  const html = htmlWriter(mask);
  const page: Page = { color: false, width: Number.POSITIVE_INFINITY, mask };
  for (let from = 0; from < board.accounts.length; from += atOnce) {
    const accounts = board.accounts.slice(from, from + atOnce);
    const all = await detailsOf(accounts.map(({ name }) => name));
    for (const [index, account] of accounts.entries()) {
      const { name } = account;
      const text = readShown(
        `the last plan and drift of ${name}`,
        `hostform fleet plan --only ${name}, and hostform fleet drift --only ${name}`,
        () => accountPage(board.fleet, account, all[index] ?? { history: [] }, html, page),
      );
      yield [pathOf(name), text];
    }
  }
  yield [index, indexPage(board, html)];
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

const stateOf = ({ state, driftSince }: Pick<BoardAccount, "state" | "driftSince">, html: Writer): Html =>
  html`<span class="tag ${states[state].tone}">${states[state].word}</span>${driftSince !== undefined && html` since ${timeOf(driftSince, html)}`}`;

const timeOf = (time: string | undefined, html: Writer): Content =>
  time === undefined ? html`<span class="quiet">never</span>` : html`<time datetime="${time}">${timeText(time)}</time>`;

/** Returns a text with each command in backticks as code. */
const withCode = (text: string, html: Writer): Content =>
  text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));

function indexPage({ fleet, madeAt, accounts, runs }: Board, html: Writer): string {
  const sums = sumsIn(countStates(accounts));
  const row = (account: BoardAccount) => {
    const { name, owner, group, state, why, counts, planned, applied, driftChecked } = account;
    return html`<tr class="item" data-state="${states[state].word}" data-owner="${owner}" data-group="${group ?? ""}">
<th scope="row"><a href="${pathOf(name)}">${name}</a></th><td>${stateOf(account, html)}${why !== undefined && html`<p>${why}</p>`}</td>
<td>${owner}</td><td>${group}</td><td class="signs">${countsText(counts)}</td><td>${timeOf(planned, html)}</td><td>${timeOf(applied, html)}</td><td>${timeOf(driftChecked, html)}</td></tr>`;
  };
  const choices = [
    listChoice("state", "State", accounts, ({ state }) => states[state].word, html),
    listChoice("owner", "Owner", accounts, ({ name, owner }) => (owner === name ? undefined : owner), html),
    listChoice("group", "Group", accounts, ({ group }) => group, html),
  ];
  const heads = ["Account", "State", "Owner", "Group", "Changes", "Planned", "Applied", "Drift checked"];
  const table = tableOf("accounts", heads, sortAccounts(accounts).map(row), html);
  const open = runs.map(
    (run) => html`<li class="warning">${describeRun(run).map((text) => html`<p>${withCode(text, html)}</p>`)}</li>`,
  );
  const parts: readonly Part[] = [
    ...(runs.length > 0
      ? [{ id: "runs", title: "Open runs", count: runs.length, body: html`<ul class="messages">${open}</ul>` }]
      : []),
    {
      id: "accounts",
      title: "Accounts",
      count: accounts.length,
      body: html`${listFilters("Filter the accounts", choices, html)}${table}`,
    },
  ];
  return wrapPage(
    {
      title: `Hostform: ${fleet}, ${counted(accounts.length, "account")}`,
      kicker: "Hostform fleet",
      heading: fleet,
      intro: listTiles(
        sums.map(([state, count]) => [count, states[state].word, states[state].tone]),
        html,
      ),
      parts,
      footer: `Made by Hostform at ${timeText(madeAt)}. All times are in UTC.`,
    },
    html,
  );
}

function accountPage(
  fleet: string,
  account: BoardAccount,
  { plan: planText, drift: driftText, history }: AccountDetails,
  html: Writer,
  page: Page,
): string {
  const plan = planText === undefined ? undefined : (JSON.parse(planText) as Plan);
  const drift = driftText === undefined ? undefined : (JSON.parse(driftText) as Drift);
  const { name, owner, group, state, why, planned, applied, driftChecked } = account;
  const now = Date.parse(planned ?? "");
  const facts: readonly (readonly [string, Content])[] = [
    ["State", stateOf(account, html)],
    ["Why", why],
    ["Owner", owner],
    ["Group", group],
    ["Planned", timeOf(planned, html)],
    ["Applied", timeOf(applied, html)],
    ["Drift", html`checked: ${timeOf(driftChecked, html)}`],
  ];
  const source = plan && { plan, diagnostics: plan.diagnostics, notices: [] };
  const parts = [
    ...(source ? [{ id: "plan", title: "Last plan", body: summaryOf(source, now, html, page) }] : []),
    ...(source ? partsOf(source, html, page) : []),
    ...(drift ? [driftPart(drift, now, html, page)] : []),
    { id: "history", title: "History", count: history.length, body: historyTable(history, html) },
  ];
  return wrapPage(
    {
      title: `Hostform: ${name}, ${states[state].word}`,
      kicker: html`Hostform fleet <a href="../${index}">${fleet}</a>`,
      heading: name,
      intro: html`<dl>${facts.map(([word, content]) => content !== undefined && html`<dt>${word}</dt><dd>${content}</dd>`)}</dl>`,
      parts,
      footer: "Made by Hostform. All times are in UTC.",
    },
    html,
  );
}

function driftPart(drift: Drift, now: number, html: Writer, page: Page): Part {
  const source = { drift, diagnostics: [], notices: [] };
  const items = itemsOfDrift(drift, page);
  const body = html`${summaryOf(source, now, html, page)}${listMessages(source, html, page).body}${listItems(items, html, page, "d")}`;
  return { id: "drift", title: "Drift", count: drift.items.length, body };
}

function historyTable(history: readonly HistoryEntry[], html: Writer): Html {
  if (history.length === 0) return html`<p>No run is recorded.</p>`;
  const heads = ["Run", "When", "By", "State", "Changes"];
  const rows = history.map(
    ({ run, kind, at, by, state, counts, why }) =>
      html`<tr><th scope="row">${kind} <code>${run}</code></th><td>${timeOf(at, html)}</td><td>${by}</td><td>${stateOf({ state }, html)}${why !== undefined && html`<p>${why}</p>`}</td><td class="signs">${countsText(counts)}</td></tr>`,
  );
  return tableOf("runs", heads, rows, html);
}

const tableOf = (name: string, heads: readonly string[], rows: readonly Html[], html: Writer): Html =>
  html`<table class="board ${name}"><thead><tr>${heads.map((each) => html`<th scope="col">${each}</th>`)}</tr></thead><tbody>
${rows}</tbody></table>`;
