import { operationId } from "../actions/index.ts";
import { decode } from "../document/router.ts";
import { kinds } from "../kinds/index.ts";
import type { KindName } from "../kinds/kind-name.ts";
import type { Contract, Manner, KindEntry, OperationEntry } from "./contract.ts";

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

/** A list with at least one item. */
export type Some<Item> = readonly [Item, ...Item[]];

export const isSome = <Item>(list: readonly Item[]): list is Some<Item> => list.length > 0;

export type Door = ReturnType<typeof makeDoor>;

/** The API of a contract, in front of the service. */
export const makeDoor = (contract: Contract, manner: Manner) => ({
  contract,
  routes: kindsOf(contract).flatMap(([kind, entry]) => routesOf(kind, entry)),
  manner,
});

export const kindsOf = ({ kinds }: Contract): [KindName, KindEntry][] =>
  Object.entries(kinds) as [KindName, KindEntry][];

function routesOf(kind: KindName, { operations, update_of: own = {}, after, params = {} }: KindEntry): Route[] {
  const { set } = operations;
  const routes: Route[] = [];
  const add = (role: Role, operation: OperationEntry | undefined, entry: string): void => {
    if (operation === undefined) return;
    const segments = operation.path.split("?", 1)[0]?.split("/") ?? [];
    routes.push({ kind, role, method: operation.method, operation, segments, entry: `kinds.${kind}.${entry}` });
  };
  for (const sort of ["list", "read", "create", "update", "delete", "renew", "zone"] as const) {
    const operation = operations[sort];
    if (operation !== "implicit") add({ sort }, operation, `operations.${sort}`);
  }
  add({ sort: "set_create" }, set?.create, "operations.set.create");
  for (const operation of set?.update ?? []) add({ sort: "set_update" }, operation, "operations.set.update");
  add({ sort: "set_delete" }, set?.delete, "operations.set.delete");
  add({ sort: "set_read" }, set?.read, "operations.set.read");
  add({ sort: "after" }, after, "after");
  for (const [field, operation] of Object.entries(own)) {
    const at = `update_of.${field}`;
    if ("on" in operation) {
      add({ sort: "field", field, value: true }, operation.on, `${at}.on`);
      add({ sort: "field", field, value: false }, operation.off, `${at}.off`);
    } else add({ sort: "field", field }, operation, at);
  }
  for (const [param, { lookup }] of Object.entries(params)) {
    if (lookup === undefined) continue;
    const { path, query, list } = lookup;
    const answer = list === undefined ? {} : { list };
    add({ sort: "lookup", param }, { method: "GET", path, query, answer }, `params.${param}.lookup`);
  }
  return routes;
}

/** The verbs of the service's own API, where the contract has another word for a purpose. */
const verbs: Partial<Readonly<Record<Role["sort"], string>>> = {
  lookup: "list",
  read: "get",
  field: "update",
  after: "update",
  set_create: "create",
  set_update: "update",
  set_delete: "delete",
  set_read: "get",
  zone: "update",
};

/** Returns the operation of the service's own API that a request of a contract stands for: permissions and faults refer to it. */
export function representedBy({ kind, role: { sort } }: Pick<Route, "kind" | "role">): string {
  // Mail settings are always there.
  if (kind === "mail_settings" && sort === "create") return operationId("update", kind);
  const isSingle = kinds[kind].idPrefix === undefined;
  return operationId(isSingle && sort === "list" ? "get" : (verbs[sort] ?? sort), kind);
}

/** Returns the routes that a request may be for: those whose path says the most in words. `path` stands below the base path. */
export function matchRoutes(routes: readonly Route[], path: string, query: URLSearchParams): readonly MatchedRoute[] {
  const segments = path.split("/");
  const found = routes.flatMap((route): (MatchedRoute & { readonly words: number })[] => {
    const params: Record<string, string> = {};
    const isFound =
      route.segments.length === segments.length &&
      route.segments.every((part, index) => matchText(part, decode(segments[index] ?? ""), params)) &&
      Object.entries(route.operation.query ?? {}).every(([name, text]) =>
        matchText(text, query.get(name) ?? "", params),
      );
    const words = route.segments.filter((segment) => !segment.includes("{")).length;
    return isFound ? [{ route, params, words }] : [];
  });
  const most = Math.max(...found.map(({ words }) => words));
  return found.filter(({ words }) => words === most);
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
