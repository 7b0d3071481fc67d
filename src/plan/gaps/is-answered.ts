import type { Look } from "./facts.ts";
import type { RecordSet, Zone, Zones } from "./zones.ts";

/** Longer chains than this are broken off, by resolvers too. */
const longestChain = 8;

/**
 * Whether a name answers for a type at the moment of `look`: by a record of its own, through a CNAME, an ALIAS or a wildcard
 * (RFC 4592), in the zone that it is delegated to. What is outside the account counts as answered. Only owners of records make a
 * name exist; names that exist by what is below them alone are passed over.
 */
export function isAnswered(
  zones: Zones,
  look: Look,
  name: string,
  type: string,
  through: (name: string) => void,
  links = longestChain,
): boolean {
  const enclosing = namesAbove(name)
    .filter((each) => zones.has(each))
    .toReversed();
  if (enclosing.length === 0) return true;
  let parent: Zone | undefined;
  for (let index = 0; index < enclosing.length;) {
    const apex = enclosing[index] ?? "";
    const zone = zones.get(apex);
    if (!zone) return false;
    const isBogus = parent !== undefined && isBroken(look, parent, zone, apex);
    const cut = delegation(look, zone, apex, name, type);
    if (cut === undefined) {
      if (!isBogus && isAnsweredIn({ zones, zone, apex, look, through, links }, name, type)) return true;
      index += 1;
    } else {
      if (isBogus) return false;
      if (!zones.has(cut) || !isToSameServers(look, zone, apex, cut)) return true;
      index = enclosing.indexOf(cut);
    }
    parent = zone;
  }
  return false;
}

/** A parent that tells how a zone is signed, while it is not. */
const isBroken = (look: Look, parent: Zone, zone: Zone, apex: string) =>
  isThere(look, parent.names.get(apex)?.get("DS")) && !(zone.signed !== undefined && look(zone.signed));

/** The highest name below the apex, down to `name`, that is handed to other servers. */
function delegation(look: Look, { names }: Zone, apex: string, name: string, type: string): string | undefined {
  const candidates = namesAbove(name).slice(0, -namesAbove(apex).length);
  return candidates
    .toReversed()
    .find((each) => isThere(look, names.get(each)?.get("NS")) && !(type === "DS" && each === name));
}

/** Whether a delegation names servers that its own zone is on, too: then the zone of the account answers. Where those are not known, it does. */
function isToSameServers(look: Look, { names }: Zone, apex: string, cut: string): boolean {
  const [own, named] = [apex, cut].map((name) => names.get(name)?.get("NS")).map((set) => (set ? look(set) : []));
  return own?.length === 0 || named?.some((server) => own?.includes(server)) === true;
}

interface Place {
  readonly zones: Zones;
  readonly zone: Zone;
  readonly apex: string;
  readonly look: Look;
  readonly through: (name: string) => void;
  readonly links: number;
}

function isAnsweredIn(place: Place, name: string, type: string): boolean {
  const { zone, apex, look } = place;
  const own = isAnsweredAt(place, name, type);
  if (own || exists(look, zone, name)) return own;
  for (let above = parentOf(name); above.length >= apex.length; above = parentOf(above)) {
    const wildcard = `*.${above}`;
    if (wildcard !== name && exists(look, zone, wildcard)) {
      place.through(wildcard);
      return isAnsweredAt(place, wildcard, type);
    }
    if (exists(look, zone, above)) return false;
  }
  return false;
}

function isAnsweredAt({ zones, zone, look, through, links }: Place, name: string, type: string): boolean {
  const sets = zone.names.get(name);
  if (!sets) return false;
  const follow = (pointer: RecordSet | undefined): boolean | undefined => {
    const [target] = pointer ? look(pointer) : [];
    if (target === undefined) return undefined;
    const next = target.replace(/\.$/u, "");
    if (links === 0) return false;
    through(next);
    return isAnswered(zones, look, next, type, through, links - 1);
  };
  const canonical = follow(sets.get("CNAME"));
  if (canonical !== undefined) return canonical;
  if (isThere(look, sets.get(type))) return true;
  return (type === "A" || type === "AAAA") && follow(sets.get("ALIAS")) === true;
}

/** Whether any record stands at the name. What stays decides alone; only without it does what comes and goes matter. */
function exists(look: Look, { names }: Zone, name: string): boolean {
  const sets = [...(names.get(name)?.values() ?? [])];
  if (sets.some(({ step, before }) => step === undefined && before.length > 0)) return true;
  return sets.filter((set) => isThere(look, set)).length > 0;
}

const isThere = (look: Look, set: RecordSet | undefined) => set !== undefined && look(set).length > 0;
const parentOf = (name: string) => (name.includes(".") ? name.slice(name.indexOf(".") + 1) : "");

/** The name and all above it: `a.b.c`, `b.c`, `c`. */
export function namesAbove(name: string): string[] {
  const names: string[] = [];
  for (let each = name; each !== ""; each = parentOf(each)) names.push(each);
  return names;
}
