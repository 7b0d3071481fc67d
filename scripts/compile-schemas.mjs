// Compiles every schemas/NAME.schema.json to dist/validators/NAME.cjs.br, so that no run pays for a schema compiler.
// Writes the schemas that editors read to dist/schemas/, without blanks: the package has these.
// Writes schemas/hosting-api.openapi.yaml and the built-in contracts as JSON beside them: parsing the first as YAML is half of the
// embedded service's start, a contract's is a tenth of a small plan's time.
// Writes the words that schemas/events.schema.json demands, which no secret masks.
// Writes the style and the script of the page of `--html` beside them, compressed.
// CommonJS, because the standalone code of ajv is that of a script.

import { mkdir, readFile, readdir, rename, writeFile } from "node:fs/promises";
import { brotliCompressSync } from "node:zlib";
import { Ajv2020 } from "ajv/dist/2020.js";
import ucs2length from "ajv/dist/runtime/ucs2length.js";
import standalone from "ajv/dist/standalone/index.js";
import { minify } from "rolldown/experimental";
import { parse } from "yaml";

const folder = new URL("../schemas/", import.meta.url);
const target = new URL("../dist/validators/", import.meta.url);
const editors = new URL("../dist/schemas/", import.meta.url);
const suffix = ".schema.json";
const { name, version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));

// Notes for the text of a diagnostic; they constrain nothing (see $comment in the manifest schema).
const annotations = ["x-expected", "x-names", "x-hints", "x-read-only"];

// ajv joins the errors of a referenced schema with `concat`: quadratic, four minutes for 100,000 mistakes. Pushing is linear.
const join = /vErrors = vErrors === null \? (\w+)\.errors : vErrors\.concat\(\1\.errors\);/gu;
const push = "if (vErrors === null) vErrors = $1.errors; else for (const error of $1.errors) vErrors.push(error);";

// The code of ajv says of each error more than any reader asks for, and repeats how an error is kept: two thirds of its length.
const keptError =
  /const (err\d+) = \{(.*?)\};if\(vErrors === null\)\{vErrors = \[\1\];\}else \{vErrors\.push\(\1\);\}errors\+\+;/gsu;
const keep = "function keep(errors, error) { if (errors === null) return [error]; errors.push(error); return errors; }";
// Only keywords of one's own would read these arguments.
const unread = [
  /,parentData(?:: ?[\w.]+)?,parentDataProperty(?:: ?(?:"(?:[^"\\]|\\.)*"|[\w.]+))?,rootData,dynamicAnchors(?=\})/gu,
  /, parentData, parentDataProperty, rootData=data, dynamicAnchors=\{\}(?=\})/gu,
];
const shortened = (code) =>
  keep +
  unread
    .reduce((text, each) => text.replaceAll(each, ""), code)
    .replaceAll(keptError, (_, name, members) => {
      const asked = members
        .replace(/schemaPath:"(?:[^"\\]|\\.)*",/u, "")
        .replace(/,schema:.*?,parentSchema:/su, ",parentSchema:");
      return `vErrors = keep(vErrors, {${asked}});errors++;`;
    });

// Looking for a run-time helper of ajv among the packages takes as long as all else of loading a validator, so its text is put in.
const countsLength = /require\("ajv\/dist\/runtime\/ucs2length"\)\.default/gu;
const withHelper = (code) =>
  countsLength.test(code) ? code.replaceAll(countsLength, `(${ucs2length.default})`) : code;

// These quote from the schema what is expected.
const quoting = ["manifest.schema.json", "contract.schema.json", "fleet.schema.json"];

/** Takes the schema out of code that holds a copy of it: it stands in dist/schemas/, where editors read it as well. */
function withoutCopies(code, file, schema) {
  const places = new Map(
    Object.entries(schema.$defs ?? {}).map(([name, each]) => [JSON.stringify(each), `.$defs.${name}`]),
  );
  places.set(JSON.stringify(schema), "");
  const copy = /const (schema\d+) = (\{.*?\});(?=const |function )/gsu;
  return `const schema = require("../schemas/${file}");${code.replaceAll(copy, (whole, name, text) => {
    const place = places.get(text);
    return place === undefined ? whole : `const ${name} = schema${place};`;
  })}`;
}

// Of a file that a program wrote, the first mistake says enough; all of those of a hostile one would not fit into memory.
const firstErrorOnly = ["snapshot.schema.json", "journal.schema.json"];

