import type { AnswerHead } from "../../api/connection.ts";
import type { Pointer } from "../../model/contract.ts";
import type { Json } from "../../model/json.ts";
import { likelihood, pointersIn } from "./pointers.ts";

/** Returns the headers of an answer. */
export function headersOf(head: AnswerHead | undefined): ReadonlyMap<string, string> {
  const entries = (head?.names ?? []).flatMap((name) => {
    const value = head?.header(name);
    return value === undefined ? [] : [[name.toLowerCase(), value] as const];
  });
  return new Map(entries);
}

/** Returns the whole numbers of an answer with their pointers. */
export const numbersBeside = (body: Json): (readonly [Pointer, number])[] =>
  [...pointersIn(body)].flatMap(([pointer, value]) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? [[pointer, value] as const] : [],
  );

interface Counted {
  readonly body: Json;
  readonly headers: ReadonlyMap<string, string>;
  /** Objects on the page. */
  readonly count: number;
  /** Whether there may be further pages. */
  readonly isFull: boolean;
  readonly wanted: string;
}

/** Returns the place where an answer most likely counts all objects. */
export function guessTotal({
  body,
  headers,
  count,
  isFull,
  wanted,
}: Counted): { readonly pointer: Pointer } | { readonly header: string } | undefined {
  const isTotal = (value: number) => (isFull ? value >= count : value === count);
  const likely = numbersBeside(body)
    .filter(([pointer, value]) => pointer !== wanted && isTotal(value))
    .map(([pointer]) => ({ pointer, rank: likelihood(pointer, { pointer: wanted, name: "total" }) }))
    .toSorted((a, b) => b.rank - a.rank)[0];
  if (likely && likely.rank > 50) return { pointer: likely.pointer };
  const header = [...headers].find(
    ([name, value]) =>
      /total|count/u.test(name) && name !== wanted.toLowerCase() && /^\d{1,15}$/u.test(value) && isTotal(Number(value)),
  );
  return header && { header: spellHeader(header[0]) };
}

/** Returns the name of a header as people write it. */
export const spellHeader = (name: string): string =>
  name
    .slice(0, 80)
    .split("-")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("-");
