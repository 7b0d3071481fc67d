/** The longest name whose words are looked at. */
const longest = 200;

/** Words that end in s and are no plural, beside those in -ss and -us. */
const singular: ReadonlySet<string> = new Set(["s", "dns", "https", "tls", "alias"]);

function singularOf(word: string): string {
  if (singular.has(word) || !word.endsWith("s") || /(?:ss|us)$/u.test(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return /(?:sses|xes|ches|iases)$/u.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

/** Returns a name of any case as words with hyphens, the last in the singular: `dnsZones` and `dns_zone` are both `dns-zone`. */
export function wordsOf(name: string): string {
  const words = name
    .slice(0, longest)
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1-$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .filter((word) => word !== "");
  return words.map((word, index) => (index === words.length - 1 ? singularOf(word) : word)).join("-");
}

/** Returns a name without all that names differ in: case, hyphens, plural. */
export const plainName = (name: string): string => wordsOf(name).replaceAll("-", "");