async function compile(file) {
  const ajv = new Ajv2020({
    allErrors: !firstErrorOnly.includes(file),
    verbose: quoting.includes(file),
    // Of the name of a key, an error is known as such only where its rule is not a function of its own.
    inlineRefs: 5,
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    discriminator: true,
    messages: !quoting.includes(file),
    code: { source: true, optimize: 3 },
  });
  ajv.addVocabulary(annotations);
  const schema = JSON.parse(await readFile(new URL(file, folder), "utf8"));
  // Each line of a journal is compared with the one sort that its type names, not with all of them in turn.
  if (file === "journal.schema.json") schema.discriminator = { propertyName: "type" };
  const code = standalone.default(ajv, ajv.compile(schema)).replaceAll(join, push);
  if (code.includes("vErrors.concat"))
    throw new Error(`The errors of ${file} are joined in a way that is not known here`);
  const short = withHelper(shortened(quoting.includes(file) ? withoutCopies(code, file, schema) : code));
  if (/require\("(?!\.\.\/schemas\/)/u.test(short)) throw new Error(`The compiled ${file} loads a package`);
  const { code: text, errors } = await minify(file, short, { module: false, sourceType: "script" });
  if (/\b(?:parentData|rootData|dynamicAnchors)/u.test(text)) throw new Error(`The compiled ${file} reads its place`);
  if (errors.length > 0) throw new Error(`The compiled ${file} cannot be shortened: ${errors[0].message}`);
  await writeWhole(`${file.slice(0, -suffix.length)}.cjs.br`, brotliCompressSync(text));
}

// Written aside and renamed, so that a process that reads while another one builds sees a whole file.
async function writeWhole(name, text, to = target) {
  const draft = new URL(`${name}.${process.pid}`, to);
  await writeFile(draft, text);
  await rename(draft, new URL(name, to));
}

/** Leaves out of a word what the definition that it refers to says in the same words: editors show that one. */
function withoutRepeats(word, definitions) {
  const definition = definitions[word?.$ref?.replace("#/$defs/", "")];
  if (definition === undefined) return word;
  const isRepeat = ([key, value]) => JSON.stringify(value) === JSON.stringify(definition[key]);
  return Object.fromEntries(Object.entries(word).filter((entry) => !isRepeat(entry)));
}

const mapsOfWords = ["$defs", "properties", "patternProperties"];
const nestedWords = ["items", "additionalProperties", "propertyNames", "then", "else"];
const typeWords = {
  array: "a list",
  boolean: "true or false",
  integer: "a whole number",
  object: "a map",
  string: "text",
};

/** Changes a schema and each one in it, as `change` says. */
function changed(schema, change) {
  if (typeof schema !== "object") return schema;
  const entries = Object.entries(schema).map(([key, value]) => {
    if (nestedWords.includes(key)) return [key, changed(value, change)];
    if (!mapsOfWords.includes(key)) return [key, value];
    return [key, Object.fromEntries(Object.entries(value).map(([name, word]) => [name, changed(word, change)]))];
  });
  return change(Object.fromEntries(entries));
}

/** Lets an editor take what Hostform takes, which reads a plain number as text where it wants text, and puts in ${var:NAME} before it checks. */
function widened(word) {
  const types = [word.type ?? []].flat();
  if (word.enum !== undefined || word.const !== undefined) return word;
  const isPutIn = ["array", "boolean", "integer"].includes(word.type);
  if (isPutIn) return { ...word, type: [...types, "string"], pattern: "\\$\\{" };
  if (!types.includes("string")) return word;
  return { ...word, type: [...types, "number"], ...(word.pattern && { pattern: `${word.pattern}|\\$\\{` }) };
}

/** Says in the words of Hostform what is expected, where an editor would name types and patterns. */
function withMessage(word) {
  const types = [word.type ?? []].flat().flatMap((type) => typeWords[type] ?? []);
  const message = `Expected ${word["x-expected"] ?? types.join(" or ")}`;
  if (types.length === 0 || word.enum !== undefined) return word;
  if (word.properties === undefined) return { ...word, errorMessage: message };
  // In place of what is wrong with a key, such a message would not name the key.
  if (word.pattern !== undefined) return { ...word, patternErrorMessage: message };
  return word.type === "object" && word["x-expected"] ? { ...word, title: word["x-expected"] } : word;
}

/** Leaves out an only example that the language server would insert broken: it knows no map in a list, and no ${…} in a key. */
function insertable({ examples, ...word }) {
  const isBroken = examples?.length === 1 && /\[\{|"\$\{[^"]*":/u.test(JSON.stringify(examples[0]));
  return examples === undefined || isBroken ? word : { ...word, examples };
}

/** Offers the keys of a long form from the beginning, and not only where the key stands by which the form is known. */
function withLongForm(word) {
  if (word.then?.properties === undefined) return word;
  const words = Object.entries(word.then.properties).map(([key, { description }]) => [key, { description }]);
  return { ...word, allOf: [{ properties: Object.fromEntries(words) }] };
}

/** Leaves out which keys must be there: they may stand in the file that this one extends. */
const withoutRequired = ({ required: _required, ...word }) => word;

/** Checks a section of a template as that of a manifest, which it becomes. */
function withSections({ $defs: { template, ...others }, ...schema }) {
  const properties = Object.entries(template.properties).map(([key, { description, ...word }]) => {
    const isSection = word.$ref === undefined && others[key] !== undefined;
    return [key, isSection ? { $ref: `#/$defs/${key}`, description } : { description, ...word }];
  });
  return { ...schema, $defs: { ...others, template: { ...template, properties: Object.fromEntries(properties) } } };
}

const forManifest = (word) => withLongForm(insertable(widened(withMessage(word))));

/** Returns a schema as editors read it. `$id`: its place in this version of the package; nothing loads it. */
function forEditors(file, { $comment: _comment, ...schema }) {
  const $id = `https://cdn.jsdelivr.net/npm/${name}@${version}/dist/schemas/${file}`;
  if (file === "contract.schema.json") return { $id, ...changed(schema, withoutRequired) };
  if (file === "fleet.schema.json") return { $id, ...changed(schema, (word) => insertable(withMessage(word))) };
  // `version` and `name` stand in one file of several.
  return { $id, ...withoutRequired(changed(withSections(schema), forManifest)) };
}

/** Leaves out words for people; an error of the embedded service quotes only a description beside a pattern. */
function forPrograms(key, value) {
  const isProse = key === "summary" || (key === "description" && this.pattern === undefined);
  return isProse && typeof value === "string" ? undefined : value;
}

/** Returns the words that a schema demands, by the key at which it does. */
function wordsIn(value, key = "", found = new Map()) {
  if (typeof value !== "object" || value === null) return found;
  const words = value.const === undefined ? (value.enum ?? []) : [value.const];
  if (words.length > 0) found.set(key, [...(found.get(key) ?? []), ...words]);
  for (const [name, inner] of Object.entries(value))
    wordsIn(inner, name === "oneOf" || /^\d+$/u.test(name) ? key : name, found);
  return found;
}

/** Writes the words of events that are no secret, whatever a secret is. An object of the API may have a type of its own. */
async function writeEventWords() {
  const words = wordsIn(JSON.parse(await readFile(new URL("events.schema.json", folder), "utf8")));
  words.delete("type");
  await writeWhole("event-words.json.br", brotliCompressSync(JSON.stringify([...words])));
}

async function convert(file, name, leaveOut) {
  const text = JSON.stringify(parse(await readFile(new URL(file, folder), "utf8"), { uniqueKeys: false }), leaveOut);
  await writeWhole(name, name.endsWith(".br") ? brotliCompressSync(text) : text);
}

await mkdir(target, { recursive: true });
await mkdir(editors, { recursive: true });
const contracts = (await readdir(new URL("contracts/", folder))).filter((file) => file.endsWith(".yaml"));
const files = (await readdir(folder)).filter((file) => file.endsWith(suffix)).sort();
await Promise.all([
  ...files.map(compile),
  ...quoting.map(async (file) => {
    const schema = forEditors(file, JSON.parse(await readFile(new URL(file, folder), "utf8")));
    await writeWhole(
      file,
      JSON.stringify(schema, (_, word) => withoutRepeats(word, schema.$defs ?? {})),
      editors,
    );
  }),
  convert("hosting-api.openapi.yaml", "hosting-api.json.br", forPrograms),
  writeEventWords(),
  ...["page.css", "page.js"].map(async (file) =>
    writeWhole(
      `${file}.br`,
      brotliCompressSync(await readFile(new URL(`../src/render/page/${file}`, import.meta.url))),
    ),
  ),
  ...contracts.map((file) => convert(`contracts/${file}`, `contract-${file.replace(".yaml", ".json.br")}`)),
]);
