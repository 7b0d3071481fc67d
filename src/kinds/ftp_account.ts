import { jsonText, type Json } from "../model/json.ts";
import type { Kind } from "./kind.ts";
import { inWrittenOrder, nameSet, normaliseBoolean } from "./shared/normal-forms.ts";
import { checkDomain } from "./shared/domain-name.ts";
import { domainKey } from "./shared/natural-key.ts";
import { password } from "./shared/password.ts";
import { checkQuota, normaliseQuota, spellQuota } from "./shared/quota.ts";

/** An FTP account of a service. The primary one comes with the service and goes with it. */
export const ftpAccount: Kind = {
  name: "ftp_account",
  manifest: "ftp.{service}.accounts.{username}",
  scope: ["service"],
  naming: {
    ...domainKey(["service", "username"]),
    check: ({ service = "", username = "" }) =>
      /^[a-z0-9][\w.@-]{0,63}$/iu.test(username)
        ? checkDomain(service)
        : "a user name of at most 64 letters, digits, . _ @ and -, which begins with a letter or a digit",
    prefixed: "username",
  },
  fields: {
    service: { access: "immutable" },
    username: { access: "immutable" },
    password,
    home: { access: "mutable", check: checkFolder },
    quota_mb: { access: "mutable", from: "quota", normalise: normaliseQuota, spell: spellQuota, check: checkQuota },
    permissions: {
      access: "mutable",
      normalise: nameSet((name) => name.toLowerCase()),
      sent: inWrittenOrder((name) => name.toLowerCase()),
    },
    enabled: { access: "mutable", normalise: normaliseBoolean },
    primary: { access: "read_only", normalise: normaliseBoolean },
  },
  relations: {
    requires: [[{ kind: "service", key: { domain: "service" } }]],
    uniqueNames: (key) => [{ name: `FTP user ${key["username"]}`, shared: false }],
  },
  serverMade: { ownFlag: "primary" },
  guard: { protected: true },
};

function checkFolder(value: Json): string | undefined {
  const text = jsonText(value);
  return text.startsWith("/") && !text.split("/").includes("..")
    ? undefined
    : 'an absolute folder without "..", such as /www';
}
