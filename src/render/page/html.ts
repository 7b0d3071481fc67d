import { longestHint } from "../../lib/shorten.ts";
import { printable } from "../layout.ts";
import { hash } from "node:crypto";
import { readBuilt } from "../../lib/package-file.ts";

/** The mark of what a template has made: no JSON of a database or a file has it. */
const made = Symbol("html");

/** A piece of HTML, as only the template `html` makes it: its text is made at the end, by `writeHtml`. */
export interface Html {
  readonly [made]: true;
  readonly parts: readonly string[];
  readonly values: readonly Content[];
}

export type Content = string | number | Html | false | undefined | readonly Content[];

/** A template of HTML: what is put into it is masked and escaped, unless it is HTML itself; `undefined` and false are nothing. */
export const html = (parts: readonly string[], ...values: readonly Content[]): Html => ({
  [made]: true,
  parts,
  values,
});

const raw = (text: string): Html => html([text]);

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Returns HTML as text, what was put into it masked, its control characters escaped. Values may stand in text and in quoted attributes. */
export function writeHtml(value: Content, mask: (text: string) => string): string {
  if (value === undefined || value === false) return "";
  if (typeof value === "number") return String(value);
  if (typeof value === "string")
    return printable({ mask }, value, longestHint).replaceAll(/[&<>"']/gu, (character) => entities[character] ?? "");
  if (!(made in value)) return value.map((each) => writeHtml(each, mask)).join("");
  return value.parts.map((part, index) => part + writeHtml(value.values[index], mask)).join("");
}

/** Returns lines of text as they stand in a block that keeps them. */
export const linesOf = (lines: readonly string[]): Content =>
  lines.flatMap((line, index) => (index > 0 ? [raw("\n"), line] : [line]));

/** A part of the page; without a body there is none. `count`: how many it lists. */
export interface Part {
  readonly id: string;
  readonly title: string;
  readonly count?: number | undefined;
  readonly body?: Html | undefined;
}

/** The content of a page. */
export interface Sheet {
  readonly title: string;
  /** Words above the heading. */
  readonly kicker: string | Html;
  readonly heading: string;
  /** The part between the heading and the list of the parts. */
  readonly intro: Html;
  readonly parts: readonly Part[];
  readonly footer: string;
}

/** Returns a whole page: it loads nothing, and runs its own script alone. */
export function wrapPage(
  mask: (text: string) => string,
  { title, kicker, heading, intro, parts, footer }: Sheet,
): string {
  const { script, style, policy } = (built ??= readParts());
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${raw(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><p class="kicker">${kicker}</p><h1>${heading}</h1>
${intro}
<nav aria-label="Parts of this page"><ul>${parts.map(({ id, title, count }) => html`<li><a href="#${id}">${title}</a> ${countOf(count)}</li>`)}</ul></nav></header>
<main id="main">
${parts.map(sectionOf)}</main>
<footer>${footer}</footer>
<script>${raw(script)}</script>
</body>
</html>
`;
  return writeHtml(page, mask);
}

const sectionOf = ({ id, title, count, body }: Part): Html =>
  html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title} ${countOf(count)}</h2>
${body}</section>
`;

export type Tile = readonly [count: number, word: string, tone: string];

/** Lists sums in large numbers. */
export const listTiles = (tiles: readonly Tile[]): Html =>
  html`<ul class="tiles">${tiles.map(([count, word, tone]) => html`<li class="tile ${count > 0 ? tone : "quiet"}"><b>${count}</b> ${word}</li>`)}</ul>`;

/** The script and the style of every page, which are read once. */
let built: ReturnType<typeof readParts> | undefined;

function readParts() {
  const [script, style] = [readBuilt("page.js"), readBuilt("page.css")];
  const policy = `default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(script)}'; base-uri 'none'; form-action 'none'`;
  return { script, style, policy };
}

const hashOf = (text: string) => `sha256-${hash("sha256", text, "base64")}`;

const countOf = (count: number | undefined) => count !== undefined && html`<span class="count">${count}</span>`;
