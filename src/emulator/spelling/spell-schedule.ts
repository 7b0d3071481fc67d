const words: ReadonlyMap<string, string> = new Map([
  ["0 * * * *", "@hourly"],
  ["0 0 * * *", "@daily"],
  ["0 0 * * 0", "@weekly"],
  ["0 0 1 * *", "@monthly"],
  ["0 0 1 1 *", "@yearly"],
]);
const months = ["", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** A schedule of five fields in crontab's own words: a macro, or names of months and days. */
export function spellSchedule(schedule: string): string {
  const word = words.get(schedule);
  if (word !== undefined) return word;
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = schedule.split(" ");
  const everyHour = hour === "*" ? "*/1" : hour;
  return [minute.padStart(2, "0"), everyHour, day, named(month, months), named(weekday, days)].join(" ");
}

/** Numbers as names, but for those of steps. */
const named = (field: string, names: readonly string[]): string =>
  field.replaceAll(/(?<![\d/])\d+/g, (number) => names[Number(number)] ?? number);
