import { parseQuotedStrings } from "../../kinds/shared/character-strings.ts";
import type { DeclaredRecord, DeclaredZones } from "./declared-zones.ts";
import { spanOfRecord, type Rule } from "./rule.ts";

/** More look-ups than these end in an error (RFC 7208 section 4.6.4). */
const mostLookups = 10;

const textTypes = ["TXT"];

/** Two SPF records at one name: whoever checks gives up (RFC 7208 section 4.5). */
export const severalSpf: Rule = {
  id: "several_spf",
  find: ({ zones }) =>
    [...groupedByOwner(zones.records.filter((record) => spfTermsIn(record)))].flatMap(([owner, [first, ...others]]) =>
      others.map((record) => ({
        span: spanOfRecord(record),
        summary: `${owner} has ${others.length + 1} SPF records`,
        detail: "one SPF record at a name: with several, no receiver evaluates any (RFC 7208 section 4.5)",
        hint: "join them into one record",
        related: first ? [{ span: spanOfRecord(first), message: "the first stands here" }] : [],
      })),
    ),
};

/** An SPF record that needs more look-ups than receivers make, those of declared includes counted. */
export const spfLookups: Rule = {
  id: "spf_lookups",
  find: ({ zones }) =>
    zones.records.flatMap((record) => {
      const terms = spfTermsIn(record);
      if (!terms) return [];
      const count = countLookups(zones, terms, [record.owner]);
      if (count <= mostLookups) return [];
      const many =
        count === Infinity
          ? "includes itself, so it never ends its look-ups"
          : `needs more than ${mostLookups} look-ups`;
      return [
        {
          span: spanOfRecord(record),
          summary: `The SPF record of ${record.owner} ${many}`,
          detail: `at most ${mostLookups} of include, a, mx, ptr, exists and redirect, those of included records counted (RFC 7208 section 4.6.4)`,
          hint: "write the addresses with ip4: and ip6:, or take out what no longer sends mail",
        },
      ];
    }),
};

function groupedByOwner(records: readonly DeclaredRecord[]): Map<string, DeclaredRecord[]> {
  const groups = new Map<string, DeclaredRecord[]>();
  for (const record of records) {
    const group = groups.get(`${record.owner} (${record.type})`);
    if (group) group.push(record);
    else groups.set(`${record.owner} (${record.type})`, [record]);
  }
  return groups;
}

/** Returns the terms of an SPF record after its version; undefined for any other record. */
function spfTermsIn({ type, content }: DeclaredRecord): string[] | undefined {
  if ((type !== "TXT" && type !== "SPF") || content === undefined) return undefined;
  const text = (parseQuotedStrings(content)?.toString() ?? content).toLowerCase();
  return /^v=spf1(?: |$)/u.test(text) ? text.split(/ +/u).slice(1).filter(Boolean) : undefined;
}

/** Counts the look-ups of an SPF record as far as the manifest shows them. `within`: the names whose records include this one. */
function countLookups(zones: DeclaredZones, terms: readonly string[], within: readonly string[]): number {
  const all = terms.findIndex((term) => /^[+?~-]?all$/u.test(term));
  // What stands after "all" is never evaluated, and a redirect beside it is ignored.
  const evaluated = all < 0 ? terms : terms.slice(0, all).filter((term) => !term.startsWith("redirect="));
  // Once there are too many, the rest does not matter: a manifest may include the same names a million times.
  return evaluated.reduce((sum, term) => (sum > mostLookups ? sum : sum + lookupsOf(zones, term, within)), 0);
}

function lookupsOf(zones: DeclaredZones, term: string, within: readonly string[]): number {
  const [, mechanism, name] =
    /^(?:[+?~-]?(include|a|mx|ptr|exists)(?=[:/]|$)|redirect(?==))(?:[:=](.*))?/u.exec(term) ?? [];
  const isRedirect = term.startsWith("redirect=");
  if (mechanism === undefined && !isRedirect) return 0;
  if ((mechanism !== "include" && !isRedirect) || name === undefined || name.includes("%")) return 1;
  const owner = name.replace(/\.$/u, "");
  if (within.includes(owner)) return Infinity;
  const found = zones.look(owner, textTypes);
  const included = found.is === "found" ? found.records.map(spfTermsIn).find((each) => each !== undefined) : undefined;
  return 1 + (included ? countLookups(zones, included, [...within, owner]) : 0);
}

export const spfRules: readonly Rule[] = [severalSpf, spfLookups];
