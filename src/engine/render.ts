import { withoutUnset } from "../model/diagnostic.ts";
import type { Ending, Session } from "./session/host.ts";
import { loadWithoutSecrets, type ManifestOptions } from "./session/load-manifest.ts";
import { Document, Pair, Scalar, YAMLMap, YAMLSeq, type Node } from "yaml";
import { kinds } from "../kinds/index.ts";
import { escapeControls } from "../lib/escape.ts";
import { writeYaml } from "../lib/yaml.ts";
import { parseInterpolation } from "../manifest/read/interpolation.ts";
import { findBlocks, writeOnlyNodes } from "../manifest/read/read-resources.ts";
import { nameOfPlace, type WrittenMap, type WrittenNode } from "../manifest/yaml/written.ts";

/** Shows a manifest as it is when its templates and variables are put in. Secrets stay references. */
export async function renderManifest(options: ManifestOptions, io: Session): Promise<Ending> {
  const { result, tree, diagnostics } = await loadWithoutSecrets(options.file, options, io);
  io.emit({ type: "diagnostics", diagnostics: withoutUnset(diagnostics) });
  if (!result || !tree) return "wrong_input";
  io.emit({ type: "rendered", manifest: writeTree(tree) });
  return "done";
}

/** Writes a tree as YAML that means the same. A secret that stands in it as it is becomes a comment; one that comes from elsewhere stays a reference. */
export function writeTree(tree: WrittenMap): string {
  const document = new Document(null, { schema: "core", aliasDuplicateObjects: false });
  document.contents = nodeOf(tree, plainSecrets(tree)) as never;
  return writeYaml(document);
}

/** Finds the values of write-only fields that are written out. */
function plainSecrets(tree: WrittenMap): ReadonlySet<WrittenNode> {
  const found = kinds.flatMap((kind) => findBlocks(kind, tree).flatMap(({ node }) => writeOnlyNodes(kind, node)));
  return new Set(found.map(({ node }) => node).filter(isPlain));
}

function isPlain(node: WrittenNode): boolean {
  // Numbers, true and false are no secrets, though the API does not return them.
  if (node.type !== "scalar" || typeof node.value !== "string") return false;
  const parsed = parseInterpolation(node.value);
  return "error" in parsed || parsed.parts.every((part) => typeof part === "string");
}

function nodeOf(node: WrittenNode, secrets: ReadonlySet<WrittenNode>): Node {
  if (node.type === "scalar") return new Scalar(node.value);
  if (node.type === "list") {
    const list = new YAMLSeq();
    list.items = node.items.map((item) => nodeOf(item, secrets));
    return list;
  }
  const map = new YAMLMap();
  const note: string[] = [];
  for (const { key, value } of node.entries.values()) {
    if (secrets.has(value))
      note.push(escapeControls(` ${key} is written out in ${nameOfPlace(value)}, and is not shown`));
    else map.items.push(new Pair(keyOf(key), nodeOf(value, secrets)));
  }
  if (note.length > 0) map.comment = note.join("\n");
  return map;
}

function keyOf(key: string): Scalar {
  const scalar = new Scalar(key);
  // Without quotes it would be a merge key.
  if (key === "<<") scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}
