/** A path as its segments, each described by what it accepts; `**` accepts any number of them. */
export type PathPattern = readonly (RegExp | "**")[];

/** Reads a glob or a template: `{name}` stands for a segment, `*` for any part of one, `**` for any segments. */
export function readPattern(path: string): PathPattern {
  const segments = path.replaceAll(/\/\*\*(?:\/\*\*)+(?=\/|$)/gu, "/**").split("/");
  return segments.map((segment) => {
    if (segment === "**") return segment;
    if (isParameter(segment)) return /^.+$/u;
    const parts = segment.split(/\*+/u).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/gu, "\\$&"));
    return new RegExp(`^${parts.join(".*")}$`, "u");
  });
}

/** Whether a pattern accepts a path (without its query), or one of those that a template of the OpenAPI document stands for. */
export function matchesPath(pattern: PathPattern, path: string): boolean {
  return matchesFrom(pattern, path.split("/"));
}

const isParameter = (segment: string): boolean => /^\{[^}]+\}$/u.test(segment);

function matchesFrom(pattern: PathPattern, segments: readonly string[]): boolean {
  const [first, ...patterns] = pattern;
  const [segment, ...rest] = segments;
  if (first === undefined) return segment === undefined;
  if (first === "**") return matchesFrom(patterns, segments) || (segment !== undefined && matchesFrom(pattern, rest));
  if (segment === undefined) return false;
  return (isParameter(segment) || first.test(segment)) && matchesFrom(patterns, rest);
}
