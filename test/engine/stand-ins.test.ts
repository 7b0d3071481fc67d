import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { loadContract } from "../../src/contract/load-contract.ts";
import { standIns } from "../../src/engine/rehearsal/seed-from-live.ts";
import { kinds } from "../../src/kinds/index.ts";

interface Schema {
  readonly $ref?: string;
  readonly required?: readonly string[];
}
interface ApiDocument {
  readonly paths: Readonly<
    Record<
      string,
      { readonly post?: { readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> } } }
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const document = parse(readFileSync("schemas/hosting-api.openapi.yaml", "utf8")) as ApiDocument;

/** Returns the members of the body that the embedded service creates no object of a path without. */
function required(path: string): readonly string[] {
  const { $ref } = document.paths[path]?.post?.requestBody?.content["application/json"]?.schema ?? {};
  return document.components.schemas[$ref?.split("/").at(-1) ?? ""]?.required ?? [];
}

test("a rehearsal can stand in for an object of every kind: each value that the embedded service demands is there", async () => {
  const { contract } = await loadContract("v2026");
  const missing = kinds.flatMap((kind) => {
    const { fields = {}, operations } = contract?.kinds[kind.name] ?? {};
    const create = operations?.create;
    // A set or a zone stands in for its members, and nothing for a certificate: no kind belongs to one.
    if (create === undefined || create === "implicit" || kind.members || kind.naming.fromBody) return [];
    const own = new Set(Object.keys(kind.naming.toFields({})));
    return required(`${contract?.base_path}${create.path}`).flatMap((member) => {
      const names = Object.keys(fields).filter((name) => {
        const at = fields[name]?.at ?? "";
        return at === `/${member}` || (at.startsWith(`/${member}/`) && kind.fields[name]?.required === true);
      });
      const lacking = names.filter((name) => !own.has(name) && !Object.hasOwn(standIns[kind.name] ?? {}, name));
      return lacking.map(
        (name) => `write a value for ${name} of ${kind.name} into src/engine/rehearsal/seed-from-live.ts`,
      );
    });
  });
  expect(missing).toEqual([]);
});
