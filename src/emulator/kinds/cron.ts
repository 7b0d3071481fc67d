import type { FieldErrors } from "../refusal.ts";
import { belongsToService, type Kind } from "./kind.ts";

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

interface CronField {
  readonly low: number;
  readonly high: number;
  /** Names of the numbers from `low` on. */
  readonly names?: readonly string[];
}

const fields: readonly CronField[] = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  { low: 1, high: 12, names: months },
  { low: 0, high: 7, names: days },
];

/** Whether a text is a crontab(5) schedule of five fields: lists of `*`, numbers, names and ranges, each with a step. */
export function isCronSchedule(text: string): boolean {
  const parts = text.trim().split(/\s+/);
  return parts.length === fields.length && fields.every((field, index) => isList(parts[index] ?? "", field));
}

const isList = (text: string, field: CronField): boolean => text.split(",").every((item) => isItem(item, field));

function isItem(text: string, field: CronField): boolean {
  const [, range = "", step] = /^([^/]*)(?:\/(\d{1,2}))?$/.exec(text) ?? [];
  if (step !== undefined && Number(step) === 0) return false;
  if (range === "*") return true;
  const [from = NaN, to = from, ...rest] = range.split("-").map((value) => numberOf(value, field));
  return rest.length === 0 && from >= field.low && from <= to && to <= field.high;
}

function numberOf(text: string, { low, names = [] }: CronField): number {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return low + named;
  return /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
}

type Input = {
  readonly service_id: string;
  readonly name: string;
  readonly schedule: string;
  readonly timezone: string;
};

/** A scheduled task. Nothing runs it. */
export const cron: Kind<Input> = {
  idPrefix: "crn",
  checks: [
    belongsToService,
    {
      fields: ["schedule"],
      run: ({ schedule }): FieldErrors =>
        isCronSchedule(schedule)
          ? {}
          : { schedule: [`must be five fields: minute, hour, day of month, month, day of week; it was "${schedule}"`] },
    },
    {
      fields: ["timezone"],
      run: ({ timezone }): FieldErrors =>
        isTimeZone(timezone)
          ? {}
          : { timezone: [`must be an IANA time zone, such as Europe/Madrid; it was "${timezone}"`] },
    },
  ],
  naturalKey: ({ service_id, name }) => `cron ${service_id} ${name}`,
  scope: ({ service_id }) => service_id,
};

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
