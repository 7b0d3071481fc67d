/** Erases the line of a terminal that the cursor is on. */
export const eraseLine = "\r\u001b[K";

interface Terminal {
  readonly stderr: { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns the characters of a line of standard error, if that is a terminal whose lines can be erased. */
export function columnsToErase({ stderr, env }: Terminal): number | undefined {
  if (stderr.isTTY !== true || env["TERM"] === "dumb") return undefined;
  return stderr.columns === 0 ? undefined : stderr.columns;
}

/**
 * Returns a line of progress, which never wraps, so that it can be erased. `columns` are asked for each time: a window changes. `show`
 * shows a text in place of the last; an empty text erases it.
 */
export function statusLine(write: (text: string) => void, columns: () => number | undefined) {
  let shown = "";
  const show = (text: string) => {
    const width = columns();
    // A terminal wraps when its last column is written.
    const line = width === undefined ? "" : text.slice(0, Math.max(0, width - 1));
    if (line !== shown) write(eraseLine + line);
    shown = line;
  };
  return { show, erase: () => show("") };
}
