/** A dotted place in a list of rules for a person: `0.match.method` is `rule 1: match.method`; the list itself is `the rules`. */
export function namePlace(place: string): string {
  const [, index, rest = ""] = /^(\d+)(?:\.(.+))?$/su.exec(place) ?? [];
  if (index === undefined) return "the rules";
  return `rule ${Number(index) + 1}${rest === "" ? "" : `: ${rest}`}`;
}
