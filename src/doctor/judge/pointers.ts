import leven from "leven";
import type { Pointer } from "../../model/contract.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { isObject } from "../../model/json-pointer.ts";

const deepest = 5;
const most = 400;
/** A key that is a name; others, such as those of an object by domain, are data. */
const name = /^[A-Za-z_@][\w@.:-]{0,59}$/u;

/** Returns the values of an object by their pointers, those above before those below. Lists are not entered. */
export function pointersIn(value: Json | undefined): ReadonlyMap<Pointer, Json> {
  const found = new Map<Pointer, Json>();
  let level: readonly (readonly [Pointer, Json])[] = value === undefined ? [] : [["", value]];
  for (let depth = 0; depth < deepest && level.length > 0; depth += 1) {
    level = level.flatMap(([pointer, each]) =>
      isObject(each)
        ? Object.entries(each).flatMap(([key, child]) =>
            name.test(key) ? [[`${pointer}/${key}`, child] as const] : [],
          )
        : [],
    );
    for (const [pointer, child] of level) if (found.size < most) found.set(pointer, child);
  }
  return found;
}

/** Returns the pointers of several records, each with its values that are not null, at most 100 of them. */
export function valuesByPointer(records: readonly JsonObject[]): ReadonlyMap<Pointer, readonly Json[]> {
  const all = new Map<Pointer, Json[]>();
  for (const record of records.slice(0, 100))
    for (const [pointer, value] of pointersIn(record)) {
      const values = all.get(pointer) ?? [];
      if (value !== null) values.push(value);
      if (all.size < most || all.has(pointer)) all.set(pointer, values);
    }
  return all;
}

export const lastToken = (pointer: Pointer): string => pointer.slice(pointer.lastIndexOf("/") + 1);
const parentOf = (pointer: Pointer) => pointer.slice(0, Math.max(pointer.lastIndexOf("/"), 0));
const words = (text: string) =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .filter((word) => word !== "");
const plain = (text: string) => words(text).join("");

/** Names that vendors give to the same thing. */
const synonyms: readonly (readonly string[])[] = [
  ["id", "uuid", "identifier", "guid", "uid", "key"],
  ["name", "hostname", "domain", "fqdn", "domainname", "host", "label"],
  ["content", "value", "data", "rdata", "target", "records"],
  ["address", "email", "mail", "mailaddress", "emailaddress"],
  ["quota", "quotamb", "limit", "storage", "storageinbytes", "quotainbytes", "maxsize", "diskquota"],
  ["usage", "usagemb", "used", "usedmb", "size", "sizemb"],
  ["username", "user", "login"],
  ["status", "state"],
  ["plan", "package", "product", "tariff", "idservicetype"],
  ["createdat", "created", "creationdate"],
  ["expiresat", "expires", "expirydate", "expirationdate", "validuntil"],
  ["destinations", "targets", "goto", "recipients", "forwardto", "forwardaddresses"],
  ["command", "cmd", "script"],
  ["enabled", "active", "isactive", "isenabled"],
  ["schedule", "interval", "expression", "cronexpression"],
  ["priority", "prio", "preference", "aux"],
  ["ttl", "timetolive"],
  ["etag", "version", "revision", "hash", "serial"],
  ["total", "totalcount", "totalentries", "totalitems", "totalresults", "count", "totalelements"],
  ["perpage", "limit", "pagesize", "size", "itemsperpage", "pagelimit"],
];

const areSynonyms = (a: string, b: string) => synonyms.some((each) => each.includes(a) && each.includes(b));

/** A place that is looked for: the pointer that is wrong, and the field's own name. */
export interface WantedPlace {
  readonly pointer: Pointer;
  readonly name: string;
}

/** Returns how alike two names are: 100 for the same, 0 for nothing in common. */
function likeness(candidate: string, wanted: string): number {
  if (candidate === wanted) return 100;
  const [a, b] = [plain(candidate), plain(wanted)];
  if (a === b) return 90;
  if (a === "" || b === "") return 0;
  if (areSynonyms(a, b)) return 70;
  const shorter = Math.min(a.length, b.length);
  if (shorter > 3 && leven(a, b, { maxDistance: 3 }) <= Math.min(2, Math.floor(shorter / 3))) return 65;
  if (shorter > 3 && (a.startsWith(b) || b.startsWith(a) || a.endsWith(b) || b.endsWith(a))) return 60;
  return 0;
}

/** Returns how likely a pointer is the one that is looked for. */
export function likelihood(candidate: Pointer, { pointer, name: field }: WantedPlace): number {
  const own = lastToken(candidate);
  const best = Math.max(likeness(own, lastToken(pointer)), likeness(own, field.slice(field.lastIndexOf(".") + 1)));
  if (best === 0) return 0;
  const isWhole = plain(candidate) === plain(pointer) || plain(candidate) === plain(field) ? 5 : 0;
  return best + isWhole + (parentOf(candidate) === parentOf(pointer) ? 3 : 0) - candidate.split("/").length / 10;
}

/** Returns the most likely of the candidates; undefined if none is likely at all. */
export function likeliest(candidates: Iterable<Pointer>, wanted: WantedPlace): Pointer | undefined {
  let best: Pointer | undefined;
  let highest = 50;
  for (const candidate of candidates) {
    const score = likelihood(candidate, wanted);
    if (score > highest) {
      best = candidate;
      highest = score;
    }
  }
  return best;
}
