import { nearest } from "../../model/nearest.ts";

/** Finds the name that a misspelled one stands for. */
export type Suggest = (word: string, names: Iterable<string>) => string | undefined;

/** Each costs a comparison with every name, and a person reads the first ones. */
const mostSuggestions = 100;

export function newSuggester(): Suggest {
  let remaining = mostSuggestions;
  return (word, names) => {
    remaining -= 1;
    return remaining < 0 ? undefined : nearest(word, [...names]);
  };
}
