import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { kindNamed, kinds } from "../../src/kinds/index.ts";
import { missingPlaces, placesOf } from "./places.ts";

const root = new URL("../../", import.meta.url);
const texts = new Map<string, string | undefined>();
/** The text of a file of the repository, read once. */
function read(file: string): string | undefined {
  if (!texts.has(file)) {
    const url = new URL(file, root);
    texts.set(file, existsSync(url) ? readFileSync(url, "utf8") : undefined);
  }
  return texts.get(file);
}

test("every place of kinds/README.md knows every kind", () => {
  expect(missingPlaces(read)).toEqual([]);
});

describe.each(kinds.map((kind) => [kind.name, kind] as const))("a %s that was forgotten", (name, kind) => {
  test.each(placesOf(kind).map((place) => [place.file, place.add, place] as const))(
    "in %s (%s) is named",
    (file, add, { known }) => {
      const all = new RegExp(known.source, `${known.flags}g`);
      const without = (other: string) => (other === file ? read(other)?.replaceAll(all, "") : read(other));
      expect(missingPlaces(without, [kind])).toContain(`kind ${name} is missing in ${file} (add ${add})`);
    },
  );
});

test("kinds/README.md names every place", () => {
  const readme = read("src/kinds/README.md") ?? "";
  const named = placesOf(kindNamed("ftp_account")).map(({ file }) => file.replace("src/kinds/", ""));
  expect(named.filter((file) => !readme.includes(`\`${file}\``))).toEqual([]);
});
