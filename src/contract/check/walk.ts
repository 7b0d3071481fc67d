import { findKind, kinds } from "../../kinds/index.ts";
import { isPrioritised } from "../../kinds/dns/record-content.ts";
import type { Field, Kind } from "../../kinds/kind.ts";
import type { Contract, KindContract, ParamContract } from "../../model/contract.ts";
import { lookupsIn, operationsIn, parametersIn, textsIn, textsOf } from "../operations-in.ts";
import { namedPlaces, namesIn } from "../request.ts";
import { rulesOf } from "../rules-of.ts";
import { namesOfPart, partsOfType, typesInParts, labelsOfName, typesWithLabels } from "../spelling/content-parts.ts";
import { isContent, isRecordName, priorityField } from "../spelling/special-fields.ts";
import type { FieldPlace, KindPlace, Nodes, ParentName, Place, TypePlace } from "./nodes.ts";

type Visit = <At extends keyof Nodes>(at: At, node: Nodes[At]) => void;

const placeAt = (...path: readonly string[]): Place => ({ path, name: path.join(".") });
const below = <T extends Place>(of: T, ...path: readonly string[]): T => ({ ...of, ...placeAt(...of.path, ...path) });

/** Calls back with each item and the one before it that has the same key. */
function eachWithOther<T>(items: readonly T[], keyOf: (item: T) => string, call: (item: T, other?: T) => void): void {
  const first = new Map<string, T>();
  for (const item of items) {
    const other = first.get(keyOf(item));
    if (other === undefined) first.set(keyOf(item), item);
    call(item, other);
  }
}

/**
 * Visits every place of a contract that rules look at.
 * @param unchecked the names of further kinds, whose entries are wrong in their form.
 * @param isWhole whether the rules for all kinds have the right form; else they are not visited.
 */
export function walkContract(
  contract: Contract,
  { unchecked, isWhole }: { readonly unchecked: ReadonlySet<string>; readonly isWhole: boolean },
  visit: Visit,
): void {
  const written = [...Object.keys(contract.kinds), ...unchecked];
  const words = kinds.map(({ name }) => name);
  for (const word of written) visit("name", { ...placeAt("kinds", word), word, words });
  const known = written.filter((name) => contract.kinds[name] !== null && findKind(name));
  for (const kind of kinds) {
    const entry = contract.kinds[kind.name];
    if (!entry) continue;
    const place = { ...placeAt("kinds", kind.name), contract, known, kind, entry };
    walkKind(place, visit);
    if (isWhole) walkOwnRules(place, visit);
  }
  if (isWhole) walkRules(contract, visit);
}

function walkRules({ request, paging, answer }: Contract, visit: Visit): void {
  const { auth, headers = {}, precondition, idempotency } = request;
  visit("auth", { ...placeAt("request", "auth"), auth });
  visit("paging", { ...placeAt("paging"), paging });
  if (answer.job) visit("job", { ...placeAt("answer", "job"), job: answer.job });
  const named: [path: readonly string[], header: string | undefined][] = [
    ...(auth.headers ?? []).map((name, index): [string[], string] => [["auth", "headers", `${index}`], name]),
    [["auth", "header"], auth.headers ? undefined : auth.header],
    [["precondition", "header"], precondition?.header],
    [["idempotency", "header"], idempotency?.header],
    ...Object.keys(headers).map((name): [string[], string] => [["headers", name], name]),
  ];
  const all = named.flatMap(([path, header]) =>
    header === undefined ? [] : [{ ...placeAt("request", ...path), header }],
  );
  eachWithOther(
    all,
    ({ header }) => header.toLowerCase(),
    (node, other) => visit("header", { ...node, other }),
  );
}

function walkOwnRules(of: KindPlace, visit: Visit): void {
  const { contract, kind, entry } = of;
  const { paging, answer } = rulesOf(contract, kind.name);
  if (entry.paging) visit("paging", { ...below(of, "paging"), paging });
  if (entry.answer?.job && answer.job) visit("job", { ...below(of, "answer", "job"), job: answer.job });
}

