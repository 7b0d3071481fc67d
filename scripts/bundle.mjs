// Bundles the program and the library into few small files: loading three hundred modules one by one was a third of the time of a small
// plan, and the package of all modules with their declarations had 8.7 MB. Runs after tsc and writes over its dist/cli.js and dist/index.js.
import { chmodSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const { dependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const root = fileURLToPath(new URL("..", import.meta.url));
const inDist = (path) => join(root, "dist", path);

// yargs lays out help texts, which are plain. string-width makes a segmenter of ICU when it is loaded: a third of the time of `--version`.
const plainWidth = {
  name: "plain-width",
  resolveId: (id) => (id === "string-width" ? "\0string-width" : null),
  load: (id) =>
    id === "\0string-width"
      ? 'import { stripVTControlCharacters } from "node:util"; export default (text) => stripVTControlCharacters(text).length;'
      : null,
};

// It would bring a second compiler of JSON Schemas, for answers to questions that this server never asks its client.
const shims = "@modelcontextprotocol/server/_shims";
const withoutCompiler = {
  name: "without-compiler",
  resolveId: (id) => (id === shims ? `\0${shims}` : null),
  load: (id) =>
    id === `\0${shims}`
      ? 'export { default as process } from "node:process"; export class DefaultJsonSchemaValidator { getValidator() { throw new Error("not bundled"); } }'
      : null,
};

// undici asks for it at once, and uses it for HTTP/2 alone, which is never asked for. Of Node's modules it takes the longest to load.
const withoutHttp2 = {
  name: "without-http2",
  resolveId: (id, from) => (id === "node:http2" && from?.includes("/undici/") ? "\0http2" : null),
  load: (id) => (id === "\0http2" ? "export const constants = {};" : null),
};

// Each text that js-yaml parses would get an object of another shape, and its parser would be three times as slow from the tenth text on.
const oneShape = {
  name: "one-shape",
  transform: {
    filter: { id: /\/js-yaml\//u },
    handler(code) {
      const spread = /\.\.\.DEFAULT_PARSER_OPTIONS,\s*\.\.\.options,/u;
      if (!spread.test(code)) throw new Error("js-yaml has no such options any more: see whether it still needs this");
      return code.replace(spread, 'filename: "", maxDepth: options.maxDepth,');
    },
  },
};

// What an earlier build has left would be packed, too.
for (const folder of ["app", "types"]) rmSync(inDist(folder), { recursive: true, force: true });
const { output } = await build({
  cwd: root,
  input: { cli: "src/cli.ts", index: "src/index.ts" },
  platform: "node",
  // These are installed beside this package.
  external: new RegExp(`^(?:${[...Object.keys(dependencies), "libsql"].join("|")})(?:/|$)`, "u"),
  // Its modules for browsers can be bundled in part. Besides them only warnings and base64 differ.
  resolve: { alias: { yaml: join(root, "node_modules/yaml/browser/dist/index.js") } },
  plugins: [plainWidth, withoutCompiler, withoutHttp2, oneShape],
  // Loading one of our modules does nothing that another module could need.
  treeshake: {
    propertyReadSideEffects: false,
    moduleSideEffects: [
      { test: /\/src\//u, sideEffects: false },
      { external: true, sideEffects: false },
    ],
  },
  // yargs would use it to find a configuration file, which Hostform does not have.
  transform: { define: { "import.meta.resolve": "undefined" } },
  logLevel: "warn",
  output: {
    dir: "dist/app",
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    minify: true,
    // Node reads such a file in half the time, and holds it in half the memory.
    charset: "ascii",
    comments: false,
  },
});
// A global installation of a clone is a link to this file, and npm makes it executable only once.
chmodSync(inDist("app/cli.cjs"), 0o755);
await writeFile(
  inDist("cli.js"),
  '#!/usr/bin/env node\nimport { createRequire } from "node:module";\ncreateRequire(import.meta.url)("./app/cli.cjs");\n',
);
const { exports: names } = output.find(({ fileName }) => fileName === "index.cjs");
await writeFile(inDist("index.js"), `export { ${names.join(", ")} } from "./app/index.cjs";\n`);

/** Copies the declarations that the library's lead to. Comments, blanks and most line breaks stay in the library's own files alone, which are what a user reads. */
async function copyTypes(path, seen) {
  if (seen.has(path)) return;
  seen.add(path);
  const text = readFileSync(inDist(path), "utf8");
  const target = inDist(join("types", path));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(
    target,
    path === "index.d.ts" || dirname(path) === "library"
      ? text
      : text
          .replaceAll(/^\s*\/\*\*.*?\*\/\n|^ +|(?<=[;{}|,])\n/gmsu, "")
          .replaceAll(/("[^"]*")| ?([{};:,|&=<>()[\]?]) ?/gu, "$1$2")
          .replaceAll(/("[^"]*")|;(?=\})/gu, "$1"),
  );
  for (const [, from] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.(?:ts|js)"/gu))
    await copyTypes(normalize(join(dirname(path), `${from}.d.ts`)), seen);
}
await copyTypes("index.d.ts", new Set());

const bundled = new Set(
  output
    .flatMap(({ moduleIds = [] }) => moduleIds)
    .flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(id) ?? []),
);
// Most packages share the words of a licence: they stand once, after the names of the packages and of those who hold the rights.
const licences = new Map();
for (const folder of [...bundled].sort()) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e(?:\.|-|$)/iu.test(name));
  if (file === undefined) throw new Error(`${folder} is bundled and has no licence`);
  const text = readFileSync(join(folder, file), "utf8");
  const isOfPackage = /^\s*(?:copyright .*|\(?the (?:mit|isc) license.*|(?:mit|isc) license.*)$/gimu;
  const holders = (text.match(/^\s*copyright .*$/gimu) ?? []).map((line) => `  ${line.trim()}\n`);
  const words = text.replaceAll(isOfPackage, "").trim();
  const key = words.toLowerCase().replaceAll(/[\s'"\u201c\u201d]+/gu, " ");
  const licence = licences.get(key) ?? { words, packages: [] };
  licence.packages.push(`${folder.slice(root.length + "node_modules/".length)}\n${holders.join("")}`);
  licences.set(key, licence);
}
const texts = [...licences.values()].map(({ words, packages }) => `${packages.join("")}\n${words}\n`);
await writeFile(inDist("LICENSES.txt"), `The program holds these packages.\n\n${texts.join("\n---\n\n")}`);
