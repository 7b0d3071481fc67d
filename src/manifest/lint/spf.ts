import { parseQuotedStrings } from "../../kinds/dns/character-strings.ts";
import { getOrMake, groupBy } from "../../lib/collect.ts";
import { spanOf, type DeclaredRecord, type DeclaredZones } from "./declared-zones.ts";
import { positionOf } from "../yaml/written.ts";
import type { LintFinding, LintRule } from "./rule.ts";

/** More look-ups than these end in an error (RFC 7208 section 4.6.4). */
const mostLookups = 10;

const spfTypes = ["TXT", "SPF"];

/** Two SPF records at one name: whoever checks gives up (RFC 7208 section 4.5). */
const severalSpf: LintRule = {
  id: "several_spf",
  find: ({ zones }) =>
    [...groupBy(zones.recordsOf(spfTypes).filter(spfTermsIn), nameOfSet)].flatMap(([name, [first, ...others]]) =>
      others.map((record) => ({
        span: spanOf(record),
        summary: `${name} has ${others.length + 1} SPF records`,
        detail: "one SPF record at a name: with several, no receiver evaluates any (RFC 7208 section 4.5)",
        hint: "join them into one record",
        related: [{ at: positionOf(spanOf(first)), message: "the first stands here" }],
      })),
    ),
};

const nameOfSet = ({ owner, type }: DeclaredRecord) => `${owner} (${type})`;

/** An SPF record that needs more look-ups than receivers make, those of declared includes counted. */
const spfLookups: LintRule = {
  id: "spf_lookups",
  find: ({ zones }) => {
    const known = new Map<string, readonly SpfLookup[]>();
    const spfAt = (owner: string) => getOrMake(known, owner, () => lookupsOf(spfOf(zones, owner)));
    return zones.recordsOf(spfTypes).flatMap((record): LintFinding | [] => {
      const terms = spfTermsIn(record);
      if (!terms) return [];
      const count = countLookups(spfAt, lookupsOf(terms), [record.owner]);
      if (count <= mostLookups) return [];
      const many =
        count === Infinity
          ? "includes itself, so it never ends its look-ups"
          : `needs more than ${mostLookups} look-ups`;
      return {
        span: spanOf(record),
        summary: `The SPF record of ${record.owner} ${many}`,
        detail: `at most ${mostLookups} of include, a, mx, ptr, exists and redirect, those of included records counted (RFC 7208 section 4.6.4)`,
        hint: "write the addresses with ip4: and ip6:, or take out what no longer sends mail",
      };
    });
  },
};

/** Returns the terms of an SPF record after its version; undefined for any other record. */
function spfTermsIn({ content }: DeclaredRecord): string[] | undefined {
  // Most texts are no SPF record, which their normal form shows at once.
  if (content === undefined || !/^"?v=spf1/iu.test(content)) return undefined;
  const text = (parseQuotedStrings(content)?.toString() ?? content).toLowerCase();
  return /^v=spf1(?: |$)/u.test(text) ? text.split(/ +/u).slice(1).filter(Boolean) : undefined;
}

/** Returns the terms of the SPF record that a look-up of a name finds. */
function spfOf(zones: DeclaredZones, owner: string): readonly string[] {
  const found = zones.look(owner, ["TXT"]);
  return (found.is === "found" && found.records.map(spfTermsIn).find((each) => each !== undefined)) || [];
}

/** A term that makes a look-up; `includes` is the name whose SPF record takes part. */
interface SpfLookup {
  readonly includes: string | undefined;
}

/** Returns the terms that make a look-up: as many as matter, for more than the most are too many anyway. */
function lookupsOf(terms: readonly string[]): readonly SpfLookup[] {
  const all = terms.findIndex((term) => /^[+?~-]?all$/u.test(term));
  // Terms after "all" are never evaluated, and a redirect beside it is ignored.
  const evaluated = all < 0 ? terms : terms.slice(0, all).filter((term) => !term.startsWith("redirect="));
  return evaluated.flatMap((term) => lookupOf(term) ?? []).slice(0, mostLookups + 1);
}

function lookupOf(term: string): SpfLookup | undefined {
  const [, mechanism, name] =
    /^(?:[+?~-]?(include|a|mx|ptr|exists)(?=[:/]|$)|redirect(?==))(?:[:=](.*))?/u.exec(term) ?? [];
  const isRedirect = term.startsWith("redirect=");
  if (mechanism === undefined && !isRedirect) return undefined;
  const isName = (mechanism === "include" || isRedirect) && name !== undefined && !name.includes("%");
  return { includes: isName ? name.replace(/\.$/u, "") : undefined };
}

type SpfAt = (owner: string) => readonly SpfLookup[];

/**
 * Counts the look-ups of an SPF record as far as the manifest shows them, and stops once there are too many: a manifest may include
 * the same names a million times.
 * @param within the names whose records include this record.
 */
function countLookups(spfAt: SpfAt, lookups: readonly SpfLookup[], within: readonly string[], before = 0): number {
  let count = before;
  for (const { includes } of lookups) {
    if (count > mostLookups) return count;
    count += 1;
    if (includes === undefined) continue;
    if (within.includes(includes)) return Infinity;
    count = countLookups(spfAt, spfAt(includes), [...within, includes], count);
  }
  return count;
}

export const spfRules: readonly LintRule[] = [severalSpf, spfLookups];
