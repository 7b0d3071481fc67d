import { hash } from "node:crypto";
import { readBuilt } from "../../lib/package-file.ts";
import type { Html, Writer } from "./html.ts";
import type { Part } from "./page-parts.ts";

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
