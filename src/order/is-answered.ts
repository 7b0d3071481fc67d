import { holdsText } from "../kinds/dns/record-types.ts";
import { addEvidence, noEvidence, type Evidence, type ValueAt } from "./availability.ts";
import type { RecordSet, Zone, Zones } from "./zones.ts";

/** Longer chains than this are broken off, by resolvers too. */
const longestChain = 8;

/** A resolver gives up after so many names for one question. */
const mostNames = 500;

/** The terms of a question: its moment, and whether a record that names a host answers only while that host has an address. */
export interface Asking {
  readonly zones: Zones;
  readonly look: ValueAt;
  readonly hosts: boolean;
}

export const addressTypes = ["A", "AAAA"] as const;

/** The types that a record of this type needs at the host that it names. */
export const typesNeeded = (type: string): readonly string[] => (holdsText(type) ? ["TXT"] : addressTypes);

/**
 * Returns what the answer of a name for any one of these types rests on, or undefined where it has none. A name answers by a record of its
 * own, through a CNAME, an ALIAS, a DNAME or a wildcard (RFC 4592), in the zone that it is delegated to. What is outside the account counts
 * as answered. Only owners of records make a name exist; names that exist by what is below them alone are passed over.
 */
export function findAnswer(asking: Asking, name: string, types: readonly string[]): Evidence | undefined {
  const search = startSearch(asking);
  const isFound = anyOf(search, types, (each, type) => isAnswered(each, name, type));
  return isFound ? search.evidence : undefined;
}

/** Returns what a delegation to this server rests on: the server's address, which must stand beside the delegation or in its zone where it is below. */
export function findServer(asking: Asking, zone: Zone, cut: string, server: string): Evidence | undefined {
  const search = startSearch(asking);
  return isServerFound(search, zone, cut, server) ? search.evidence : undefined;
}

interface Search extends Asking {
  readonly evidence: Evidence;
  /** The number of names that may be followed. */
  readonly links: number;
  /** Questions that are still open further up: a circle has no answer. */
  readonly open: Set<string>;
  readonly effort: { remaining: number };
}

const startSearch = (asking: Asking): Search => ({
  ...asking,
  evidence: noEvidence(),
  links: longestChain,
  open: new Set(),
  effort: { remaining: mostNames },
});

/** Whether any item holds. Of several that do, the answer rests on the one that the fewest steps touch. */
function anyOf<T>(search: Search, items: readonly T[], holds: (search: Search, item: T) => boolean): boolean {
  let best: Evidence | undefined;
  for (const item of items) {
    const evidence = noEvidence();
    if (!holds({ ...search, evidence }, item)) continue;
    if (best === undefined || evidence.steps.size < best.steps.size) best = evidence;
    if (evidence.steps.size === 0) break;
  }
  if (best) addEvidence(search.evidence, best);
  return best !== undefined;
}

function isAnswered(search: Search, name: string, type: string): boolean {
  const question = `${name} ${type}`;
  search.effort.remaining -= 1;
  if (search.open.has(question) || search.effort.remaining < 0) return false;
  search.open.add(question);
  const answered = isAnsweredFromAbove(search, name, type);
  search.open.delete(question);
  return answered;
}

function isAnsweredFromAbove(search: Search, name: string, type: string): boolean {
  const { zones } = search;
  const enclosing = namesAbove(name)
    .filter((each) => zones.has(each))
    .toReversed();
  if (enclosing.length === 0) return true;
  let parent: Zone | undefined;
  for (let index = 0; index < enclosing.length;) {
    const apex = enclosing[index] ?? "";
    const zone = zones.get(apex);
    if (!zone) return false;
    const isBogus = parent !== undefined && isBroken(search, parent, zone, apex);
    const place = { ...search, zone, apex };
    const cut = delegation(place, name, type);
    if (cut === undefined) {
      if (!isBogus && isAnsweredIn(place, name, type)) return true;
      index += 1;
    } else {
      if (isBogus || !isDelegated(search, zone, cut)) return false;
      if (!zones.has(cut) || (type === "NS" && cut === name) || !isToSameServers(search, zone, apex, cut)) return true;
      index = enclosing.indexOf(cut);
    }
    parent = zone;
  }
  return false;
}

/** Reads a record set, and adds its step to the evidence. */
function see(search: Search, set: RecordSet | undefined): readonly (string | null)[] {
  if (!set) return [];
  if (set.step !== undefined) search.evidence.steps.add(set.step);
  return search.look(set);
}

const isThere = (search: Search, set: RecordSet | undefined) => see(search, set).length > 0;

/** A parent that tells how a zone is signed, while it is not. */
function isBroken(search: Search, parent: Zone, { signed }: Zone, apex: string): boolean {
  if (!isThere(search, parent.names.get(apex)?.get("DS"))) return false;
  if (signed?.step !== undefined) search.evidence.steps.add(signed.step);
  return signed === undefined || !search.look(signed);
}

/** The highest name below the apex, down to `name`, that is handed to other servers. */
function delegation(place: ZoneSearch, name: string, type: string): string | undefined {
  const { names } = place.zone;
  const candidates = namesAbove(name).slice(0, -namesAbove(place.apex).length);
  return candidates
    .toReversed()
    .find((each) => isThere(place, names.get(each)?.get("NS")) && !(type === "DS" && each === name));
}

