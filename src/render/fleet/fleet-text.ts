import type { Board, BoardAccount, HistoryEntry, OpenRun } from "../../fleet/board.ts";
import type { FleetEvent, RunStarted } from "../../fleet/events.ts";
import type { StopReason } from "../../fleet/model.ts";
import type { ChangeGroup, SharedChange } from "../../fleet/runs/group-changes.ts";
import { shortHash } from "../../lib/short-hash.ts";
import { counted, nameSome, widthOf } from "../../lib/shorten.ts";
import { cellOf, largest, layOut, joinSections, layOutText, pad, paint, printable, type Page } from "../layout.ts";
import { changesInBrief } from "../change-text.ts";
import { numberSteps, type NumberedStep } from "../plan-groups.ts";
import { outageText } from "../plan-text.ts";
import { layOutNotes, origins, shownAction, signs } from "../step-text.ts";
import { countStates } from "../../fleet/runs/run-ending.ts";
import { rankOf, states, stateStyles, sumsText, timeText } from "./states.ts";

/** The widest column of names that the cells beside it wait for; where lines come one by one, the width of each. */
const widestName = 40;

/** Groups of changes on one screen, changes of one of them, and names of accounts in a sentence. */
const mostGroups = 20;
const mostChanges = 12;
const mostNames = 5;

/** Renders the runs that wait or are stopped, a line for each account that is not clean, and the sums. */
export function renderFleetStatus({ fleet, accounts, runs }: Board, page: Page): string {
  const shown = sortAccounts(accounts.filter(({ state, why }) => why !== undefined || !isSettled(state)));
  const width = Math.min(widestName, largest(shown.map(({ name }) => widthOf(printable(page, name)))));
  return joinSections([
    runs.flatMap((run) => describeRun(run).flatMap((text) => layOutText(page, printable(page, text)))),
    shown.flatMap((account) => layOutAccount(account, remarksOf(account), width, page)),
    layOutText(
      page,
      paint(page, "bold", printable(page, `${fleet}: ${sumOfAccounts(accounts.length, countStates(accounts))}`)),
    ),
  ]);
}

/** Returns accounts with the worst first, and by name. */
export const sortAccounts = (accounts: readonly BoardAccount[]): BoardAccount[] =>
  accounts.toSorted((a, b) => rankOf(a.state) - rankOf(b.state) || byName.compare(a.name, b.name));

/** `c2` stands before `c10`. */
const byName = new Intl.Collator("en", { numeric: true });

const isSettled = (state: BoardAccount["state"]) => state === "clean" || state === "applied";

const remarksOf = ({ name, owner, group, driftSince, why, ...planned }: BoardAccount): readonly string[] => [
  owner === name ? "" : `owner ${owner}`,
  group === undefined ? "" : `group ${group}`,
  driftSince === undefined ? "" : `since ${timeText(driftSince)}`,
  countsText(planned),
  why ?? "",
];

/** Returns the numbers of a plan in signs: `+3 ~1`; an empty text for a plan without changes, and for one that was applied before the account drifted. */
export const countsText = ({ state, counts }: Pick<BoardAccount, "state" | "counts">): string =>
  (["create", "update", "delete", "replace"] as const)
    .flatMap((sign) => (counts && counts[sign] > 0 && state !== "drifted" ? [`${signs[sign]}${counts[sign]}`] : []))
    .join(" ");

const sumOfAccounts = (count: number, sums: Parameters<typeof sumsText>[0]) =>
  `${counted(count, "account")}${count === 0 ? "" : `: ${sumsText(sums)}`}`;

/** Returns what an open run waits for, and what to do, each sentence a text. */
export function describeRun({ id, kind, created, createdBy, state, accounts, hash, stopped }: OpenRun): string[] {
  const head = `Run ${id} (${kind}, ${timeText(created)} UTC, by ${createdBy})`;
  if (state === "stopped") return [`${head} is stopped.`, ...(stopped ? describeStop(id, stopped) : [])];
  if (state !== "waiting")
    return [
      `${head} is ${state}: ${counted(accounts, "account")} not done yet. Each \`hostform fleet worker\` goes on with it.`,
      `To give it up: \`hostform fleet cancel ${id}\``,
    ];
  return [`${head} waits for approval: ${counted(accounts, "account")} with changes.`, ...toApprove(id, hash)];
}

const toApprove = (run: string, hash: string | undefined): string[] =>
  hash === undefined ? [] : [`To approve it: \`hostform fleet approve ${run} --hash ${shortHash(hash)}\``];

