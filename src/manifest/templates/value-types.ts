import type { WrittenNode } from "../yaml/written.ts";
import type { ValueType } from "./definitions.ts";

const words: Readonly<Record<ValueType, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  list: "a list",
};

/** Describes a type, or that of a value, in words. The value itself is not shown. */
export function describeType(value: ValueType | WrittenNode): string {
  if (typeof value === "string") return words[value];
  const type = typeOf(value);
  return type === undefined ? (value.type === "map" ? "a map" : "null") : words[type];
}

/** Returns the type of a value; undefined for a map and for null. */
export function typeOf(node: WrittenNode): ValueType | undefined {
  if (node.type === "list") return "list";
  if (node.type === "map" || node.value === null) return undefined;
  const type = typeof node.value;
  return type === "number" || type === "boolean" ? type : "string";
}

/** Returns a value as one of a type, or undefined where it is none. An unquoted number or `true` is a text too, as it is written. */
export function convertTo(node: WrittenNode, type: ValueType | undefined): WrittenNode | undefined {
  if (type === undefined) return node.type === "map" ? undefined : node;
  if (typeOf(node) === type) return node;
  const isText = type === "string" && node.type === "scalar" && node.value !== null;
  return isText ? { ...node, value: node.source } : undefined;
}
