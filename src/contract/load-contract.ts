import { hash } from "node:crypto";
import { defaultContract } from "./entry.ts";
import { getOrMake } from "../lib/collect.ts";
import { standIns, quoted } from "../lib/escape.ts";
import { readBuilt } from "../lib/package-file.ts";
import { isMap, isNode, isScalar, isSeq, LineCounter, visit, type Document, type Pair, type YAMLMap } from "yaml";
import { parseYaml } from "../lib/yaml.ts";
import { noSuchFile } from "../lib/system-words.ts";
import { widthOf } from "../lib/shorten.ts";
import { readText } from "../lib/read-file.ts";
import { explainError } from "../lib/yaml-words.ts";
import { findKind } from "../kinds/index.ts";
import { findMistakes } from "./find-mistakes.ts";
import { layOver } from "./lay-over.ts";
import type { Contract, KindContract } from "../model/contract.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { isObject } from "../model/json-pointer.ts";
import { nearest } from "../model/nearest.ts";

/** The largest contract that is read; the built-in one has 30,000 bytes. */
const maxBytes = 1024 * 1024;

/** The contracts in schemas/contracts, which the build writes as JSON; the tests see to it that there is nothing to complain of. */
export const builtInContracts: readonly string[] = [
  defaultContract,
  "cloudflare",
  "hetzner-cloud",
  "hostinger",
  "mittwald",
  "powerdns",
];

/** Those that were read: a command asks for its contract several times. */
const builtIn = new Map<string, Contract>();

/** The rules of a contract that does not say otherwise, or that takes them away. */
const usual: JsonObject = { base_path: "", request: { headers: {} }, answer: { rate_limit: { statuses: [429] } } };

export interface LoadedContract {
  readonly contract?: Contract;
  readonly diagnostics: readonly Diagnostic[];
  /** Words that do no harm and have no effect: only `contract check` shows them. */
  readonly warnings?: readonly Diagnostic[];
}

/**
 * Reads a contract file: YAML, checked against schemas/contract.schema.json. A file that says `extends: NAME` is laid over the
 * built-in contract of that name, key by key; null takes an entry away.
 * @param path the file, or the name of a contract that is built in; undefined: v2026.
 * @param place where the path comes from, such as "in HOSTFORM_CONTRACT"; default: an argument.
 */
export async function loadContract(path: string | undefined, place?: string): Promise<LoadedContract> {
  if (path === undefined || builtInContracts.includes(path)) {
    const name = path ?? defaultContract;
    return { contract: builtInContract(name), diagnostics: [] };
  }
  const own = readContract(path, place);
  if ("mistake" in own) return { diagnostics: [own.mistake] };
  const base = own.value["extends"];
  const extended = builtInContracts.find((name) => name === base);
  if (base !== undefined && extended === undefined) {
    const summary = `The contract extends ${JSON.stringify(base)}, which is not built in`;
    const hint = `write extends: with one of ${builtInContracts.join(", ")}`;
    return { diagnostics: [{ severity: "error", code: "unknown_contract", summary, hint, ...own.at(["extends"]) }] };
  }
  const written =
    extended === undefined
      ? withUsualLimits(layOver(usual, own.value) as JsonObject)
      : layOver(readBuiltIn(extended), own.value);
  const whole = layOver(usual, written) as JsonObject;
  const found = check(whole, own);
  const diagnostics = found.filter(({ severity }) => severity === "error");
  if (diagnostics.length > 0) return { diagnostics };
  return { contract: withoutAbsent(whole as unknown as Contract), diagnostics, warnings: found };
}

/** Returns a contract of `builtInContracts`. */
export const builtInContract = (name: string): Contract =>
  getOrMake(builtIn, name, () => withoutAbsent(readBuiltIn(name) as unknown as Contract));

