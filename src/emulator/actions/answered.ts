import { isFields, type Fields } from "../fields.ts";
import type { StoredObject } from "../store/objects.ts";
import type { KindName } from "../kinds/kind-name.ts";
import {
  spellContent,
  spellText,
  spellMailAddress,
  spellName,
  spellRecordName,
  upper,
} from "../spelling/spell-content.ts";
import type { Spelling } from "../spelling/words.ts";
import type { Call } from "./call.ts";

/** Returns a stored record in the formatting that this service was started with. */
export function answered(
  { spelling, context }: Pick<Call, "spelling" | "context">,
  { kind, scope, record }: Pick<StoredObject, "kind" | "scope" | "record">,
): Fields {
  if (spelling.size === 0) return record;
  const zone = kind === "dns_record" ? context.objects.byId("dns_zone", scope) : undefined;
  return spellRecord(kind, record, String(zone?.record["name"]), spelling);
}

const words: ReadonlyMap<string, string> = new Map([
  ["0 * * * *", "@hourly"],
  ["0 0 * * *", "@daily"],
  ["0 0 * * 0", "@weekly"],
  ["0 0 1 * *", "@monthly"],
  ["0 0 1 1 *", "@yearly"],
]);
const months = ["", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** A schedule of five fields in crontab's own words: a macro, or names of months and days. */
function spellSchedule(schedule: string): string {
  const word = words.get(schedule);
  if (word !== undefined) return word;
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = schedule.split(" ");
  const everyHour = hour === "*" ? "*/1" : hour;
  return [minute.padStart(2, "0"), everyHour, day, named(month, months), named(weekday, days)].join(" ");
}

/** Numbers as names, but for those of steps. */
const named = (field: string, names: readonly string[]): string =>
  field.replaceAll(/(?<![\d/])\d+/g, (number) => names[Number(number)] ?? number);

type SpellingSet = ReadonlySet<Spelling>;
type SpellText = (text: string, spelling: SpellingSet) => string;

/** The spellers of the texts in a kind's fields; a list holds such texts. */
const texts: Readonly<Record<KindName, Readonly<Record<string, SpellText>>>> = {
  service: { domain: spellName },
  domain: { name: spellName, nameservers: spellName },
  dns_zone: { name: spellName, nameservers: spellName },
  mailbox: { address: spellMailAddress },
  mail_alias: { address: spellMailAddress, destinations: spellMailAddress },
  mail_settings: { domain: spellName, catch_all: spellMailAddress },
  database: { host: spellName },
  database_user: { host: upper },
  cron: {
    email: spellMailAddress,
    schedule: (text, spelling) => (spelling.has("cron-words") ? spellSchedule(text) : text),
  },
  certificate: { domains: spellName, fingerprint: upper },
  dns_record: {},
  dnssec: {},
  ftp_account: {},
  job: {},
};

/** A record as it is answered. `zone` is the name of the zone that a DNS record is in. */
export function spellRecord(kind: KindName, record: Fields, zone: string, spelling: SpellingSet): Fields {
  return spellValue(spellKind(kind, spellTexts(record, texts[kind], spelling), zone, spelling), spelling) as Fields;
}

function spellTexts(record: Fields, spells: Readonly<Record<string, SpellText>>, spelling: SpellingSet): Fields {
  const formatted = Object.entries(spells).map(([name, spell]) => {
    const value = record[name];
    if (Array.isArray(value)) return [name, value.map((item) => spell(String(item), spelling))];
    return [name, typeof value === "string" ? spell(value, spelling) : value];
  });
  return { ...record, ...(Object.fromEntries(formatted) as Fields) };
}

function spellKind(kind: KindName, record: Fields, zone: string, spelling: SpellingSet): Fields {
  if (kind === "dns_record") return spellDnsRecord(record, zone, spelling);
  const { dkim, ds_records: ds } = record;
  if (kind === "mail_settings" && isFields(dkim))
    return { ...record, dkim: { ...dkim, record: spellText(String(dkim["record"]), spelling) } };
  if (kind === "dnssec" && Array.isArray(ds))
    return {
      ...record,
      ds_records: ds.filter(isFields).map((each) => ({ ...each, digest: upper(String(each["digest"]), spelling) })),
    };
  return record;
}

function spellDnsRecord(record: Fields, zone: string, spelling: SpellingSet): Fields {
  const [name, type, content] = [record["name"], record["type"], record["content"]].map(String);
  const formatted = {
    ...record,
    name: spellRecordName(name ?? "", zone, spelling),
    type: upper(type ?? "", spelling),
    content: spellContent(type ?? "", content ?? "", spelling),
  };
  const { priority } = record;
  return typeof priority === "number" && spelling.has("priority-inline")
    ? { ...formatted, content: `${priority} ${formatted.content}`, priority: null }
    : formatted;
}

/** Spells the values in a record for which the type alone decides: numbers, truth values, times, lists, and those that hold nothing. */
function spellValue(value: unknown, spelling: ReadonlySet<Spelling>): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => spellValue(item, spelling));
    return spelling.has("shuffled") ? items.reverse() : items;
  }
  if (isFields(value)) return spellFields(value, spelling);
  if (typeof value === "number" && spelling.has("numbers-as-strings")) return String(value);
  if (typeof value === "boolean" && spelling.has("booleans-as-strings")) return String(value);
  if (typeof value !== "string") return value;
  if (spelling.has("digits-as-numbers") && isNumeral(value)) return Number(value);
  return spelling.has("times-with-offset") ? withOffset(value) : value;
}

function spellFields(fields: Fields, spelling: ReadonlySet<Spelling>): Fields {
  const kept = Object.entries(fields).filter(([, value]) => !spelling.has("nulls") || !isNothing(value));
  return Object.fromEntries(kept.map(([name, value]) => [name, spellValue(value, spelling)]));
}

/** A number that would not be written as this text is another value. */
const isNumeral = (text: string): boolean => /^-?\d/.test(text) && String(Number(text)) === text;

const isNothing = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

const twoHours = 2 * 60 * 60 * 1000;

function withOffset(text: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)) return text;
  return new Date(Date.parse(text) + twoHours).toISOString().replace("Z", "+02:00");
}
