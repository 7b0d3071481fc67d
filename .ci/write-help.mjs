// Writes the help text of each command to dist/validators/help.json.br, not yet laid out: loading and running the parser for a help text
// takes twice the time of all else. Runs after tsc, on the options that tsc has compiled.
import { writeFile } from "node:fs/promises";
import { brotliCompressSync } from "node:zlib";
import { ignoreRun, makeParser } from "../dist/cli/parse-arguments.js";

// So wide that no text is broken, and that more blanks than any text holds part it from what stands at the right margin.
const width = 3000;
const row = /^(?<blank> +)(?<name>\S+(?: \S+)*)(?: {2,}(?<text>\S.*?))??(?: {1000,}(?<extra>\[.*\]))?$/u;

/** Returns the help text of a command as a HelpPage (src/cli/help-page.ts). */
async function readPage(words) {
  const help = await (await makeParser(words, ignoreRun, width)).wrap(width).getHelp();
  const [wide] = /[^\n -~…]/u.exec(help) ?? [];
  if (wide !== undefined)
    throw new Error(`The help text of hostform ${words.join(" ")} has ${wide}, which may take two columns`);
  const [head, ...sections] = help.split(/\n\n(?=[A-Z][a-z]+:\n)/u);
  return { head: head.split("\n"), sections: sections.map((section) => readSection(section.split("\n"))) };
}

function readSection([title, ...lines]) {
  const rows = [];
  for (const line of lines) {
    const { blank, name, text = "", extra = "" } = row.exec(line).groups;
    const last = rows.at(-1);
    // A text of several lines goes on below itself.
    if (last && blank.length > 6) {
      last.text += `\n${name}`;
      last.extra = extra;
    } else rows.push({ indent: blank.length - 2, name, text, extra });
  }
  return { title, rows };
}

/** Returns the pages of a command, and of those below it. */
async function readPages(words) {
  const page = await readPage(words);
  const commands = page.sections.find(({ title }) => title === "Commands:")?.rows ?? [];
  const below = commands.map(({ name }) => name.split(" ").slice(1, words.length + 2));
  return [[words.join(" "), page], ...(await Promise.all(below.map(readPages))).flat()];
}

const pages = Object.fromEntries(await readPages([]));
await writeFile(new URL("../dist/validators/help.json.br", import.meta.url), brotliCompressSync(JSON.stringify(pages)));
