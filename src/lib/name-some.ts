/** Returns the first names, and how many others there are: `a, b and 3 more`. */
export function nameSome(names: readonly string[], most: number): string {
  const others = names.length - most;
  return `${names.slice(0, most).join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
}
