import { longestHint } from "../../lib/shorten.ts";
import { printable } from "../layout.ts";
import { hash } from "node:crypto";
import { readBuilt } from "../../lib/package-file.ts";

/** A piece of HTML, as only a template of `htmlWriter` makes it. */
export interface Html {
  readonly html: string;
}

export type Content = string | number | Html | false | undefined | readonly Content[];

/** A template of HTML: what is put into it is masked and escaped, unless it is HTML itself; `undefined` and false are nothing. */
export type Writer = (parts: TemplateStringsArray, ...values: readonly Content[]) => Html;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Returns a writer whose texts are masked, and whose control characters are escaped. Values may stand in text and in quoted attributes. */
export function htmlWriter(mask: (text: string) => string): Writer {
  const write = (value: Content): string => {
    if (value === undefined || value === false) return "";
    if (typeof value === "number") return String(value);
    if (typeof value === "string")
      return printable({ mask }, value, longestHint).replaceAll(/[&<>"']/gu, (character) => entities[character] ?? "");
    return "html" in value ? value.html : value.map(write).join("");
  };
  return (parts, ...values) => ({
    html: parts.map((part, index) => part + write(values[index])).join(""),
  });
}

/** Returns lines of text as they stand in a block that keeps them. */
export const linesOf = (lines: readonly string[]): Content =>
  lines.flatMap((line, index) => (index > 0 ? [{ html: "\n" }, line] : [line]));

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
export function wrapPage({ title, kicker, heading, intro, parts, footer }: Sheet, html: Writer): string {
  const { script, style, policy } = (built ??= readParts());
  return html`<!doctype html>
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
<nav aria-label="Parts of this page"><ul>${parts.map(({ id, title, count }) => html`<li><a href="#${id}">${title}</a> ${countOf(count, html)}</li>`)}</ul></nav></header>
<main id="main">
${parts.map((part) => sectionOf(part, html))}</main>
<footer>${footer}</footer>
<script>${raw(script)}</script>
</body>
</html>
`.html;
}

const sectionOf = ({ id, title, count, body }: Part, html: Writer): Html =>
  html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title} ${countOf(count, html)}</h2>
${body}</section>
`;

export type Tile = readonly [count: number, word: string, tone: string];

/** Lists sums in large numbers. */
export const listTiles = (tiles: readonly Tile[], html: Writer): Html =>
  html`<ul class="tiles">${tiles.map(([count, word, tone]) => html`<li class="tile ${count > 0 ? tone : "quiet"}"><b>${count}</b> ${word}</li>`)}</ul>`;

/** The script and the style of every page, which are read once. */
let built: ReturnType<typeof readParts> | undefined;

function readParts() {
  const [script, style] = [readBuilt("page.js"), readBuilt("page.css")];
  const policy = `default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(script)}'; base-uri 'none'; form-action 'none'`;
  return { script, style, policy };
}

const raw = (text: string): Html => ({ html: text });

const hashOf = (text: string) => `sha256-${hash("sha256", text, "base64")}`;

const countOf = (count: number | undefined, html: Writer) =>
  count !== undefined && html`<span class="count">${count}</span>`;
