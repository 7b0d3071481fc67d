import type { Json } from "../../model/json.ts";
import { jsonText } from "../../model/json.ts";

const pattern = /^(\d{1,4})\s*d$/u;

/** Days as `30d`, in milliseconds; undefined where the text is none. */
export function milliseconds(value: Json | undefined): number | undefined {
  const [, days] = pattern.exec(jsonText(value)) ?? [];
  return days === undefined ? undefined : Number(days) * 86_400_000;
}

export const checkDuration = (value: Json) =>
  milliseconds(value) === undefined ? "a number of days, such as 30d" : undefined;

/** Why something that ends at `expiresAt` is due within the written time; undefined where it is not. */
export function dueReason(expiresAt: Json | undefined, within: Json | undefined, now: number): string | undefined {
  const ends = Date.parse(jsonText(expiresAt));
  const ahead = milliseconds(within);
  if (Number.isNaN(ends) || ahead === undefined || ends - now > ahead) return undefined;
  return `it expires at ${jsonText(expiresAt)}, within ${jsonText(within)}`;
}
