import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { kinds } from "../../../src/kinds/index.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import { loadText, places } from "../load-text.ts";

interface Schema {
  readonly $ref?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const schema = JSON.parse(
  readFileSync(new URL("../../../schemas/manifest.schema.json", import.meta.url), "utf8"),
) as Schema;

const resolve = (part: Schema = {}): Schema => schema.$defs?.[part.$ref?.replace("#/$defs/", "") ?? ""] ?? part;

/** The schema of what a kind's manifest path leads to. */
const schemaOf = ({ manifest }: Kind): Schema =>
  manifest
    .split(".")
    .reduce<Schema>(
      (part, segment) =>
        resolve(
          segment === "[]"
            ? part.items
            : segment.startsWith("{")
              ? part.additionalProperties
              : part.properties?.[segment],
        ),
      schema,
    );

/** Dotted paths of all keys that may be written, of maps as well as of what stands in them. */
function keysOf(part: Schema, before = ""): string[] {
  return Object.entries(part.properties ?? {}).flatMap(([key, child]) => [
    `${before}${key}`,
    ...keysOf(resolve(child), `${before}${key}.`),
  ]);
}

/** Parts of a natural key that stand in front of the body. */
const keyFields = (kind: Kind) => {
  const inBody = Object.keys(kind.naming.fromBody?.({}) ?? {});
  const { toFields, beside = "" } = kind.naming;
  return [...Object.keys(toFields({})), beside].filter((name) => !inBody.includes(name));
};

const single = kinds.filter(({ members }) => members === undefined);

test("a policy can protect every kind", () => {
  expect(schema.$defs?.["policy"]?.properties?.["protect"]?.items?.enum).toEqual(kinds.map(({ name }) => name));
});

describe.each(single.map((kind) => [kind.name, kind] as const))("the place of a %s in the schema", (_, kind) => {
  const written = Object.entries(kind.fields)
    .filter(([name, { access }]) => access !== "read_only" && !keyFields(kind).includes(name))
    .map(([name, { from = name }]) => from);

  test("has a key for each of its fields that can be written", () => {
    expect(written.length).toBeGreaterThan(0);
    expect(keysOf(schemaOf(kind))).toEqual(expect.arrayContaining(written));
  });

  test("has no key that is neither a field, nor a place of other kinds, nor an option of a collection", () => {
    const places = kinds.filter((other) => other !== kind).flatMap(({ manifest }) => manifest.split("."));
    const known = new Set([...written, ...places, "exclusive", "ignore", "lifecycle"]);
    const keys = keysOf(schemaOf(kind));
    const isMapOf = (key: string) => written.some((field) => field.startsWith(`${key}.`));
    expect(keys.filter((key) => !known.has(key) && !known.has(key.split(".", 1)[0] ?? "") && !isMapOf(key))).toEqual(
      [],
    );
  });
});

/** What must stand beside any other key. */
const needed: Readonly<Record<string, object>> = {
  certificate: { domains: ["example.com"] },
  dns_record: { value: "192.0.2.1" },
};

/** A manifest, as JSON, in which one field of one kind is written. */
function manifestWith(kind: Kind, field: string): string {
  const nest = (path: readonly string[], value: unknown): unknown => {
    const [key, ...rest] = path;
    if (key === undefined) return value;
    if (key === "[]") return [nest(rest, value)];
    return { [key.startsWith("{") ? (keys[key] ?? "example.com") : key]: nest(rest, value) };
  };
  const keys: Readonly<Record<string, string>> = { "{type}": "A", "{local}": "info", "{username}": "shop" };
  const body = { ...needed[kind.name], ...(nest(field.split("."), "x") as object) };
  const sections = nest(kind.manifest.split("."), body) as object;
  return JSON.stringify({ version: 1, name: "a", ...sections });
}

describe("a read-only field in a manifest", () => {
  const readOnly = kinds.flatMap((kind) =>
    Object.entries(kind.fields)
      .filter(([, { access }]) => access === "read_only")
      .map(([field]) => [kind.name, field, kind] as const),
  );

  test.each(readOnly)("is reported: %s %s", async (_, field, kind) => {
    const { diagnostics } = await loadText(manifestWith(kind, field));
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({
      code: "read_only_key",
      summary: expect.stringMatching(/^"\w+" in .* is read-only: the platform sets it$/u),
      hint: "remove it; another resource can use its value as ${ref:ADDRESS.field}",
    });
  });

  test("is reported at its key, with the keys that can be written there", async () => {
    const { diagnostics } = await loadText(
      "version: 1\nname: a\nmail:\n  example.com:\n    mailboxes:\n      info: { quota: 2 GiB, usage_mb: 12 }\n",
    );
    expect(places(diagnostics)).toEqual(["read_only_key 6:29"]);
    expect(diagnostics[0]).toMatchObject({
      summary: '"usage_mb" in mail > example.com > mailboxes > info is read-only: the platform sets it',
      detail: "one of lifecycle, password, quota, rotate_after, sending_enabled",
    });
  });
});
