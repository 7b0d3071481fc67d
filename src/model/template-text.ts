import type { Json } from "./json.ts";
import type { TemplatePart } from "./resource.ts";

/** Returns the parts of a value as a manifest writes them: `${env:NAME}` for a reference, `$${` for a literal `${`. */
export const templateText = (parts: readonly TemplatePart[]): string => parts.map(partText).join("");

function partText(part: TemplatePart): string {
  if (typeof part === "string") return escapeText(part);
  if ("env" in part) return `\${env:${part.env}}`;
  if ("exec" in part) return `\${exec:${part.exec}}`;
  return "file" in part ? `\${file:${part.file}}` : `\${ref:${part.ref}.${part.field}}`;
}

/** Returns a value as a manifest writes it: each literal `${` in a text is `$${`. */
export function writtenValueText(value: Json): Json {
  if (typeof value === "string") return escapeText(value);
  if (Array.isArray(value)) return value.map(writtenValueText);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, writtenValueText(each)]));
}

const escapeText = (text: string) => text.replaceAll("${", () => "$${");
