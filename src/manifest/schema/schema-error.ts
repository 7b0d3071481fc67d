import type { WrittenEntry, WrittenMap, WrittenNode } from "../yaml/written.ts";

/** The sort of document that is read, which is also its name in a sentence. */
export type Form = "manifest" | "fleet";

/** The parts of the schema that a diagnostic is made of. */
export interface Schema {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly "x-expected"?: string;
  readonly "x-names"?: string;
  readonly "x-hints"?: Readonly<Record<string, string>>;
  readonly "x-read-only"?: readonly string[];
}

/** An error as the compiled validator gives it (ajv, with `verbose`). */
export interface ManifestSchemaError {
  readonly keyword: string;
  /** A JSON pointer. */
  readonly instancePath: string;
  readonly parentSchema: Schema;
  readonly params: {
    readonly type?: string | readonly string[];
    readonly allowedValues?: readonly unknown[];
    readonly additionalProperty?: string;
    readonly missingProperty?: string;
    readonly propertyName?: string;
    /** Of two equal items the first, and the second. */
    readonly i?: number;
    readonly j?: number;
  };
  /** There only on errors about a key, which are summed up by one of the keyword `propertyNames`. */
  readonly propertyName?: string;
}

/** The node that an error is about, and the way to it. */
export interface NodeLocation {
  readonly node: WrittenNode;
  /** The entry of the nearest map on the way, where there is one. */
  readonly entry: WrittenEntry | undefined;
  /** Keys, and numbers of list items from 1. */
  readonly path: readonly (string | number)[];
  readonly form?: Form;
}

/** The place that a JSON pointer names in the tree, or as far as the tree goes. */
export function locateNode(root: WrittenMap, pointer: string): NodeLocation {
  let node: WrittenNode = root;
  let entry: WrittenEntry | undefined;
  const path: (string | number)[] = [];
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (node.type === "map") entry = node.entries.get(key);
    const child: WrittenNode | undefined = node.type === "list" ? node.items[Number(key)] : entry?.value;
    if (!child) break;
    path.push(node.type === "list" ? Number(key) + 1 : key);
    node = child;
  }
  return { node, entry, path };
}
