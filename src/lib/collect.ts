/** Adds a value to the list of a key. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  // To push to an empty list would make room for seventeen, and most lists keep one value.
  else lists.set(key, [value]);
}

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
