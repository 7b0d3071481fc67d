import type { Ending, Session } from "../engine/session/host.ts";
import type { Emit } from "../engine/session/events.ts";
import { notify, readNotifyUrl, type Notification } from "../engine/session/notify.ts";
import { jsonEvents, type Printed } from "../render/json-events.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import type { Io } from "./io.ts";
import { printer, type PrinterOptions } from "./printer.ts";

export interface NotifyOptions {
  /** The https URL that gets to know how the run ended. Default: `HOSTFORM_NOTIFY_URL`. */
  readonly notifyUrl?: string | undefined;
}

/** Runs a command, and posts how it ended, if the runner has named a URL for that. A plan that a person declined is not posted. */
export async function runAndNotify(
  command: Notification["command"],
  { notifyUrl }: NotifyOptions,
  { emit, ...io }: Session,
  run: (emit: Emit) => Promise<Ending>,
): Promise<Ending> {
  const url = readNotifyUrl(notifyUrl, io);
  if (!url) return run(emit);
  let [counts, hash, isDeclined]: [Notification["counts"], string | undefined, boolean] = [{}, undefined, false];
  const ending = await run((event) => {
    // A later plan is of what is still different after the apply.
    if (event.type === "plan" && Object.keys(counts).length === 0) {
      counts = sumsOf(event);
      ({ hash } = event.plan);
    }
    if (event.type === "report") counts = { ...counts, ...sumsOf(event) };
    if (event.type === "drift") counts = sumsOf(event);
    if (event.type === "cancelled") isDeclined = event.why === "declined";
    emit(event);
  });
  if (!isDeclined) await notify(url, { command, ending, counts, hash }, { ...io, emit });
  return ending;
}

/** Returns a function that posts how a run ended that a mistake has stopped; none where no URL is named that can be posted to. */
export function notifierOfMistakes(
  command: Notification["command"],
  { notifyUrl }: NotifyOptions,
  form: Pick<PrinterOptions, "json">,
  io: Io,
): ((ending: Ending) => Promise<void>) | undefined {
  // The mistake may be in the URL.
  const url = orUndefined(() => readNotifyUrl(notifyUrl, io));
  if (!url) return undefined;
  const emit: Emit = (event) => printer(io, form)(event);
  return async (ending) => notify(url, { command, ending, counts: {}, hash: undefined }, { ...io, emit });
}

/** Returns the numbers of the last line of an event, which has its sums. */
const sumsOf = (event: Printed): Record<string, number> =>
  Object.fromEntries(
    Object.entries(jsonEvents(event, { showIgnored: false }).at(-1) ?? {}).filter(
      (each): each is [string, number] => typeof each[1] === "number",
    ),
  );
