import { type Json, jsonText } from "../../model/json.ts";
import { ofText } from "./normal-forms.ts";

// Without its zone a time would be read in this machine's; a day is read in UTC.
const pattern = /^\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:z|[+-]\d{2}:?\d{2}))?$/iu;

/** A point in time as ISO 8601 in UTC with whole seconds, whatever its zone is written in; what is none stays as it is. */
export const normaliseTimestamp = ofText((text) => {
  const time = pattern.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? text : new Date(time).toISOString().replace(".000Z", "Z");
});

/** Returns a point in time as it was written, if it is whole by RFC 3339; otherwise in its normal form. */
export const spellTimestamp = (written: Json, normal: Json): Json =>
  typeof written === "string" && moment.test(written.toUpperCase()) && isWithTime(written) ? written : normal;

/** A time with its zone that is in the calendar, or null. */
export const checkTime = (value: Json): string | undefined =>
  value === null || (isMoment(value) && isWithTime(value))
    ? undefined
    : "a date and time that there is, such as 2026-12-24T18:00:00Z, or null";

/** A day (its first moment, in UTC) or a time with its zone. */
export const checkMoment = (value: Json) =>
  isMoment(value) ? undefined : "a date that there is, such as 2026-05-01, or a time such as 2026-05-01T12:00:00Z";

const isWithTime = (moment: string) => moment.length > "2026-05-01".length;

/** Tells whether a text is a moment in the calendar: JavaScript takes 30 February for 2 March. */
function isMoment(value: Json): value is string {
  if (typeof value !== "string" || !moment.test(value) || Number.isNaN(Date.parse(value))) return false;
  const [year = 0, month = 0, day = 0] = value.slice(0, 10).split("-").map(Number);
  return day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

const moment = /^\d{4}-\d{2}-\d{2}(T(?!24)\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2}))?$/u;

/** Days as `30d`, in milliseconds; undefined where the text is none. */
export function milliseconds(value: Json | undefined): number | undefined {
  const [, days] = /^(\d{1,4})\s*d$/u.exec(jsonText(value)) ?? [];
  return days === undefined ? undefined : Number(days) * 86_400_000;
}

export const checkDuration = (value: Json) =>
  milliseconds(value) === undefined ? "a number of days, such as 30d" : undefined;

/** A time that a server gives, in milliseconds; NaN where it cannot be read, or can be in two ways: 03.04.2027 is a day in March or in April. */
export const givenTime = (value: Json | undefined): number =>
  /^\d{1,2}\D/u.test(jsonText(value)) ? Number.NaN : Date.parse(jsonText(value));

/** Why something that ends at `expiresAt` is due within the written time; undefined where it is not. */
export function dueReason(expiresAt: Json | undefined, within: Json | undefined, now: number): string | undefined {
  const ends = givenTime(expiresAt);
  const ahead = milliseconds(within);
  if (Number.isNaN(ends) || ahead === undefined || ends - now > ahead) return undefined;
  return `it expires at ${jsonText(expiresAt)}, within ${jsonText(within)}`;
}
