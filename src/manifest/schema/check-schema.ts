import type { ErrorObject } from "ajv";
import { loadValidator } from "../../lib/load-validator.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { describeMistake } from "./describe-mistake.ts";
import { nearest } from "../../model/nearest.ts";
import { locateNode, type Form } from "./locate-node.ts";
import { toJson, type WrittenMap, type WrittenNode } from "../yaml/written.ts";

export interface CheckedTree {
  /** One a mistake. */
  readonly diagnostics: readonly Diagnostic[];
  /** Those of the keys that every manifest needs and this one lacks. */
  readonly lacking: readonly Diagnostic[];
  /** The nodes that hold a mistake: without them, the tree is as the schema says. */
  readonly wrong: ReadonlySet<WrittenNode>;
}

/**
 * Checks a merged tree against the schema of its form, such as schemas/manifest.schema.json. Where the schema wants a text and YAML made a
 * number or a boolean of an unquoted one, the scalar gets its source text first: `TXT: 19` and `php_version: 8.10` stay as written.
 * @param form default: the manifest.
 * @param isWhole false where a part of the manifest could not be read: what is missing at the root may stand there.
 * @param broken nodes whose content is not known: they are wrong, and nothing more is said of them.
 */
export function checkSchema(
  root: WrittenMap,
  isWhole: boolean,
  form: Form = "manifest",
  broken: ReadonlySet<WrittenNode> = new Set(),
): CheckedTree {
  const validate = loadValidator(form);
  const run = () => (validate(toJson(root)) ? [] : (validate.errors ?? []));
  let errors = run();
  if (keepSourceTexts(root, errors)) errors = run();
  const mistakes = withoutEchoes(errors).filter(
    (error) => isWhole || error.keyword !== "required" || error.instancePath !== "",
  );
  const wrong = new Set(broken);
  const lacking: Diagnostic[] = [];
  const diagnostics = mistakes.flatMap((error) => {
    const place = { ...locateNode(root, error.instancePath), form };
    const { wrong: node, diagnostic } = describeMistake(error, place);
    if (node !== root) wrong.add(node);
    else if (error.keyword === "required") lacking.push(diagnostic);
    return broken.has(node) ? [] : [diagnostic];
  });
  return { diagnostics, lacking, wrong };
}

function keepSourceTexts(root: WrittenMap, errors: readonly ErrorObject[]): boolean {
  let changed = false;
  for (const { keyword, instancePath, params } of errors) {
    if (keyword !== "type" || ![params.type].flat().includes("string")) continue;
    const { node } = locateNode(root, instancePath);
    if (node.type !== "scalar" || !node.plain || (typeof node.value !== "number" && typeof node.value !== "boolean"))
      continue;
    node.value = node.text;
    changed = true;
  }
  return changed;
}

/** One error a mistake: without those that only follow from another one. */
function withoutEchoes(errors: readonly ErrorObject[]): ErrorObject[] {
  const specific = errors.filter(({ keyword, propertyName }) => keyword !== "if" && propertyName === undefined);
  const first = new Map<string, ErrorObject>();
  for (const error of specific) {
    const id = `${error.instancePath}\n${keyIn(error) ?? ""}`;
    if (!first.has(id) || error.keyword === "type") first.set(id, error);
  }
  const wrongNames = new Set([...first.values()].filter(({ keyword }) => keyword === "propertyNames").map(childPath));
  const meant = new Set([...first.values()].flatMap(meantKey));
  return [...first.values()].filter((error) => {
    const isMisspelled = error.keyword === "required" && meant.has(childPath(error));
    return !isMisspelled && !prefixes(error.instancePath, wrongNames);
  });
}

const keyIn = ({ params }: ErrorObject) => params.additionalProperty ?? params.missingProperty ?? params.propertyName;

const childPath = (error: ErrorObject) =>
  `${error.instancePath}/${(keyIn(error) ?? "").replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** The path of the key that an unknown one is a misspelling of. */
function meantKey({ params, instancePath, parentSchema: { properties = {} } = {} }: ErrorObject): string[] {
  const unknown = params.additionalProperty;
  const key = unknown === undefined ? undefined : nearest(unknown, Object.keys(properties));
  return key === undefined ? [] : [`${instancePath}/${key}`];
}

function prefixes(path: string, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return false;
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1))
    if (names.has(path.slice(0, end))) return true;
  return false;
}

/**
 * The tree without its wrong nodes, so that later stages find the shape of the schema in whatever they read. What is left is
 * checked again, since a list may have become empty. Only at the root, and in an entry under `removed:`, whose address is checked all the
 * same, may something be missing. The input is not changed.
 */
export function validPart(root: WrittenMap, wrong: ReadonlySet<WrittenNode>, form: Form = "manifest"): WrittenMap {
  let tree = root;
  for (let nodes = wrong; nodes.size > 0; nodes = checkSchema(tree, false, form).wrong) tree = prunedMap(tree, nodes);
  const removed = root.entries.get("removed");
  if (wrong.size === 0 || !removed) return tree;
  const scalars = new Set([...wrong].filter(({ type }) => type === "scalar"));
  const value = pruned(removed.value, scalars);
  return { ...tree, entries: new Map([...tree.entries, ["removed", { ...removed, value }]]) };
}

function prunedMap(map: WrittenMap, nodes: ReadonlySet<WrittenNode>): WrittenMap {
  const kept = [...map.entries].filter(([, { value }]) => !nodes.has(value));
  return {
    ...map,
    entries: new Map(kept.map(([key, entry]) => [key, { ...entry, value: pruned(entry.value, nodes) }])),
  };
}

function pruned(node: WrittenNode, nodes: ReadonlySet<WrittenNode>): WrittenNode {
  if (node.type === "scalar") return node;
  if (node.type === "map") return prunedMap(node, nodes);
  return { ...node, items: node.items.filter((item) => !nodes.has(item)).map((item) => pruned(item, nodes)) };
}
