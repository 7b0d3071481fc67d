import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { findMistakes } from "../../src/contract/find-mistakes.ts";
import { loadValidator } from "../../src/lib/load-validator.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { forDraws } from "../support/for-draws.ts";

/** A whole contract with one mistake of content, in the kind cron. */
const planted = parse(readFileSync(new URL("../../schemas/contracts/v2026.yaml", import.meta.url), "utf8")) as {
  kinds: Record<string, { fields: JsonObject }>;
} & JsonObject;
planted.kinds["cron"] = {
  ...planted.kinds["cron"],
  fields: { ...planted.kinds["cron"]?.fields, commnd: { at: "/commnd" } },
};
const summary = "there is no kinds.cron.fields.commnd";

const pathsIn = (value: Json, path: readonly string[] = []): (readonly string[])[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, each]) => [[...path, key], ...pathsIn(each, [...path, key])])
    : [];

/** Returns a copy with another value at a path. */
function withJunk(value: Json, [key, ...rest]: readonly string[], junk: Json): Json {
  if (key === undefined) return junk;
  const copy = Array.isArray(value) ? [...value] : { ...(value as JsonObject) };
  const parts = copy as Record<string, Json>;
  parts[key] = withJunk(parts[key] ?? null, rest, junk);
  return copy as Json;
}

/** The part of a contract that is left out if something in it has the wrong form: a kind, or a rule for all. */
const partOf = (path: readonly string[]) => path.slice(0, path[0] === "kinds" ? 2 : 1).join(".");

test("a mistake of form hides none of content in another kind, and brings up none that is not there", async () => {
  const paths = pathsIn(planted);
  expect(paths.length).toBeGreaterThan(500);
  const junk = fc.constantFrom<Json>(null, 5, "x", true, [], ["x"], {}, { x: 1 });
  await forDraws(400, fc.constantFrom(...paths), junk, (path, value) => {
    const broken = withJunk(planted, path, value) as JsonObject;
    const found = findMistakes(broken);
    const part = partOf(path);
    if (!["kinds", "kinds.cron"].includes(part)) expect(found.map((each) => each.summary)).toContain(summary);
    const isHere = (other: readonly string[]) => partOf(other) === part || path.every((key, at) => key === other[at]);
    const elsewhere = found.filter((each) => !isHere(each.path) && each.summary !== summary);
    if (!loadValidator("contract")(broken)) expect(elsewhere).toEqual([]);
  });
});

test("a kind that has the wrong form is there for those that refer to it", () => {
  const found = findMistakes(withJunk(planted, ["kinds", "dns_zone", "id"], 5) as JsonObject);
  expect(found.map((each) => [each.path.join("."), each.summary === summary])).toEqual([
    ["kinds.dns_zone.id", false],
    ["kinds.cron.fields.commnd", true],
  ]);
});

test("rules for all that have the wrong form leave the kinds to be checked", () => {
  const found = findMistakes(withJunk(planted, ["request", "auth"], []) as JsonObject);
  expect(found.map(({ path }) => path.join("."))).toEqual(["request.auth", "kinds.cron.fields.commnd"]);
});
