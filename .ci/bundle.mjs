// Bundles the program and the library into few small files: loading three hundred modules one by one was a third of the time of a small
// plan, and the package of all modules with their declarations had 8.7 MB. Runs after tsc and writes over its dist/cli.js and dist/index.js.
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const { dependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const root = fileURLToPath(new URL("..", import.meta.url));
const inDist = (path) => join(root, "dist", path);

/**
 * Marks the schemas and tags that js-yaml makes when it is loaded as free of side effects, so that those which nothing uses are left out.
 * Spreading the list of another schema would count as a side effect.
 */
const unusedSchemas = {
  name: "unused-schemas",
  transform: {
    filter: { id: /\/js-yaml\// },
    handler: (code) =>
      code
        .replaceAll("...FAILSAFE_SCHEMA.tags", "strTag, seqTag, mapTag")
        .replaceAll(/^(var \w+ = )(new \w+|\w+\.withTags|define\w+Tag)\(/gmu, "$1/* @__PURE__ */ $2("),
  },
};

/** Modules that few commands need, each with the place from which it is loaded when a member of it is first used. */
const late = {
  yaml: "./yaml.cjs",
  croner: "croner",
  "node:child_process": "node:child_process",
  "node:fs/promises": "node:fs/promises",
  "node:readline/promises": "node:readline/promises",
};

/** An export, in the 70 characters that rolldown writes for each; and all that stand side by side. */
const anExport = /Object\.defineProperty\(exports,"([\w$]+)",\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g;
const manyExports = new RegExp(`${anExport.source}(?:,${anExport.source})*`, "g");

/**
 * Rewrites a file of the bundle: exports are shorter, what is in `late` is loaded late, and characters beyond ASCII are escapes. V8 holds a
 * text with a single such character in twice the memory, and takes longer to read it. The bundle has them in texts and in patterns only.
 */
function rewrite(file) {
  const written = readFileSync(file, "utf8");
  // Node finds the names that the library exports in their long form only.
  const isShort = !file.endsWith("/index.cjs") && written.search(anExport) >= 0;
  // A name that the file does not use.
  let add = "_";
  while (written.includes(add)) add += "$";
  const adding = `const ${add}=o=>{for(const n in o)Object.defineProperty(exports,n,{enumerable:!0,get:o[n]})};`;
  const shorten = (many) => `${add}({${many.replaceAll(anExport, "$1:()=>$2")}})`;
  const shortened = isShort ? adding + written.replaceAll(manyExports, shorten) : written;
  const text = shortened
    .replaceAll(/require\(["'`]([\w:/]+)["'`]\)/g, (call, name) =>
      Object.hasOwn(late, name) ? lateModule(late[name]) : call,
    )
    .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  // Code that V8 compiled in an earlier run cannot (src/cli/load-code.ts).
  if (/\bimport\(/u.test(text))
    throw new Error(`${file} calls import(): import the module at the top of its file, and name it in late`);
  writeFileSync(file, text);
}

const lateModule = (path) => `(m=>new Proxy({},{get:(_,k)=>(m??=require("${path}"))[k]}))()`;

/** Bundles files as CommonJS modules in dist/app/, which Node loads faster than others. Returns what was written. */
async function bundle(input, chunkFileNames, { groups = [], external = [] } = {}) {
  const { output } = await build({
    cwd: root,
    input,
    platform: "node",
    // Loading the many files of yargs and yaml took longer than all else before a command begins. Other packages are installed beside this one.
    external: new RegExp(`^(?:${[...Object.keys(dependencies), "libsql", ...external].join("|")})(?:/|$)`, "u"),
    // Loading a module of ours, or one of Node's own, does nothing that a module which takes nothing from it could need.
    treeshake: {
      // Reading a property does nothing else either.
      propertyReadSideEffects: false,
      moduleSideEffects: [
        { test: /\/src\//u, sideEffects: false },
        { external: true, sideEffects: false },
      ],
    },
    // yargs would use it to find a configuration file, of which there is none.
    transform: { define: { "import.meta.resolve": "undefined" } },
    plugins: [unusedSchemas],
    logLevel: "warn",
    output: {
      dir: "dist/app",
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames,
      minify: true,
      comments: false,
      codeSplitting: { groups },
    },
  });
  for (const { fileName } of output) rewrite(inDist(`app/${fileName}`));
  return output;
}

// What an earlier build has left would be packed, too.
for (const folder of ["app", "types"]) rmSync(inDist(folder), { recursive: true, force: true });
// The loader of the program and of its compiled code (src/cli/load-code.ts) is bundled apart from it.
const loader = await bundle({ cli: "src/cli.ts" }, "cli-[name].cjs");
// Its modules for browsers are joined into one scope, which makes them shorter; beside them only warnings and base64 differ.
const yaml = await bundle({ yaml: "node_modules/yaml/browser/dist/index.js" }, "yaml-[name].cjs");
const program = await bundle({ main: "src/cli/main.ts", index: "src/index.ts" }, "[name].cjs", {
  external: ["yaml"],
  groups: [
    // Each file takes half a millisecond to load. What begins every command is in one, and what most commands go on with in another.
    { name: "start", test: /\/src\/(?:cli\/main|engine\/version)\.ts$/u, priority: 2 },
    { name: "base", minShareCount: 16, priority: 1 },
  ],
});
const output = [...loader, ...yaml, ...program];
// A global installation of a clone is a link to this file, and npm makes it executable only once.
chmodSync(inDist("app/cli.cjs"), 0o755);
await writeFile(
  inDist("cli.js"),
  '#!/usr/bin/env node\nimport { createRequire } from "node:module";\ncreateRequire(import.meta.url)("./app/cli.cjs");\n',
);
const { exports: names } = program.find(({ fileName }) => fileName === "index.cjs");
await writeFile(inDist("index.js"), `export { ${names.join(", ")} } from "./app/index.cjs";\n`);

/** Copies the declarations that the library's lead to. Comments, blanks and most line breaks stay in the library's own file alone, which is what a user reads. */
async function copyTypes(path, seen) {
  if (seen.has(path)) return;
  seen.add(path);
  const text = readFileSync(inDist(path), "utf8");
  const target = inDist(join("types", path));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(
    target,
    path === "index.d.ts"
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