/** Returns a hash of a contract that a file holds: two files may have the same name. Undefined for a contract that is built in. */
export const contractHash = (contract: Contract): string | undefined =>
  [...builtIn.values()].includes(contract) ? undefined : `sha256:${hash("sha256", JSON.stringify(contract))}`;

function readBuiltIn(name: string): JsonObject {
  const whole = layOver(usual, JSON.parse(readBuilt(`contract-${name}.json`)) as JsonObject) as JsonObject;
  return name === defaultContract ? whole : withUsualLimits(whole);
}

/** The words of a field that limit its values. */
const limitWords = ["min", "max", "max_length", "values"];

/** Returns a contract that stands alone with the limits of v2026 for fields that do not name their own. */
function withUsualLimits(contract: JsonObject): JsonObject {
  if (!isObject(contract["kinds"])) return contract;
  const usualContract = readBuiltIn(defaultContract);
  const kinds = Object.entries(contract["kinds"]).map(([kind, entry]) => {
    if (!isObject(entry) || !isObject(entry["fields"])) return [kind, entry] as const;
    const usualFields = objectIn(objectIn(objectIn(usualContract, "kinds"), kind), "fields");
    const fields = Object.entries(entry["fields"]).map(([name, field]) => {
      const isListed = findKind(kind)?.fields[name]?.listed !== undefined;
      if (!isObject(field) || isListed) return [name, field] as const;
      const limits = Object.entries(objectIn(usualFields, name)).filter(
        ([word]) => limitWords.includes(word) && !(word === "values" && "map" in field),
      );
      return [name, { ...Object.fromEntries(limits), ...field }] as const;
    });
    return [kind, { ...entry, fields: Object.fromEntries(fields) }] as const;
  });
  return { ...contract, kinds: Object.fromEntries(kinds) };
}

const objectIn = (from: JsonObject, name: string): JsonObject => {
  const value = from[name];
  return isObject(value) ? value : {};
};

interface ReadContract {
  readonly value: JsonObject;
  /** The place that a path leads to, or as far as it goes, with its source line. `key`: of the last key, not of its value. */
  readonly at: (path: readonly string[], key?: boolean) => Pick<Diagnostic, "at" | "frame">;
  /** Whether the file itself writes this path: not the contract that it extends. */
  readonly has: (path: readonly string[]) => boolean;
}

function readContract(file: string, from: string | undefined): ReadContract | { readonly mistake: Diagnostic } {
  const lines = new LineCounter();
  const start = { at: { file, line: 1, col: 1 } };
  const fail = (code: string, summary: string, hint: string, place: Pick<Diagnostic, "at" | "frame"> = start) => ({
    mistake: { severity: "error", code, summary, hint, ...place } as const,
  });
  let text: string;
  try {
    text = readText(file, maxBytes);
  } catch (error) {
    const { message } = error as Error;
    const isName = message === noSuchFile && !/[./]/u.test(file);
    const near = nearest(file, builtInContracts);
    return fail(
      "contract_unreadable",
      isName ? `There is no contract ${file}` : `The contract ${file} cannot be read: ${message}`,
      near === undefined || !isName
        ? `check the path${from === undefined ? "" : ` ${from}`}; built in are ${builtInContracts.join(", ")}`
        : `did you mean ${near}?`,
    );
  }
  const textLines = text.split("\n");
  const placeAt = (offset: number, end: number) => framed(textLines, file, lines.linePos(offset), end - offset);
  const document = parseYaml(text, { lineCounter: lines });
  const [problem, next] = document.errors;
  if (problem) {
    const { words, ...at } = explainError(text, problem, next);
    return fail("contract_syntax", words?.summary ?? problem.message, "fix the YAML", placeAt(at.start, at.end));
  }
  const alias = firstAlias(document);
  if (alias) return fail("contract_syntax", "A contract has no aliases", "write the value out", placeAt(...alias));
  const value = document.toJS({ maxAliasCount: 0 }) as Json;
  if (!isObject(value) || Object.keys(value).length === 0) {
    const hint = "write keys such as contract: 1 and name: mine; hostform contract show prints a whole contract";
    return fail(
      "contract_shape",
      `The contract ${file} ${isObject(value) || value === null ? "is empty" : "has no keys"}`,
      hint,
    );
  }
  if (!("contract" in value) && "version" in value)
    return fail(
      "contract_shape",
      `${file} is a manifest, not a contract`,
      `hostform validate -f ${quoted(file)} checks it`,
    );
  const at: ReadContract["at"] = (path, key = false) => {
    const range = rangeIn(document, path, key);
    return range ? placeAt(...range) : start;
  };
  return { value, at, has: (path) => document.hasIn(path) };
}

