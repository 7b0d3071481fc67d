import { Cron } from "croner";
import { orUndefined } from "../lib/or-undefined.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Kind } from "./kind.ts";
import { checkDomain } from "./shared/domain-name.ts";
import { domainKey } from "./shared/natural-key.ts";
import { normaliseBoolean, normaliseNumber, ofText } from "./shared/normal-forms.ts";
import { optionalAddress } from "./shared/mail-address.ts";
import { checkNotEmpty } from "./shared/text-checks.ts";

const macros: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);
const names = ["jan feb mar apr may jun jul aug sep oct nov dec", "sun mon tue wed thu fri sat"].map((text) =>
  text.split(" "),
);

export const cron: Kind = {
  name: "cron",
  manifest: "crons.{service}.jobs.{name}",
  scope: ["service"],
  naming: {
    ...domainKey(["service", "name"]),
    check: ({ service = "", name = "" }) => checkName(name) ?? checkDomain(service),
  },
  fields: {
    service: { access: "immutable" },
    name: { access: "mutable" },
    schedule: {
      access: "mutable",
      required: true,
      normalise: ofText(normaliseSchedule),
      sent: spellSchedule,
      check: checkSchedule,
    },
    command: { access: "mutable", required: true, mayHoldCredentials: true, check: checkNotEmpty },
    enabled: { access: "mutable", normalise: normaliseBoolean },
    timezone: { access: "mutable", check: checkTimezone },
    email: optionalAddress,
    timeout_s: { access: "mutable", normalise: normaliseNumber },
  },
  relations: { requires: [[{ kind: "service", key: { domain: "service" } }]] },
};

const checkName = (name: string) =>
  name.trim() !== "" && /^[^\p{Cc}/]{1,64}$/u.test(name)
    ? undefined
    : "a name for the job of at most 64 characters, without / and control characters";

/** Five fields with single blanks, names as numbers, macros expanded. */
function normaliseSchedule(value: string): string {
  const text = value.trim().toLowerCase();
  const fields = (macros.get(text) ?? text).split(/\s+/u);
  if (fields.length !== 5) return value;
  return fields.map((field, index) => normaliseScheduleField(field, index)).join(" ");
}

/** Returns a schedule as it was written, unless it is a macro, or has a form that not every crontab takes (`sat-sun`, `003`). */
function spellSchedule(written: Json, normal: Json): Json {
  if (typeof written !== "string") return normal;
  const text = written.trim();
  return text.startsWith("@") || /-(?:sun|0+)\b|\d{3}/iu.test(text) ? normal : text;
}

function normaliseScheduleField(field: string, index: number): string {
  const items = field.split(",").map((item) => normaliseScheduleItem(item, index));
  return [...new Set(items)].sort(byFirstNumber).join(",");
}

function normaliseScheduleItem(item: string, index: number): string {
  const monthOrDay = index === 3 ? names[0] : index === 4 ? names[1] : undefined;
  const offset = index === 3 ? 1 : 0;
  const numbered = item.replaceAll(/[a-z]+/gu, (word) => {
    const found = monthOrDay?.indexOf(word) ?? -1;
    return found < 0 ? word : String(found + offset);
  });
  const plain = numbered.replaceAll(/(?<!\d)0+(?=\d)/gu, "").replace(/(?<=^\*|-\d+)\/1$/u, "");
  // Sunday is 0, and 7 at the end of a range.
  return index === 4 ? plain.replace(/^7$/u, "0").replace(/(?<=^[1-6]-)0(?!\d)/u, "7") : plain;
}

const byFirstNumber = (a: string, b: string) => firstNumber(a) - firstNumber(b) || (a < b ? -1 : a > b ? 1 : 0);
const firstNumber = (item: string) => Number(/^\d+/u.exec(item)?.[0] ?? -1);

/** crontab(5): the extensions of other schedulers (L, W, #, ?) are not in it. */
const scheduleItem = /^(?:\*|\d{1,2}(?:-\d{1,2})?)(?:\/\d{1,2})?$/u;

function checkSchedule(value: Json): string | undefined {
  const normal = typeof value === "string" ? normaliseSchedule(value) : "";
  const wanted = "five fields: minute hour day-of-month month day-of-week, such as 0 3 * * *";
  if (normal.split(" ").length !== 5) return wanted;
  if (!normal.split(" ").every((field) => field.split(",").every((item) => scheduleItem.test(item)))) {
    return "in each field *, numbers, names and ranges, each with a step if wanted, such as */5 or mon-fri";
  }
  try {
    const parsed = new Cron(normal, { paused: true, mode: "5-part" });
    return parsed.nextRun() === null ? "a schedule that comes due at some time" : undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /u, "") : String(error);
    return `${wanted} (${reason})`;
  }
}

/** Returns whether this system knows a time zone. An offset, which newer systems take as well, knows no daylight saving. */
export const isTimeZone = (name: string): boolean =>
  /^[a-z]/iu.test(name) && orUndefined(() => Intl.DateTimeFormat("en", { timeZone: name })) !== undefined;

function checkTimezone(value: Json): string | undefined {
  return isTimeZone(jsonText(value)) ? undefined : "a time zone of the IANA database, such as Europe/Madrid";
}
