import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { unknownStatus } from "../../../src/kinds/derived/unknown-status.ts";
import { kinds } from "../../../src/kinds/index.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import { builtIn } from "../../support/built-in-contract.ts";

/** A part of the manifest's schema, or of the OpenAPI document. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly "x-read-only"?: readonly string[];
}

const read = (file: string) =>
  parse(readFileSync(new URL(`../../../schemas/${file}`, import.meta.url), "utf8")) as Schema;
const manifest = read("manifest.schema.json");
const api = read("hosting-api.openapi.yaml");

function resolve(document: Schema, part: Schema | undefined): Schema {
  if (part?.$ref === undefined) return part ?? {};
  const names = part.$ref.slice(2).split("/");
  const target = names.reduce<unknown>((here, name) => (here as Record<string, unknown>)[name], document);
  return resolve(document, target as Schema);
}

const at = (document: Schema, from: Schema, path: readonly string[]): Schema =>
  path.reduce<Schema>((part, name) => resolve(document, part.properties?.[name]), from);

/** The schema of the body of a kind. */
const bodyOf = (kind: Kind) =>
  kind.manifest.split(".").reduce<Schema>((part, segment) => {
    const child = segment === "[]" ? part.items : part.additionalProperties;
    return resolve(manifest, segment === "[]" || segment.startsWith("{") ? child : part.properties?.[segment]);
  }, manifest);

function readOnlyPaths(part: Schema, before = ""): string[] {
  const nested = Object.entries(part.properties ?? {}).flatMap(([name, child]) =>
    readOnlyPaths(resolve(manifest, child), `${before}${name}.`),
  );
  return [...(part["x-read-only"] ?? []).map((name) => before + name), ...nested];
}

const schemaName = (kind: Kind) => `_${kind.name}`.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase());
const values = (part: Schema) => part.enum ?? part.items?.enum;

/** The values that a schema shows to an editor, each once. */
const shown = ({ examples = [] }: Schema) => [...new Set(examples.flat().map(String))].sort();
const waiting = kinds.filter(({ readiness }) => readiness !== undefined).map((kind) => [kind.name, kind] as const);
const single = kinds.filter(({ members }) => members === undefined).map((kind) => [kind.name, kind] as const);

describe.each(single)("the fields of a %s in the schema", (_, kind) => {
  test("are read-only where the kind says so, and no others are", () => {
    const listed = readOnlyPaths(bodyOf(kind)).filter((path) => path !== "id");
    const fields = Object.entries(kind.fields).flatMap(([name, { access }]) => (access === "read_only" ? [name] : []));
    const covers = (path: string, field: string) => field === path || field.startsWith(`${path}.`);
    expect(
      fields.filter((field) => !listed.some((path) => covers(path, field))),
      "not listed",
    ).toEqual([]);
    const others = kinds.flatMap((other) => other.manifest.split("."));
    const unknown = listed.filter((path) => !fields.some((field) => covers(path, field)));
    expect(
      unknown.filter((path) => !others.includes(path.split(".", 1)[0] ?? "")),
      "no such field",
    ).toEqual([]);
  });

  test("have the values and truth values that the API has, in the contract, and as examples for editors", () => {
    const record = resolve(api, { $ref: `#/components/schemas/${schemaName(kind)}` });
    const differing = Object.entries(kind.fields).flatMap(([name, { access, from = name }]) => {
      const pointer = builtIn.kinds[kind.name]?.fields[name]?.at;
      if (access === "read_only" || pointer === undefined) return [];
      const written = at(manifest, bodyOf(kind), from.split("."));
      const sent = at(api, record, pointer.split("/").slice(1));
      if (Object.keys(sent).length === 0 || Object.keys(written).length === 0) return [];
      const isTruth = (part: Schema) => [part.type ?? []].flat().includes("boolean");
      const listed = builtIn.kinds[kind.name]?.fields[name]?.values;
      const sameValues = JSON.stringify(listed) === JSON.stringify(values(sent)?.map(String));
      const sameExamples = !listed || JSON.stringify(shown(written)) === JSON.stringify([...listed].sort());
      return sameValues && sameExamples && isTruth(written) === isTruth(sent) ? [] : [name];
    });
    expect(differing, "list the same values in the contract, in the OpenAPI document, and as examples here").toEqual(
      [],
    );
  });
});

test.each(waiting)("the statuses of a %s are those that the API has", (_, kind) => {
  const { properties = {} } = resolve(api, { $ref: `#/components/schemas/${schemaName(kind)}` });
  const statuses = properties["status"]?.enum ?? [];
  expect(statuses).not.toEqual([]);
  expect(statuses.filter((status) => unknownStatus(kind, { status: status as string }) !== undefined)).toEqual([]);
  expect(unknownStatus(kind, { status: "other" })).toBe("other");
});
