import { styleText } from "node:util";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "magenta" | "cyan" | "blue";

/** Colours a text, or leaves it as it is. */
export const paint = ({ color }: { readonly color: boolean }, style: Style, text: string): string =>
  color ? styleText(style, text, { validateStream: false }) : text;
