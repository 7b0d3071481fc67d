import { isFields, lowerCase, type Fields } from "../fields.ts";
import { conflict } from "../refusal.ts";
import { domainRecord, expiry } from "./domain.ts";
import { isoTime, pending, type Kind } from "./kind.ts";
import { addMailDomain, mailUsers, removeMailDomain } from "./mail-domain.ts";
import { primaryAccount } from "./ftp-account.ts";

type Input = {
  readonly hosting: { readonly id_service_type: string };
  readonly domain: { readonly name: string; readonly register: boolean };
  readonly datacenter: string;
};

/** A hosting service. It brings its primary FTP account, and its domain when that is to be registered; never a zone. */
export const service: Kind<Input, Fields & { readonly domain: string }> = {
  idPrefix: "svc",
  normalise(input) {
    if (isFields(input["domain"])) lowerCase(input["domain"], "name");
    lowerCase(input, "domain");
  },
  naturalKey: ({ domain }) => `service ${domain}`,
  make({ hosting, domain, datacenter }, context) {
    const { fields, schedule } = pending(context, "pending", { status: "active" });
    return {
      schedule,
      record: {
        type: "hosting",
        domain: domain.name,
        hosting,
        datacenter,
        settings: { php_version: "8.3", https_redirect: true, backups: true },
        resources: { disk_mb: 51_200, disk_used_mb: 0, bandwidth_mb: 1_024_000 },
        status: "active",
        created_at: isoTime(context.now),
        ...fields,
      },
    };
  },
  made({ id }, { domain }, context) {
    context.bring("ftp_account", { record: primaryAccount(id, domain.name, context.objects) });
    if (domain.register) {
      const { fields, schedule } = pending(context, "pending", { status: "active" });
      const record = { ...domainRecord(domain.name, id), expires_at: expiry(context.now, 1), ...fields };
      context.bring("domain", { record, schedule });
    }
    addMailDomain(domain.name, context);
  },
  removing(holder, context) {
    const { id, record } = holder;
    const { objects } = context;
    const accounts = objects.inScope("ftp_account", id);
    const held = [
      ...objects.countsIn(id).filter(([kind]) => kind !== "ftp_account"),
      ["ftp_account", accounts.filter((account) => account.record["primary"] !== true).length] as const,
      ...mailUsers(String(record["domain"]), holder, context),
    ].filter(([, number]) => number > 0);
    if (held.length > 0) {
      const list = held.map(([kind, number]) => `${number} ${kind}`).join(", ");
      throw conflict(`The service ${String(record["domain"])} still has ${list}: delete or detach them first.`);
    }
    for (const account of accounts) objects.remove(account.id);
    removeMailDomain(String(record["domain"]), holder, context);
  },
};
