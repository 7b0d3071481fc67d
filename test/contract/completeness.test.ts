import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { loadContract } from "../../src/contract/load-contract.ts";
import { kinds } from "../../src/kinds/index.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A kind is complete when its contract entry and its place in the manifest's schema name the same fields as the kind does. */
describe.each(kinds.map((kind) => [kind.name, kind] as const))("the kind %s", (name, kind) => {
  test("has a contract entry for every field, and none beyond", async () => {
    const { contract } = await loadContract(undefined);
    expect(Object.keys(contract?.kinds[name]?.fields ?? {}).sort()).toEqual(
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
  const { contract } = await loadContract(undefined);
  const words = apiWords(contract as unknown as JsonObject);
  expect(words).toContain("X-Request-Id");
  expect(words).toContain("/meta/total");
  expect(words).toContain("/dns/zones");
  const found = clientSources().flatMap(({ file, text }) =>
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

function clientSources(): { file: string; text: string }[] {
  return readdirSync(`${root}src`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.startsWith("emulator"))
    .map((file) => ({ file, text: readFileSync(`${root}src/${file}`, "utf8") }));
}
