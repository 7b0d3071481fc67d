import { jsonText } from "../model/json.ts";
import type { Kind } from "./kind.ts";
import { normaliseBoolean, normaliseNumber } from "./shared/normal-forms.ts";
import { domainKey } from "./shared/natural-key.ts";
import { checkNotEmpty } from "./shared/text-checks.ts";

/** A hosting service, named by its domain (the vendor shows its creation). */
export const service: Kind = {
  name: "service",
  manifest: "services.{domain}",
  scope: [],
  naming: domainKey(["domain"]),
  fields: {
    domain: { access: "immutable" },
    plan: { access: "mutable", required: true, check: checkNotEmpty },
    datacenter: { access: "immutable", required: true, check: checkNotEmpty },
    register: { access: "write_only" },
    "settings.php_version": {
      access: "mutable",
      check: (value) => (/^\d+\.\d+$/u.test(jsonText(value)) ? undefined : "a version such as 8.3"),
    },
    "settings.https_redirect": { access: "mutable", normalise: normaliseBoolean },
    "settings.backups": { access: "mutable", normalise: normaliseBoolean },
    "resources.disk_mb": { access: "read_only", normalise: normaliseNumber },
    "resources.disk_used_mb": { access: "read_only", normalise: normaliseNumber },
    "resources.bandwidth_mb": { access: "read_only", normalise: normaliseNumber },
    type: { access: "read_only" },
    status: { access: "read_only" },
    created_at: { access: "read_only" },
  },
  status: { usage: { content: "files", used: "resources.disk_used_mb", limit: "resources.disk_mb" } },
  guard: { protected: true, purchase: (fields) => fields["register"] === true },
  serverMade: {
    creates: (key, fields) =>
      fields["register"] === true ? [{ kind: "domain", key: { name: key["domain"] ?? "" } }] : [],
  },
  readiness: {
    ready: ["active", "deleting"],
    awaited: ["pending", "updating"],
    failed: ["failed"],
    external: (status) => (status === "suspended" ? "the service is suspended: ask the vendor" : undefined),
  },
};
