import type { Json } from "../model/json.ts";
import type { Kind } from "./kind.ts";
import { normaliseDomain } from "./shared/domain-name.ts";
import { domainKey, plainKey } from "./shared/natural-key.ts";

/** A domain: registered, transferred, or attached as it is (API.md section 2). */
export const domain: Kind = {
  name: "domain",
  group: "Domains",
  manifest: "domains.{name}",
  scope: [],
  ...plainKey(["name"]),
  ...domainKey("name"),
  fields: {
    name: { access: "immutable" },
    service: { access: "mutable", normalise: (value) => (typeof value === "string" ? normaliseDomain(value) : value) },
    auto_renew: { access: "mutable" },
    nameservers: { access: "mutable", normalise: normaliseNameservers },
    transfer_lock: { access: "mutable" },
    privacy: { access: "mutable" },
    "contacts.owner": { access: "mutable" },
    "contacts.admin": { access: "mutable" },
    "contacts.tech": { access: "mutable" },
    "contacts.billing": { access: "mutable" },
    register: { access: "write_only" },
    transfer: { access: "write_only", normalise: (value) => value !== null && value !== false },
    auth_code: { access: "write_only", from: "transfer.auth_code" },
    period_years: { access: "write_only" },
    status: { access: "read_only" },
    expires_at: { access: "read_only" },
  },
  requires: [[{ kind: "service", key: { domain: "service" } }]],
  protected: true,
  purchase: (fields) => fields["register"] === true || fields["transfer"] === true,
  readiness: {
    field: "status",
    awaited: ["pending"],
    failed: ["failed"],
    external: (status, written) =>
      status === "pending" && written["register"] !== true
        ? "the transfer waits for the registry or the losing registrar"
        : undefined,
  },
};

function normaliseNameservers(value: Json): Json {
  if (!Array.isArray(value)) return value;
  return [...new Set(value.map((server) => normaliseDomain(String(server))))].sort();
}
