import type { Kind } from "../kinds/kind.ts";
import { findKind } from "../kinds/index.ts";
import type { KindContract, OperationContract, ParamContract } from "../model/contract.ts";
import { nearest } from "../model/nearest.ts";
import type { ContractMistake } from "./contract-mistake.ts";
import { operationsIn, parametersIn, textsOf, type PlacedOperation } from "./operations-in.ts";
import { isInMember } from "./sets.ts";
import { fieldNames, fieldOf } from "./spelling/read-field.ts";

/**
 * Finds requests that cannot do what they stand for: a GET that writes, a body that is never sent, parameters from a part of a key that
 * there is not, fields that no record has.
 */
export function checkRequests(kind: Kind, entry: KindContract): ContractMistake[] {
  const path = ["kinds", kind.name];
  const requests = operationsIn(entry).flatMap(([below, operation]) => [
    ...methodMistakes([...path, ...below], operation),
    ...sentNames(kind, entry, [[...path, ...below], operation]),
    ...aimlessRequest(kind, entry, [[...path, ...below], operation]),
  ]);
  return [
    ...requests,
    ...doubtfulSingle(kind, entry),
    ...keyMistakes(kind, entry),
    ...scopeMistakes(kind, entry),
    ...setMistakes(kind, entry),
  ].concat(fieldMistakes(kind, entry));
}

const isReading = (path: readonly string[]) => path.at(-1) === "list" || path.at(-1) === "read";

/** Reads are sent as GET, and may be repeated at any time. */
function methodMistakes(path: readonly string[], operation: OperationContract): ContractMistake[] {
  const { method, base, body, at, send } = operation;
  const name = path.join(".");
  if (isReading(path) && method !== "GET")
    return [
      {
        path: [...path, "method"],
        summary: `${name} has the method ${method}: Hostform reads with GET only`,
        hint: "write method: GET; if the API reads in another way, an adapter can translate it",
      },
    ];
  if (!isReading(path) && method === "GET")
    return [
      {
        path: [...path, "method"],
        summary: `${name} has the method GET: a GET is repeated freely, so it must not write`,
        hint: "write POST, PUT, PATCH or DELETE; if the API writes with GET, an adapter can translate it",
      },
    ];
  if (method !== "GET") return [];
  return Object.entries({ base, body, at, send })
    .filter(([, value]) => value !== undefined)
    .map(([word]) => ({
      path: [...path, word],
      summary: `${name} has the word ${word}: a GET has no body`,
      hint: `take ${word} out; parameters of a GET stand in its path and query`,
      key: true,
    }));
}

/** Finds a list that is one object, though it is that of a place which holds several: of a zone's records for certain. */
function doubtfulSingle(kind: Kind, { operations: { list } }: KindContract): ContractMistake[] {
  const holdsOne = kind.scope.length === 0 || partsOfKey(kind).every((part) => kind.scope.includes(part));
  if (list.single !== true || list.explode !== undefined || list.for_each || holdsOne) return [];
  const path = ["kinds", kind.name, "operations", "list", "single"];
  return [
    {
      path,
      summary: `${path.slice(0, -1).join(".")} is single, so there is at most one ${kind.name} for each ${kind.scope.join(" and ")}`,
      hint: "take single out if the answer is a list",
      ...(!kind.members && { isWarning: true }),
    },
  ];
}

/** Finds an update or a deletion of one object that names none: it would reach all that stand at its path. */
function aimlessRequest(kind: Kind, { params = {}, operations }: KindContract, [path, operation]: PlacedOperation) {
  const { path: text, method, send } = operation;
  const isOnly = operations.list.single === true || partsOfKey(kind).every((part) => kind.scope.includes(part));
  const isOfOne = ["update", "delete"].includes(path.at(-1) ?? "") && path.at(-2) === "operations";
  if (!isOfOne || isOnly || typeof send === "object" || method === "GET") return [];
  const names = (name: string) => {
    const source = Object.hasOwn(params, name) ? params[name] : undefined;
    if (name === "id" || !source) return true;
    return !("lookup" in source) && ("field" in source || keysOf(source).some((part) => !kind.scope.includes(part)));
  };
  return parametersIn(textsOf(operation)).some(names)
    ? []
    : [
        {
          path: [...path, "path"],
          summary: `${path.join(".")} names no ${kind.name}: ${method} ${text} would reach all that stand there`,
          hint: `write the id of the object into it, such as path: "${text.replace(/\/$/u, "")}/{id}"`,
        },
      ];
}

/** Finds fields that a request is to send, and that no record has. */
function sentNames(kind: Kind, entry: KindContract, [path, { send }]: PlacedOperation): ContractMistake[] {
  if (send === undefined || typeof send === "string") return [];
  const places: [name: string, pointer?: string][] = Array.isArray(send)
    ? (send as readonly string[]).map((name) => [name])
    : Object.entries(send);
  return places.flatMap(([name, pointer]): ContractMistake[] => {
    const field = fieldOf(entry, name);
    const wrong = { path: [...path, "send"], summary: `${path.join(".")} sends ${name}, ` };
    if (field === undefined) {
      const summary = `${wrong.summary}which has no entry in kinds.${kind.name}.fields`;
      return [{ ...wrong, summary, ...suggestion(name, fieldNames(entry)) }];
    }
    if (pointer !== "" || field.keys !== undefined) return [];
    const summary = `${wrong.summary}which is not an object, as the whole body`;
    return [{ ...wrong, summary, hint: `write its place in the body, such as ${name}: /${name}` }];
  });
}

const suggestion = (name: string, known: readonly string[]) => {
  const near = nearest(name, known);
  return { hint: near === undefined ? `one of ${known.join(", ")}` : `did you mean ${near}?` };
};

