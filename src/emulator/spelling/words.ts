/** The ways in which answers can spell values that mean the same. Stored values stay as they are. */
export const spellings = {
  quoted: "TXT in quoted strings of 255 bytes, all but ASCII escaped; parameters and tags quoted",
  unquoted: "TXT bare and in one piece; no quotes that are not needed",
  fqdn: "names of records whole, with their zone",
  "apex-empty": "the apex as an empty name",
  "apex-dot": "the apex as .",
  dots: "host and domain names, and whole names of records, with a final dot",
  "no-dots": "no final dot anywhere",
  upper: "host names, mail addresses, types of records and hexadecimal digits in upper case",
  idn: "names in Unicode instead of Punycode",
  "ipv6-long": "IPv6 addresses with all their digits",
  spaced: "digests in groups of eight digits",
  "priority-inline": "the priority of MX and SRV at the head of the content",
  "numbers-as-strings": "numbers as texts",
  "digits-as-numbers": "texts that are numbers as numbers",
  "booleans-as-strings": "true and false as texts",
  "times-with-offset": "times with an offset of two hours instead of Z",
  "cron-words": "schedules as @daily where there is such a word, else with names of months and days",
  shuffled: "lists and sets in reverse",
  nulls: "fields that hold null or an empty list left out",
} as const;

export type Spelling = keyof typeof spellings;

/** Of each of these there is only one at a time; `all` takes the first. */
const exclusive: readonly (readonly Spelling[])[] = [
  ["quoted", "unquoted"],
  ["fqdn", "apex-empty", "apex-dot"],
  ["dots", "no-dots"],
];

const isSpelling = (word: string): word is Spelling => Object.hasOwn(spellings, word);

/** Words set apart by commas; none for an empty text. `problem` says what is wrong with them. */
export function readSpelling(
  list: string,
): { readonly spelling: ReadonlySet<Spelling> } | { readonly problem: string; readonly hint: string } {
  const words = list.split(",").flatMap((word) => word.trim() || []);
  const hint = `the words are ${Object.keys(spellings).join(", ")}, and all, which is every one that goes with the others`;
  const unknown = words.filter((word) => word !== "all" && !isSpelling(word));
  if (unknown.length > 0) return { problem: `no spelling is called ${unknown.join(", ")}`, hint };
  const named = words.filter(isSpelling);
  for (const group of exclusive) {
    const both = group.filter((word) => named.includes(word));
    if (both.length > 1) return { problem: `${both.join(" and ")} exclude each other`, hint };
  }
  return { spelling: new Set(words.includes("all") ? completed(named) : named) };
}

/** Every spelling that goes with the named ones. */
function completed(named: readonly Spelling[]): Spelling[] {
  return Object.keys(spellings)
    .filter(isSpelling)
    .filter((word) => {
      const group = exclusive.find((words) => words.includes(word)) ?? [word];
      return word === (group.find((other) => named.includes(other)) ?? group[0]);
    });
}
