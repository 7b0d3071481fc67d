/** Rows of cells as lines of aligned columns; the last column is not padded. Cells must be escaped already. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** Returns the first texts of a list, with a sign if there are more. */
export const someOf = (texts: readonly string[], count: number) =>
  texts.slice(0, count).join(", ") + (texts.length > count ? ", …" : "");
