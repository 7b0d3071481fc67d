import type { Board } from "../../fleet/board.ts";
import type { FleetEvent } from "../../fleet/events.ts";
import type { StopReason } from "../../fleet/model.ts";
import type { Event } from "../json-events.ts";
import { describeStop, newerManifests, workersMissing } from "./fleet-text.ts";
import { countStates } from "../../fleet/runs/run-ending.ts";

/** A line for each open run and each account, and the sums at the end: `hostform fleet status`. */
export const fleetStatusEvents = ({ fleet, madeAt, accounts, runs }: Board): Event[] => [
  ...runs.map(({ id, stopped, ...run }): Event => ({
    type: "open_run",
    run: id,
    ...run,
    ...(stopped && { stopped: stopFields(id, stopped) }),
  })),
  ...accounts.map((account): Event => ({ type: "account_status", ...account })),
  { type: "fleet_status", fleet, madeAt, accounts: accounts.length, sums: countStates(accounts) },
];

/** The line of an event of a run. */
export function fleetEvent(event: FleetEvent): Event {
  if (event.type === "run_stopped") return { type: event.type, run: event.run, ...stopFields(event.run, event.reason) };
  if (event.type === "run_started" && event.plans && event.plans.newer.length > 0)
    return { ...event, advice: newerManifests(event).join(" ") };
  return event.type === "workers_missing" ? { ...event, advice: workersMissing(event.jobs) } : { ...event };
}

const stopFields = (run: string, reason: StopReason) => ({
  ...reason,
  ...(reason.wave !== undefined && { wave: reason.wave + 1 }),
  advice: describeStop(run, reason).join(" "),
});
