import { styleText } from "node:util";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "magenta" | "cyan" | "blue";
export type Paint = (style: Style, text: string) => string;

/** Colours a text, or leaves it as it is. */
export function painter(color: boolean): Paint {
  return (style, text) => (color ? styleText(style, text, { validateStream: false }) : text);
}
