/**
 * Follows links from a start, depth first, and returns the first circle found.
 * @param done what was followed before, and is not followed again; one circle is so reported once, not from each of its members.
 */
export function findCircle<T>(start: T, linksOf: (from: T) => readonly T[], done: Set<T>): readonly T[] | undefined {
  const path: { readonly at: T; readonly open: T[] }[] = [];
  const enter = (at: T) => {
    if (!done.has(at)) path.push({ at, open: [...linksOf(at)] });
  };
  enter(start);
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const next = top.open.shift();
    if (next === undefined) {
      done.add(top.at);
      path.pop();
      continue;
    }
    const open = path.findIndex(({ at }) => at === next);
    if (open >= 0) {
      for (const { at } of path) done.add(at);
      return path.slice(open).map(({ at }) => at);
    }
    enter(next);
  }
  return undefined;
}
