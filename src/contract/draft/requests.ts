import type { ListContract, OperationContract } from "../../model/contract.ts";
import type { Collection } from "./collections.ts";
import type { Operation, Segment } from "./operations.ts";
import { fillParam, paramName, type DraftParam, type Findings } from "./params.ts";
import { plainName } from "./words.ts";

/** A request with its parameters, as far as they can be filled. */
export interface DraftRequest {
  readonly operation: Operation;
  readonly path: string;
  readonly params: readonly DraftParam[];
}

/** A parameter of a path that nothing fills. */
export interface Unfilled {
  readonly unfilled: string;
}

/** The names that parameters of an object have in the contract, by their names in the description. */
export type OwnParams = ReadonlyMap<string, DraftParam | "id">;

/** Writes the path of a request with the names of the contract's parameters. */
export function draftPath(
  findings: Findings,
  { kind }: Pick<Collection, "kind">,
  operation: Operation,
  own: OwnParams = new Map(),
): DraftRequest | Unfilled {
  const params: DraftParam[] = [];
  const parts: string[] = [];
  for (const [index, { text, param }] of operation.segments.entries()) {
    if (param === undefined) {
      parts.push(text);
      continue;
    }
    const mine = own.get(param);
    if (mine === "id") {
      parts.push(text.replace(`{${param}}`, "{id}"));
      continue;
    }
    const filled =
      mine ??
      fillParam(findings, kind, {
        param,
        parent: nounBefore(operation.segments, index),
        before: `/${operation.segments
          .slice(0, index)
          .map((each) => each.text)
          .join("/")}`,
      });
    if (!filled) return { unfilled: param };
    params.push(filled);
    parts.push(text.replace(`{${param}}`, `{${filled.name}}`));
  }
  return { operation, path: `/${parts.join("/")}`, params };
}

const nounBefore = (segments: readonly Segment[], index: number): string =>
  segments.slice(0, index).findLast(({ noun }) => noun !== "")?.noun ?? "";

/** Returns the request as a contract has it. */
export const asOperation = ({ operation, path }: DraftRequest): OperationContract => ({
  method: operation.method,
  path,
  assumed: true,
});

/** Finds the list's query parameter that selects the objects of one parent. */
export function scopeQuery(
  findings: Findings,
  { kind, list }: Collection,
): (DraftParam & { query: string }) | undefined {
  const [scope] = kind.scope;
  if (scope === undefined) return undefined;
  for (const { name, in: place } of list.parameters) {
    const plain = plainName(name);
    if (place !== "query") continue;
    if (plain === scope || plain === `${scope}name`)
      return {
        name: paramName(name),
        query: name,
        source: { key: scope },
        reason: `the query has a parameter ${name}`,
      };
    const [, parent] = /^(.*?)[-_]?(?:id|uuid)$/iu.exec(name) ?? [];
    const filled =
      parent !== undefined && parent !== ""
        ? fillParam(findings, kind, { param: name, parent: paramName(parent).replaceAll("_", "-") })
        : undefined;
    if (filled?.parent !== undefined) return { ...filled, query: name };
  }
  return undefined;
}

/** The request for the list, with what it says of its scope. */
export function draftList(
  findings: Findings,
  collection: Collection,
): { list: ListContract; params: readonly DraftParam[]; reason: string } | Unfilled {
  const request = draftPath(findings, collection, collection.list);
  if ("unfilled" in request) return request;
  const { kind, isSingle, members } = collection;
  const isScoped = kind.scope.length > 0;
  const ofParents = isScoped ? [] : request.params.filter(({ parent }) => parent !== undefined);
  const query = isScoped && request.params.length === 0 ? scopeQuery(findings, collection) : undefined;
  const params = [...request.params.filter((param) => !ofParents.includes(param)), ...(query ? [query] : [])];
  const isMixed = isScoped && !isSingle && !params.some((param) => isOwnScope(kind.scope[0], param));
  return {
    params,
    reason: `answers with a list`,
    list: {
      method: "GET",
      path: request.path,
      ...(query && { query: { [query.query]: `{${query.name}}` } }),
      ...(isSingle && { single: true }),
      ...(members && { explode: members.at }),
      ...(ofParents.length > 0 && {
        for_each: Object.fromEntries(ofParents.map(({ name, parent = "" }) => [name, parent])),
      }),
      ...(isMixed && { scope: "mixed" as const }),
      assumed: true,
    },
  };
}

const parentOf: Readonly<Record<string, readonly string[]>> = {
  zone: ["dns_zone"],
  domain: ["domain"],
  service: ["service"],
};

/** Tells whether a parameter selects exactly the objects of a scope. */
const isOwnScope = (scope = "", { source, parent }: DraftParam): boolean =>
  ("key" in source && typeof source.key === "string") ||
  "lookup" in source ||
  (parentOf[scope]?.includes(parent ?? "") ?? false);
