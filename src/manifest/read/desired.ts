import { dirname, isAbsolute, join } from "node:path";
import { addressMistake } from "../../kinds/derived/address-mistake.ts";
import { collectionOf, normaliseAddress } from "../../kinds/derived/collection.ts";
import { firstIgnoring } from "../../kinds/derived/matches-ignore.ts";
import { kinds } from "../../kinds/index.ts";
import { checkMoment } from "../../kinds/shared/timestamp.ts";
import type { Address } from "../../model/address.ts";
import { matchesGlob } from "../../model/glob.ts";
import type { Contract } from "../../model/contract.ts";
import type { Diagnostic, Position } from "../../model/diagnostic.ts";
import { jsonText, type Json } from "../../model/json.ts";
import { isObject } from "../../model/json-pointer.ts";
import type { CollectionId, CollectionPolicy, Desired, Removal, Toleration } from "../../model/resource.ts";
import { checkResources } from "./check-resources.ts";
import { diagnosticAt } from "../yaml/diagnostic-at.ts";
import { lint } from "../lint/lint.ts";
import { readResources, type WrittenResource } from "./read-resources.ts";
import { checkReferences } from "./check-references.ts";
import type { ReadSecret } from "../../model/template-parts.ts";
import {
  itemsOf,
  memberOf,
  positionOf,
  toJson,
  type Span,
  type WrittenMap,
  type WrittenNode,
} from "../yaml/written.ts";

/** The manifest's own idea of which API it is for; flags and variables come before it. */
export interface Provider {
  readonly base_url?: string;
  /** The name of one that is built in, or a file: relative to the current folder, as every path of a command is. */
  readonly contract?: string;
  readonly ca_file?: string;
  /** The places of these. */
  readonly at?: Readonly<Partial<Record<"base_url" | "contract" | "ca_file", Position>>>;
}

export interface ReadDesired {
  readonly desired: Desired;
  readonly diagnostics: readonly Diagnostic[];
  /** The place at which each resource is written. */
  readonly written: ReadonlyMap<Address, WrittenResource>;
  /** Those that refer to others. */
  readonly referring: readonly WrittenResource[];
}

/**
 * From the merged tree, whose shape the schema has checked, to what is desired. All mistakes are collected.
 * @param contract what the API offers, if that is known.
 */
export function readDesired(tree: WrittenMap, readSecret: ReadSecret, contract?: Contract): ReadDesired {
  const section = (name: string): Json | undefined => {
    const node = memberOf(tree, name);
    return node && toJson(node);
  };
  const object = (name: string) => {
    const value = section(name);
    return isObject(value) ? value : {};
  };
  const read = readResources(tree, object("defaults"), readSecret, contract);
  const { written, resources, collections, diagnostics } = read;
  const removed = readRemoved(memberOf(tree, "removed"), written);
  const tolerated = readTolerated(memberOf(memberOf(tree, "policy"), "tolerate"));
  const { disable } = object("lint");
  const disabled = new Set(Array.isArray(disable) ? disable.map(String) : []);
  const { protect, max_deletes: maxDeletes } = object("policy");
  return {
    desired: {
      name: jsonText(section("name")),
      resources,
      collections,
      removed: removed.removals,
      protect: Array.isArray(protect) ? protect.map(String) : [],
      ...(tolerated.tolerate.length > 0 && { tolerate: tolerated.tolerate }),
      ...((typeof maxDeletes === "number" || typeof maxDeletes === "string") && { maxDeletes }),
    },
    written,
    referring: read.referring,
    diagnostics: [
      ...diagnostics,
      ...removed.diagnostics,
      ...tolerated.diagnostics,
      ...declaredAndIgnored(written, collections),
      ...checkResources(written, contract).filter(
        ({ code, severity }) => severity !== "warning" || !disabled.has(code),
      ),
      ...checkReferences(read.referring, written),
      ...lint(written, collections, disabled),
    ],
  };
}

