import type { FieldContract, KindContract } from "../../src/model/contract.ts";
import { isObject } from "../../src/model/json-pointer.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import { sortOf } from "../../src/contract/spelling/fits.ts";
import type { Contract } from "../../src/model/contract.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";

/** One wrong entry of a contract that was right. */
export interface Mutation {
  readonly type: string;
  /** The entries at which it may be named, dotted. */
  readonly entries: readonly string[];
  /** Laid over the contract. */
  readonly change: JsonObject;
}

const nested = (path: readonly string[], value: Json): JsonObject =>
  path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value) as JsonObject;

const at = (type: string, path: readonly string[], value: Json, more: readonly string[] = []): Mutation => ({
  type,
  entries: [path.join("."), ...more],
  change: nested(path, value),
});

/** What a mutation needs to know of the account: fields that have a value in an answer, and kinds that have two objects. */
export interface Known {
  /** Confirmed entries of the contract without a mutation, dotted. */
  readonly confirmed: ReadonlySet<string>;
  /** Values of fields that are words or sizes, by entry. */
  readonly words: ReadonlyMap<string, string>;
}

const lastOf = (pointer: string) => pointer.slice(pointer.lastIndexOf("/") + 1);
const camel = (text: string) => text.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase());

/** Returns every mutation of a contract whose entry answers can show. */
export function mutationsOf(contract: Contract, known: Known): Mutation[] {
  const kinds = Object.entries(contract.kinds).flatMap(([name, kind]) => (kind ? [[name, kind] as const] : []));
  return [
    ...ofRules(contract, known),
    ...kinds.flatMap(([name, kind]) => [
      ...ofLists(contract, name, kind, known),
      ...Object.entries(kind.fields)
        .filter(([field]) => known.confirmed.has(`kinds.${name}.fields.${field}`))
        .flatMap(([field, entry]) => ofField(name, field, entry, known)),
    ]),
  ];
}

function ofRules({ base_path: base, request, answer, paging }: Contract, { confirmed }: Known): Mutation[] {
  const isPaged = confirmed.has("paging");
  const { auth } = request;
  const isHeader = auth.headers === undefined;
  return [
    ...(isHeader
      ? [
          at("auth", ["request", "auth"], { header: "X-Wrong-Key", scheme: "" }),
          at("auth", ["request", "auth"], { header: auth.header, scheme: auth.scheme === "" ? "Bearer" : "Token" }),
        ]
      : []),
    at("path", ["base_path"], `${base}9`),
    at("path", ["base_path"], ""),
    ...(answer.list === ""
      ? []
      : [at("pointer", ["answer", "list"], "/items"), at("nesting", ["answer", "list"], `/result${answer.list}`)]),
    ...(answer.record === ""
      ? []
      : [at("pointer", ["answer", "record"], "/object"), at("nesting", ["answer", "record"], `${answer.record}/item`)]),
    ...(paging.page === undefined || !isPaged
      ? []
      : [
          at("paging", ["paging"], { page: "pg" }),
          at("paging", ["paging"], { style: paging.style === "offset" ? "page" : "offset" }),
          at("paging", ["paging"], { first: paging.first === 0 ? null : 0 }),
        ]),
    ...(paging.size === undefined || !confirmed.has("paging.size")
      ? []
      : [at("paging", ["paging", "size"], "how_many"), at("paging", ["paging", "size"], "take")]),
    ...(paging.total === undefined || !confirmed.has("paging.total")
      ? []
      : [
          at("total", ["paging", "total"], "/meta/amount"),
          at("total", ["paging", "total"], "/count"),
          at("total", ["paging", "total"], "/meta/current_page"),
        ]),
  ].filter(({ change }) => change["base_path"] !== base);
}

