import { lowerCase, type Fields } from "../fields.ts";
import { dkimOf, keepDkimRecord, type Dkim } from "./dkim.ts";
import type { Context, Kind } from "./kind.ts";

type Input = {
  readonly catch_all: string | null;
  readonly autoresponder: Fields;
  readonly dkim: { readonly enabled: boolean };
};

type SettingsRecord = Input & { readonly domain: string; readonly dkim: Dkim; readonly sending_limit_per_hour: number };

/** Mail settings of a domain: they come and go with it, so that there is nothing to make or delete. */
export const mailSettings: Kind<Input, SettingsRecord> = {
  name: "mail_settings",
  schema: "MailSettings",
  normalise: (input) => lowerCase(input, "catch_all"),
  checks: [],
  naturalKey: ({ domain }) => `mail_settings ${domain}`,
  scope: () => "",
  make: () => {
    throw new Error("Mail settings are only made by defaultMailSettings.");
  },
  change: (before, input) => ({ record: { ...input, dkim: { ...before.dkim, ...input.dkim } } }),
  touched: ({ record }, context) => keepDkimRecord(String(record["domain"]), context),
};

export function defaultMailSettings(domain: string, context: Context): SettingsRecord {
  return {
    domain,
    catch_all: null,
    autoresponder: { enabled: false, subject: null, message: null, starts_at: null, ends_at: null },
    dkim: dkimOf(domain, false, context),
    sending_limit_per_hour: 500,
  };
}
