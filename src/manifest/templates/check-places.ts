import { kinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { diagnosticAt } from "../diagnostic-at.ts";
import { findBlocks, findCollectionBlocks, type FoundBlock } from "../read-resources.ts";
import { nearestNode, type Variable, type WrittenMap, type WrittenNode } from "../written.ts";
import type { Mistake } from "./expansion.ts";
import { outsideInName } from "./substitute.ts";

/**
 * Finds variables in secrets, and values from outside that would decide which resources are ours, what may be deleted, or what a resource
 * belongs to. Those in keys are found where they are put in.
 */
export function checkPlaces(tree: WrittenMap): Diagnostic[] {
  const found = kinds.flatMap((kind) => [
    ...findBlocks(kind, tree).flatMap((block) => checkBlock(kind, block)),
    ...findCollectionBlocks(kind, tree).flatMap(({ node }) => checkNames(node, ["exclusive", "ignore"])),
  ]);
  // Two kinds may share a collection's options.
  return [...new Map(found.map(({ node, mistake }) => [node, mistake]))].map(([{ span }, mistake]) =>
    diagnosticAt(span, { severity: "error", ...mistake }),
  );
}

interface MisplacedNode {
  readonly node: WrittenNode;
  readonly mistake: Mistake;
}

function checkBlock({ fields, naming, relations }: Kind, { key, node }: FoundBlock): MisplacedNode[] {
  const inBody = naming.fromBody ? Object.keys(naming.toFields(key)) : [];
  // A field that names others by its keys has had them checked.
  const reference = relations?.references?.field;
  const isName = reference !== undefined && nearestNode(node, [reference]).node.type === "scalar";
  const secrets = Object.entries(fields).filter(([, { access }]) => access === "write_only");
  return [
    ...checkNames(node, [...inBody, "lifecycle", ...(isName ? [reference] : [])]),
    ...secrets.flatMap(([name, { from = name }]) =>
      nodesAt(node, from.split(".")).flatMap((each) => {
        const [variable] = each.variables ?? [];
        // Numbers, true and false are no secrets, though the API does not return them.
        const isText = each.type === "scalar" && typeof each.value === "string";
        return variable && isText ? { node: each, mistake: variableInSecret(variable, name) } : [];
      }),
    ),
  ];
}

const checkNames = (body: WrittenNode, keys: readonly string[]): MisplacedNode[] =>
  keys
    .flatMap((key) => nodesAt(body, [key]))
    .flatMap((node) => {
      const outside = node.variables?.find((variable) => variable.outside !== undefined);
      return outside ? { node, mistake: outsideInName(outside) } : [];
    });

/** Returns the nodes at the end of a path in a body, those of a list among them; none where there is no such path. */
function nodesAt(body: WrittenNode, path: readonly string[]): WrittenNode[] {
  const { node, left } = nearestNode(body, path);
  return left.length === 0 ? nodesIn(node) : [];
}

function nodesIn(node: WrittenNode): WrittenNode[] {
  if (node.type === "scalar") return [node];
  if (node.variables) return [node];
  const inner = node.type === "list" ? node.items : [...node.entries.values()].map(({ value }) => value);
  return inner.flatMap(nodesIn);
}

const variableInSecret = ({ name }: Variable, field: string): Mistake => ({
  code: "variable_in_secret",
  summary: `${field} takes no variable: plans show the value of ${name}`,
  detail: "${env:NAME} or ${file:PATH}",
  hint: "write ${env:NAME} here, or give it to the template in with:",
});
