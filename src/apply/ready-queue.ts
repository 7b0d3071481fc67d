/** Items by their place: the lowest comes out first. Adding and taking cost the logarithm of how many wait. */
export interface ReadyQueue<T> {
  readonly add: (item: T, place: number) => void;
  readonly take: () => T | undefined;
}

/** A binary heap. */
export function makeReadyQueue<T>(): ReadyQueue<T> {
  const heap: { readonly item: T; readonly place: number }[] = [];
  const placeOf = (index: number) => heap[index]?.place ?? Number.POSITIVE_INFINITY;
  const swap = (a: number, b: number) => {
    const [first, second] = [heap[a], heap[b]];
    if (first && second) [heap[a], heap[b]] = [second, first];
  };
  const sink = (index: number): void => {
    const left = 2 * index + 1;
    const child = placeOf(left + 1) < placeOf(left) ? left + 1 : left;
    if (placeOf(child) >= placeOf(index)) return;
    swap(index, child);
    sink(child);
  };
  return {
    add: (item, place) => {
      heap.push({ item, place });
      for (let index = heap.length - 1; index > 0; index = (index - 1) >> 1) {
        const parent = (index - 1) >> 1;
        if (placeOf(parent) <= placeOf(index)) break;
        swap(parent, index);
      }
    },
    take: () => {
      swap(0, heap.length - 1);
      const first = heap.pop();
      sink(0);
      return first?.item;
    },
  };
}
