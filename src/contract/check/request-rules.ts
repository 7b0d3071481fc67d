import { getPointer, setPointer } from "../../model/json-pointer.ts";
import type { JsonObject } from "../../model/json.ts";
import { operationsIn, parametersIn, textsOf } from "../operations-in.ts";
import { sendsWhole } from "../binding.ts";
import { namesIn, sendsField } from "../request.ts";
import { sendsList } from "../set-calls.ts";
import { fieldNames, fieldOf } from "../spelling/read-field.ts";
import { suggestion } from "./field-rules.ts";
import type { KindPlace, Nodes, RuleTable } from "./nodes.ts";
import { isOnly, keyPartsOf, partsOfKey } from "./walk.ts";

/** Returns the field, or the parts of a key, that fill a parameter. */
const partsOf = (source: Nodes["use"]["source"]): readonly string[] | undefined =>
  source && ("field" in source ? [source.field] : keyPartsOf(source));

/** Whether an update or a deletion of one object, or of one set, names that: else it would reach all that stand at its path. */
function namesObject(node: Nodes["request"]): boolean {
  const { kind, path, operation, entry } = node;
  const { params = {}, operations } = entry;
  const ofSet = path[3] === "set" && kind.members !== undefined;
  const isElsewhere = ofSet ? path[4] === "update" && sendsWhole(operation) : typeof operation.send === "object";
  const isOfOne = path[2] === "operations" && ["update", "delete"].includes(path[ofSet ? 4 : 3] ?? "");
  // A GET that writes is a mistake of its own.
  if (!isOfOne || isElsewhere || operation.method === "GET") return true;
  if (operations.list.single === true || isOnly(node)) return true;
  const used = parametersIn(textsOf(operation));
  const named = [...used.flatMap((name) => partsOf(params[name]) ?? "id"), ...(namesIn(operation) ?? [])];
  const isOwn = (part: string) => !kind.scope.includes(part);
  const isNamed = (part: string) => !isOwn(part) || named.includes(part);
  return named.includes("id") || (ofSet ? partsOfKey(kind).every(isNamed) : named.some(isOwn));
}

/** Whether constants of a request stand where its list stands in the body: nothing can stand beside its items. */
function areBesideList({ kind, path, entry, operation }: Nodes["request"], constants: JsonObject): boolean {
  const isOfSet = ["set", "zone"].includes(path[3] ?? "") && kind.members !== undefined;
  if (!isOfSet || !sendsList(entry, operation)) return false;
  const { at = "" } = operation;
  const there = getPointer(constants, at);
  return there !== undefined && !Array.isArray(there) && (at !== "" || Object.keys(constants).length > 0);
}

/** Whether a request is about an object that there is; one after writes is about their list. */
const isOfObject = (request: string) => !["list", "create", "after", "lookup"].includes(request);

/** Whether something defines a parameter of a request. An object that is not created yet stands in no parent's list. */
const isFilled = ({ entry, request, param }: Pick<Nodes["use"], "entry" | "request" | "param">) =>
  Object.hasOwn(entry.params ?? {}, param) ||
  (Object.hasOwn(entry.operations.list.for_each ?? {}, param) && (isOfObject(request) || request === "list"));

/** Returns the requests that need the id of an object that has none. */
const withoutId = ({ entry }: KindPlace): (readonly string[])[] =>
  operationsIn(entry).flatMap(([path, operation]) => {
    const request = path.at(-1) ?? "";
    const isUsed = parametersIn(textsOf(operation)).includes("id") && isOfObject(request);
    return isUsed && entry.id === undefined && !isFilled({ entry, request, param: "id" }) ? [path] : [];
  });

/** Returns the part of a key that only one object has, by which a parameter of a whole list is filled. */
function ownPart({ kind, request, source }: Nodes["use"]): string | undefined {
  if (!source || !["list", "after", "lookup"].includes(request)) return undefined;
  const known = partsOfKey(kind);
  return partsOf(source)?.find((part) => !kind.scope.includes(part) && ("field" in source || known.includes(part)));
}

/** Whether the text that fills a parameter may be in several pieces, or empty. */
function mayBeEmpty({ entry, source }: Nodes["use"]): boolean {
  const { as = [], map = {}, sentinel, parts } = (source && "field" in source && entry.fields[source.field]) || {};
  const words = Object.values(map).map((each) => [each].flat()[0]);
  return parts !== undefined || as.includes("empty_apex") || sentinel === "" || words.includes("");
}

