import { Cron } from "croner";
import { jsonText, type Json } from "../model/json.ts";
import type { Kind } from "./kind.ts";
import { checkDomain, normaliseDomain } from "./shared/domain-name.ts";
import { plainKey } from "./shared/natural-key.ts";
import { normaliseBoolean } from "./shared/boolean.ts";
import { normaliseOptionalAddress } from "./shared/mail-address.ts";
import { normaliseNumber } from "./shared/number.ts";

const macros: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const names = ["jan feb mar apr may jun jul aug sep oct nov dec", "sun mon tue wed thu fri sat"].map((text) =>
  text.split(" "),
);

/** A scheduled task of a service (API.md section 2). */
export const cron: Kind = {
  name: "cron",
  group: "Crons",
  manifest: "crons.{service}.jobs.{name}",
  scope: ["service"],
  ...plainKey(["service", "name"]),
  normaliseKey: (key) => ({ ...key, service: normaliseDomain(key["service"] ?? "") }),
  checkKey: ({ service = "", name = "" }) => (name.trim() === "" ? "a name for the job" : checkDomain(service)),
  fields: {
    service: { access: "immutable" },
    name: { access: "mutable" },
    schedule: { access: "mutable", required: true, normalise: normaliseSchedule, check: checkSchedule },
    command: { access: "mutable", required: true, mayHoldCredentials: true },
    enabled: { access: "mutable", normalise: normaliseBoolean },
    timezone: { access: "mutable", check: checkTimezone },
    email: { access: "mutable", normalise: normaliseOptionalAddress },
    timeout_s: { access: "mutable", normalise: normaliseNumber },
  },
  requires: [[{ kind: "service", key: { domain: "service" } }]],
  slots: (key) => [{ name: `cron ${key["name"]} of ${key["service"]}`, shared: false }],
  protected: false,
};

/** Five fields with single blanks, names as numbers, macros spelt out. */
function normaliseSchedule(value: Json): Json {
  if (typeof value !== "string") return value;
  const text = value.trim().toLowerCase();
  const fields = (macros[text] ?? text).split(/\s+/u);
  if (fields.length !== 5) return value;
  return fields.map((field, index) => normaliseScheduleField(field, index)).join(" ");
}

function normaliseScheduleField(field: string, index: number): string {
  const monthOrDay = index === 3 ? names[0] : index === 4 ? names[1] : undefined;
  const offset = index === 3 ? 1 : 0;
  const numbered = field.replaceAll(/[a-z]+/gu, (word) => {
    const found = monthOrDay?.indexOf(word) ?? -1;
    return found < 0 ? word : String(found + offset);
  });
  const plain = numbered.replaceAll(/\d+/gu, (digits) => String(Number(digits))).replace(/^\*\/1$/u, "*");
  return index === 4 ? plain.replaceAll(/(?<![\d/-])7(?![\d-])/gu, "0") : plain;
}

function checkSchedule(value: Json): string | undefined {
  const normal = normaliseSchedule(value);
  if (typeof normal !== "string" || normal.split(" ").length !== 5) {
    return "five fields: minute hour day-of-month month day-of-week, such as 0 3 * * *";
  }
  try {
    const parsed = new Cron(normal, { paused: true, mode: "5-part" });
    return parsed.nextRun() === null ? "a schedule that comes due at some time" : undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /u, "") : String(error);
    return `five fields: minute hour day-of-month month day-of-week, such as 0 3 * * * (${reason})`;
  }
}

function checkTimezone(value: Json): string | undefined {
  try {
    Intl.DateTimeFormat("en", { timeZone: jsonText(value) });
    return undefined;
  } catch {
    return "a time zone of the IANA database, such as Europe/Madrid";
  }
}