/** Whether a server of a delegation has an address: `cut` is the name that the zone hands to other servers. */
function isDelegated(search: Search, zone: Zone, cut: string): boolean {
  if (!search.hosts) return true;
  search.evidence.through.add(`${cut} NS`);
  const servers = see(search, zone.names.get(cut)?.get("NS"));
  return anyOf(search, servers, (each, server) => server === null || isServerFound(each, zone, cut, server));
}

/** A server below what it serves needs glue beside the delegation, or a record in the zone that is delegated. */
function isServerFound(search: Search, zone: Zone, cut: string, server: string): boolean {
  const child = search.zones.get(cut);
  const isBelow = server === cut || server.endsWith(`.${cut}`);
  return anyOf(search, addressTypes, (each, type) => {
    each.evidence.through.add(`${server} ${type}`);
    if (!isBelow) return isAnswered(each, server, type);
    const glue = zone.names.get(server)?.get(type);
    if (isThere(each, glue)) return endAt(each, glue);
    return child !== undefined && isAnsweredIn({ ...each, zone: child, apex: cut }, server, type);
  });
}

/** Whether a delegation names servers that its own zone is on, too: then the zone of the account answers. Where those are not known, it does. */
function isToSameServers(search: Search, { names }: Zone, apex: string, cut: string): boolean {
  const [own = [], named = []] = [apex, cut].map((name) => see(search, names.get(name)?.get("NS")));
  return own.length === 0 || named.some((server) => own.includes(server));
}

interface ZoneSearch extends Search {
  readonly zone: Zone;
  readonly apex: string;
}

function isAnsweredIn(place: ZoneSearch, name: string, type: string): boolean {
  const { zone, apex } = place;
  const redirected = throughDname(place, name, type);
  if (redirected !== undefined) return redirected;
  const own = isAnsweredAt(place, name, type);
  if (own || exists(place, zone, name)) return own;
  for (let above = parentOf(name); above.length >= apex.length; above = parentOf(above)) {
    const wildcard = `*.${above}`;
    if (wildcard !== name && exists(place, zone, wildcard)) {
      place.evidence.through.add(`${wildcard} ${type}`);
      return isAnsweredAt(place, wildcard, type);
    }
    if (exists(place, zone, above)) return false;
  }
  return false;
}

/** A DNAME puts its target in the place of its owner's name in all names below it (RFC 6672). Undefined where none stands above. */
function throughDname(place: ZoneSearch, name: string, type: string): boolean | undefined {
  const owners = namesAbove(name).slice(1, namesAbove(name).length - namesAbove(place.apex).length + 1);
  for (const owner of owners.toReversed()) {
    const [target] = see(place, place.zone.names.get(owner)?.get("DNAME"));
    if (target !== undefined) return follow(place, target && name.slice(0, -owner.length) + target, type);
  }
  return undefined;
}

function isAnsweredAt(place: ZoneSearch, name: string, type: string): boolean {
  const sets = place.zone.names.get(name);
  if (!sets) return false;
  const [canonical] = see(place, sets.get("CNAME"));
  if (canonical !== undefined) return follow(place, canonical, type);
  const own = sets.get(type);
  if (isGivenOut(place, own, type)) return endAt(place, own);
  const [alias] = type === "A" || type === "AAAA" ? see(place, sets.get("ALIAS")) : [];
  return alias !== undefined && follow(place, alias, type);
}

/** Whether a record of the set is of use: one that names a host, while that has an address. */
function isGivenOut(place: ZoneSearch, set: RecordSet | undefined, asked: string): boolean {
  const given = see(place, set);
  if (!place.hosts) return given.length > 0;
  return anyOf(place, given, (each, host) => {
    if (host === null) return true;
    const types = typesNeeded(asked);
    for (const type of types) each.evidence.through.add(`${host} ${type}`);
    return anyOf(each, types, (next, type) => follow({ ...place, ...next }, host, type));
  });
}

function endAt({ evidence }: Search, set: RecordSet | undefined): true {
  if (set?.rewrittenBy !== undefined) evidence.rewriting.add(set.rewrittenBy);
  return true;
}

/** Whether the host that a record names answers. A name that only apply will know counts as answered. */
function follow(place: ZoneSearch, host: string | null, type: string): boolean {
  if (host === null) return true;
  if (place.links === 0) return false;
  place.evidence.through.add(`${host} ${type}`);
  return isAnswered({ ...place, links: place.links - 1 }, host, type);
}

/** Whether any record stands at the name. What stays decides alone; only without it does what comes and goes matter. */
function exists(search: Search, { names }: Zone, name: string): boolean {
  const sets = [...(names.get(name)?.values() ?? [])];
  if (sets.some(({ step, before }) => step === undefined && before.length > 0)) return true;
  return sets.filter((set) => isThere(search, set)).length > 0;
}

const parentOf = (name: string) => (name.includes(".") ? name.slice(name.indexOf(".") + 1) : "");

/** The name and all above it: `a.b.c`, `b.c`, `c`. */
export function namesAbove(name: string): string[] {
  const names: string[] = [];
  for (let each = name; each !== ""; each = parentOf(each)) names.push(each);
  return names;
}
