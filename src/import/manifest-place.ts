import type { Kind } from "../kinds/kind.ts";
import type { Key } from "../model/resource.ts";
import type { Block } from "./block.ts";

/** Returns the place of a resource in a manifest. Its domain is the name that the path begins with: of a service, a domain, a zone or a mail domain. */
export function manifestPlaceOf({ manifest, naming }: Kind, key: Key): Pick<Block, "path" | "isItem" | "domain"> {
  const segments = manifest.split(".");
  const isItem = segments.at(-1) === "[]";
  const last = segments.findLastIndex((segment) => segment.startsWith("{"));
  const path = segments
    .filter((segment) => segment !== "[]")
    .map((segment, index) => {
      if (!segment.startsWith("{")) return segment;
      return index === last && naming.written ? naming.written(key) : (key[segment.slice(1, -1)] ?? "");
    });
  return { path, isItem, domain: path[1] ?? "" };
}

/** Returns the keys that lead to the map whose items a list of the API holds: where `ignore` stands. */
export function placeOfScope(kind: Kind, key: Key): readonly string[] {
  const last = kind.manifest.split(".").findLastIndex((segment) => kind.scope.includes(segment.slice(1, -1)));
  return manifestPlaceOf(kind, key).path.slice(0, Math.max(last, 0) + 1);
}
