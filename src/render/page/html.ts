import { longestHint } from "../../lib/shorten.ts";
import { printable } from "../layout.ts";

/** A piece of HTML, as only a template of `htmlWriter` makes it. */
export interface Html {
  readonly html: string;
}

export type Content = string | number | Html | false | undefined | readonly Content[];

/** A template of HTML: what is put into it is masked and escaped, unless it is HTML itself; `undefined` and false are nothing. */
export type Writer = (parts: TemplateStringsArray, ...values: readonly Content[]) => Html;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Returns a writer whose texts are masked, and whose control characters are escaped. Values may stand in text and in quoted attributes. */
export function htmlWriter(mask: (text: string) => string): Writer {
  const write = (value: Content): string => {
    if (value === undefined || value === false) return "";
    if (typeof value === "number") return String(value);
    if (typeof value === "string")
      return printable({ mask }, value, longestHint).replaceAll(/[&<>"']/gu, (character) => entities[character] ?? "");
    return "html" in value ? value.html : value.map(write).join("");
  };
  return (parts, ...values) => ({
    html: parts.map((part, index) => part + write(values[index])).join(""),
  });
}

/** Returns lines of text as they stand in a block that keeps them. */
export const linesOf = (lines: readonly string[]): Content =>
  lines.flatMap((line, index) => (index > 0 ? [{ html: "\n" }, line] : [line]));
