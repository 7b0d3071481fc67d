import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly [keyword: string]: unknown;
}

const schema = JSON.parse(
  readFileSync(new URL("../../../schemas/manifest.schema.json", import.meta.url), "utf8"),
) as Schema;

const resolve = (part: Schema): Schema => ({
  ...(part.$ref ? schema.$defs?.[part.$ref.replace("#/$defs/", "")] : {}),
  ...part,
});

/** Every subschema with its JSON pointer. What maps keys to something is no schema itself: one of its keys may be `type`. */
function* parts(part: unknown, pointer: string): Generator<[pointer: string, part: Schema]> {
  if (typeof part !== "object" || part === null) return;
  const isMap = /\/(properties|\$defs|x-hints)$/u.test(pointer);
  if (!Array.isArray(part) && !isMap) yield [pointer, part as Schema];
  for (const [key, child] of Object.entries(part)) {
    if (key !== "examples") yield* parts(child, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  }
}

const all = [...parts(schema, "#")];
const properties = all.flatMap(([pointer, { properties = {} }]) =>
  Object.entries(properties).map(([key, part]) => [`${pointer}/properties/${key}`, part] as const),
);

describe("the manifest schema", () => {
  test("describes every property and gives an example of it", () => {
    expect(properties.length).toBeGreaterThan(100);
    const bare = properties.filter(([, part]) => !resolve(part).description || !resolve(part).examples?.length);
    expect(bare.map(([pointer]) => pointer)).toEqual([]);
  });

  test("has no example that it would refuse itself", () => {
    const ajv = new Ajv2020({ allErrors: true, strict: false });
    ajv.addSchema(schema, "manifest");
    const refused = all.flatMap(([pointer, { examples = [] }]) => {
      const validate = ajv.getSchema(
        `manifest${pointer.split("/").map(encodeURIComponent).join("/").replace("%23", "#")}`,
      );
      return examples
        .filter((example) => !validate?.(example))
        .map((example) => `${pointer}: ${JSON.stringify(example)}`);
    });
    expect(refused).toEqual([]);
  });

  test("allows no key that it does not name, wherever it names keys", () => {
    const open = all.filter(([, part]) => part.properties && part["additionalProperties"] === undefined && !part["if"]);
    expect(open.map(([pointer]) => pointer)).toEqual([]);
  });

  test("says in words what every pattern and range means", () => {
    const silent = all.filter(
      ([, part]) => ["pattern", "minimum", "minLength"].some((keyword) => keyword in part) && !part["x-expected"],
    );
    const namesOnly = silent.filter(
      ([pointer]) => !pointer.endsWith("/propertyNames") && !/domain_name$|collection_of_domains$/u.test(pointer),
    );
    expect(namesOnly.map(([pointer]) => pointer)).toEqual([]);
    expect(all.filter(([, part]) => part["propertyNames"] && !part["x-names"]).map(([pointer]) => pointer)).toEqual([]);
  });
});