function walkKind(of: KindPlace, visit: Visit): void {
  const { entry } = of;
  visit("kind", of);
  visit("list", { ...below(of, "operations", "list"), list: entry.operations.list });
  walkFields(of, visit);
  for (const [param, source] of Object.entries(entry.params ?? {})) {
    visit("param", { ...below(of, "params", param), param, source });
    for (const part of keyPartsOf(source)) visit("keyPart", { ...below(of, "params", param, "key"), param, part });
  }
  for (const name of parentsIn(entry)) {
    const path = name.in === "for_each" ? ["operations", "list", "for_each", name.by] : [name.in, name.by, "id_of"];
    visit("parent", { ...below(of, ...path), ...name });
  }
  walkRequests(of, visit);
}

/** Returns a text that two fields have in common if one would overwrite the other. */
const writtenPlace = ({ field, own, rules }: FieldPlace) =>
  own.parts || rules.access === "read_only" ? ` ${field}` : (own.at ?? ` ${field}`);

function walkFields(of: KindPlace, visit: Visit): void {
  const { kind, entry } = of;
  const { set, update } = entry.operations;
  const [place, updates] = set && kind.members ? [["set", "update"], set.update] : [["update"], update && [update]];
  const words = Object.keys(kind.fields).filter((field) => kind.fields[field]?.access !== "manifest_only");
  for (const word of ["fields", "update_of"] as const)
    for (const field of Object.keys(entry[word] ?? {}))
      visit("name", { ...below(of, word, field), word: field, words });
  for (const field of Object.keys(entry.update_of ?? {}).filter((each) => words.includes(each)))
    visit("ownUpdate", { ...below(of, "update_of", field), field });
  for (const field of words)
    if (isAbsent(entry, field)) visit("missing", { ...below(of, "fields"), field, rules: kind.fields[field] as Field });
  const fields = Object.entries(entry.fields).flatMap(([field, own]) => {
    const rules = kind.fields[field];
    return rules && words.includes(field) && own.absent !== true
      ? [{ ...below(of, "fields", field), field, own, rules }]
      : [];
  });
  eachWithOther(fields, writtenPlace, (node, other) => {
    visit("field", { ...node, other: other?.field });
    if (updates) visit("changedField", { ...node, ...placeAt(...of.path, "operations", ...place), updates });
    walkField(node, visit);
  });
}

function walkField(of: FieldPlace, visit: Visit): void {
  const { own } = of;
  const { map = {}, sentinel, values = [], parts = {} } = own;
  const pairs = Object.entries(map).flatMap(([ours, theirs]) => [theirs].flat().map((word) => ({ word, ours })));
  const all = [...(sentinel === undefined ? [] : [{ word: sentinel, ours: "null" }]), ...pairs];
  eachWithOther(
    all,
    ({ word }) => String(word),
    ({ word, ours }, other) =>
      visit("word", { ...below(of, "map", ours), word: JSON.stringify(word), ours, other: other?.ours }),
  );
  values.forEach((value, index) => visit("value", { ...below(of, "values", `${index}`), value }));
  for (const [type, pointers] of Object.entries(parts)) {
    const node = typePlace(of, type, Object.keys(pointers).flatMap(namesOfPart));
    visit("type", node);
    const others: string[] = [];
    for (const [part, pointer] of Object.entries(pointers)) {
      const names = namesOfPart(part);
      visit("part", { ...below(node, part), part, pointer, names, others: [...others] });
      others.push(...names);
    }
  }
}

