// Writes docs/fields.md, docs/fields-dns.md and docs/fields-mail.md from manifest.schema.json: each field of a manifest, with an example
// and its description. `node scripts/write-fields-pages.mjs [FOLDER]`; default: docs/. A test compares the pages with the schema.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";

const schema = JSON.parse(readFileSync(new URL("../schemas/manifest.schema.json", import.meta.url), "utf8"));

/** Each page with the sections that it holds; "" is the top level. */
const pages = {
  "fields.md": {
    title: "Fields of a manifest: the top level, services, domains",
    roots: ["", "provider", "defaults", "policy", "lint", "removed", "services", "domains"],
  },
  "fields-dns.md": { title: "Fields of a manifest: DNS", roots: ["dns"] },
  "fields-mail.md": {
    title: "Fields of a manifest: mail, FTP, databases, scheduled tasks, certificates",
    roots: ["mail", "ftp", "databases", "crons", "certificates"],
  },
};

const sections = Object.values(pages).flatMap(({ roots }) => roots);

/** The words that stand for the keys of a section, which the reader chooses. */
const keysOf = { dns: "ZONE", services: "DOMAIN", domains: "DOMAIN", mail: "DOMAIN" };
const ofServices = new Set(["ftp", "databases", "crons", "certificates"]);

// They stand in many blocks, so they have a table of their own.
const shared = ["exclusive", "ignore", "lifecycle"];

/** The schema that a `$ref` names, with the words beside the reference laid over it. */
function resolve(node) {
  if (node.$ref === undefined) return node;
  const { $ref, ...own } = node;
  return { ...resolve(schema.$defs[$ref.slice("#/$defs/".length)]), ...own };
}

const fieldsOf = (node) => Object.entries(node.properties ?? {}).map(([name, field]) => [name, resolve(field)]);
const isObject = (node) => [node.type].flat().includes("object");
const itemsOf = (node) =>
  typeof node.additionalProperties === "object" ? resolve(node.additionalProperties) : undefined;
/** Whether a field has a table of its own, in place of a row in the table around it. */
const isBlock = (node) => isObject(node) && (node.properties !== undefined || isObject(itemsOf(node) ?? {}));

/** The word for a key that the reader chooses, at a path. */
function keyAt(path) {
  if (path.includes(".")) return "NAME";
  const word = ofServices.has(path) ? "SERVICE" : sections.includes(path) ? keysOf[path] : "NAME";
  if (word === undefined) throw new Error(`write the word for a key of ${path} into keysOf or ofServices`);
  return word;
}

/** The blocks at a path and below it, each with the fields of its table. */
function blocksAt(path, node) {
  const fields = fieldsOf(node).filter(([name]) => !(path === "" ? sections : shared).includes(name));
  const others = Object.values(node.patternProperties ?? {}).map((field) => ["another type", resolve(field)]);
  const inner = [
    ...(node.items === undefined ? [] : [[`${path}[]`, resolve(node.items)]]),
    ...(itemsOf(node) === undefined ? [] : [[`${path}.${keyAt(path)}`, itemsOf(node)]]),
    ...(path === ""
      ? []
      : fields.filter(([, field]) => isBlock(field)).map(([name, field]) => [`${path}.${name}`, field])),
  ];
  const rows = [...fields.filter(([, field]) => !isBlock(field)), ...others];
  return [
    { title: path === "" ? "Top level" : `\`${path}\``, text: node.description, rows },
    ...inner.flatMap(([at, field]) => blocksAt(at, field)),
  ];
}

/** Blocks that stand at many places of a page. */
function sharedBlocks(file) {
  const { exclusive, ignore, lifecycle, plain_rrset: set, plain_item: item } = schema.$defs;
  const lifecycleRows = fieldsOf(lifecycle).map(([name, field]) => [`lifecycle.${name}`, field]);
  if (file === "fields.md") {
    const rows = [["exclusive", exclusive], ["ignore", ignore], ...lifecycleRows];
    return [
      { title: "In many blocks", text: "Beside the items of a collection, and `lifecycle` in any resource:", rows },
    ];
  }
  if (file !== "fields-dns.md") return [];
  const long = fieldsOf(set.then).filter(([name]) => name !== "lifecycle");
  return [
    {
      title: "The long form of a type",
      text: "`A: { ttl: 60, values: [192.0.2.11] }` in place of `A: 192.0.2.11`:",
      rows: long,
    },
    {
      title: "The long form of a value",
      text: "`{ value: 192.0.2.11, disabled: true }` in place of `192.0.2.11`:",
      rows: fieldsOf(item),
    },
  ];
}

const cell = (text) => text.replaceAll("|", "\\|").replaceAll(/\s+/gu, " ");
const inline = (value) => stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trim();
const exampleOf = ({ examples: [example] = [] }) => (example === undefined ? "" : `\`${cell(inline(example))}\``);

function printBlock({ title, text, rows }) {
  if (rows.length === 0) return [];
  const lines = rows.map(([name, field]) => `| \`${name}\` | ${exampleOf(field)} | ${cell(field.description ?? "")} |`);
  return [
    `## ${title}`,
    "",
    ...(text === undefined ? [] : [text, ""]),
    "| Field | Example | |",
    "|---|---|---|",
    ...lines,
    "",
  ];
}

/** The Markdown text of each page, by its file name. */
function fieldsPages() {
  const links = Object.entries(pages).map(([file, { title }]) => `[${title.slice(title.indexOf(":") + 2)}](${file})`);
  const head = `Written from \`schemas/manifest.schema.json\` by \`npm run docs\`. The pages: ${links.join("; ")}.`;
  return Object.fromEntries(
    Object.entries(pages).map(([file, { title, roots }]) => {
      const blocks = roots.flatMap((root) => blocksAt(root, root === "" ? schema : resolve(schema.properties[root])));
      return [file, [`# ${title}`, "", head, "", ...[...blocks, ...sharedBlocks(file)].flatMap(printBlock)].join("\n")];
    }),
  );
}

const [, , folder = fileURLToPath(new URL("../docs", import.meta.url))] = argv;
for (const [file, text] of Object.entries(fieldsPages())) writeFileSync(join(folder, file), text);
