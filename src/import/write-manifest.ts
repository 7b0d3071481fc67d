import { Document, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { getOrMake, groupBy } from "../lib/collect.ts";
import { escapeControls } from "../lib/escape.ts";
import { writeYaml } from "../lib/yaml.ts";
import type { Json } from "../model/json.ts";
import { isObject } from "../model/json-pointer.ts";
import type { Block, Declared, Omission } from "./block.ts";
import { fileNameOf } from "./file-names.ts";
import type { TextFile } from "./zone.ts";

/** The keys of a manifest that are about no resource. */
export interface Head {
  readonly name: string;
  readonly provider: Readonly<Record<string, string>>;
}

/** The file of a manifest that no domain name can have. */
export const mainFile = "hostform.yaml";

/** Writes a manifest as a folder: a file for each domain, and one for the rest; or all in one. */
export function writeManifest(
  { blocks, ignores, omissions }: Declared,
  head: Head,
  layout: "folder" | "single",
): TextFile[] {
  const all = [...blocks, ...ignores];
  if (layout === "single") return [{ file: mainFile, text: headText(head, all, omissions) }];
  const byDomain = groupBy(all, ({ domain }) => domain);
  const omitted = groupBy(omissions, ({ domain }) => domain);
  const files = [...byDomain].map(([domain, own]) => ({
    file: fileNameOf(domain),
    text: `${schemaLine()}\n\n${sectionsText(own, omitted.get(domain))}`,
  }));
  const rest = omissions.filter(({ domain }) => !byDomain.has(domain));
  return [{ file: mainFile, text: headText(head, [], rest) }, ...files];
}

function headText({ name, provider }: Head, blocks: readonly Block[], omissions: readonly Omission[]): string {
  const root = buildTree(blocks, omissions);
  root.body = { version: 1, name, ...(Object.keys(provider).length > 0 && { provider }) };
  return `${schemaLine()}\n\n${print(toNode(root))}`;
}

/** The copy of the schema in the folder of a new manifest. A path to an installation would be right on this machine only. */
export const schemaFile = "manifest.schema.json";

/** Returns the comment by which editors find the schema. An editor looks for it in each file. */
export const schemaLine = (schema = `./${schemaFile}`): string => `# yaml-language-server: $schema=${schema}`;

/** Writes the sections of a manifest alone. */
export const sectionsText = (blocks: readonly Block[], omissions: readonly Omission[] = []): string =>
  print(toNode(buildTree(blocks, omissions)));

/** Writes the same on one line, in brackets. */
export const flowText = (blocks: readonly Block[]): string => printLine(toNode(buildTree(blocks, [])));

/** Writes the bodies of blocks as the items of a list. */
export const listText = (blocks: readonly Block[]): string => print(sequence(blocks.map(({ body }) => body)));

/** Writes the same as items of a list in brackets. */
export const flowItems = (blocks: readonly Block[]): string =>
  withoutBrackets(printLine(sequence(blocks.map(({ body }) => body))));

type YamlNode = YAMLMap | YAMLSeq | Scalar;

function documentOf(node: YamlNode, flow: boolean): Document {
  const document = new Document();
  if (!(node instanceof Scalar)) node.flow = flow;
  document.contents = node as never;
  return document;
}

/** Returns the entries or items of a collection that is written on one line. */
export const withoutBrackets = (line: string): string => line.slice(1, -1).trim();

const print = (node: YamlNode) => writeYaml(documentOf(node, false), { blockQuote: false });

/** Prints on one line even a long text that has line breaks. */
const printLine = (node: YamlNode) =>
  writeYaml(documentOf(node, true), { blockQuote: false, doubleQuotedMinMultiLineLength: Infinity }).trim();

/** A key of the manifest, with what stands below it. */
interface Branch {
  readonly entries: Map<string, Branch>;
  body: Json | undefined;
  readonly items: Json[];
  readonly comments: string[];
  /** Whether something is missing, so that it is written in lines: a later import may add it. */
  isOpen: boolean;
}

const makeBranch = (): Branch => ({ entries: new Map(), body: undefined, items: [], comments: [], isOpen: false });

function buildTree(blocks: readonly Block[], omissions: readonly Omission[]): Branch {
  const root = makeBranch();
  const at = (path: readonly string[]) =>
    path.reduce((branch, key) => getOrMake(branch.entries, key, makeBranch), root);
  for (const { path, isItem, body } of blocks) {
    if (isItem) at(path).items.push(body);
    else at(path).body = body;
  }
  for (const omission of omissions) {
    const place = nearestMap(root, omission.path);
    place.isOpen = true;
    if (omission.isList !== true) place.comments.push(...commentLines(omission));
  }
  return root;
}

/** Returns the branch on a path that is as near to its end as there is one which has keys. */
function nearestMap(root: Branch, path: readonly string[]): Branch {
  let here = root;
  for (const key of path) {
    const next = here.entries.get(key);
    if (!next || (next.entries.size === 0 && !isObject(next.body))) break;
    here = next;
  }
  return here;
}

/** Returns the comment that stands in the manifest for what it does not have. */
export function commentLines({ of, field, reason, values = [] }: Omission): string[] {
  const first = `${of}${field === undefined ? "" : ` ${field}`} is not managed here: ${reason}`;
  return [first, ...values.map((value) => `  ${value}`)].map((line) => oneLine(line));
}

const longestLine = 300;

/** A comment ends at a line break, and whatever comes from the API is shown as what it is. */
function oneLine(text: string): string {
  const safe = escapeControls(text);
  return safe.length > longestLine ? `${safe.slice(0, longestLine)}…` : safe;
}

function toNode({ entries, body, items, comments, isOpen }: Branch): YamlNode {
  if (items.length > 0) return leaf(items);
  if (entries.size === 0 && !isOpen) return leaf(body ?? {});
  const map = mapping(Object.entries(isObject(body) ? body : {}));
  for (const [key, child] of inOrder(entries)) map.items.push(new Pair(new Scalar(key), toNode(child)));
  const lines = comments.map((line) => ` ${line}`).join("\n");
  if (map.items.length === 0) return Object.assign(new Scalar(null), { source: "", commentBefore: lines });
  map.comment = lines;
  return map;
}

/** Options come before the settings of a zone, and its records last: they are many. */
const inOrder = (entries: Branch["entries"]) => [
  ...[...entries].filter(([key]) => key === "ignore"),
  ...[...entries].filter(([key]) => key !== "ignore" && key !== "records"),
  ...[...entries].filter(([key]) => key === "records"),
];

const widest = 76;

/** Makes a value that nothing stands below: on one line where it fits. */
function leaf(value: Json): YamlNode {
  if (typeof value !== "object" || value === null) return new Scalar(value);
  const node = Array.isArray(value) ? sequence(value) : mapping(Object.entries(value));
  node.flow = JSON.stringify(value).length <= widest || node.items.length === 0;
  return node;
}

function sequence(values: readonly Json[]): YAMLSeq {
  const node = new YAMLSeq();
  node.items.push(...values.map(leaf));
  return node;
}

function mapping(entries: readonly (readonly [string, Json])[]): YAMLMap {
  const node = new YAMLMap();
  node.items.push(...entries.map(([key, value]) => new Pair(new Scalar(key), leaf(value))));
  return node;
}
