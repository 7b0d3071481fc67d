import type { Kind } from "./kind.ts";
import { normaliseDomain } from "./shared/domain-name.ts";
import { zoneKey } from "./shared/natural-key.ts";
import { nameSet, normaliseNumber } from "./shared/normal-forms.ts";

/** A DNS zone. It needs no domain: that may be registered elsewhere. */
export const dnsZone: Kind = {
  name: "dns_zone",
  manifest: "dns.{name}",
  scope: [],
  naming: zoneKey(["name"]),
  fields: {
    name: { access: "immutable" },
    ttl: { access: "mutable", normalise: normaliseNumber },
    nameservers: { access: "read_only", normalise: nameSet(normaliseDomain) },
    serial: { access: "read_only", normalise: normaliseNumber },
    status: { access: "read_only" },
  },
  guard: { protected: true },
  readiness: {
    // A zone that waits for its delegation takes records already.
    ready: ["active", "pending"],
    awaited: [],
    failed: [],
  },
};
