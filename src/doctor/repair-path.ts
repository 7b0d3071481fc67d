import type { Kind } from "../kinds/kind.ts";
import type { Contract, KindContract } from "../model/contract.ts";
import type { JsonObject } from "../model/json.ts";
import { nested, type EntryPath } from "./examination.ts";

/** Another way to ask for a list: the entry that is wrong then, and what to write instead. */
export interface Repair {
  readonly path: EntryPath;
  readonly write: JsonObject;
}

const withoutId = (path: string) => path.replace(/\/\{[^{}]*\}$/u, "").replace(/\?.*$/u, "");

/**
 * Returns paths that a list may have instead of its own: those of the other requests of its kind, then its own
 * with or without an s or a first part, and the usual name of its objects.
 */
export function pathRepairs({ operations }: KindContract, kind: Kind): Repair[] {
  const { list, read, create, update, delete: remove, set, zone } = operations;
  const others = [read, create === "implicit" ? undefined : create, update, remove, set?.create, set?.read, zone];
  const isSingle = list.single === true;
  const paths = others.flatMap((each) => {
    if (!each) return [];
    return isSingle ? [each.path] : [withoutId(each.path)];
  });
  const slip = list.path.endsWith("s") ? list.path.slice(0, -1) : `${list.path}s`;
  const segments = list.path.split("/");
  const short = segments.length > 2 ? [`/${segments.slice(2).join("/")}`] : [];
  const usual = kind.scope.length === 0 ? [`/${kind.name.replace(/^.*_/u, "")}s`] : [];
  return [...new Set([...paths, slip, ...short, ...usual])]
    .filter((path) => path !== list.path && /^\/./u.test(path) && !path.includes("{id}"))
    .slice(0, 5)
    .map((path) => listRepair(kind, { path }));
}

export const listRepair = (kind: Kind, write: JsonObject): Repair => {
  const path = ["kinds", kind.name, "operations", "list"];
  return { path, write: nested(path, write) };
};

/** Returns queries by which a list may be told its scope: by the names of its parameters. */
export function queryRepairs({ operations: { list } }: KindContract, kind: Kind): Repair[] {
  return Object.entries(list.query ?? {}).flatMap(([name, text]) => {
    const [, param] = /^\{(\w+)\}$/u.exec(text) ?? [];
    if (param === undefined) return [];
    const camel = param.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase());
    return [...new Set([param, camel, param.replace(/_id$/u, "")])]
      .filter((other) => other !== name)
      .map((other) => listRepair(kind, { query: { [name]: null, [other]: text } }));
  });
}

/** Returns base paths that an API may have instead of the contract's. */
export function baseRepairs({ base_path: base, name }: Contract): Repair[] {
  const bases = ["", `/${name}`, base.replace(/\/[^/]*$/u, ""), `/api${base}`, "/v1", "/api/v1", "/v2", "/api"];
  return [...new Set(bases)]
    .filter((other) => other !== base && /^(?:\/[\w.-]+)*$/u.test(other))
    .map((other) => ({ path: ["base_path"], write: { base_path: other } }));
}

/** Returns other places of the first page: an API may count pages, or objects, from 0 or from 1. */
export function pageRepairs({ paging: own }: KindContract, { paging: shared }: Contract, kind: Kind): Repair[] {
  const path = own?.style === undefined && own?.page === undefined ? ["paging"] : ["kinds", kind.name, "paging"];
  const { style = "page", first = 1 } = path.length === 1 ? shared : { ...shared, ...own };
  if (style !== "page" && style !== "offset") return [];
  const changes: JsonObject[] =
    style === "offset" ? [{ style: "page" }] : [{ first: first === 0 ? 1 : 0 }, { style: "offset" }];
  return changes.map((change) => ({ path, write: nested(path, change) }));
}
