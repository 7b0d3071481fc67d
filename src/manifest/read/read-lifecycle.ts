import type { Kind } from "../../kinds/kind.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { jsonText } from "../../model/json.ts";
import type { Key, Lifecycle } from "../../model/resource.ts";
import { diagnosticAt } from "../yaml/diagnostic-at.ts";
import { nearest } from "../../model/nearest.ts";
import { toJson, type WrittenMap, type WrittenNode } from "../yaml/written.ts";

export interface ReadLifecycle {
  /** Undefined where none is written. */
  readonly lifecycle: Lifecycle | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

const none: ReadLifecycle = { lifecycle: undefined, diagnostics: [] };

/** `lifecycle:` in a resource's block: how it may change. Fields are named as a manifest spells them. */
export function readLifecycle(body: WrittenNode, kind: Kind, key: Key): ReadLifecycle {
  const node = body.type === "map" ? body.entries.get("lifecycle")?.value : undefined;
  if (node?.type !== "map") return none;
  const fields = comparedFields(kind, key);
  const items = ignoredItems(node);
  const ignoreChanges = items.flatMap(({ word }) => fields.get(word) ?? []);
  const prevented = node.entries.get("prevent_destroy");
  return {
    lifecycle: { preventDestroy: prevented !== undefined && toJson(prevented.value) === true, ignoreChanges },
    diagnostics: items.flatMap(({ word, item }) => (fields.has(word) ? [] : [unknownField(item, word, kind, fields)])),
  };
}

function ignoredItems(node: WrittenMap): { word: string; item: WrittenNode }[] {
  const list = node.entries.get("ignore_changes")?.value;
  return list?.type === "list" ? list.items.map((item) => ({ word: jsonText(toJson(item)), item })) : [];
}

/** By its word in the manifest each field that is compared with what is live: neither those of the key, nor those that are only sent. */
function comparedFields(kind: Kind, key: Key): Map<string, string> {
  const inKey = new Set(Object.keys(kind.naming.toFields(key)));
  return new Map(
    Object.entries(kind.fields)
      .filter(([name, { access }]) => (access === "mutable" || access === "immutable") && !inKey.has(name))
      .map(([name, { from = name }]) => [from, name]),
  );
}

function unknownField(item: WrittenNode, word: string, kind: Kind, fields: ReadonlyMap<string, string>): Diagnostic {
  const known = [...fields.keys()].sort();
  // A field that the API calls so, or one in a map of that name, is nearer than any misspelling.
  const meant = known.find((from) => fields.get(from) === word || from.startsWith(`${word}.`)) ?? nearest(word, known);
  return diagnosticAt(item.span, {
    code: "unknown_field",
    summary: `ignore_changes: a ${kind.name} has no field "${word}" that is compared`,
    detail: `one of ${known.join(", ")}`,
    ...(meant !== undefined && { hint: `did you mean "${meant}"?` }),
  });
}
