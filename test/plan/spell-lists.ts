import fc from "fast-check";
import { spellRecord } from "../../src/emulator/actions/answered.ts";
import { readSpelling, spellings, type Spelling } from "../../src/emulator/spelling/words.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { zone, type Lists } from "./build-input.ts";

const kindOfList = [
  ["/services", "service"],
  ["/domains", "domain"],
  ["/records", "dns_record"],
  ["/dnssec", "dnssec"],
  ["/dns/zones", "dns_zone"],
  ["/mail/accounts", "mailbox"],
  ["/mail/aliases", "mail_alias"],
  ["/mail/settings", "mail_settings"],
  ["/ftp", "ftp_account"],
  ["/databases", "database"],
  ["/database-users", "database_user"],
  ["/crons", "cron"],
  ["/ssl", "certificate"],
] as const;

/** The lists as the embedded service spells them. */
export function spelt(given: Lists, spelling: ReadonlySet<Spelling>): Lists {
  return Object.fromEntries(
    Object.entries(given).map(([path, records]) => {
      const [, kind] = kindOfList.find(([part]) => path.includes(part)) ?? [];
      if (!kind) throw new Error(`No kind is listed at ${path}`);
      return [path, records.map((each) => spellRecord(kind, each, zone.name, spelling) as JsonObject)];
    }),
  );
}

export const spellingOf = (words: string) => {
  const read = readSpelling(words);
  return "spelling" in read ? read.spelling : undefined;
};
export const spellingSets = fc
  .subarray(Object.keys(spellings))
  .map((words) => spellingOf(words.join(",")))
  .filter((spelling) => spelling !== undefined);
