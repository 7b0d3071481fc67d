import type { Kind } from "./kind.ts";
import { inWrittenOrder } from "./shared/as-written.ts";
import { normaliseBoolean } from "./shared/boolean.ts";
import { checkDomain, normaliseDomain } from "./shared/domain-name.ts";
import { nameSet } from "./shared/name-set.ts";
import { plainKey } from "./shared/natural-key.ts";
import { password } from "./shared/password.ts";
import { checkQuota, normaliseQuota } from "./shared/quota.ts";

/** An FTP account of a service (API.md section 2). The primary one comes with the service and goes with it. */
export const ftpAccount: Kind = {
  name: "ftp_account",
  group: "FTP",
  manifest: "ftp.{service}.accounts.{username}",
  scope: ["service"],
  ...plainKey(["service", "username"]),
  normaliseKey: (key) => ({ ...key, service: normaliseDomain(key["service"] ?? "") }),
  checkKey: ({ service = "", username = "" }) =>
    /^[\w.@-]{1,64}$/u.test(username) ? checkDomain(service) : "a user name of letters, digits, . _ @ and -",
  fields: {
    service: { access: "immutable" },
    username: { access: "immutable" },
    password,
    home: { access: "mutable" },
    quota_mb: { access: "mutable", from: "quota", normalise: normaliseQuota, check: checkQuota },
    permissions: {
      access: "mutable",
      normalise: nameSet((name) => name.toLowerCase()),
      sent: inWrittenOrder((name) => name.toLowerCase()),
    },
    enabled: { access: "mutable", normalise: normaliseBoolean },
    primary: { access: "read_only", normalise: normaliseBoolean },
  },
  requires: [[{ kind: "service", key: { domain: "service" } }]],
  slots: (key) => [{ name: `FTP user ${key["username"]}`, shared: false }],
  prefixed: "username",
  protected: true,
  platformOwned: (live) => live["primary"] === true,
};
