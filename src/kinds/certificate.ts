import { X509Certificate, createPrivateKey } from "node:crypto";
import { clearFields } from "../model/clear-values.ts";
import { type Json, jsonText } from "../model/json.ts";
import { isObject } from "../model/json-pointer.ts";
import type { Fields, Key } from "../model/resource.ts";
import type { Kind, Parent, Problem } from "./kind.ts";
import { asWritten, itemsAsWritten, nameSet, ofText } from "./shared/normal-forms.ts";
import { checkDomain, normaliseDomain } from "./shared/domain-name.ts";
import { checkDuration, dueReason } from "./shared/timestamp.ts";
import { domainKey } from "./shared/natural-key.ts";
import { orUndefined } from "../lib/or-undefined.ts";

const normalisePem = ofText((text) => text.replaceAll(/\r\n/gu, "\n").trim());
const domainSet = nameSet(normaliseDomain);
const domainsOf = (value: Json | undefined): readonly Json[] => {
  const set = domainSet(value ?? null);
  return Array.isArray(set) ? set : [];
};

const isUploaded = ({ type }: Key) => type === "uploaded";

/** A certificate. The API offers no PUT and no DELETE: a change is a new one, older ones stay listed (vendor document section 4). */
export const certificate: Kind = {
  name: "certificate",
  manifest: "certificates.{service}.[]",
  scope: [],
  naming: {
    fromBody: (body) => {
      const { domains = [], type = "managed" } = isObject(body) ? body : {};
      return { domains: domainsOf(domains).map(jsonText).join("+"), type: jsonText(type) };
    },
    toBody: ({ domains = "", type = "managed" }) => ({
      domains: domains.split("+"),
      ...(type !== "managed" && { type }),
    }),
    normalise: domainKey(["service"]).normalise,
    check: ({ domains = "" }) => (domains === "" ? "at least one domain" : checkNames(domains.split("+"))),
    addressParts: (key) => [key["domains"] ?? "", key["type"] ?? ""],
    fromParts: ([domains, type, ...rest]) =>
      domains !== undefined && type !== undefined && rest.length === 0 ? { domains, type } : undefined,
    ofLive: (fields) => ({
      domains: domainsOf(fields["domains"]).map(jsonText).join("+"),
      type: jsonText(fields["type"] ?? "managed"),
      service: jsonText(fields["service"]),
    }),
    optional: ["type"],
    beside: "service",
    toFields: (key) => ({ domains: (key["domains"] ?? "").split("+"), type: key["type"] ?? "" }),
  },
  fields: {
    service: { access: "immutable" },
    domains: { access: "immutable", normalise: domainSet, sent: itemsAsWritten(normaliseDomain) },
    type: { access: "immutable" },
    certificate: {
      access: "immutable",
      normalise: normalisePem,
      sent: asWritten,
      needsSecret: true,
      requiredFor: isUploaded,
    },
    chain: {
      access: "immutable",
      normalise: normalisePem,
      sent: asWritten,
      dependsOn: ["certificate"],
      needsSecret: true,
    },
    private_key: { access: "write_only", requiredFor: isUploaded },
    renew_before: { access: "manifest_only", check: checkDuration },
    status: { access: "read_only" },
    "error.code": { access: "read_only" },
    "error.message": { access: "read_only" },
    created_at: { access: "read_only" },
    not_before: { access: "read_only" },
    not_after: { access: "read_only" },
    fingerprint: { access: "read_only" },
  },
  listing: { newest: "created_at" },
  renewal: {
    expires: "not_after",
    due: (live, written, now) =>
      live["type"] === "managed" && live["status"] === "issued"
        ? dueReason(live["not_after"], written["renew_before"], now)
        : undefined,
  },
  relations: {
    requires: [[{ kind: "service", key: { domain: "service" } }]],
    // An authority looks the names up, so their records come first.
    follows: ({ domains = "" }) => domains.split("+").flatMap(whatMakesItResolve),
  },
  check: ({ key, fields }) => {
    const own = ["certificate", "chain", "private_key"].filter((name) => name in fields);
    if (key["type"] === "managed" && own.length > 0) {
      const summary = `A managed certificate is made by the platform, so it takes no ${own.join(", ")}`;
      return [{ code: "managed_certificate", summary, hint: "write type: uploaded, or leave them out" }];
    }
    if (key["type"] !== "uploaded" || own.length === 0) return [];
    if (own.includes("certificate") && own.includes("private_key")) return checkUploaded(key, clearFields(fields));
    return [{ code: "half_certificate", summary: "An uploaded certificate needs both certificate and private_key" }];
  },
  readiness: {
    ready: ["issued"],
    awaited: ["pending"],
    failed: ["failed"],
    reason: (live) => `${jsonText(live["error.code"])} ${jsonText(live["error.message"])}`.trim(),
  },
};

/** Names that an authority certifies: of letters, digits and hyphens, and at most 100 in one certificate. */
function checkNames(names: readonly string[]): string | undefined {
  if (names.length > 100) return "at most 100 domains";
  const wrong = names.flatMap((name) => checkDomain(name.replace(/^\*\./u, "")) ?? [])[0];
  if (wrong !== undefined) return wrong;
  const unfit = names.find((name) => name.length > 253 || !/\.[a-z][a-z0-9-]*[a-z0-9]$/u.test(name));
  return unfit === undefined ? undefined : `a name under a top-level domain, such as www.example.com (not "${unfit}")`;
}

/** Checks an uploaded certificate as a server does: both texts must be PEM, fit each other, and cover the names. */
function checkUploaded({ domains = "" }: Key, { certificate: pem, private_key: secret }: Fields): Problem[] {
  if (typeof pem !== "string" || typeof secret !== "string") return [];
  const parsed = orUndefined(() => new X509Certificate(pem));
  if (!parsed) return wrongCertificate("certificate", "The certificate is not a PEM certificate");
  const key = orUndefined(() => createPrivateKey(secret));
  if (!key) return wrongCertificate("private_key", "The private key is not PEM, or it has a passphrase");
  if (!parsed.checkPrivateKey(key))
    return wrongCertificate("private_key", "The private key does not belong to the certificate");
  const missing = domains.split("+").filter((name) => parsed.checkHost(name.replace("*", "any")) === undefined);
  return missing.length === 0
    ? []
    : wrongCertificate("domains", `The certificate does not cover ${missing.join(", ")}`);
}

const wrongCertificate = (field: string, summary: string): Problem[] => [
  { code: "wrong_certificate", summary, path: [field] },
];

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
