import { isDeepStrictEqual } from "node:util";
import { isFields, type Fields } from "../fields.ts";

/** What a body only repeats of an answer is, in place, what is stored: a client sends back whole what it did not mean to change. */
export function takeBack(body: Fields, stored: Fields, answered: Fields): void {
  for (const [name, value] of Object.entries(stored)) {
    const [sent, told] = [body[name], answered[name]];
    if (isDeepStrictEqual(sent, told)) body[name] = value;
    else if (isFields(sent) && isFields(value) && isFields(told)) takeBack(sent, value, told);
  }
}