/** Files that a manifest names are sought beside that manifest, wherever the command is run. */
export function readProvider(tree: WrittenMap): Provider {
  const node = memberOf(tree, "provider");
  const provider = node && toJson(node);
  if (node?.type !== "map" || !isObject(provider)) return {};
  const beside = (name: "ca_file" | "contract") => {
    const [path, file] = [provider[name], memberOf(node, name)?.source.file];
    if (typeof path !== "string" || file === undefined || isAbsolute(path)) return {};
    return { [name]: join(dirname(file), path) };
  };
  // A contract without a folder or an ending is the name of one that is built in.
  const isFile = /[/.]/u.test(jsonText(provider["contract"]));
  const at = Object.fromEntries([...node.entries].map(([name, { value }]) => [name, positionOf(value)]));
  return { ...provider, ...beside("ca_file"), ...(isFile && beside("contract")), at };
}

/** Finds declared resources that `ignore:` names. A declared resource is managed, an ignored one is not: both at once is a mistake. */
function declaredAndIgnored(
  written: ReadonlyMap<Address, WrittenResource>,
  collections: ReadonlyMap<CollectionId, CollectionPolicy>,
): Diagnostic[] {
  if (![...collections.values()].some(({ ignore }) => ignore.length > 0)) return [];
  return [...written.values()].flatMap(({ resource: { address, key }, kind, keySpan }) => {
    const policy = collections.get(collectionOf(kind, key).id);
    const index = policy && firstIgnoring(kind, policy, key);
    const at = index === undefined ? undefined : policy?.ignoreAt?.[index];
    if (!policy || index === undefined || !at) return [];
    return diagnosticAt(keySpan, {
      code: "declared_and_ignored",
      summary: `${address} is declared, and ignore: "${policy.ignore[index]}" names it as well`,
      hint: "take it out of the manifest, or write a pattern that does not name it",
      related: [{ at, message: "ignored here" }],
    });
  });
}

function readTolerated(node: WrittenNode | undefined) {
  const tolerate: Toleration[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const item of itemsOf(node)) {
    const json = toJson(item);
    const { address: pattern, until } = isObject(json) ? json : { address: json };
    // The schema says what else is wrong with an entry.
    if (typeof pattern !== "string") continue;
    const [name = ""] = pattern.split("/", 1);
    if (!kinds.some((kind) => matchesGlob(name, kind.name))) diagnostics.push(invalidAddress(item, pattern));
    const noDay = { code: "invalid_date", summary: `${jsonText(until)} is not a date`, hint: "write YYYY-MM-DD" };
    if (typeof until === "string" && checkMoment(until) !== undefined) diagnostics.push(diagnosticAt(item, noDay));
    tolerate.push({ pattern, ...(typeof until === "string" && { until }), at: positionOf(item) });
  }
  return { tolerate, diagnostics };
}

function readRemoved(node: WrittenNode | undefined, written: ReadonlyMap<Address, WrittenResource>) {
  const removals = new Map<Address, Removal>();
  const diagnostics: Diagnostic[] = [];
  for (const item of itemsOf(node)) {
    const json = toJson(item);
    // The schema says what else is wrong with an entry.
    if (!isObject(json) || typeof json["address"] !== "string") continue;
    const { address: text, action } = json;
    const address = normaliseAddress(text);
    if (address === undefined) {
      diagnostics.push(invalidAddress(item, text));
      continue;
    }
    const declared = written.get(address);
    if (declared) {
      const summary = `${address} is named under removed: and declared as well`;
      const conflict = diagnosticAt(item, { code: "removed_and_declared", summary, hint: "keep one of the two" });
      diagnostics.push({ ...conflict, related: [{ at: positionOf(declared.keySpan), message: "declared here" }] });
    }
    if (action !== "delete" && action !== "forget") continue;
    const other = removals.get(address);
    if (other && other.action !== action) {
      const summary = `Two entries under removed: contradict each other: one deletes ${address}, the other forgets it`;
      const related = other.at && [{ at: other.at, message: `action: ${other.action} is written here` }];
      diagnostics.push(diagnosticAt(item, { code: "removed_twice", summary, hint: "keep one of the two", related }));
    }
    removals.set(address, { address, action, at: positionOf(item) });
  }
  return { removals, diagnostics };
}

function invalidAddress(span: Span, text: string): Diagnostic {
  const { summary, hint } = addressMistake(text);
  return diagnosticAt(span, { code: "invalid_address", summary: `"${text}" ${summary}`, hint });
}
