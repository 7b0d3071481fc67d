/** Adds a value to the list of a key. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  // To push to an empty list would make room for seventeen, and most lists keep one value.
  else lists.set(key, [value]);
}

/** Groups values by a key, in the order in which the keys occur first. */
export function groupBy<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, [V, ...V[]]> {
  const groups = new Map<K, V[]>();
  for (const value of values) addTo(groups, keyOf(value), value);
  return groups as Map<K, [V, ...V[]]>;
}

/** Returns how often each value occurs, in the order in which they occur first. */
export const countEach = <T>(values: Iterable<T>): Map<T, number> =>
  new Map([...groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]));

/** Returns a list without the room for seventeen that V8 gives one that grew: for the short lists of which a large plan holds many. */
export const trimmed = <T>(list: readonly T[]): T[] => list.slice();

/** Remembers the last result of a function of a text: what is computed of a zone is the same for each of its records. */
export function rememberLast<T>(compute: (text: string) => T): (text: string) => T {
  let last: { readonly text: string; readonly result: T } | undefined;
  return (text) => (last?.text === text ? last : (last = { text, result: compute(text) })).result;
}

/** Returns the value of a key; where there is none, one is made and kept. */
export function getOrMake<K, V>(
  map: { readonly get: (key: K) => V | undefined; readonly set: (key: K, value: V) => unknown },
  key: K,
  make: () => V,
): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
