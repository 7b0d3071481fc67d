/** Returns a number with its noun: `1 step`, `2 steps`. */
export const counted = (count: number, word: string) => `${count} ${plural(count, word)}`;

export const plural = (count: number, noun: string) => (count === 1 ? noun : `${noun}s`);
