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
