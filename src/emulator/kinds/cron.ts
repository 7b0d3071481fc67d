import type { FieldErrors } from "../refusal.ts";
import type { Kind } from "./kind.ts";
import { isCronSchedule } from "./cron-schedule.ts";
import { belongsToService } from "./service-reference.ts";

type Input = {
  readonly service_id: string;
  readonly name: string;
  readonly schedule: string;
  readonly command: string;
  readonly enabled: boolean;
  readonly timezone: string;
  readonly email: string | null;
  readonly timeout_s: number;
};

/** A scheduled task. Nothing runs it. */
export const cron: Kind<Input, Input> = {
  name: "cron",
  schema: "Cron",
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
  make: (input) => ({ record: input }),
};

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
