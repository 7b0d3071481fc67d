import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { checkContract } from "../../src/contract/check/check-contract.ts";
import { unlistedValue } from "../../src/contract/taken-values.ts";
import { kinds } from "../../src/kinds/index.ts";
import type { Contract } from "../../src/model/contract.ts";
import { size } from "../proofs/size.ts";
import { getPointer } from "../../src/model/json-pointer.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { builtIn } from "../support/built-in-contract.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A kind is complete when its contract entry and its place in the manifest's schema name the same fields as the kind does. */
describe.each(kinds.map((kind) => [kind.name, kind] as const))("the kind %s", (name, kind) => {
  test("has a contract entry for every field, and none beyond", async () => {
    expect(Object.keys(builtIn.kinds[name]?.fields ?? {}).sort()).toEqual(
      Object.entries(kind.fields)
        .flatMap(([field, { access }]) => (access === "manifest_only" ? [] : [field]))
        .sort(),
    );
  });

  test("takes part in the list of its file", () => {
    expect(readdirSync(`${root}src/kinds`)).toContain(`${name}.ts`);
  });
});

test("every file in kinds/ that holds a kind is in the list", () => {
  const files = readdirSync(`${root}src/kinds`).filter((file) =>
    readFileSyncIfFile(`${root}src/kinds/${file}`).includes(": Kind = {"),
  );
  expect(files.map((file) => file.replace(".ts", "")).sort()).toEqual(kinds.map(({ name }) => name).sort());
});

function readFileSyncIfFile(path: string): string {
  return path.endsWith(".ts") ? readFileSync(path, "utf8") : "";
}

/** Words of the API that may stand only in the contract: header names, and pointers of envelopes and paging. */
test("the client has no path, header or envelope key outside the contract", async () => {
  const words = apiWords(builtIn as unknown as JsonObject);
  expect(words).toContain("X-Request-Id");
  expect(words).toContain("/meta/total");
  expect(words).toContain("/dns/zones");
  // One file posts to a URL of the runner, which no contract describes.
  const ofApi = clientSources().filter(({ file }) => file !== "api/post-json.ts");
  const found = ofApi.flatMap(({ file, text }) =>
    words.filter((word) => text.toLowerCase().includes(`"${word.toLowerCase()}`)).map((word) => `${file}: ${word}`),
  );
  expect(found).toEqual([]);
});

function apiWords(contract: JsonObject): string[] {
  const strings = (value: Json | undefined, key = ""): string[] => {
    if (typeof value === "string") return [value];
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([name, child]) => [
      ...(key === "headers" ? [name] : []),
      ...strings(child, name),
    ]);
  };
  const kinds = Object.values(contract["kinds"] as JsonObject) as JsonObject[];
  const paths = kinds.flatMap((kind) => strings(kind["operations"])).filter((text) => text.startsWith("/"));
  const transport = strings(contract["request"]).concat(strings(contract["answer"]), strings(contract["paging"]));
  return [...new Set([...paths, ...transport])].filter((word) =>
    /^[A-Z][\w-]+-|^\/|_page$|^Authorization|^Bearer/u.test(word),
  );
}

/** The embedded service is the other side. */
const apart = /^emulator\//u;

function clientSources(): { file: string; text: string }[] {
  return readdirSync(`${root}src`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !apart.test(file))
    .map((file) => ({ file, text: readFileSync(`${root}src/${file}`, "utf8") }));
}

/** The built-in contract without the value at a path. */
async function contractWithout(path: readonly string[]): Promise<Contract> {
  const copy = structuredClone(builtIn) as unknown as JsonObject;
  const parent = getPointer(
    copy,
    path
      .slice(0, -1)
      .map((token) => `/${token}`)
      .join(""),
  ) as Record<string, Json>;
  delete parent[path.at(-1) ?? ""];
  return copy as unknown as Contract;
}

describe.each(kinds.map((kind) => [kind.name, kind] as const))(
  "a contract that says too little of %s",
  (name, kind) => {
    const whole = ["kinds", name];
    const found = async (...path: string[]) => checkContract(await contractWithout(path));
    const fields = Object.entries(kind.fields).filter(([, { access }]) => access !== "manifest_only");

    test("lacks it, and is refused if other kinds are named by the ids of its objects", async () => {
      const parts = ["params", "fields"] as const;
      const named = Object.entries(builtIn.kinds).flatMap(([other, entry]) =>
        parts.flatMap((part) =>
          Object.entries(entry?.[part] ?? {}).flatMap(([key, source]) =>
            other !== name && (source as { id_of?: string }).id_of === name
              ? [`kinds.${other}.${part}.${key}.id_of names ${name}, which the contract has no kind of`]
              : [],
          ),
        ),
      );
      expect((await found(...whole)).map(({ summary }) => summary).toSorted()).toEqual(named.toSorted());
    });

    test("lacks a field, unless a resource is known by it; but where it extends another, it says so", async () => {
      for (const [field] of size.every(9, fields)) {
        const without = await contractWithout([...whole, "fields", field]);
        const isOfKey =
          field === kind.members?.identity ||
          (Object.hasOwn(kind.naming.toFields({}), field) &&
            !kind.scope.includes(field) &&
            kind.naming.optional?.includes(field) !== true);
        const summary = isOfKey
          ? `kinds.${name}.fields has no place for ${field}, by which a ${name} is known`
          : `kinds.${name}.fields has no entry for ${field}`;
        const mistake = { path: [...whole, "fields"], summary };
        const errors = checkContract(without).filter(({ isWarning }) => isWarning !== true);
        expect(errors).toMatchObject(isOfKey ? [mistake] : []);
        expect(checkContract({ ...without, extends: "v2026" })).toMatchObject([mistake]);
      }
    });

    test("is refused for a list of values that is missing, at its place", async () => {
      for (const [field, { listed }] of size.every(9, fields)) {
        expect(await found(...whole, "fields", field, "values")).toMatchObject(
          listed
            ? [
                {
                  path: [...whole, "fields", field],
                  summary: `kinds.${name}.fields.${field} lists no values that the API takes`,
                },
              ]
            : [],
        );
      }
    });

    test("is refused for a parameter that no part of it defines, at each operation that uses it", async () => {
      const { params = {}, operations } = builtIn.kinds[name] ?? { operations: {} };
      for (const param of Object.keys(params)) {
        const using = Object.entries(operations).filter(([, operation]) =>
          JSON.stringify(operation).includes(`{${param}}`),
        );
        expect(await found(...whole, "params", param)).toMatchObject(
          using.map(([operation]) => ({
            path: [...whole, "operations", operation],
            summary: `kinds.${name}.operations.${operation} uses {${param}}, which kinds.${name}.params does not define`,
          })),
        );
      }
    });

    test("takes the values that it lists, by name or by pattern, and no other", async () => {
      for (const [field] of fields.filter(([, { listed }]) => listed)) {
        const entry = builtIn.kinds[name];
        if (!entry) throw new Error(`no entry for ${name}`);
        const values = ["A", "A+B", "T*"];
        const given: Contract = {
          ...builtIn,
          kinds: { [name]: { ...entry, fields: { [field]: { at: "/x", values } } } },
        };
        const isTaken = (value: string) => unlistedValue(given, kind, { [field]: value }) === undefined;
        expect(["A", "A+B", "T", "T*", "TX", "TYPE1"].map(isTaken)).not.toContain(false);
        expect(["", "B", "AA", "a", "AT", "*", "A+", "A*"].map(isTaken)).not.toContain(true);
      }
    });
  },
);