/** @param given the parts that have a place. */
function typePlace(of: FieldPlace, type: string, given: readonly string[]): TypePlace {
  const { kind, entry, field } = of;
  const place = { ...below(of, "parts", type), type };
  const isGiven = (part: string) => given.includes(part);
  if (isRecordName(kind, field)) {
    const missing = labelsOfName.flatMap((both) => (both.some(isGiven) ? [] : [both[0]]));
    return { ...place, types: typesWithLabels, parts: labelsOfName.flat(), missing };
  }
  const own = isContent(kind, field) ? partsOfType(type) : [];
  const parts = isPrioritised(type) ? [priorityField, ...own] : own;
  const isApart = entry.fields[priorityField]?.at !== undefined && !isAbsent(entry, priorityField);
  const missing = (isApart ? own : parts).filter((part) => !isGiven(part));
  return { ...place, types: isContent(kind, field) ? typesInParts : [], parts: own.length === 0 ? [] : parts, missing };
}

function walkRequests(of: KindPlace, visit: Visit): void {
  const { entry } = of;
  const { params = {} } = entry;
  const lookups = lookupsIn(entry).map(([param, lookup]) => [["params", param, "lookup"], lookup] as const);
  for (const [path, operation] of operationsIn(entry)) {
    const node = below(of, ...path);
    visit("request", { ...node, operation });
    for (const field of namesIn(operation) ?? [])
      visit("sent", { ...node, field, pointer: namedPlaces(operation)?.[field] });
  }
  for (const [path, texts] of [...operationsIn(entry), ...lookups]) {
    const node = below(of, ...path);
    for (const [place, text] of textsIn(texts)) visit("text", { ...below(node, ...place), text });
    const isLookup = path[0] === "params";
    const inPath = parametersIn(texts.path);
    for (const param of new Set(parametersIn(textsOf(texts))))
      visit("use", {
        ...(isLookup ? below(of, ...path.slice(0, -1)) : node),
        param,
        source: Object.hasOwn(params, param) ? params[param] : undefined,
        request: path.at(-1) ?? "",
        isInPath: inPath.includes(param),
      });
  }
}

export const isAbsent = ({ fields }: KindContract, field: string): boolean =>
  fields[field] === undefined || fields[field].absent === true;

/** Whether an object cannot be known without a field. */
export const isOfName = ({ kind, entry }: KindPlace, field: string): boolean => {
  const { optional = [], toFields } = kind.naming;
  const isOfKey = Object.hasOwn(toFields({}), field) && !kind.scope.includes(field) && !optional.includes(field);
  return (isOfKey && entry.named_by === undefined) || field === kind.members?.identity;
};

/** Returns the parts of the key of a kind. */
export const partsOfKey = ({ naming, scope }: Kind): string[] => [
  ...new Set([...scope, ...Object.keys(naming.ofLive({}, {}))]),
];

/** Whether a kind has one object at most in each of its lists. */
export const isOnly = ({ kind }: KindPlace): boolean => partsOfKey(kind).every((part) => kind.scope.includes(part));

/** Returns the parts of a key that fill a parameter. */
export function keyPartsOf(source: ParamContract): string[] {
  // A file may have left the key of a parent out.
  const { key = {} } = source as { readonly key?: string | Readonly<Record<string, string>> };
  return typeof key === "string" ? [key] : Object.values(key);
}

/** Returns the kinds that an entry names by the ids of their objects. */
export function parentsIn({ fields, params = {}, operations }: KindContract): ParentName[] {
  return [
    ...Object.entries(fields).map(([by, { id_of: parent }]) => ({ in: "fields", by, parent, isOther: false }) as const),
    ...Object.entries(params).map(([by, source]) => {
      const { id_of: parent, at } = "id_of" in source ? source : {};
      return { in: "params", by, parent, isOther: at !== undefined } as const;
    }),
    ...Object.entries(operations.list.for_each ?? {}).map(
      ([by, parent]) => ({ in: "for_each", by, parent, isOther: false }) as const,
    ),
  ].flatMap(({ parent, ...name }) => (parent === undefined ? [] : [{ ...name, parent }]));
}
