import { lowerCase, makeSet, type Fields } from "../fields.ts";
import { conflict } from "../refusal.ts";
import { isoTime, pending, serviceExists, type Kind } from "./kind.ts";
import { addMailDomain, mailUsers, removeMailDomain } from "./mail-domain.ts";

type Input = {
  readonly name: string;
  readonly service_id: string | null;
  readonly nameservers: readonly string[];
  readonly register?: boolean;
  readonly transfer?: boolean;
  readonly auth_code?: string;
  readonly period_years?: number;
};

/** A domain name: registered, transferred in (pending until the registry is done), or only attached. */
export const domain: Kind<Input> = {
  idPrefix: "dom",
  normalise(input) {
    lowerCase(input, "name");
    makeSet(input, "nameservers", (name) => name.toLowerCase());
  },
  checks: [
    {
      fields: ["service_id"],
      run: ({ service_id }, { objects }) => (service_id === null ? {} : serviceExists(service_id, objects)),
    },
    {
      fields: ["register", "transfer"],
      run: ({ register, transfer }) =>
        register && transfer ? { transfer: ["excludes register: a name is either registered or transferred in"] } : {},
    },
    {
      fields: ["transfer", "auth_code"],
      run: ({ transfer, auth_code }) =>
        transfer && auth_code === undefined ? { auth_code: ["is required for a transfer"] } : {},
    },
    {
      fields: ["nameservers"],
      run: ({ nameservers }) =>
        nameservers.length < 2 ? { nameservers: ["must have at least 2 different items"] } : {},
    },
  ],
  naturalKey: ({ name }) => `domain ${name}`,
  scope: ({ service_id }) => service_id ?? "",
  make(input, context) {
    const { register, transfer, period_years = 1 } = input;
    const expires_at = register || transfer ? expiry(context.now, period_years) : null;
    const record = { ...input, status: "active", expires_at };
    if (transfer) return { record: { ...record, status: "pending" } };
    if (!register) return { record };
    const { fields, schedule } = pending(context, "pending", { status: "active" });
    return { record: { ...record, ...fields }, schedule };
  },
  made: ({ record }, _, context) => addMailDomain(String(record["name"]), context),
  removing(holder, context) {
    const name = String(holder.record["name"]);
    const held = mailUsers(name, holder, context);
    if (held.length > 0) {
      const list = held.map(([kind, number]) => `${number} ${kind}`).join(", ");
      throw conflict(`The domain ${name} still has ${list}, and nothing else holds that name: delete them first.`);
    }
    removeMailDomain(name, holder, context);
  },
};

/** A domain with its defaults, as a service's creation brings it. */
export function domainRecord(name: string, serviceId: string): Fields {
  return {
    name,
    service_id: serviceId,
    status: "active",
    expires_at: null,
    auto_renew: true,
    nameservers: ["ns1.host.test", "ns2.host.test"],
    transfer_lock: true,
    privacy: false,
    contacts: { owner: null, admin: null, tech: null, billing: null },
  };
}

/** ISO time some years after a time in ms. */
export function expiry(from: number, years: number): string {
  const date = new Date(from);
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return isoTime(date.getTime());
}
