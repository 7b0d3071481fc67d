import { kinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { LookupContract, ParamContract } from "../../model/contract.ts";
import { listIn, nounsOf, type Collection } from "./collections.ts";
import type { Operation } from "./operations.ts";
import { placesIn, type Schemas } from "./shape.ts";
import { vocabularies } from "./vocabulary.ts";
import { plainName, wordsOf } from "./words.ts";

/** The known parts of a description while the contract is drafted. */
export interface Findings {
  readonly schemas: Schemas;
  readonly operations: readonly Operation[];
  readonly collections: ReadonlyMap<string, Collection>;
}

/** A parameter of a request: its name in the contract, and what fills it. `parent`: the kind whose objects are the parents. */
export interface DraftParam {
  readonly name: string;
  readonly source: ParamContract;
  readonly parent?: string;
  readonly reason: string;
}

/** A parameter, the noun before it, and the path up to it. */
export interface ParamPlace {
  readonly param: string;
  readonly parent: string;
  readonly before?: string;
}

const zoneNames = new Set(["domain", "domainname", "zone", "zonename", "name", "fqdn", "domainidentifier"]);

/** Returns a name that the contract can hold in braces; `id` is the object's own. */
export const paramName = (text: string): string => {
  const name = wordsOf(text).replaceAll("-", "_");
  return name === "id" || name === "" ? "parent_id" : name;
};

/** Returns what fills a parameter of a path, or of a query; undefined where nothing that Hostform knows does. */
export function fillParam(findings: Findings, kind: Kind, place: ParamPlace): DraftParam | undefined {
  const { param, parent, before } = place;
  const name = paramName(param);
  const plain = plainName(param);
  const [scope] = kind.scope;
  const ofScope = (scope === "zone" || scope === "domain") && zoneNames.has(plain);
  if (scope !== undefined && (ofScope || (scope === "service" && plain === "domain")))
    return { name, source: { key: scope }, reason: `{${param}} is named like the ${scope}` };
  const owner = parentKind(findings, kind, parent, param);
  if (owner) {
    const [part = ""] = Object.keys(owner.naming.ofLive({}, {}));
    return {
      name,
      parent: owner.name,
      source: { id_of: owner.name, key: scope === undefined ? {} : { [part]: scope } },
      reason: `{${param}} stands after ${parent}`,
    };
  }
  const { list } = findParents(findings, place);
  const isBeside = list !== undefined && list.path === before;
  return (
    (isBeside ? fillByLookup(findings, kind, place) : undefined) ??
    fillFromService(findings, kind, place) ??
    fillByLookup(findings, kind, place)
  );
}

/** Finds the kind whose list has the noun before the parameter. */
function parentKind({ collections }: Findings, kind: Kind, parent: string, param: string): Kind | undefined {
  const isId = /id|uuid|name|number/u.test(plainName(param)) || plainName(param) === plainName(parent);
  return kinds.find((other) => {
    const list = collections.get(other.name)?.list;
    if (!isId || !list || other === kind || other.scope.length > 0) return false;
    const noun = nounsOf(list).split("/").at(-1);
    return noun === parent || (vocabularies[other.name]?.paths.some(([pattern]) => pattern.test(parent)) ?? false);
  });
}

/** A property of a service, such as its user name. */
function fillFromService(
  { schemas, collections }: Findings,
  { scope: [scope] }: Kind,
  { param }: ParamPlace,
): DraftParam | undefined {
  const service = collections.get("service");
  if (!service || scope === undefined) return undefined;
  const place = placesIn(schemas, service.item, 1).find(({ names }) => plainName(names[0] ?? "") === plainName(param));
  if (!place || /^(?:id|uuid|uid)$/u.test(plainName(param))) return undefined;
  return {
    name: paramName(param),
    parent: "service",
    source: { id_of: "service", key: { domain: scope }, at: place.pointer },
    reason: `the services of GET ${service.list.path} have a property ${place.names[0] ?? ""}`,
  };
}

/** Finds the list of the objects before a parameter: at the path up to it, or else any that ends in the same noun. */
function findParents(
  { operations }: Findings,
  { parent, before }: ParamPlace,
): { readonly list: Operation | undefined } {
  const lists = operations.filter(
    ({ method, segments, isDeprecated }) =>
      method === "GET" &&
      !isDeprecated &&
      segments.at(-1)?.noun === parent &&
      segments.every((each) => each.param === undefined),
  );
  return { list: lists.find(({ path }) => path === before) ?? lists[0] };
}

/** A value of objects that are of no kind, such as orders. */
function fillByLookup(findings: Findings, { scope: [scope] }: Kind, place: ParamPlace): DraftParam | undefined {
  const { schemas } = findings;
  const { param, parent } = place;
  const { list } = findParents(findings, place);
  const objects = list && listIn(schemas, list);
  if (!objects) return undefined;
  const places = placesIn(schemas, objects.shape, 2);
  const ids = [plainName(param), "id", "uuid"];
  const id = places.find(({ names }) => names.length === 1 && ids.includes(plainName(names[0] ?? "")));
  if (!id) return undefined;
  const named =
    scope === undefined ? undefined : places.find(({ names, shape }) => isDomain(names) && shape.properties.size === 0);
  const query = list.parameters.find((each) => each.in === "query" && plainName(each.name) === "domain");
  const lookup: LookupContract = {
    path: list.path,
    ...(scope !== undefined && query && { query: { [query.name]: `{${scope}}` } }),
    list: objects.at,
    ...(named && { where: [{ pointer: named.pointer, equals: [`{${scope}}`] }] }),
    at: id.pointer,
  };
  const reason = `{${param}} stands after ${parent}, which is no kind of Hostform`;
  return { name: paramName(param), source: { lookup }, reason };
}

const isDomain = (names: readonly string[]): boolean => ["domain", "domainname"].includes(plainName(names.join("_")));
