import type { AnswerRules, Contract, KindContract, PagingRules } from "../../model/contract.ts";
import type { ContractDraft } from "../../model/contract-draft.ts";
import type { JsonObject } from "../../model/json.ts";
import { findCollections } from "./collections.ts";
import { draftKind, type DraftKind } from "./draft-kind.ts";
import { draftFailures, readAuth, readServer, sharedPrefix } from "./head.ts";
import { listOperations } from "./operations.ts";
import type { Findings } from "./params.ts";
import { pruneMistakes } from "./prune.ts";
import { openSchemas, own } from "./shape.ts";
import { wordsOf } from "./words.ts";

/**
 * Drafts a contract from an OpenAPI description. Every guess is marked as assumed, and has its reason; what the loader would refuse is
 * taken out, and named among what is left out.
 */
export function draftContract(document: JsonObject): ContractDraft {
  const schemas = openSchemas(document);
  const server = readServer(schemas);
  const operations = listOperations(schemas);
  const { collections, lacking } = findCollections(schemas, operations);
  const findings: Findings = { schemas, operations, collections };
  const drafts = [...collections.values()].map((collection) => [collection, draftKind(findings, collection)] as const);
  const kinds = drafts.flatMap(([{ kind }, draft]) => (typeof draft === "string" ? [] : [[kind.name, draft] as const]));
  const { auth, reason } = readAuth(schemas);
  const contract: Contract = {
    contract: 1,
    name: nameOf(document),
    base_path: server.path,
    request: { auth, headers: { Accept: "application/json", "Content-Type": "application/json" } },
    ...shareRules(draftFailures(schemas, [...collections.values()]), kinds),
  };
  const pruned = pruneMistakes(withBasePath(contract));
  return {
    contract: pruned.contract,
    ...(server.origin !== undefined && { origin: server.origin }),
    guesses: [
      { path: ["request", "auth"], reason },
      ...kinds.flatMap(([name, { guesses }]) =>
        guesses.map((guess) => ({ ...guess, path: ["kinds", name, ...guess.path] })),
      ),
    ].filter(({ path }) => isThere(pruned.contract, path)),
    leftOut: [
      ...lacking.map(({ kind, near }) => ({ subject: kind, reason: lackText(near) })),
      ...drafts.flatMap(([{ kind }, draft]) =>
        typeof draft === "string" ? [{ subject: kind.name, reason: draft }] : [],
      ),
      ...kinds.flatMap(([, { leftOut }]) =>
        leftOut.map(({ method, path, reason: why }) => ({ subject: `${method} ${path}`, reason: why })),
      ),
      ...pruned.leftOut,
      ...unusedOperations(findings, pruned.contract),
    ],
  };
}

/** Moves what all paths begin with into the base path. */
function withBasePath(contract: Contract): Contract {
  const paths: string[] = [];
  JSON.stringify(contract.kinds, (key, value: unknown) => {
    if (key === "path" && typeof value === "string") paths.push(value);
    return value;
  });
  const prefix = sharedPrefix(paths);
  const shorten = (key: string, value: unknown) =>
    key === "path" && typeof value === "string" ? value.slice(prefix.length) : value;
  const kinds = JSON.parse(JSON.stringify(contract.kinds), shorten) as Contract["kinds"];
  return { ...contract, base_path: `${contract.base_path}${prefix}`, kinds };
}

const lackText = (near: readonly { path: string; lacks: string }[]): string =>
  near.length === 0
    ? "no list has a path like it"
    : near.map(({ path, lacks }) => `the objects of GET ${path} have nothing like ${lacks}`).join("; ");

function nameOf(document: JsonObject): string {
  const title = own(own(document, "info"), "title");
  const name = wordsOf(typeof title === "string" ? title : "")
    .replaceAll(/-(?:api|v\d+)\b|^api-/gu, "")
    .slice(0, 40);
  return /^[a-z0-9]/u.test(name) ? name : "my-host";
}

function isThere(contract: Contract, path: readonly string[]): boolean {
  let here: unknown = contract;
  for (const key of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return false;
    here = (here as Record<string, unknown>)[key];
  }
  return true;
}

/** Lifts what most kinds share out of them: where answers hold objects and lists, and paging. */
function shareRules(
  failures: Omit<AnswerRules, "record" | "list">,
  drafts: readonly (readonly [string, DraftKind])[],
): Pick<Contract, "answer" | "paging" | "kinds"> {
  const lists = drafts.map(([, { entry }]) => entry);
  const record = mostCommon(lists.flatMap(({ answer }) => answer?.record ?? [])) ?? "";
  const list =
    mostCommon(lists.flatMap(({ answer, operations }) => (operations.list.single ? [] : (answer?.list ?? [])))) ?? "";
  const paging = mostCommon(lists.flatMap(({ paging: own }) => own ?? [])) ?? { style: "none" as const, assumed: true };
  return {
    answer: { record, list, ...failures },
    paging,
    kinds: Object.fromEntries(
      drafts.map(([name, { entry }]) => [name, withoutShared(entry, { record, list, paging })]),
    ),
  };
}

function withoutShared(
  { answer: own = {}, paging: pages, ...entry }: KindContract,
  { record, list, paging }: { record: string; list: string; paging: PagingRules },
): KindContract {
  const isSingle = entry.operations.list.single === true;
  const answer = {
    ...(own.record !== undefined && own.record !== record && { record: own.record }),
    ...(!isSingle && own.list !== undefined && own.list !== list && { list: own.list }),
  };
  return {
    ...(Object.keys(answer).length > 0 && { answer }),
    ...(pages && !isSame(pages, paging) && { paging: pages.style === undefined ? { style: "page", ...pages } : pages }),
    ...entry,
  };
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function mostCommon<T>(values: readonly T[]): T | undefined {
  const counts = new Map<string, { value: T; count: number }>();
  for (const value of values) {
    const key = JSON.stringify(value);
    counts.set(key, { value, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].sort((one, other) => other.count - one.count)[0]?.value;
}

/** Requests that are listed as left out. */
const mostUnused = 200;

const anonymous = (path: string) => path.replaceAll(/\{[^{}]*\}/gu, "{}");

/** Returns the requests below those that the contract uses, and that it does not use. */
function unusedOperations(
  { operations }: Findings,
  { base_path: base, kinds }: Contract,
): { subject: string; reason: string }[] {
  const used = (JSON.stringify(kinds).match(/"path":"[^"]*"/gu) ?? []).map((text) => anonymous(text.slice(8, -1)));
  const known = new Set(used);
  return operations
    .map((operation) => ({ operation, path: anonymous(operation.path) }))
    .filter(
      ({ operation, path }) => !operation.isDeprecated && !isUsed(known, base, path) && isBelow(known, base, path),
    )
    .slice(0, mostUnused)
    .map(({ operation: { method, path } }) => ({ subject: `${method} ${path}`, reason: "it is not recognised" }));
}

/** Base paths may hold the first segments of the description's own paths. */
const isUsed = (known: ReadonlySet<string>, base: string, path: string): boolean =>
  known.has(path) ||
  base.split("/").some((_, index, all) => {
    const prefix = `/${all.slice(index).join("/")}`;
    return path.startsWith(`${prefix}/`) && known.has(path.slice(prefix.length));
  });

function isBelow(known: ReadonlySet<string>, base: string, path: string): boolean {
  const parts = path.split("/");
  return parts.some((_, index) => index > 1 && isUsed(known, base, parts.slice(0, index).join("/")));
}
