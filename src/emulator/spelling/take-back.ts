import { isDeepStrictEqual } from "node:util";
import { isFields, type Fields } from "../fields.ts";

/** Puts the stored value, in place, where a body only repeats the answer: a client sends back the fields that it leaves alone, too. */
export function takeBack(body: Fields, stored: Fields, answered: Fields): void {
  for (const [name, value] of Object.entries(stored)) {
    const [sent, told] = [body[name], answered[name]];
    if (isDeepStrictEqual(sent, told)) body[name] = value;
    else if (isFields(sent) && isFields(value) && isFields(told)) takeBack(sent, value, told);
  }
}
