/** The fields of one kind as API.md section 2 lists them. */
export interface DocumentedField {
  readonly name: string;
  readonly access: "mutable" | "immutable" | "read_only" | "write_only";
}

const access = { RO: "read_only", WO: "write_only", I: "immutable" } as const;

/** Reads the table of API.md section 2: `kind | natural key | fields`, flags RO, WO and I after a field's name, nested ones in braces. */
export function parseFieldTable(markdown: string): Map<string, DocumentedField[]> {
  const section = markdown.slice(markdown.indexOf("## 2. Records"), markdown.indexOf("References:"));
  const rows = section.split("\n").flatMap((line) => {
    const cells = line.split("|").map((cell) => cell.trim());
    return cells.length === 5 && /^[a-z_]+$/u.test(cells[1] ?? "") ? [[cells[1] ?? "", cells[3] ?? ""] as const] : [];
  });
  return new Map(rows.map(([kind, text]) => [kind, fieldsOf(text)]));
}

function fieldsOf(text: string): DocumentedField[] {
  return splitTopLevel(text.split(". ")[0] ?? "").flatMap((item) => {
    const name = /^[a-z_]+(?:\.[a-z_]+)*/u.exec(item.replaceAll("`", ""))?.[0];
    if (name === undefined) return [];
    const flag = /^[a-z_.]+(?:\[\])?\s+(RO|WO|I)\b/u.exec(item.replaceAll("`", ""))?.[1] as
      | keyof typeof access
      | undefined;
    const own = flag ? access[flag] : "mutable";
    const nested = /\{([^}]*)\}/u.exec(item)?.[1];
    if (nested === undefined || item.includes("[]")) return [{ name, access: own }];
    return nested.split(",").map((part) => {
      const [child = "", childFlag] = part.trim().split(/\s+/u);
      return {
        name: `${name}.${child}`,
        access: childFlag && childFlag in access ? access[childFlag as keyof typeof access] : own,
      };
    });
  });
}

/** Splits at commas and semicolons outside brackets. */
function splitTopLevel(text: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let item = "";
  for (const char of text) {
    if ("({[".includes(char)) depth += 1;
    if (")}]".includes(char)) depth -= 1;
    if (depth === 0 && ",;".includes(char)) {
      items.push(item.trim());
      item = "";
    } else item += char;
  }
  return [...items, item.trim()];
}
