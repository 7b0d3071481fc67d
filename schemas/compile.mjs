// Compiles every schemas/NAME.schema.json to dist/validators/NAME.cjs, so that no run pays for a schema compiler.
// Writes schemas/hosting-api.openapi.yaml and the built-in contracts as JSON beside them: parsing the first as YAML is half of the
// embedded service's start, a contract's is a tenth of a small plan's time.
// CommonJS, because the standalone code of ajv loads its small run-time helpers with `require`.

import { mkdir, readFile, readdir, rename, writeFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { parse } from "yaml";

const folder = new URL("./", import.meta.url);
const target = new URL("../dist/validators/", import.meta.url);
const suffix = ".schema.json";

// Notes for the text of a diagnostic; they constrain nothing (see $comment in the manifest schema).
const annotations = ["x-expected", "x-names", "x-hints", "x-read-only"];

// ajv joins the errors of a referenced schema with `concat`: quadratic, four minutes for 100,000 mistakes. Pushing is linear.
const join = /vErrors = vErrors === null \? (\w+)\.errors : vErrors\.concat\(\1\.errors\);/gu;
const push = "if (vErrors === null) vErrors = $1.errors; else for (const error of $1.errors) vErrors.push(error);";

// Of a file that a program wrote, the first mistake says enough; all of those of a hostile one would not fit into memory.
const firstErrorOnly = ["snapshot.schema.json", "journal.schema.json"];

async function compile(file) {
  const ajv = new Ajv2020({
    allErrors: !firstErrorOnly.includes(file),
    verbose: true,
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    discriminator: true,
    code: { source: true },
  });
  ajv.addVocabulary(annotations);
  const schema = JSON.parse(await readFile(new URL(file, folder), "utf8"));
  // Each line of a journal is compared with the one sort that its type names, not with all of them in turn.
  if (file === "journal.schema.json") schema.discriminator = { propertyName: "type" };
  const code = standalone.default(ajv, ajv.compile(schema)).replaceAll(join, push);
  if (code.includes("vErrors.concat"))
    throw new Error(`The errors of ${file} are joined in a way that is not known here`);
  await writeWhole(`${file.slice(0, -suffix.length)}.cjs`, code);
}

// Written aside and renamed, so that a process that reads while another one builds sees a whole file.
async function writeWhole(name, text) {
  const draft = new URL(`${name}.${process.pid}`, target);
  await writeFile(draft, text);
  await rename(draft, new URL(name, target));
}

async function convert(file, name) {
  const text = await readFile(new URL(file, folder), "utf8");
  await writeWhole(name, JSON.stringify(parse(text, { uniqueKeys: false })));
}

await mkdir(target, { recursive: true });
const contracts = (await readdir(new URL("contracts/", folder))).filter((file) => file.endsWith(".yaml"));
const files = (await readdir(folder)).filter((file) => file.endsWith(suffix)).sort();
await Promise.all([
  ...files.map(compile),
  convert("hosting-api.openapi.yaml", "hosting-api.json"),
  ...contracts.map((file) => convert(`contracts/${file}`, `contract-${file.replace(".yaml", ".json")}`)),
]);
