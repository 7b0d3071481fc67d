import { offeredParents } from "../../contract/offered.ts";
import type { Contract } from "../../model/contract.ts";
import { locate, normaliseAddress } from "../../kinds/derived/collection.ts";
import { parentsOf } from "../../kinds/derived/parents.ts";
import { kindOf, splitAddress, type Address } from "../../model/address.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Problem, Census } from "../../kinds/kind.ts";
import { didYouMean } from "../../model/nearest.ts";
import { diagnosticAt } from "../yaml/diagnostic-at.ts";
import { addressSuggester } from "./check-references.ts";
import type { WrittenResource } from "./read-resources.ts";
import { nearestNode, positionOf, type Span, type WrittenNode } from "../yaml/written.ts";
import { getOrMake } from "../../lib/collect.ts";

type WrittenResources = ReadonlyMap<Address, WrittenResource>;

/** The checks that look at more than one resource: each kind's own, and that what a resource needs is declared. */
export function checkResources(written: WrittenResources, contract: Contract | undefined): Diagnostic[] {
  const all = [...written.values()];
  const suggest = addressSuggester(written);
  const found = checkKinds(all, written);
  for (const each of all) {
    const parents = parentsOf(each.kind, each.resource.key, {}, each.resource.fields);
    const undeclared = parents.filter((some) => !some.some((address) => written.has(address)));
    const missing = contract && undeclared.length > 0 ? offeredParents(contract, undeclared) : undeclared;
    found.push(...missing.map((alternatives) => missingParent(each, alternatives, suggest)));
  }
  return [...found, ...checkUniqueNames(all.filter(({ kind }) => !kind.members))];
}

/** Finds names that two resources cannot hold at once, such as the address of a mailbox and of an alias. Sets have checks of their own. */
function checkUniqueNames(all: readonly WrittenResource[]): Diagnostic[] {
  const holders = new Map<string, WrittenResource>();
  return all.flatMap((each) => {
    const { resource, kind, keySpan } = each;
    return (kind.relations?.uniqueNames?.(resource.key) ?? []).flatMap(({ name, shared }) => {
      const holder = holders.get(name);
      if (!holder) holders.set(name, each);
      if (!holder || shared) return [];
      const first = holder.resource.address;
      return diagnosticAt(keySpan, {
        code: "duplicate_name",
        summary: `${resource.address} and ${first} cannot both hold the ${name}`,
        hint: "declare one of the two, or give one another name",
        related: [{ at: positionOf(holder.keySpan), message: `${first} is declared here` }],
      });
    });
  });
}

function checkKinds(all: readonly WrittenResource[], written: WrittenResources): Diagnostic[] {
  const census = takeCensus(written);
  const lookup = (address: Address) => written.get(address)?.resource;
  const found: Diagnostic[] = [];
  for (const each of all) {
    const problems = each.kind.check?.(each.resource, lookup, census) ?? [];
    if (problems.length > 0) found.push(...describeProblems(problems, each, written));
  }
  return found;
}

function describeProblems(
  problems: readonly Problem[],
  { keySpan, body }: WrittenResource,
  written: WrittenResources,
): Diagnostic[] {
  return problems.map(({ path = [], severity = "error", related = [], ...problem }) => {
    const span = path.length === 0 ? keySpan : nearestNode(body, path).node;
    const places = related.flatMap(({ address, message }) => {
      const other = written.get(address);
      return other ? [{ at: positionOf(other.keySpan), message }] : [];
    });
    return diagnosticAt(span, { severity, ...problem, ...(places.length > 0 && { related: places }) });
  });
}

function missingParent(
  { resource, keySpan, body }: WrittenResource,
  alternatives: readonly Address[],
  suggest: ReturnType<typeof addressSuggester>,
): Diagnostic {
  const [near] = alternatives.flatMap((address) => suggest(address) ?? []);
  const first = alternatives[0] as Address;
  return diagnosticAt(placeOfReference(body, keySpan, alternatives), {
    code: `unknown_${kindOf(first)}`,
    summary: `${resource.address} needs ${alternatives.join(" or ")}, which no manifest declares`,
    hint: didYouMean(near && nameOf(near), "") ?? declareHint(first),
  });
}

/** The written value that names the missing parent, if there is one; else the resource's key. */
function placeOfReference(body: WrittenNode, keySpan: Span, alternatives: readonly Address[]): Span {
  if (body.type !== "map") return keySpan;
  const names = new Set(alternatives.map(nameOf));
  const named = [...body.entries.values()].find(
    ({ value }) => value.type === "scalar" && names.has(String(value.value)),
  );
  return named?.value ?? keySpan;
}

function declareHint(address: Address): string {
  // A name that is none cannot be declared.
  if (normaliseAddress(address) === undefined) return "declare it, or check its spelling";
  return `declare it; if it exists and should stay unmanaged, an empty block is enough: ${emptyDeclaration(address)}`;
}

/** The shortest manifest that declares an address without managing anything of it. */
function emptyDeclaration(address: Address): string {
  const { kind, key } = locate(address);
  const path = kind.manifest.split(".").map((segment) => key[segment.slice(1, -1)] ?? segment);
  return path.reduceRight((inner, step) => `{ ${step}: ${inner} }`, "{}").slice(2, -2);
}

const nameOf = (address: string) => splitAddress(address)?.parts.at(-1) ?? "";

/** Counts the declared resources by parts of their addresses. */
function takeCensus(written: ReadonlyMap<Address, WrittenResource>): Census {
  const stems = new Set<string>();
  const shared = new Set<string>();
  const lastParts = new Map<string, Set<string>>();
  const aboveZones = new Set<string>();
  const partsBeside = (address: Address) => getOrMake(lastParts, listOf(address), () => new Set());
  for (const { resource, kind } of written.values()) {
    const { address } = resource;
    if (resource.kind === "dns_zone") addNamesAbove(aboveZones, resource.key["name"] ?? "");
    if (!kind.members) continue;
    const last = address.lastIndexOf("/");
    const stem = address.slice(0, last);
    if (stems.size === stems.add(stem).size) shared.add(stem);
    partsBeside(address).add(address.slice(last + 1));
  }
  return {
    isAlone: (address) => !shared.has(address.slice(0, address.lastIndexOf("/"))),
    lastPartsBeside: partsBeside,
    isAboveZone: (name) => aboveZones.has(name),
  };
}

/** Returns the kind and the first part of an address, with the slash behind it. */
const listOf = (address: Address): string => {
  const second = address.indexOf("/", address.indexOf("/") + 1);
  return second < 0 ? `${address}/` : address.slice(0, second + 1);
};

function addNamesAbove(names: Set<string>, name: string): void {
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) names.add(name.slice(dot + 1));
}
