import { kindNamed, kinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Contract, KindContract } from "../../model/contract.ts";
import type { ProbeFinding } from "../../model/contract-summary.ts";
import { isHopeless, type Failure } from "../../model/failure.ts";
import type { JsonObject } from "../../model/json.ts";
import { getPointer } from "../../model/json-pointer.ts";
import { decodeList, type NameOf, textAt, translatedKinds } from "../decode-record.ts";
import type { BoundKind } from "../bound-kind.ts";
import { hasKind } from "../entry.ts";
import { operationsIn, parametersIn, textsOf } from "../operations-in.ts";
import { isInMember, lacksIds } from "../sets.ts";
import { jsonTypeOf, type ProbedList, refuted, seen, strongest, unseen } from "./finding.ts";
import { judgeField } from "./judge-field.ts";
import { rulesOf } from "../rules-of.ts";

/** Compares each entry of a contract with the lists of an account. An entry that none of them shows is unseen. */
export function probeContract(contract: Contract, lists: readonly ProbedList[], answers: SeenAnswers): ProbeFinding[] {
  const nameOf = namesIn(lists);
  const offered = kinds.filter((kind) => hasKind(contract, kind));
  const ofKinds = offered.flatMap((kind) => {
    const own = lists.filter((list) => list.kind.name === kind.name);
    return judgeKind(contract, kind, own, nameOf);
  });
  const found = strongest([...ofKinds, ...judgeRules(contract, lists, answers)]);
  return entriesIn(contract).map(([path, reason]) => {
    const own = found.get(JSON.stringify(path));
    const list = path[0] === "kinds" ? found.get(JSON.stringify(listPath(path[1] ?? ""))) : undefined;
    return own ?? unseen(path, reason ?? (list?.is === "seen" ? "no answer showed it" : reasonOf(list)));
  });
}

const reasonOf = (list: ProbeFinding | undefined): string =>
  list?.is === "refuted" ? "its list could not be read" : (list?.reason ?? "no answer showed it");

const listPath = (kind: string) => ["kinds", kind, "operations", "list"];

/** Returns what finds the name of an object whose id other kinds hold. */
function namesIn(lists: readonly ProbedList[]): NameOf {
  const needed = new Set(lists.flatMap(({ kind }) => translatedKinds(kind)));
  const names = lists
    .filter(({ kind }) => needed.has(kind.name))
    .flatMap((list) =>
      decodeList(list, list.items, () => undefined).map(
        ({ key, remote }) => [`${list.kind.name}/${remote.id}`, list.kind.naming.addressParts(key)[0]] as const,
      ),
    );
  const byId = new Map<string, string | undefined>(names);
  return (kind, id) => byId.get(`${kind}/${id}`);
}

/** Whether a failure says nothing of a contract. */
const saysNothing = (failure: Pick<Failure, "sort">): boolean =>
  isHopeless(failure) || ["forbidden", "rate_limited", "server_error", "interrupted"].includes(failure.sort);

function judgeKind(contract: Contract, kind: Kind, lists: readonly ProbedList[], nameOf: NameOf): ProbeFinding[] {
  const path = listPath(kind.name);
  if (lists.length === 0) return [unseen(path, "the account shows no object below which it is listed")];
  const isRead = lists.some(({ incomplete }) => incomplete === undefined);
  return lists.flatMap((list) => {
    const { items, incomplete = "", failure, moved } = list;
    const isSilent = moved === true || (failure !== undefined && saysNothing(failure));
    // Some servers answer 404 where a list is empty, and a list below what the contract does not know may not be there.
    const isAbsent = failure?.sort === "not_found" && (isRead || hasUnknownParent(contract, kind));
    if (list.incomplete !== undefined && (isSilent || isAbsent)) return [unseen(path, incomplete)];
    const ofRecords = items.length > 0 ? judgeRecords(list, nameOf) : [];
    if (list.incomplete !== undefined) return [refuted(path, "a whole list", incomplete), ...ofRecords];
    return items.length === 0 ? [unseen(path, "the list is empty")] : [seen(path), ...ofRecords, ...usedBy(list.kind)];
  });
}

const hasUnknownParent = (contract: Contract, { scope, relations: { requires = [] } = {} }: Kind): boolean =>
  scope.length > 0 && !requires.flat().every((parent) => hasKind(contract, kindNamed(parent.kind)));

/** Finds what a list that was read has used: the parameters of its request, and the reads of its objects. */
function usedBy({ entry, name }: BoundKind): ProbeFinding[] {
  const { list, read } = entry.operations;
  const isDetailed = list.detail !== undefined && read !== undefined;
  const used = parametersIn(`${textsOf(list)} ${isDetailed ? textsOf(read) : ""}`);
  return [
    ...Object.keys(entry.params ?? {})
      .filter((param) => used.includes(param))
      .map((param) => seen(["kinds", name, "params", param])),
    ...(isDetailed ? [seen(["kinds", name, "operations", "read"])] : []),
  ];
}

