import type { Ending } from "../engine/session/host.ts";
import type { Emit } from "../engine/session/events.ts";
import { notify, readNotifyUrl, type Notification } from "../engine/session/notify.ts";
import { driftEvents, planEvents, reportEvent, type Event } from "../render/json-events.ts";
import type { Io } from "./io.ts";

export interface NotifyOptions {
  /** The https URL that gets to know how the run ended. Default: `HOSTFORM_NOTIFY_URL`. */
  readonly notifyUrl?: string | undefined;
}

/** Returns a run that also posts how it ended, if the runner has named a URL for that. A plan that a person declined is not posted. */
export function notifying(
  command: Notification["command"],
  { notifyUrl }: NotifyOptions,
  io: Io,
  run: (emit: Emit) => Promise<Ending>,
): (emit: Emit) => Promise<Ending> {
  return async (emit) => {
    const url = readNotifyUrl(notifyUrl, io);
    if (!url) return run(emit);
    let [counts, hash, isDeclined]: [Notification["counts"], string | undefined, boolean] = [{}, undefined, false];
    const ending = await run((event) => {
      // A later plan is of what is still different after the apply.
      if (event.type === "plan" && Object.keys(counts).length === 0) {
        counts = numbersIn(planEvents(event.plan, { showIgnored: false }).at(-1));
        ({ hash } = event.plan);
      }
      if (event.type === "report") counts = { ...counts, ...numbersIn(reportEvent(event.report)) };
      if (event.type === "drift") counts = numbersIn(driftEvents(event.drift).at(-1));
      if (event.type === "cancelled") isDeclined = event.why === "declined";
      emit(event);
    });
    if (!isDeclined) await notify(url, { command, ending, counts, hash }, { ...io, emit });
    return ending;
  };
}

/** Returns the sums of an event. */
const numbersIn = (event: Event | undefined): Record<string, number> =>
  Object.fromEntries(
    Object.entries(event ?? {}).filter((each): each is [string, number] => typeof each[1] === "number"),
  );
