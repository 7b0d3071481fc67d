// Compiles every schemas/NAME.schema.json to dist/validators/NAME.cjs, so that no run pays for a schema compiler.
// CommonJS, because the standalone code of ajv loads its small run-time helpers with `require`.

import { mkdir, readFile, readdir, rename, writeFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";

const folder = new URL("./", import.meta.url);
const target = new URL("../dist/validators/", import.meta.url);
const suffix = ".schema.json";

// Notes for the text of a diagnostic; they constrain nothing (see $comment in the manifest schema).
const annotations = ["x-expected", "x-names", "x-hints"];

// ajv joins the errors of a referenced schema with `concat`: quadratic, four minutes for 100,000 mistakes. Pushing is linear.
const join = /vErrors = vErrors === null \? (\w+)\.errors : vErrors\.concat\(\1\.errors\);/gu;
const push = "if (vErrors === null) vErrors = $1.errors; else for (const error of $1.errors) vErrors.push(error);";

async function compile(file) {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    code: { source: true },
  });
  ajv.addVocabulary(annotations);
  const schema = JSON.parse(await readFile(new URL(file, folder), "utf8"));
  const code = standalone.default(ajv, ajv.compile(schema)).replaceAll(join, push);
  if (code.includes("vErrors.concat"))
    throw new Error(`The errors of ${file} are joined in a way that is not known here`);
  const name = `${file.slice(0, -suffix.length)}.cjs`;
  // Written aside and renamed, so that a process that reads while another one builds sees a whole file.
  const draft = new URL(`${name}.${process.pid}`, target);
  await writeFile(draft, code);
  await rename(draft, new URL(name, target));
}

await mkdir(target, { recursive: true });
const files = (await readdir(folder)).filter((file) => file.endsWith(suffix)).sort();
await Promise.all(files.map(compile));
