import { namesAbove } from "./is-answered.ts";
import type { Zones } from "./zones.ts";

/**
 * Returns whether a name may answer both before and after the plan: by records of its own, or by a wildcard, a DNAME or a delegation above it.
 * May say so of a name that does not answer, never the opposite. To look for the answer itself takes far longer.
 */
export function rememberAnswering(zones: Zones): (name: string) => boolean {
  const [before, after] = [rememberAnsweringAt(zones, "before"), rememberAnsweringAt(zones, "after")];
  return (name) => {
    const above = namesAbove(name);
    const apexes = above.filter((each) => zones.has(each));
    return apexes.length === 0 || (before(above, apexes) && after(above, apexes));
  };
}

function rememberAnsweringAt(zones: Zones, moment: "before" | "after") {
  /** The names below which names without records may answer. */
  const spreading = new Set<string>();
  for (const [apex, { names }] of zones)
    for (const [name, sets] of names)
      for (const [type, { [moment]: given }] of sets) {
        if (given.length === 0) continue;
        if (name.startsWith("*.")) spreading.add(name.slice(2));
        if (type === "DNAME" || (type === "NS" && name !== apex)) spreading.add(name);
      }
  return (above: readonly string[], apexes: readonly string[]): boolean =>
    above.some((each) => spreading.has(each)) ||
    apexes.some((apex) =>
      [
        ...(zones
          .get(apex)
          ?.names.get(above[0] ?? "")
          ?.values() ?? []),
      ].some((set) => set[moment].length > 0),
    );
}
