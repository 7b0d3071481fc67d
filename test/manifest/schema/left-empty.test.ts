import { describe, expect, test } from "vitest";
import { parseManifest } from "../../../src/manifest/load.ts";
import { readDesired } from "../../../src/manifest/read/desired.ts";
import { kinds } from "../../../src/kinds/index.ts";

/** Every map and list that holds resources, from the places of the kinds, and the sections that are about none. */
const places = [
  ...new Set(
    kinds.flatMap(({ manifest }) => {
      const keys = manifest.split(".").filter((key) => key !== "[]");
      const named = keys.map((key, depth) => (key.startsWith("{") ? (depth === 1 ? "a.example" : "one") : key));
      return named.map((_, index) => named.slice(0, index + 1).join(" "));
    }),
  ),
  "removed",
  "variables",
  "templates",
  "defaults",
  "lint",
  "policy",
  "provider",
].filter((place) => !place.startsWith("dns a.example records one"));

/** Returns a manifest with a key at the end of a path, and what stands behind its colon. */
const at = (path: string, value: string) => {
  const keys = path.split(" ");
  return keys.map((key, depth) => `${"  ".repeat(depth)}${key}:${depth < keys.length - 1 ? "" : value}\n`).join("");
};

function read(...texts: string[]) {
  const head = {
    file: "head.yaml",
    text: "version: 1\nname: x\nservices: { a.example: {} }\ndomains: { a.example: {} }\n",
  };
  const { tree, diagnostics } = parseManifest(
    [head, ...texts.map((text, index) => ({ file: `${index}.yaml`, text }))],
    [],
  );
  const desired = tree && readDesired(tree, () => ({ missing: "none" }));
  const found = [...diagnostics, ...(desired?.diagnostics ?? [])].filter(({ severity }) => severity === "error");
  const resources = [...(desired?.desired.resources.values() ?? [])].map(({ at: _at, ...each }) => each);
  return { resources, errors: found.map(({ code, summary }) => `${code}: ${summary}`) };
}

describe.each(places)("%s", (place) => {
  test.each(["", " ~", " # nothing yet"])("left empty as '%s' means the same as empty braces or brackets", (value) => {
    const [braces, brackets] = [" {}", " []"].map((empty) => read(at(place, empty)));
    const empty = braces?.errors.length === 0 ? braces : brackets;
    expect(empty?.errors, "write a key of the kind that is valid into `places` of this test").toEqual([]);
    expect(read(at(place, value))).toEqual(empty);
  });
});

test("a section that one file leaves empty is what the other files say of it", () => {
  const full = "mail:\n  a.example:\n    mailboxes:\n      jo: {}\n";
  for (const empty of ["mail:\n", "mail:\n  a.example:\n", "mail:\n  a.example:\n    mailboxes:\n"])
    for (const texts of [
      [empty, full],
      [full, empty],
    ])
      expect(read(...texts)).toEqual(read(full));
});
