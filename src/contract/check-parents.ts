import { findKind } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Contract, KindContract } from "../model/contract.ts";
import { partsOfKey } from "./check-requests.ts";
import type { ContractMistake } from "./contract-mistake.ts";
import { parametersIn, textsOf } from "./operations-in.ts";

/** Another kind that an entry names, and the path to it. */
type Named = readonly [path: readonly string[], parent: string];

/** Finds parents whose objects cannot be listed or named where they are asked for, and kinds whose lists wait for each other. */
export function checkParents(contract: Contract, kind: Kind, entry: KindContract): ContractMistake[] {
  return [...misnamedObjects(kind, entry), ...unlistedParents(kind, entry), ...circles(contract, kind, entry)];
}

const namesOf = ({ name }: Kind, { fields }: KindContract): Named[] =>
  Object.entries(fields).flatMap(([field, { id_of: parent }]) =>
    parent === undefined ? [] : [[["kinds", name, "fields", field, "id_of"], parent] as const],
  );

const eachOf = ({ name }: Kind, { operations: { list } }: KindContract): Named[] =>
  Object.entries(list.for_each ?? {}).map(
    ([param, parent]) => [["kinds", name, "operations", "list", "for_each", param], parent] as const,
  );

/** Finds ids in fields whose value is not the name of one such object. */
function misnamedObjects(kind: Kind, entry: KindContract): ContractMistake[] {
  const { requires = [], references } = kind.relations ?? {};
  const isName = (field: string, parent: string) =>
    requires.flat().some((each) => each.kind === parent && Object.values(each.key).includes(field)) ||
    (references?.kind === parent && references.field === field);
  return namesOf(kind, entry).flatMap(([path, name]): ContractMistake[] => {
    const field = path.at(-2) ?? "";
    const parent = findKind(name);
    if (!parent || (isAccountWide(parent) && partsOfKey(parent).length === 1 && isName(field, name))) return [];
    const summary = `${path.join(".")} reads ${field} as the id of a ${name}, and the ${field} of a ${kind.name} does not name one ${name}`;
    return [{ path, summary, hint: "take id_of out" }];
  });
}

const isAccountWide = ({ scope }: Kind) => scope.length === 0;

/** Finds lists that are read for each object of a kind that is not listed for the whole account, or for those of two kinds. */
function unlistedParents(kind: Kind, entry: KindContract): ContractMistake[] {
  const all = eachOf(kind, entry);
  const known = all.flatMap(([path, name]): ContractMistake[] => {
    const parent = findKind(name);
    if (!parent || isAccountWide(parent)) return [];
    const summary = `${path.join(".")} is the id of each ${name}, and each ${parent.scope.join(" and ")} has a list of its own`;
    const hint = "write a kind that is listed for the whole account, such as service";
    return [{ path, summary, hint }];
  });
  const more = all.slice(1).map(([path]): ContractMistake => ({
    path,
    summary: `${path.slice(0, -1).join(".")} names two parameters, and a list is read for each object of one kind`,
    hint: `take ${path.at(-1)} out`,
    key: true,
  }));
  return [...known, ...more];
}

/** The kinds whose lists are read before that of a kind. */
function readBefore(kind: Kind, entry: KindContract): Named[] {
  const used = parametersIn(textsOf(entry.operations.list));
  const params = Object.entries(entry.params ?? {}).flatMap(([param, source]): Named[] =>
    "id_of" in source && used.includes(param) ? [[["kinds", kind.name, "params", param, "id_of"], source.id_of]] : [],
  );
  return [...namesOf(kind, entry), ...eachOf(kind, entry), ...params];
}

/** Finds kinds whose lists need each other: none of them could ever be read. */
function circles({ kinds }: Contract, kind: Kind, entry: KindContract): ContractMistake[] {
  const isReachedFrom = (name: string, seen: Set<string>): boolean => {
    if (name === kind.name) return true;
    const [own, its] = [findKind(name), kinds[name]];
    if (!own || !its || seen.has(name)) return false;
    seen.add(name);
    return readBefore(own, its).some(([, next]) => isReachedFrom(next, seen));
  };
  return readBefore(kind, entry)
    .filter(([, name]) => isReachedFrom(name, new Set()))
    .map(([path, name]) => ({
      path,
      summary: `${path.join(".")} needs the list of ${name}, ${name === kind.name ? "which is its own" : `and that list needs the list of ${kind.name}`}`,
      hint: "fill it from the key, { key: PART }, or with a lookup",
    }));
}