/** Returns why a run is stopped, and what to do. */
export function describeStop(run: string, { wave, accounts, failed, notConverged, unlike }: StopReason): string[] {
  const reasons = [
    [failed, "failed"],
    [notConverged, "did not converge"],
    [unlike, "would change unlike the approved plans"],
  ] as const;
  const named = reasons.flatMap(([names, words]) =>
    names.length === 0 ? [] : [`${names.length} ${words} (${nameSome(names, mostNames)})`],
  );
  return [
    wave === undefined
      ? `Of ${counted(accounts, "account")}, ${named.join(", ")}. Nothing was changed.`
      : `Of the ${counted(accounts, "account")} of wave ${wave + 1}, ${named.join(", ")}. No change was made in the waves after it.`,
    "Mend what failed, then apply the rest: `hostform fleet apply --continue`",
    "It leaves out what failed. To plan that anew, after it: `hostform fleet apply`",
    `Or give the rest up: \`hostform fleet cancel ${run}\``,
  ];
}

/** Lays an account out: its state, its name, and the rest where both columns end. */
function layOutAccount(
  { state, name }: Pick<BoardAccount, "state" | "name">,
  remarks: readonly string[],
  width: number,
  page: Page,
): string[] {
  const { word, tone } = states[state];
  const style = stateStyles[tone];
  const mark = pad(style === undefined ? word : paint(page, style, word), widestState);
  const rest = remarks.flatMap((text) => (text === "" ? [] : [cellOf(printable(page, text))]));
  return layOut(page, [[mark], [pad(printable(page, name), rest.length > 0 ? width : 0)], ...rest], 4);
}

const widestState = largest(Object.values(states).map(({ word }) => word.length));

/** Renders an event of a run; an empty text for an account that ended as expected: it is in the sums. */
export const renderFleetEvent = (event: FleetEvent, page: Page): string =>
  linesOf(event, page).reduce((text, line) => `${text}${line}\n`, "");

function linesOf(event: FleetEvent, page: Page): string[] {
  const say = (...texts: readonly string[]) => texts.flatMap((text) => layOutText(page, printable(page, text)));
  switch (event.type) {
    case "run_started": {
      const { run, kind, accounts, resumed, plans } = event;
      const from =
        plans &&
        (resumed
          ? `begun ${timeText(plans.created)}`
          : `by the plans of run ${plans.run} of ${timeText(plans.created)}`);
      const what = `${kind} of ${counted(accounts, "account")}${from === undefined ? "" : `, ${from} UTC`}`;
      return say(`Run ${run}${resumed ? " goes on" : ""}: ${what}`, ...newerManifests(event));
    }
    case "account_ended": {
      const { account: name, state, why = "" } = event;
      // Equal changes stand together where the run waits for approval.
      const isExpected = isSettled(state) || state === "changed";
      return (isExpected && why === "") || state === "queued" || state === "running"
        ? []
        : layOutAccount({ name, state }, [countsText(event), why], widestName, page);
    }
    case "wave_started":
      return say(`Wave ${event.wave} of ${event.waves}: ${counted(event.accounts, "account")}`);
    case "wave_ended":
      return say(`Wave ${event.wave} has ended: ${sumsText(event.sums)}`);
    case "run_waiting":
      return [
        ...layOutGroups(event.groups, page),
        ...(event.hash === undefined
          ? []
          : event.kind === "plan"
            ? say(`To apply exactly these plans: \`hostform fleet apply --approve ${shortHash(event.hash)}\``)
            : say(`Run ${event.run} waits for approval.`, ...toApprove(event.run, event.hash))),
      ];
    case "run_stopped":
      return say(`Run ${event.run} is stopped.`, ...describeStop(event.run, event.reason));
    case "run_ended": {
      const count = Object.values(event.sums).reduce((sum, each) => sum + each, 0);
      const what = { plan: "Planned", drift: "Checked for drift", apply: "Applied" }[event.kind];
      const isOpen = event.ending === "interrupted" && (event.state === "planning" || event.state === "applying");
      const cut = { cancelled: "Cancelled", waiting: "Planned" }[event.state as string];
      const isHeld = event.state === "applying" && event.ending === "pending_elsewhere" && event.sums.changed;
      const isClean = event.kind !== "drift" && event.sums.clean === count;
      const head = `${isOpen ? "Interrupted" : (cut ?? what)}: ${sumOfAccounts(count, event.sums)}`;
      const open = `Run ${event.run} has not ended: each \`hostform fleet worker\` goes on with it. To follow it, call this command again.`;
      return [
        ...layOutText(page, paint(page, "bold", head)),
        ...(isOpen ? say(open, `Or give it up: \`hostform fleet cancel ${event.run}\``) : []),
        ...(isClean ? ["No changes."] : []),
        ...(isHeld ? say("The waves that come wait for the accounts whose windows are shut.") : []),
      ];
    }
    case "run_approved": {
      if (event.ended) return say(`Run ${event.run} had ended: there is nothing to approve.`);
      const command = `hostform fleet apply --approve ${shortHash(event.hash ?? "")}`;
      const next = event.kind === "plan" ? `To apply its plans: \`${command}\`` : "Workers apply its plans.";
      return say(`Run ${event.run} is approved. ${next}`);
    }
    case "run_cancelled":
      return say(`Run ${event.run} ${event.ended ? "had ended: there is nothing to cancel" : "is cancelled"}.`);
    case "database_lost":
      return say(`The database is away, and is tried again: ${event.reason}`);
    case "workers_missing":
      return say(workersMissing(event.jobs));
    case "api_paused":
      return say(`${event.host} asked for a pause: nothing is sent to it for ${counted(event.seconds, "second")}.`);
    case "job_returned":
      return say(`${event.account} waits again: ${event.why}`);
  }
}