/** Returns where the first alias (`*name`) begins and ends. */
function firstAlias(document: Document): readonly [number, number] | undefined {
  let found: readonly [number, number] | undefined;
  visit(document, {
    Alias: (_, { range }) => {
      found = range ? [range[0], range[1]] : [0, 0];
      return visit.BREAK;
    },
  });
  return found;
}

// A cache only: each mistake in a map of many keys looks for its own.
const pairs = new WeakMap<YAMLMap, ReadonlyMap<unknown, Pair>>();

const pairsByKey = ({ items }: YAMLMap) =>
  new Map(items.flatMap((item) => (isScalar(item.key) ? [[item.key.value, item] as const] : [])));

/** Returns the start and end, in the text, of the node at a path, or of the last that there is on the way. */
function rangeIn(document: Document, path: readonly string[], key: boolean): [number, number] | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = document.getIn(path.slice(0, length - 1), true);
    const last = path[length - 1];
    const pair = isMap(parent) && getOrMake(pairs, parent, () => pairsByKey(parent)).get(last);
    const node = isSeq(parent)
      ? parent.items[Number(last)]
      : pair && (key && length === path.length ? pair.key : pair.value);
    if (isNode(node) && node.range) return [node.range[0], node.range[1]];
  }
  return undefined;
}

/** No line that a person writes is wider, or fits a screen. */
const widest = 500;

/** A place with its source line and carets below: a contract holds no secrets. */
function framed(
  lines: readonly string[],
  file: string,
  { line, col }: { readonly line: number; readonly col: number },
  length: number,
): Pick<Diagnostic, "at" | "frame"> {
  const source = standIns(lines[line - 1] ?? "");
  if (source.length > widest) return { at: { file, line, col } };
  const marked = source.slice(col - 1, col - 1 + length);
  return {
    at: { file, line, col, endCol: col + Math.max(1, marked.length) },
    frame: `${source}\n${" ".repeat(widthOf(source.slice(0, col - 1)))}${"^".repeat(Math.max(1, widthOf(marked)))}`,
  };
}

/** The contract without entries that only say that the API lacks something: no entry says the same. */
function withoutAbsent(contract: Contract): Contract {
  const kinds = Object.entries(contract.kinds).flatMap(([name, kind]): [string, KindContract][] => {
    if (!kind) return [];
    const fields = Object.entries(kind.fields).filter(([, { absent }]) => absent !== true);
    return [[name, { ...kind, fields: Object.fromEntries(fields) }]];
  });
  return { ...contract, kinds: Object.fromEntries(kinds) };
}

/** Finds the mistakes of a contract. An entry without effect counts only where the file writes it. */
function check(contract: JsonObject, { at, has }: ReadContract): Diagnostic[] {
  return findMistakes(contract)
    .map(({ code = "contract_unused", ...mistake }) => ({ ...mistake, code }))
    .filter(({ path, isWarning, code }) => !isWarning || code !== "contract_unused" || has(path))
    .map(({ path, isKey, isWarning, code, ...words }) => ({
      ...(isWarning
        ? ({ severity: "warning", code } as const)
        : ({ severity: "error", code: "contract_invalid" } as const)),
      ...words,
      ...at(path, isKey),
    }));
}
