import type { Kind } from "./kind.ts";
import { checkDomain, normaliseDomain } from "./shared/domain-name.ts";
import { plainKey } from "./shared/natural-key.ts";
import { normaliseNumber } from "./shared/number.ts";
import { normaliseWord } from "./shared/word.ts";

/** A database of a service (API.md section 2). */
export const database: Kind = {
  name: "database",
  group: "Database",
  manifest: "databases.{service}.databases.{name}",
  scope: ["service"],
  ...plainKey(["service", "name"]),
  normaliseKey: (key) => ({ ...key, service: normaliseDomain(key["service"] ?? "") }),
  checkKey: ({ service = "", name = "" }) =>
    /^\w{1,64}$/u.test(name) ? checkDomain(service) : "a database name of letters, digits and underscores",
  fields: {
    service: { access: "immutable" },
    name: { access: "immutable" },
    engine: { access: "immutable", required: true, normalise: normaliseWord },
    charset: { access: "mutable", normalise: normaliseWord, dependsOn: ["engine"] },
    collation: { access: "mutable", dependsOn: ["engine", "charset"] },
    version: { access: "read_only" },
    status: { access: "read_only" },
    host: { access: "read_only", normalise: (value) => (typeof value === "string" ? normaliseDomain(value) : value) },
    port: { access: "read_only", normalise: normaliseNumber },
    size_mb: { access: "read_only", normalise: normaliseNumber },
  },
  requires: [[{ kind: "service", key: { domain: "service" } }]],
  slots: (key) => [{ name: `database ${key["name"]} of ${key["service"]}`, shared: false }],
  prefixed: "name",
  usage: { used: "size_mb" },
  protected: true,
  readiness: {
    field: "status",
    ready: ["active"],
    awaited: ["pending"],
    failed: ["failed"],
    external: () => undefined,
  },
};