/** Renders the runs of one account, a line each. */
export function renderHistory(entries: readonly HistoryEntry[], page: Page): string {
  const lines = entries.flatMap(({ run, kind, at, by, why = "", ...ended }) => {
    const remarks = [countsText(ended), `by ${by}`, why];
    return layOutAccount({ name: `${timeText(at)} ${kind} ${run}`, state: ended.state }, remarks, widestName, page);
  });
  return `${lines.join("\n")}\n`;
}

/** Returns what a run does not apply since its plans are older than the manifests, and what to do. */
export const newerManifests = ({ run, plans }: RunStarted): readonly string[] =>
  !plans || plans.newer.length === 0
    ? []
    : [
        `The manifests of ${counted(plans.newer.length, "account")} are others by now (${nameSome(plans.newer, mostNames)}): what is newer is not applied by this run.`,
        `To apply it instead: \`hostform fleet cancel ${run}\`, then plan and apply again.`,
      ];

export const workersMissing = (jobs: number): string =>
  `${counted(jobs, "job")} ${jobs === 1 ? "waits" : "wait"}, and no worker takes them. Start one: \`hostform fleet worker\``;

/** Lists groups of accounts whose plans make equal changes, in their order. A group with a danger is always listed. */
function layOutGroups(groups: readonly ChangeGroup[], page: Page): string[] {
  const shown = groups.filter(({ changes }, index) => index < mostGroups || changes.some(({ isDanger }) => isDanger));
  const rest = groups.filter((group) => !shown.includes(group));
  const more = counted(rest.flatMap(({ accounts }) => accounts).length, "account");
  return [
    ...shown.flatMap((group) => [...layOutGroup(group, page), ""]),
    ...(rest.length === 0 ? [] : [`${more} more, with ${counted(rest.length, "other set")} of changes`, ""]),
  ];
}

function layOutGroup({ accounts, changes, steps }: ChangeGroup, page: Page): string[] {
  const all = numberSteps(changes);
  const dangers = all.filter(({ step }) => step.isDanger);
  const shown = [...dangers, ...all.filter(({ step }) => !step.isDanger).slice(0, mostChanges)];
  const more = all.length - shown.length;
  const most = accounts.length > mostNames ? 2 : mostNames;
  const isOnce = steps <= changes.length * accounts.length;
  const head = `${counted(accounts.length, "account")}${isOnce ? "" : `, ${steps} changes`}: ${nameSome(accounts, most)}`;
  return [
    ...layOutText(page, paint(page, "bold", printable(page, head))),
    ...shown.flatMap((change) => layOutShared(change, page)),
    ...(more > 0 ? [`  and ${counted(more, "other change")}`] : []),
    ...(all.length === 0
      ? layOutText(page, "  takes over what exists, or its marks: only the inventory changes, and nothing is sent")
      : []),
  ];
}

function layOutShared(numbered: NumberedStep<SharedChange>, page: Page): string[] {
  const { step, half } = numbered;
  const { action, purchase, origin, address, changes, gaps = [] } = step;
  const fields = changesInBrief(changes, action, page);
  const notes = [...(purchase ? ["costs money"] : []), ...(origin ? [origins[origin]] : [])];
  const outages = [...(half?.gaps ?? []), ...gaps].map((gap) => `      ! ${outageText(gap)} for a while`);
  const sign = signs[shownAction(step)];
  return [
    ...layOut(page, [[`  ${sign}`, printable(page, address)], ...[...fields, ...notes].map(cellOf)], 6),
    ...layOutNotes(numbered, page),
    ...outages.flatMap((text) => layOutText(page, printable(page, text), 8)),
  ];
}
