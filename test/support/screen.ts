/** Returns the lines that a terminal of this width shows after a text. Throws for a control sequence that is not known here. */
export function screenOf(text: string, width: number): string[] {
  const lines = [""];
  let column = 0;
  const put = (character: string) => {
    if (column === width) {
      lines.push("");
      column = 0;
    }
    const line = lines.at(-1) ?? "";
    lines[lines.length - 1] = line.slice(0, column).padEnd(column) + character + line.slice(column + 1);
    column += 1;
  };
  for (const [token] of text.matchAll(/\u001b\[K|[^]/gu)) {
    if (token === "\u001b[K") lines[lines.length - 1] = (lines.at(-1) ?? "").slice(0, column);
    else if (token === "\r") column = 0;
    else if (token === "\n") {
      lines.push("");
      column = 0;
    } else if (/\p{Cc}/u.test(token)) throw new Error(`unknown control character ${JSON.stringify(token)}`);
    else put(token);
  }
  return lines;
}