/** Returns the parts of the key of a kind. */
export const partsOfKey = ({ naming, scope }: Kind): string[] => [
  ...new Set([...scope, ...Object.keys(naming.ofLive({}, {}))]),
];

/** Finds parameters from parts of a key that there are not, here or of the parent. */
function keyMistakes(kind: Kind, { params = {} }: KindContract): ContractMistake[] {
  const own = partsOfKey(kind);
  return Object.entries(params).flatMap(([param, source]): ContractMistake[] => {
    const path = ["kinds", kind.name, "params", param];
    const unknown = keysOf(source)
      .filter((part) => !own.includes(part))
      .map((part) => ({
        path: [...path, "key"],
        summary: `${path.join(".")} is filled from ${part}, which is not a part of the key of a ${kind.name}`,
        ...suggestion(part, own),
      }));
    const parent = "id_of" in source ? findKind(source.id_of) : undefined;
    const theirs = parent ? partsOfKey(parent) : [];
    // A file may have left it out.
    const given = "id_of" in source ? Object.keys(source.key ?? {}) : [];
    const isSame = theirs.every((part) => given.includes(part)) && given.every((part) => theirs.includes(part));
    return parent && !isSame
      ? [
          ...unknown,
          {
            path: [...path, "key"],
            summary: `${path.join(".")} does not name one ${parent.name}: its key has the ${theirs.length === 1 ? "part" : "parts"} ${theirs.join(", ")}`,
            hint: `write key: { ${theirs.map((part) => `${part}: …`).join(", ")} }, each a part of the key of the ${kind.name} (${own.join(", ")})`,
          },
        ]
      : unknown;
  });
}

const keysOf = (source: ParamContract): string[] => {
  if (!("key" in source)) return [];
  return typeof source.key === "string" ? [source.key] : Object.values(source.key);
};

/** Finds parameters of a list that only an object has: a list is asked for by its scope, and so is what is sent after its writes. */
function scopeMistakes(kind: Kind, { params = {}, operations, after }: KindContract): ContractMistake[] {
  const texts = [
    { path: ["operations", "list"], text: textsOf(operations.list) },
    ...(after ? [{ path: ["after"], text: textsOf(after) }] : []),
    ...Object.entries(params).flatMap(([param, source]) =>
      "lookup" in source ? [{ path: ["params", param], text: textsOf(source.lookup) }] : [],
    ),
  ];
  const known = partsOfKey(kind);
  return texts.flatMap(({ path, text }) =>
    [...new Set(parametersIn(text))].flatMap((name): ContractMistake[] => {
      const source = Object.hasOwn(params, name) ? params[name] : undefined;
      if (!source) return [];
      const used = "field" in source ? [source.field] : keysOf(source);
      const part = used.find((each) => !kind.scope.includes(each) && ("field" in source || known.includes(each)));
      if (part === undefined) return [];
      const whole = ["kinds", kind.name, ...path];
      const scope = kind.scope.length === 0 ? "the whole account" : `a ${kind.scope.join(", ")}`;
      return [
        {
          path: whole,
          summary: `${whole.join(".")} uses {${name}}, which is made of ${part}: that belongs to one ${kind.name}, but the ${path[0] === "after" ? "request" : "list"} is that of ${scope}`,
          hint: "leave it out of this request, or read the list below a parent with for_each",
        },
      ];
    }),
  );
}

/** Finds a content of records that stands outside the members of its set. */
function setMistakes(kind: Kind, entry: KindContract): ContractMistake[] {
  const { list } = entry.operations;
  const { identity = "" } = kind.members ?? {};
  const { at } = entry.fields[identity] ?? {};
  return at === undefined || isInMember(entry, at)
    ? []
    : [
        {
          path: ["kinds", kind.name, "fields", identity, "at"],
          summary: `kinds.${kind.name}.fields.${identity} stands at ${at}, outside the members of a set at ${list.explode}`,
          hint: `write at: ${list.explode}, or a place below it such as ${list.explode}/value`,
        },
      ];
}

/** Finds words that name a field without an entry, and keys of a list that are put where nothing reads them. */
function fieldMistakes({ name: kind }: Kind, entry: KindContract): ContractMistake[] {
  const { named_by: namedBy, update_of: updates = {}, fields, id, operations } = entry;
  const path = ["kinds", kind];
  const lacks = (name: string) => fieldOf(entry, name) === undefined;
  const { keyed_by: keyedBy, where = [] } = operations.list;
  const read = [id, ...Object.values(fields).map(({ at }) => at), ...where.map(({ pointer }) => pointer)];
  return [
    ...(namedBy !== undefined && lacks(namedBy)
      ? [
          {
            path: [...path, "named_by"],
            summary: `kinds.${kind}.named_by is ${namedBy}, which has no entry in its fields`,
            ...suggestion(namedBy, fieldNames(entry)),
          },
        ]
      : []),
    ...Object.keys(updates)
      .filter(lacks)
      .map((name) => ({
        path: [...path, "update_of", name],
        summary: `kinds.${kind}.update_of.${name} changes a field that has no entry in kinds.${kind}.fields`,
        ...suggestion(name, fieldNames(entry)),
        key: true as const,
      })),
    ...(keyedBy === undefined || read.includes(keyedBy)
      ? []
      : [
          {
            path: [...path, "operations", "list", "keyed_by"],
            summary: `kinds.${kind}.operations.list.keyed_by puts the key at ${keyedBy}, which no field, id or condition reads`,
            hint: `write the same pointer at the field that the key holds, such as name: { at: ${keyedBy} }`,
            isWarning: true as const,
          },
        ]),
  ];
}
