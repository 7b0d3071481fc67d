import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";

/** What stands in Markdown beside its blocks of code: the words of its headings, and the lines of HTML. */
export interface Markdown {
  readonly headings: readonly string[];
  readonly html: readonly string[];
}

/** A block of code as the parser writes it: it escapes whatever stands in it, so no text inside is taken for an end. */
const blockOfCode = /<pre><code class="language-(?:text|diff)">[^<]*<\/code><\/pre>/gu;

/** Reads Markdown as GitHub does, with tables, bare links, task lists and footnotes, and no HTML held back. */
export function readMarkdown(markdown: string): Markdown {
  const html = micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  const lines = html
    .replaceAll(blockOfCode, "")
    .split("\n")
    .filter((line) => line !== "");
  const headings = lines.flatMap((line) => /^<h3>(.*)<\/h3>$/u.exec(line)?.[1] ?? []);
  return { headings, html: lines.filter((line) => !/^<h3>.*<\/h3>$/u.test(line)) };
}

/** Pieces that mean something to GitHub or GitLab outside of code. */
export const meaningful = [
  "```",
  "````text",
  "~~~",
  "\n",
  "\r\n\r\n",
  "</summary>",
  "</details>",
  "</code>",
  "-->",
  "--!>",
  "<script>",
  "<https://x.example>",
  "@everyone",
  "#1",
  "GH-1",
  "!1",
  "[a](https://x.example)",
  "[a]: https://x.example",
  "![a](x)",
  "https://x.example",
  "www.x.example",
  "a@x.example",
  "/close",
  "\u202e",
  "&lt;",
  "# ",
  "---",
  "    ",
  "| a | b |\n|---|---|\n",
  "- [ ] a",
  "~~a~~",
  "> [!NOTE]\n> a",
  "[^1]",
  "[^1]: a",
  "$`a`$",
  "$$\na\n$$",
  "```mermaid\n",
  ":smile:",
  "`",
];
