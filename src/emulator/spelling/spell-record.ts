import { isFields, type Fields } from "../fields.ts";
import type { KindName } from "../kinds/kind-name.ts";
import { spellContent, spellText } from "./spell-content.ts";
import { spellMailAddress, spellName, spellRecordName, upper } from "./spell-name.ts";
import { spellSchedule } from "./spell-schedule.ts";
import { spellValue } from "./spell-value.ts";
import type { Spelling } from "./words.ts";

type SpellingSet = ReadonlySet<Spelling>;
type SpellText = (text: string, spelling: SpellingSet) => string;

/** The spellers of the texts in a kind's fields; a list holds such texts. */
const texts: Partial<Readonly<Record<KindName, Readonly<Record<string, SpellText>>>>> = {
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
};

/** A record as it is answered. `zone` is the name of the zone that a DNS record is in. */
export function spellRecord(kind: KindName, record: Fields, zone: string, spelling: SpellingSet): Fields {
  return spellValue(
    spellKind(kind, spellTexts(record, texts[kind] ?? {}, spelling), zone, spelling),
    spelling,
  ) as Fields;
}

function spellTexts(record: Fields, spells: Readonly<Record<string, SpellText>>, spelling: SpellingSet): Fields {
  const spelt = Object.entries(spells).map(([name, spell]) => {
    const value = record[name];
    if (Array.isArray(value)) return [name, value.map((item) => spell(String(item), spelling))];
    return [name, typeof value === "string" ? spell(value, spelling) : value];
  });
  return { ...record, ...(Object.fromEntries(spelt) as Fields) };
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
  const spelt = {
    ...record,
    name: spellRecordName(name ?? "", zone, spelling),
    type: upper(type ?? "", spelling),
    content: spellContent(type ?? "", content ?? "", spelling),
  };
  const { priority } = record;
  return typeof priority === "number" && spelling.has("priority-inline")
    ? { ...spelt, content: `${priority} ${spelt.content}`, priority: null }
    : spelt;
}
