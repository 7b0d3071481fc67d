import { entryOf, hasKind } from "../contract/entry.ts";
import { listedFor } from "../contract/list-reading.ts";
import { collectionOf } from "../kinds/derived/collection.ts";
import { childCollections } from "../kinds/derived/parents.ts";
import type { Kind } from "../kinds/kind.ts";
import type { ListRef } from "./ask-list.ts";
import type { Examination } from "./examination.ts";

/** Lists of one kind that are asked for at most, until one holds an object. */
const mostLists = 3;

/** Returns the lists of a kind that can be named from the objects that were found: one, or some for the first zones, domains or services. */
export function listRefs(exam: Examination, kind: Kind): ListRef[] {
  const { contract, found } = exam;
  const owner = listedFor(contract, kind);
  const objects = [...found.values()];
  const owners = owner
    ? objects.flatMap((each) =>
        each.kind === owner.kind && each.remote.id !== "" ? [{ [owner.param]: each.remote.id }] : [],
      )
    : [undefined];
  const scopes = kind.scope.length === 0 ? [{}] : scopesBelow(exam, kind);
  const refs = scopes.flatMap((scope) =>
    owners.map((each): ListRef => ({ ...collectionOf(kind, scope), ...(each && { each }) })),
  );
  return refs.slice(0, mostLists);
}

function scopesBelow({ found }: Examination, kind: Kind) {
  const refs = [...found.values()].flatMap((each) =>
    childCollections(each.kind, each.key).flatMap(({ kind: child, scope }) =>
      child.name === kind.name ? [collectionOf(kind, scope)] : [],
    ),
  );
  return [...new Map(refs.map((ref) => [ref.id, ref.scope])).values()];
}

/** Returns why a kind has no list to ask for. */
export function whyNoList({ contract }: Examination, kind: Kind): string {
  const owner = listedFor(contract, kind);
  const parents = (kind.relations?.requires ?? [])
    .flat()
    .map((parent) => parent.kind)
    .filter((name) => (contract.kinds[name] ?? null) !== null);
  const names = owner ? [owner.kind.name] : parents;
  return names.length === 0
    ? `the contract has no kind below which a ${kind.name} could be listed`
    : `the account shows no ${[...new Set(names)].join(" or ")}, below which it is listed`;
}

/** Kinds of a contract, each after those that its lists are below. */
export function parentsFirst(contract: Examination["contract"], all: readonly Kind[]): Kind[] {
  const offered = all.filter((kind) => hasKind(contract, kind));
  const needs = (kind: Kind) => {
    const { params = {}, operations } = entryOf(contract, kind);
    return [
      ...Object.values(operations.list.for_each ?? {}),
      ...Object.values(params).flatMap((param) => ("id_of" in param ? [param.id_of] : [])),
    ];
  };
  const placed: Kind[] = [];
  for (let rest = offered; rest.length > 0;) {
    const next = rest.filter((kind) =>
      needs(kind).every((name) => !rest.some((other) => other !== kind && other.name === name)),
    );
    const [first] = rest;
    const chosen = next.length > 0 ? next : first ? [first] : [];
    placed.push(...chosen);
    rest = rest.filter((kind) => !chosen.includes(kind));
  }
  return placed;
}
