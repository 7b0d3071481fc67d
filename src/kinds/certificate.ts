import type { Json } from "../model/json.ts";
import { jsonText } from "../model/json.ts";
import { isObject } from "../model/json-pointer.ts";
import type { Kind, Parent } from "./kind.ts";
import { asWritten, itemsAsWritten } from "./shared/as-written.ts";
import { checkDomain, normaliseDomain } from "./shared/domain-name.ts";
import { checkDuration, dueReason } from "./shared/duration.ts";
import { nameSet } from "./shared/name-set.ts";

const domainSet = nameSet(normaliseDomain);
const domainsOf = (value: Json | undefined): readonly Json[] => {
  const set = domainSet(value ?? null);
  return Array.isArray(set) ? set : [];
};

/** A certificate. The API offers no PUT and no DELETE: a change is a new one, older ones stay listed (vendor document section 4). */
export const certificate: Kind = {
  name: "certificate",
  group: "SSL",
  manifest: "certificates.{service}.[]",
  scope: [],
  keyFromBody: (body) => {
    const { domains = [], type = "managed" } = isObject(body) ? body : {};
    return { domains: domainsOf(domains).map(jsonText).join("+"), type: jsonText(type) };
  },
  normaliseKey: (key) => ({ ...key, service: normaliseDomain(key["service"] ?? "") }),
  checkKey: ({ domains = "" }) =>
    domains === ""
      ? "at least one domain"
      : domains.split("+").flatMap((name) => checkDomain(name.replace(/^\*\./u, "")) ?? [])[0],
  addressParts: (key) => [key["domains"] ?? "", key["type"] ?? ""],
  keyFromParts: ([domains, type, ...rest]) =>
    domains !== undefined && type !== undefined && rest.length === 0 ? { domains, type } : undefined,
  keyOf: (fields) => ({
    domains: domainsOf(fields["domains"]).map(jsonText).join("+"),
    type: jsonText(fields["type"]),
    service: jsonText(fields["service"]),
  }),
  identity: (key) => ({
    service: key["service"] ?? "",
    domains: (key["domains"] ?? "").split("+"),
    type: key["type"] ?? "",
  }),
  fields: {
    service: { access: "immutable" },
    domains: { access: "immutable", normalise: domainSet, sent: itemsAsWritten(normaliseDomain) },
    type: { access: "immutable" },
    certificate: { access: "immutable", normalise: normalisePem, sent: asWritten },
    chain: { access: "immutable", normalise: normalisePem, sent: asWritten, dependsOn: ["certificate"] },
    private_key: { access: "write_only" },
    renew_before: { access: "manifest_only", check: checkDuration },
    status: { access: "read_only" },
    "error.code": { access: "read_only" },
    "error.message": { access: "read_only" },
    created_at: { access: "read_only" },
    not_before: { access: "read_only" },
    not_after: { access: "read_only" },
    fingerprint: { access: "read_only" },
  },
  newest: "created_at",
  expires: "not_after",
  due: (live, written, now) =>
    live["type"] === "managed" && live["status"] === "issued"
      ? dueReason(live["not_after"], written["renew_before"], now)
      : undefined,
  // An authority looks the names up, so their records come first.
  awaits: ({ domains = "" }) => domains.split("+").flatMap(whatMakesItResolve),
  requires: [[{ kind: "service", key: { domain: "service" } }]],
  check: ({ key, fields, late }) => {
    const own = ["certificate", "chain", "private_key"].filter((name) => name in fields || name in late);
    if (key["type"] === "managed" && own.length > 0) {
      const summary = `A managed certificate is made by the platform, so it takes no ${own.join(", ")}`;
      return [{ code: "managed_certificate", summary, hint: "write type: uploaded, or leave them out", path: [] }];
    }
    if (key["type"] !== "uploaded" || own.length === 0 || (own.includes("certificate") && own.includes("private_key")))
      return [];
    return [
      { code: "half_certificate", summary: "An uploaded certificate needs both certificate and private_key", path: [] },
    ];
  },
  protected: false,
  readiness: {
    field: "status",
    ready: ["issued"],
    awaited: ["pending"],
    failed: ["failed"],
    reason: (live) => `${jsonText(live["error.code"])} ${jsonText(live["error.message"])}`.trim(),
    external: () => undefined,
  },
  retryOnlyNamed: true,
};

function whatMakesItResolve(domain: string): Parent[] {
  const labels = domain.split(".");
  const zones = labels
    .slice(0, -1)
    .map((_, index) => ({ name: labels.slice(0, index).join(".") || "@", zone: labels.slice(index).join(".") }));
  const records = zones.flatMap(({ name, zone }) =>
    ["A", "AAAA", "ALIAS", "CNAME"].map((type) => ({ kind: "dns_record", key: { zone, name, type } })),
  );
  return [{ kind: "domain", key: { name: domain } }, ...records];
}

function normalisePem(value: Json): Json {
  return typeof value === "string" ? value.replaceAll(/\r\n/gu, "\n").trim() : value;
}
