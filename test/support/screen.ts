import { eraseLine } from "../../src/cli/status-line.ts";

/** Returns the lines that a terminal of this width shows after a text. Throws for a control character that is not known here. */
export function screenOf(text: string, width: number): string[] {
  const lines = [""];
  const put = (character: string) => {
    if (character === "\n") lines.push("");
    else if (/\p{Cc}/u.test(character)) throw new Error(`unknown control character ${JSON.stringify(character)}`);
    else if (lines.at(-1)?.length === width) lines.push(character);
    else lines.push(`${lines.pop() ?? ""}${character}`);
  };
  for (const [index, part] of text.split(eraseLine).entries()) {
    if (index > 0) lines[lines.length - 1] = "";
    for (const character of part) put(character);
  }
  return lines;
}
