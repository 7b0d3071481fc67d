/** Where a run is killed: before the service hears of a request (from 1), or when it has done what it asks for. */
export interface KillPoint {
  readonly request: number;
  readonly when: "before" | "after";
}

/** Before and after each request of a run, or as many of these points as asked: of each method alike, and of each evenly over the run. */
export function choosePoints(methods: readonly string[], most: number): KillPoint[] {
  const requests = new Map<string, number[]>();
  for (const [index, method] of methods.entries()) requests.set(method, [...(requests.get(method) ?? []), index + 1]);
  const groups = [...requests.values()];
  const shares = share(
    groups.map(({ length }) => 2 * length),
    most,
  );
  return groups
    .flatMap((group, index) => evenly(group, shares[index] ?? 0, index))
    .toSorted((one, other) => one.request - other.request);
}

/** Goes round and gives each one more, until all is given or nobody can take more. */
function share(most: readonly number[], all: number): number[] {
  const shares = most.map(() => 0);
  const sum = most.reduce((total, each) => total + each, 0);
  for (let index = 0, left = Math.min(all, sum); left > 0; index = (index + 1) % most.length) {
    if ((shares[index] ?? 0) >= (most[index] ?? 0)) continue;
    shares[index] = (shares[index] ?? 0) + 1;
    left -= 1;
  }
  return shares;
}

/** Before and after take turns, so that no point comes twice up to two for each request. */
const evenly = (requests: readonly number[], count: number, turn: number): KillPoint[] =>
  Array.from({ length: count }, (_, index) => ({
    request: requests[Math.floor(((index + 0.5) * requests.length) / count)] ?? 1,
    when: (index + turn) % 2 === 0 ? "before" : "after",
  }));
