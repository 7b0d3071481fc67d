import { decode } from "../document/router.ts";
import type { KindName } from "../kinds/kind-name.ts";
import type { Contract, FieldOperation, Manner, KindEntry, LookupEntry, OperationEntry } from "./contract.ts";

/** The purpose of a request of the contract. */
export type Role =
  | { readonly sort: "list" | "read" | "create" | "update" | "delete" | "renew" | "after" }
  | { readonly sort: "set_create" | "set_update" | "set_delete" | "set_read" | "zone" }
  /** A field with a request of its own; `value` of one that is switched on or off. */
  | { readonly sort: "field"; readonly field: string; readonly value?: boolean }
  | { readonly sort: "lookup"; readonly param: string };

export interface Route {
  readonly kind: KindName;
  readonly role: Role;
  readonly method: string;
  readonly operation: OperationEntry;
  readonly segments: readonly string[];
  /** The place of the entry in the contract. */
  readonly entry: string;
}

export interface MatchedRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** The API of a contract, in front of the service. */
export interface Door {
  readonly contract: Contract;
  readonly routes: readonly Route[];
  readonly manner: Manner;
}

export const makeDoor = (contract: Contract, manner: Manner): Door => ({
  contract,
  routes: routesOf(contract),
  manner,
});

function routesOf({ kinds }: Contract): readonly Route[] {
  return (Object.entries(kinds) as [KindName, KindEntry][]).flatMap(([kind, entry]) => routesOfKind(kind, entry));
}

function routesOfKind(kind: KindName, { operations, update_of: own = {}, after, params = {} }: KindEntry): Route[] {
  const { list, read, create, update, delete: remove, renew, set, zone } = operations;
  const routes: Route[] = [];
  const add = (role: Role, operation: OperationEntry | undefined, entry: string): void => {
    if (operation === undefined) return;
    const segments = operation.path.split("?", 1)[0]?.split("/") ?? [];
    routes.push({ kind, role, method: operation.method, operation, segments, entry: `kinds.${kind}.${entry}` });
  };
  add({ sort: "list" }, list, "operations.list");
  add({ sort: "read" }, read, "operations.read");
  add({ sort: "create" }, create === "implicit" ? undefined : create, "operations.create");
  add({ sort: "update" }, update, "operations.update");
  add({ sort: "delete" }, remove, "operations.delete");
  add({ sort: "renew" }, renew, "operations.renew");
  add({ sort: "zone" }, zone, "operations.zone");
  add({ sort: "set_create" }, set?.create, "operations.set.create");
  for (const operation of set?.update ?? []) add({ sort: "set_update" }, operation, "operations.set.update");
  add({ sort: "set_delete" }, set?.delete, "operations.set.delete");
  add({ sort: "set_read" }, set?.read, "operations.set.read");
  add({ sort: "after" }, after, "after");
  for (const [field, operation] of Object.entries(own)) addField(add, field, operation);
  for (const [param, { lookup }] of Object.entries(params))
    if (lookup !== undefined) add({ sort: "lookup", param }, readingOf(lookup), `params.${param}.lookup`);
  return routes;
}

function addField(
  add: (role: Role, operation: OperationEntry, entry: string) => void,
  field: string,
  operation: FieldOperation,
): void {
  if (!("on" in operation)) {
    add({ sort: "field", field }, operation, `update_of.${field}`);
    return;
  }
  add({ sort: "field", field, value: true }, operation.on, `update_of.${field}.on`);
  add({ sort: "field", field, value: false }, operation.off, `update_of.${field}.off`);
}

const readingOf = ({ path, query, list }: LookupEntry): OperationEntry => ({
  method: "GET",
  path,
  ...(query !== undefined && { query }),
  ...(list !== undefined && { answer: { list } }),
});

/** Returns the routes that a request may be for: those whose path says the most in words. `path` stands below the base path. */
export function matchRoutes(routes: readonly Route[], path: string, query: URLSearchParams): readonly MatchedRoute[] {
  const segments = path.split("/");
  const found = routes.flatMap((route): (MatchedRoute & { readonly words: number })[] => {
    const params = matchPath(route.segments, segments);
    const inQuery = params && matchQuery(route.operation.query ?? {}, query);
    const words = route.segments.filter((segment) => !segment.includes("{")).length;
    return inQuery ? [{ route, params: { ...params, ...inQuery }, words }] : [];
  });
  const most = Math.max(...found.map(({ words }) => words));
  return found.filter(({ words }) => words === most);
}

function matchPath(template: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (template.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of template.entries())
    if (!matchText(part, decode(segments[index] ?? ""), params)) return undefined;
  return params;
}

function matchQuery(
  template: Readonly<Record<string, string>>,
  query: URLSearchParams,
): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [name, text] of Object.entries(template))
    if (!matchText(text, query.get(name) ?? "", params)) return undefined;
  return params;
}

/** Matches a text with parameters in it, and adds their values. */
export function matchText(template: string, text: string, params: Record<string, string>): boolean {
  const names: string[] = [];
  const pattern = template
    .split(/(\{\w+\})/)
    .map((piece) => {
      const name = /^\{(\w+)\}$/.exec(piece)?.[1];
      if (name === undefined) return piece.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
      names.push(name);
      return "(.+)";
    })
    .join("");
  const found = new RegExp(`^${pattern}$`, "s").exec(text);
  if (found === null) return false;
  for (const [index, name] of names.entries()) params[name] = found[index + 1] ?? "";
  return true;
}