function judgeRecords({ kind, scope, items }: ProbedList, nameOf: NameOf): ProbeFinding[] {
  const { entry } = kind;
  const path = ["kinds", kind.name];
  const isThere = (pointer: string) => items.some((item) => (getPointer(item, pointer) ?? null) !== null);
  return [
    ...judgeId(kind, items),
    ...(entry.etag !== undefined && isThere(entry.etag) ? [seen([...path, "etag"])] : []),
    ...(entry.managed_when?.every(({ pointer }) => isThere(pointer)) === true ? [seen([...path, "managed_when"])] : []),
    ...Object.keys(entry.fields).map((name) => judgeField({ kind, key: scope }, name, items, nameOf)),
  ];
}

function judgeId(kind: BoundKind, items: readonly JsonObject[]): ProbeFinding[] {
  const { entry } = kind;
  const { id } = entry;
  if (id === undefined || lacksIds(kind)) return [];
  const path = ["kinds", kind.name, "id"];
  const ids = items.map((item): string => textAt(item, id));
  const without = items.find((_, index) => ids[index] === "");
  if (without) return [refuted(path, `the id of each object at ${id}`, jsonTypeOf(getPointer(without, id)))];
  const isOfMembers = kind.members !== undefined && !isInMember(entry, id);
  const isUnique = isOfMembers || new Set(ids).size === ids.length;
  return [isUnique ? seen(path) : refuted(path, `another id for each object at ${id}`, "one value in two objects")];
}

const onlyReads = "only GETs are sent";
const reasons: Readonly<Record<string, string>> = {
  precondition: onlyReads,
  idempotency: onlyReads,
  job: onlyReads,
  error: "no request was refused",
  rate_limit: "the limit was not reached",
};

/** Returns the entries of a part of a contract. */
const below = (path: readonly string[], value: object = {}) =>
  Object.keys(value)
    .filter((word) => word !== "assumed" && word !== "headers")
    .map(
      (word) => [[...path, word], path[0] === "kinds" && path.at(-1) === "fields" ? undefined : reasons[word]] as const,
    );

/** Returns the path of each entry of a contract, in the order of a contract file, with the reason for which no GET can show it. */
function entriesIn(contract: Contract): (readonly [path: readonly string[], reason?: string | undefined])[] {
  const rules = (path: readonly string[], { answer, paging }: Pick<KindContract, "answer" | "paging">) => [
    ...below([...path, "answer"], answer),
    ...below([...path, "paging"], paging),
  ];
  return [
    [["base_path"]],
    ...below(["request"], contract.request),
    ...rules([], contract),
    ...Object.entries(contract.kinds).flatMap(([name, kind]) => {
      const path = ["kinds", name];
      if (!kind) return [];
      const words = (["id", "etag", "managed_when"] as const).filter((word) => kind[word] !== undefined);
      return [
        ...words.map((word) => [[...path, word]] as const),
        ...rules(path, kind),
        ...below([...path, "params"], kind.params),
        ...below([...path, "fields"], kind.fields),
        ...operationsIn(kind).map(
          ([place, { method }]) => [[...path, ...place], method === "GET" ? undefined : onlyReads] as const,
        ),
      ];
    }),
  ];
}

/** What answers of success held beside their lists. */
interface SeenAnswers {
  readonly requestId: boolean;
  readonly totalHeader: boolean;
  readonly nextPage: boolean;
}

/** Judges the rules that hold for all kinds, or for one: what a list was read by that holds an object is seen. */
function judgeRules(contract: Contract, lists: readonly ProbedList[], answers: SeenAnswers): ProbeFinding[] {
  const read = lists.filter(({ incomplete, items }) => incomplete === undefined && items.length > 0);
  const isLost = lists.length > 0 && lists.every(({ failure }) => failure?.sort === "not_found");
  const base = contract.base_path === "" ? "the base URL" : contract.base_path;
  return [
    ...(isLost ? [refuted(["base_path"], `an API below ${base}`, "404 for every list")] : []),
    ...(read.length > 0 ? [seen(["base_path"]), seen(["request", "auth"])] : []),
    ...(answers.requestId ? [seen(["answer", "request_id"])] : []),
    ...read.flatMap((list) => rulesUsed(contract, list, answers)),
  ];
}

function rulesUsed(contract: Contract, { kind, items }: ProbedList, answers: SeenAnswers): ProbeFinding[] {
  const { entry } = kind;
  const { list } = entry.operations;
  const home = (part: "answer" | "paging", word: string) =>
    entry[part] !== undefined && Object.hasOwn(entry[part], word) ? ["kinds", kind.name, part, word] : [part, word];
  const place = list.single === true ? "record" : "list";
  const { paging } = rulesOf(contract, kind.name);
  const isPaged = items.length > (paging.max_size ?? Infinity) || answers.nextPage;
  const counts = [
    ...(paging.total === undefined ? [] : ["total"]),
    ...(paging.total_header !== undefined && answers.totalHeader ? ["total_header"] : []),
  ];
  const pages = ["style", "page", "first", "size", "max_size", "next"].filter((word) => Object.hasOwn(paging, word));
  return [
    ...(list.answer?.[place] === undefined ? [seen(home("answer", place))] : []),
    ...(list.single === true ? [] : [...counts, ...(isPaged ? pages : [])].map((word) => seen(home("paging", word)))),
  ];
}
