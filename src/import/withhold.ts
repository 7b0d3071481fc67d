import { kindNamed } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import { getOrMake } from "../lib/collect.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { JsonObject } from "../model/json.ts";
import { getPointer, isObject, omitPointer } from "../model/json-pointer.ts";
import type { Block, Declared, Omission } from "./block.ts";

/** A part of a manifest that must not stay: its place, or the address and field of a resource, and why. */
export interface BlockFault {
  readonly reason: string;
  /** The keys and indexes that lead to the place, and to others that take part. The first that is in a block counts. */
  readonly paths?: readonly (readonly (string | number)[])[];
  readonly address?: Address;
  /** Dotted names of fields, as the kind has them; without any, the resource as a whole. */
  readonly fields?: readonly string[];
}

/**
 * Takes the faulty parts out of a manifest: fields first, then all that a block says of its resource, then the block; a set as a whole.
 * What is taken out becomes an omission. Never returns the same blocks for a fault that is in one of them.
 */
export function withhold(
  declared: Declared,
  faults: readonly BlockFault[],
  valuesOf: (address: Address) => readonly string[],
): Declared {
  const index = indexBlocks(declared.blocks);
  const changed = new Map<Block, Block | undefined>();
  const omissions: Omission[] = [];
  for (const fault of faults) {
    for (const { block, rest } of blocksOf(index, fault)) {
      const now = changed.has(block) ? changed.get(block) : block;
      if (!now) continue;
      const { block: remaining, field } = withoutFault(now, rest, fault);
      changed.set(block, remaining);
      const values = remaining ? [] : valuesOf(block.address);
      const { address: of, domain, path } = block;
      omissions.push({ of, field: remaining && field, reason: fault.reason, values, domain, path });
    }
  }
  const blocks = declared.blocks.flatMap((block) => (changed.has(block) ? (changed.get(block) ?? []) : [block]));
  return { ...declared, blocks, omissions: joinOmissions([...declared.omissions, ...omissions], changed) };
}

/** Joins what is said of a block that is taken out as a whole after some of its fields were: the first reason is the cause of the others. */
function joinOmissions(omissions: readonly Omission[], changed: ReadonlyMap<Block, Block | undefined>): Omission[] {
  const gone = new Map(
    [...changed].flatMap(([{ address }, remaining]) => (remaining ? [] : [[address as string, [] as Omission[]]])),
  );
  for (const omission of omissions) gone.get(omission.of)?.push(omission);
  return omissions.flatMap((omission) => {
    const [first, ...others] = gone.get(omission.of) ?? [];
    if (!first || others.length === 0) return [omission];
    return omission === others.at(-1) ? { ...omission, field: undefined, reason: first.reason } : [];
  });
}

interface IndexNode {
  readonly below: Map<string, IndexNode>;
  readonly items: Block[];
  block: Block | undefined;
}

interface BlockIndex {
  readonly root: IndexNode;
  readonly byAddress: ReadonlyMap<Address, Block>;
}

const makeNode = (): IndexNode => ({ below: new Map(), items: [], block: undefined });

function indexBlocks(blocks: readonly Block[]): BlockIndex {
  const root = makeNode();
  for (const block of blocks) {
    const node = block.path.reduce((here, key) => getOrMake(here.below, key, makeNode), root);
    if (block.isItem) node.items.push(block);
    else node.block = block;
  }
  return { root, byAddress: new Map(blocks.map((block) => [block.address, block])) };
}

interface LocatedFault {
  readonly block: Block;
  /** The keys from the body of the block to the fault. */
  readonly rest: readonly (string | number)[];
}

/** Returns the block that holds the place of a fault, or all blocks below it. */
function blocksOf({ root, byAddress }: BlockIndex, { paths = [], address }: BlockFault): LocatedFault[] {
  const named = address === undefined ? undefined : byAddress.get(address);
  if (named) return [{ block: named, rest: [] }];
  return paths.map((path) => blocksAt(root, path)).find(({ length }) => length > 0) ?? [];
}

function blocksAt(root: IndexNode, path: readonly (string | number)[]): LocatedFault[] {
  let node = root;
  for (const [depth, key] of path.entries()) {
    const item = typeof key === "number" ? node.items[key] : undefined;
    if (item) return [{ block: item, rest: path.slice(depth + 1) }];
    const next = node.below.get(String(key));
    if (!next) return node.block ? [{ block: node.block, rest: path.slice(depth) }] : [];
    node = next;
  }
  return path.length > 0 ? allBelow(node) : [];
}

const allBelow = ({ block, items, below }: IndexNode): LocatedFault[] => [
  ...(block ? [block, ...items] : items).map((each) => ({ block: each, rest: [] })),
  ...[...below.values()].flatMap(allBelow),
];

/** Takes the faulty fields out of a block, all that it says if they are not known, or the block as a whole. Each leaves less than was there. */
function withoutFault(
  block: Block,
  rest: LocatedFault["rest"],
  { fields = [] }: BlockFault,
): { readonly block: Block | undefined; readonly field?: string } {
  const kind = kindNamed(kindOf(block.address));
  const { body } = block;
  // A set without its TTL would get another.
  if (kind.members) return { block: undefined };
  const named = [...fields.map((field) => kind.fields[field]?.from ?? field), ...fieldAt(kind, rest)];
  const pointers = named.map((field) => `/${field.replaceAll(".", "/")}`);
  const areParts = isObject(body) && pointers.every((pointer) => getPointer(body, pointer) !== undefined);
  if (areParts && named.length > 0)
    return { block: { ...block, body: pointers.reduce<JsonObject>(omitPointer, body) }, field: named.join(", ") };
  const saysNothing = isObject(body) && Object.keys(body).length === 0;
  if (kind.naming.toBody || saysNothing || rest.length + fields.length === 0) return { block: undefined };
  return { block: { ...block, body: {} }, field: "every field" };
}

/** Returns the field that a path in a body leads to or into, as the manifest names it. */
function fieldAt({ fields }: Kind, path: LocatedFault["rest"]): string[] {
  const names = Object.entries(fields).map(([name, { from = name }]) => from);
  return names.filter((name) => name.split(".").every((key, index) => path[index] === key)).slice(0, 1);
}
