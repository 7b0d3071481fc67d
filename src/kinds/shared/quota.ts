import type { Json } from "../../model/json.ts";

// The API counts in MB where 1024 of them make a GiB ("2 GiB", "2048"), so MB and MiB are one unit here.
const units: readonly (readonly [unit: string, megabytes: number])[] = [
  ["TiB", 1_048_576],
  ["TB", 1_000_000],
  ["GiB", 1024],
  ["GB", 1000],
  ["MB", 1],
  ["MiB", 1],
];
// A part of a number without a unit is a forgotten unit: 1.5 would be 2 MB.
const pattern = /^\s*(\d+(?:\.\d+(?=\s*[a-z]))?)\s*([a-z]+)?\s*$/iu;

/** A quota in whole MB, or null for `unlimited`. */
export function normaliseQuota(value: Json): Json {
  if (typeof value !== "string") return value;
  if (value.trim().toLowerCase() === "unlimited") return null;
  return megabytes(value) ?? value;
}

/** Returns a quota as a person writes it: in the largest unit in which it is a whole number. */
export function spellQuota(normal: Json): Json {
  if (normal === null) return "unlimited";
  if (typeof normal !== "number") return normal;
  const [unit, factor] = units.find(([, size]) => normal > 0 && normal % size === 0) ?? ["MB", 1];
  return `${normal / factor} ${unit}`;
}

export function checkQuota(value: Json): string | undefined {
  const normal = normaliseQuota(value);
  if (normal === null || (typeof normal === "number" && Number.isSafeInteger(normal) && normal >= 1)) return undefined;
  return "a whole number of MB, a number with a unit (MB, MiB, GB, GiB, TB, TiB), or unlimited";
}

function megabytes(text: string): number | undefined {
  const [, amount, unit = "MB"] = pattern.exec(text) ?? [];
  const [, factor] = units.find(([name]) => name.toLowerCase() === unit.toLowerCase()) ?? [];
  return amount === undefined || factor === undefined ? undefined : Math.round(Number(amount) * factor);
}
