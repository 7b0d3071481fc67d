import { LineCounter } from "yaml";
import { parseJson } from "../../lib/parse-json.ts";
import { parseYaml } from "../../lib/parse-yaml.ts";
import { readText } from "../../lib/read-file.ts";
import { wordsFor } from "../../lib/yaml-words.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { jsonText, type Json, type JsonObject } from "../../model/json.ts";
import { isObject } from "../../model/json-pointer.ts";
import { own } from "./shape.ts";

export interface ReadDescription {
  readonly document?: JsonObject;
  readonly diagnostics: readonly Diagnostic[];
}

const maxBytes = 32 * 1024 * 1024;
const deepest = 200;
/** Copies that aliases of YAML may make. */
const mostAliases = 10_000;

interface TextPlace {
  readonly line: number;
  readonly col: number;
}

type ParsedText = { readonly value: unknown } | { readonly problem: string; readonly place: TextPlace };

/** Reads an OpenAPI description: JSON, or else YAML. All that is wrong with it is a diagnostic. */
export function readDescription(file: string): ReadDescription {
  const fail = (
    code: string,
    summary: string,
    hint: string,
    place: TextPlace = { line: 1, col: 1 },
  ): ReadDescription => ({
    diagnostics: [{ severity: "error", code, summary, hint, at: { file, ...place } }],
  });
  let text: string;
  try {
    text = readText(file, maxBytes);
  } catch (error) {
    const summary = `The description ${file} cannot be read: ${(error as Error).message}`;
    return fail("description_unreadable", summary, "check the path given with --openapi");
  }
  const parsed = /^\s*\{/u.test(text) ? parseAsJson(text) : parseAsYaml(text);
  if ("problem" in parsed) return fail("description_syntax", parsed.problem, "fix the JSON or YAML", parsed.place);
  const document = parsed.value as Json;
  if (!isObject(document)) return fail("description_shape", `The description ${file} is not an object`, openapiOnly);
  const version = own(document, "openapi");
  if (own(document, "swagger") !== undefined)
    return fail("description_version", "The description is Swagger 2.0", "convert it to OpenAPI 3 first");
  if (!/^3\.[01]/u.test(jsonText(version)))
    return fail(
      "description_version",
      `The description has no version of OpenAPI that is known: ${shown(version)}`,
      openapiOnly,
    );
  if (!isObject(own(document, "paths")))
    return fail("description_shape", "The description has no paths", "give a description that names requests");
  return { document, diagnostics: [] };
}

const openapiOnly = "give an OpenAPI description of version 3.0 or 3.1, which begins with openapi: 3.…";
const shown = (value: Json | undefined) =>
  value === undefined ? "openapi: is missing" : JSON.stringify(value).slice(0, 60);

function parseAsJson(text: string): ParsedText {
  try {
    return { value: parseJson(text, deepest) };
  } catch (error) {
    const { message } = error as Error;
    const [, position] = /position (\d+)/u.exec(message) ?? [];
    const before = text
      .slice(0, position === undefined ? (/end of JSON/u.test(message) ? text.length : 0) : Number(position))
      .split("\n");
    const [problem = ""] = message.split(/ in JSON at| at position|, ".*" is not valid JSON/su);
    return {
      problem: `This is not JSON: ${problem}`,
      place: { line: before.length, col: (before.at(-1)?.length ?? 0) + 1 },
    };
  }
}

function parseAsYaml(text: string): ParsedText {
  const lines = new LineCounter();
  const start = { line: 1, col: 1 };
  try {
    const document = parseYaml(text, { lineCounter: lines, merge: true });
    const [problem] = document.errors;
    if (!problem) return { value: document.toJS({ maxAliasCount: mostAliases }) };
    return { problem: wordsFor(problem)?.summary ?? problem.message, place: lines.linePos(problem.pos[0]) };
  } catch (error) {
    return { problem: (error as Error).message, place: start };
  }
}
