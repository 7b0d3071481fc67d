import { toAddress } from "../model/address.ts";
import { clearFields, clearValue } from "../model/clear-values.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Kind } from "./kind.ts";
import { itemsAsWritten, nameSet, normaliseBoolean, ofText } from "./shared/normal-forms.ts";
import { checkDomain, normaliseDomain } from "./shared/domain-name.ts";
import { checkDuration, dueReason, milliseconds } from "./shared/timestamp.ts";
import { domainKey } from "./shared/natural-key.ts";
import { checkNotEmpty } from "./shared/text-checks.ts";

/** A domain: registered, transferred, or attached as it is. */
export const domain: Kind = {
  name: "domain",
  manifest: "domains.{name}",
  scope: [],
  naming: domainKey(["name"]),
  fields: {
    name: { access: "immutable" },
    service: { access: "mutable", normalise: ofText(normaliseDomain) },
    auto_renew: { access: "mutable", normalise: normaliseBoolean },
    nameservers: {
      access: "mutable",
      normalise: nameSet(normaliseDomain),
      sent: itemsAsWritten(normaliseDomain),
      check: countNameservers,
      checkItem: (name) => checkDomain(jsonText(name)),
    },
    transfer_lock: { access: "mutable", normalise: normaliseBoolean },
    privacy: { access: "mutable", normalise: normaliseBoolean },
    "contacts.owner": { access: "mutable" },
    "contacts.admin": { access: "mutable" },
    "contacts.tech": { access: "mutable" },
    "contacts.billing": { access: "mutable" },
    register: { access: "write_only" },
    transfer: { access: "write_only", normalise: (value) => value !== null && value !== false },
    auth_code: { access: "write_only", from: "transfer.auth_code", check: checkNotEmpty },
    period_years: { access: "write_only" },
    renew_before: { access: "manifest_only", check: checkDuration },
    status: { access: "read_only" },
    expires_at: { access: "read_only" },
  },
  availability: { delegates: { name: ({ name = "" }) => name, servers: "nameservers" } },
  relations: {
    references: {
      field: "service",
      kind: "service",
      keyOf: (name) => ({ domain: name }),
      rename: (value, to) => (typeof value === "string" ? (to(value) ?? null) : value),
    },
  },
  guard: { protected: true, purchase: (fields) => fields["register"] === true || fields["transfer"] === true },
  renewal: {
    expires: "expires_at",
    due: (live, written, now) => dueReason(live["expires_at"], written["renew_before"], now),
  },
  check: ({ key, fields: values }, lookup) => {
    const fields = clearFields(values);
    const name = key["name"] ?? "";
    const years = Number(fields["period_years"] ?? 1);
    if ((milliseconds(fields["renew_before"]) ?? -1) >= years * 365 * 86_400_000) {
      const summary = `${name} would be renewed at every apply: renew_before is not less than the ${years} years that each renewal brings`;
      return [{ code: "renewed_for_ever", summary, hint: "write a shorter time, such as 30d", path: ["renew_before"] }];
    }
    const service = lookup(toAddress("service", [name]));
    if (fields["register"] === true && clearValue(service?.fields["register"]) === true) {
      const summary = `${name} is registered twice: by its domain and by its service`;
      return [{ code: "registered_twice", summary, hint: "write register: true in one of the two" }];
    }
    if (fields["transfer"] === true && !("auth_code" in values)) {
      const hint = 'write transfer: { auth_code: "${env:NAME}" }';
      const summary = `The transfer of ${name} has no auth_code`;
      return [{ code: "transfer_without_code", summary, hint, path: ["transfer"] }];
    }
    if (fields["register"] !== true || fields["transfer"] !== true) return [];
    return [{ code: "register_and_transfer", summary: `${name} is either registered or transferred in, not both` }];
  },
  status: {
    deletionRisk: "whether its registration ends, or only its place in this account, is up to the host",
  },
  readiness: {
    ready: ["active", "expired", "suspended"],
    awaited: ["pending"],
    failed: ["failed"],
    external: (status, written) =>
      status === "pending" && written["register"] !== true
        ? "the transfer waits for the registry or the losing registrar"
        : undefined,
  },
};

function countNameservers(value: Json): string | undefined {
  const { size } = new Set(Array.isArray(value) ? value.map((name) => normaliseDomain(jsonText(name))) : []);
  // A response of 512 bytes holds no more.
  return size < 2 || size > 13 ? "2 to 13 different host names" : undefined;
}
