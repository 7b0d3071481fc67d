const units: Readonly<Record<string, number>> = { w: 604_800, d: 86_400, h: 3600, m: 60, s: 1 };

/** The longest TTL (RFC 2181 section 8). */
const longest = 2 ** 31 - 1;

/** Returns the seconds of a TTL: a number, or numbers with units such as `1h30m`; undefined if the text is not a TTL. */
export function readSeconds(text: string): number | undefined {
  if (!/^(?:\d{1,10}|(?:\d{1,10}[wdhms])+)$/iu.test(text)) return undefined;
  const parts = [...text.toLowerCase().matchAll(/(\d+)([wdhms]?)/gu)];
  const sum = parts.reduce((total, [, count, unit = ""]) => total + Number(count) * (units[unit] ?? 1), 0);
  return sum <= longest ? sum : undefined;
}