/** Rules for requests, and for the parameters that they use: each can do what it stands for. */
export const requestRules: RuleTable = {
  request: (node) => {
    const { name, path, kind, operation } = node;
    const { method, path: text, at = "", base = {}, body = {} } = operation;
    const isReading = path.at(-1) === "list" || path.at(-1) === "read";
    const unread = (["base", "body", "at", "send"] as const).filter((word) => operation[word] !== undefined);
    const ofBody = Object.entries(body).reduce((whole, [pointer, value]) => setPointer(whole, pointer, value), {});
    return [
      !isReading ||
        method === "GET" || [
          `${name} has the method ${method}: Hostform reads with GET only`,
          "write method: GET; if the API reads in another way, an adapter can translate it",
          { below: ["method"] },
        ],
      isReading ||
        method !== "GET" || [
          `${name} has the method GET: a GET is repeated freely, so it must not write`,
          "write POST, PUT, PATCH or DELETE; if the API writes with GET, an adapter can translate it",
          { below: ["method"] },
        ],
      ...(isReading && method === "GET" ? unread : []).map(
        (word) =>
          [
            `${name} has the word ${word}: a GET has no body`,
            `take ${word} out; parameters of a GET stand in its path and query`,
            { below: [word], isKey: true },
          ] as const,
      ),
      ...Object.entries({ base, body: ofBody }).map(
        ([word, constants]) =>
          !areBesideList(node, constants) ||
          ([
            `${name}.${word} has constants at ${at === "" ? "its whole body" : at}, where a list stands: they would be lost`,
            `write at: with a place for the list beside the constants, or take ${word} out`,
            { below: [word] },
          ] as const),
      ),
      namesObject(node) || [
        `${name} names no ${kind.name}: ${method} ${text} would reach all that stand there`,
        path[3] === "set"
          ? "write {name} and {type} into its path, or send: [name, type] if its body names the set"
          : `write the id of the object into it, such as path: "${text.replace(/\/$/u, "")}/{id}"`,
        { below: ["path"] },
      ],
    ];
  },
  sent: ({ name, kind, entry, field, pointer }) => {
    const own = fieldOf(entry, field);
    return [
      own !== undefined || [
        `${name} sends ${field}, which has no entry in kinds.${kind.name}.fields`,
        suggestion(field, fieldNames(entry)),
        { below: ["send"] },
      ],
      own === undefined ||
        pointer !== "" ||
        own.keys !== undefined || [
          `${name} sends ${field}, which is not an object, as the whole body`,
          `write its place in the body, such as ${field}: /${field}`,
          { below: ["send"] },
        ],
    ];
  },
  changedField: ({ name, kind, entry, field, rules, updates }) => [
    rules.access !== "mutable" ||
      Object.hasOwn(kind.naming.toFields({}), field) ||
      Object.hasOwn(entry.update_of ?? {}, field) ||
      updates.some((operation) => sendsField(operation, field)) || [
        `no request of ${name} sends ${field}, so it could never be changed`,
        `add ${field} to the send: of a request, or write fields.${field}: { absent: true }`,
        { isWarning: entry.operations.set === undefined },
      ],
  ],
  kind: (node) => {
    const { name } = node;
    const [first, ...others] = withoutId(node);
    const more = others.map((path) => path.join(".")).join(" and ");
    return [
      first === undefined || [
        `${name}.${first.join(".")} uses {id}${more === "" ? "" : `, as ${others.length === 1 ? "does" : "do"} ${more}`}, and ${name} does not say where an object holds its id`,
        `write ${name}.id, such as id: /id`,
        { below: first },
      ],
    ];
  },
  use: (node) => {
    const { name, kind, param, request, isInPath } = node;
    const own = ownPart(node);
    const scope = kind.scope.length === 0 ? "the whole account" : `a ${kind.scope.join(", ")}`;
    return [
      isFilled(node) ||
        (param === "id" && isOfObject(request)) || [
          `${name} uses {${param}}, which kinds.${kind.name}.params does not define`,
          `write params: { ${param}: { key: PART } } with a part of the key of the ${kind.name} (${partsOfKey(kind).join(", ")}), or { id_of: KIND, key: { … } } for the id of a parent`,
        ],
      own === undefined || [
        `${name} uses {${param}}, which is made of ${own}: that belongs to one ${kind.name}, but the ${request === "after" ? "request" : "list"} is that of ${scope}`,
        "leave it out of this request, or read the list below a parent with for_each",
      ],
      !isInPath ||
        request === "lookup" ||
        !mayBeEmpty(node) || [
          `${name}.path uses {${param}}, whose field is not a text of its own, or is empty, for some values: no part of a path can be empty`,
          `write {${param}} in the query or in the body, or the id of the object in the path`,
          { below: ["path"] },
        ],
    ];
  },
  // An id may be known only when the request is sent, and then it takes the place of the whole text.
  text: ({ name, entry: { params = {} }, text }) => {
    const [first = "", ...others] = parametersIn(text);
    const isId = first === "id" || (Object.hasOwn(params, first) && "id_of" in (params[first] ?? {}));
    return [
      first === "" ||
        (others.length === 0 && (!isId || text === `{${first}}`)) || [
          `${name} holds ${others.length > 0 ? "several parameters" : `text beside the id {${first}}`}`,
          `write one parameter alone, such as "{${first}}"; if the API wants more, an adapter can translate it`,
        ],
    ];
  },
};
