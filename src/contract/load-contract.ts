import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { LineCounter, parseDocument, type Document } from "yaml";
import { checkCompleteness } from "./check-completeness.ts";
import type { Contract } from "../model/contract.ts";
import type { Diagnostic, Position } from "../model/diagnostic.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { isObject } from "../model/json-pointer.ts";

interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: { readonly additionalProperty?: string };
}
type Validator = ((value: unknown) => boolean) & { readonly errors?: readonly SchemaError[] | null };

const builtIn = (name: string) => new URL(`../../schemas/contracts/${name}.yaml`, import.meta.url);

export const defaultContract = "v2026";

/**
 * Reads a contract file: YAML, checked against schemas/contract.schema.json. A file that says `extends: NAME` is laid over the
 * built-in contract of that name, key by key; null takes an entry away.
 * @param path the file, or v2026 or undefined for the one that is built in.
 */
export async function loadContract(
  path: string | undefined,
): Promise<{ contract?: Contract; diagnostics: Diagnostic[] }> {
  const isBuiltIn = path === undefined || path === defaultContract;
  const own = await readContract(isBuiltIn ? builtIn(defaultContract) : path, path ?? defaultContract);
  if (!own.value) return { diagnostics: own.diagnostics };
  const base = own.value["extends"];
  const whole = base === undefined ? own.value : await extendContract(own.value, base);
  if (!whole) {
    const summary = `The contract extends ${JSON.stringify(base)}, which is not built in`;
    return {
      diagnostics: [
        {
          severity: "error",
          code: "unknown_contract",
          summary,
          hint: `write extends: ${defaultContract}`,
          at: own.at(["extends"]),
        },
      ],
    };
  }
  const diagnostics = check(whole, own.at);
  return diagnostics.length > 0 ? { diagnostics } : { contract: whole as unknown as Contract, diagnostics };
}

interface ReadContract {
  readonly value?: JsonObject;
  readonly at: (path: readonly string[]) => Position;
  readonly diagnostics: Diagnostic[];
}

async function readContract(location: string | URL, file: string): Promise<ReadContract> {
  const lines = new LineCounter();
  const start = { file, line: 1, col: 1 };
  const fail = (code: string, summary: string, hint: string, at: Position = start): ReadContract => ({
    at: () => at,
    diagnostics: [{ severity: "error", code, summary, hint, at }],
  });
  let text: string;
  try {
    text = await readFile(location, "utf8");
  } catch (error) {
    return fail(
      "contract_unreadable",
      `The contract ${file} cannot be read: ${(error as Error).message}`,
      "check the path given with --contract",
    );
  }
  const document = parseDocument(text, { lineCounter: lines, maxAliasCount: 0 } as object);
  const [problem] = document.errors;
  if (problem) {
    const place = problem.linePos?.[0];
    return fail("contract_syntax", problem.message.split("\n")[0] ?? "", "mend the YAML", {
      ...start,
      ...(place && { line: place.line, col: place.col }),
    });
  }
  const value = document.toJS({ maxAliasCount: 0 }) as Json;
  if (!isObject(value))
    return fail("contract_shape", `The contract ${file} is not a mapping`, "see schemas/contracts/v2026.yaml");
  return { value, at: (path) => positionIn(document, lines, path, start), diagnostics: [] };
}

function positionIn(document: Document, lines: LineCounter, path: readonly string[], start: Position): Position {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
    if (node?.range) {
      const { line, col } = lines.linePos(node.range[0]);
      return { file: start.file, line, col };
    }
  }
  return start;
}

async function extendContract(own: JsonObject, base: Json): Promise<JsonObject | undefined> {
  if (base !== defaultContract) return undefined;
  const { value } = await readContract(builtIn(base), base);
  return value && (layOver(value, own) as JsonObject);
}

function layOver(base: Json | undefined, own: Json): Json {
  if (!isObject(base) || !isObject(own)) return own;
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(own)) {
    if (value === null) merged.delete(key);
    else merged.set(key, layOver(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function check(contract: JsonObject, at: ReadContract["at"]): Diagnostic[] {
  const validate = createRequire(import.meta.url)("../../dist/validators/contract.cjs") as Validator;
  const invalid = (path: readonly string[], summary: string): Diagnostic => ({
    severity: "error",
    code: "contract_invalid",
    summary,
    hint: "see schemas/contract.schema.json and the built-in schemas/contracts/v2026.yaml",
    at: at(path),
  });
  if (validate(contract))
    return checkCompleteness(contract as unknown as Contract).map(({ path, summary }) => invalid(path, summary));
  return (validate.errors ?? []).map(({ instancePath, keyword, message = keyword, params }) => {
    const path = instancePath
      .split("/")
      .slice(1)
      .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
    const extra = params.additionalProperty === undefined ? "" : ` ("${params.additionalProperty}")`;
    const place = params.additionalProperty === undefined ? path : [...path, params.additionalProperty];
    return invalid(place, `${path.join(".") || "The contract"} ${message}${extra}`);
  });
}