function ofLists(contract: Contract, name: string, kind: KindContract, { confirmed }: Known): Mutation[] {
  const path = ["kinds", name];
  const { list } = kind.operations;
  const isShown = confirmed.has(`${path.join(".")}.operations.list`);
  const hasObjects = Object.keys(kind.fields).some((field) => confirmed.has(`kinds.${name}.fields.${field}`));
  if (!isShown) return [];
  const wrongQuery = Object.entries(list.query ?? {}).filter(([, text]) => text.includes("{"));
  return [
    ...(list.single === true && !hasObjects
      ? []
      : [
          at("path", [...path, "operations", "list"], { path: `${list.path}x` }),
          at("path", [...path, "operations", "list"], { path: list.path.replace(/^\//u, "/old/") }),
        ]),
    ...(hasObjects
      ? wrongQuery.map(([key, text]) =>
          at("path", [...path, "operations", "list"], { query: { [key]: null, [`x_${key}`]: text } }),
        )
      : []),
    ...(kind.id !== undefined && confirmed.has(`kinds.${name}.id`)
      ? [
          at("id", [...path, "id"], "/uuid"),
          at("id", [...path, "id"], "/ID"),
          at("id", [...path, "id"], `/meta${kind.id}`),
        ]
      : []),
    ...(kind.etag !== undefined && confirmed.has(`kinds.${name}.etag`)
      ? [at("pointer", [...path, "etag"], "/_etag")]
      : []),
    ...(contract.kinds[name]?.answer?.list === undefined
      ? []
      : [at("pointer", [...path, "answer", "list"], "/entries")]),
    ...(hasObjects && kind.operations.read && confirmed.has(`kinds.${name}.operations.read`)
      ? [at("path", [...path, "operations", "read"], { path: `/single${kind.operations.read.path}` })]
      : []),
  ];
}

function ofField(kindName: string, name: string, field: FieldContract, { words }: Known): Mutation[] {
  const kind = kindNamed(kindName);
  const path = ["kinds", kindName, "fields", name];
  const key = path.join(".");
  const value = words.get(key);
  const token = lastOf(field.at);
  const depth = field.at.split("/").length;
  const sort = sortOf(kind, name);
  const isWritten = kind.fields[name]?.access !== "read_only";
  const isPlain =
    field.as === undefined && field.map === undefined && field.id_of === undefined && field.parts === undefined;
  return [
    at("pointer", path, { at: `${field.at}x` }),
    ...(isPlain && (kind.fields[name]?.required === true || name === "priority") ? [at("left_out", path, null)] : []),
    ...(camel(token) === token ? [] : [at("pointer", path, { at: field.at.replace(token, camel(token)) })]),
    ...(depth > 2 ? [at("nesting", path, { at: `/${token}` })] : []),
    at("nesting", path, { at: `/attributes${field.at}` }),
    ...(isPlain &&
    isWritten &&
    sort === "text" &&
    value !== undefined &&
    Number.isNaN(Number(value)) &&
    kind.members === undefined
      ? [at("type", path, { as: ["integer"] })]
      : []),
    ...(isPlain && isWritten && ["number", "boolean"].includes(sort) && value !== undefined
      ? [at("type", path, { as: ["string"] })]
      : []),
    ...(isPlain && name.endsWith("_mb") && Number(value) > 0 ? [at("unit", path, { as: ["bytes"] })] : []),
    ...(field.as?.includes("bytes") === true && Number(value) > 1e7
      ? [at("unit", path, { as: field.as.length > 1 ? field.as.filter((each) => each !== "bytes") : null })]
      : []),
    ...(name === "status" && value !== undefined && isPlain
      ? [at("enum", path, { map: { [value]: `${value}_word` } })]
      : []),
    ...(isPlain && sort === "boolean" && value !== undefined
      ? [at("enum", path, { map: { true: "on", false: "off" } })]
      : []),
    ...(isObject(field.map) && value !== undefined ? enumOf(path, field, value) : []),
  ];
}

/** The word of an answer is another one in the map. */
function enumOf(path: readonly string[], { map = {} }: FieldContract, value: string): Mutation[] {
  return Object.entries(map).flatMap(([ours, theirs]) =>
    String(theirs) === value ? [at("enum", path, { map: { [ours]: `${value}_word` } })] : [],
  );
}
