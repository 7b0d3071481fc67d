import { jsonText } from "../model/json.ts";
import { isObject } from "../model/json-pointer.ts";
import type { Kind } from "./kind.ts";
import { normaliseBoolean, normaliseNumber } from "./shared/normal-forms.ts";
import { zoneKey } from "./shared/natural-key.ts";

const dsWarning =
  "first remove the DS records from the parent zone at the registrar and wait until their TTL expires, or the domain stops resolving";

/** The signing of a zone, one per zone. */
export const dnssec: Kind = {
  name: "dnssec",
  manifest: "dns.{zone}.dnssec",
  scope: ["zone"],
  naming: { ...zoneKey(["zone"]), toFields: () => ({}) },
  fields: {
    enabled: { access: "mutable", normalise: normaliseBoolean },
    algorithm: { access: "immutable", normalise: normaliseNumber },
    status: { access: "read_only" },
    ds_records: { access: "read_only", holdsObjects: true },
  },
  serverMade: { absent: { enabled: false } },
  availability: { signs: (fields) => fields["enabled"] === true },
  relations: { requires: [[{ kind: "dns_zone", key: { name: "zone" } }]] },
  readiness: { ready: ["active", "disabled"], awaited: ["pending", "disabling"], failed: ["error"] },
  status: {
    externalValues: (live) => {
      const records = live["ds_records"];
      const parts = ["key_tag", "algorithm", "digest_type", "digest"];
      return (Array.isArray(records) ? records.filter(isObject) : []).map(
        (record) => `DS ${parts.map((part) => jsonText(record[part])).join(" ")}`,
      );
    },
  },
  guard: {
    protected: true,
    refuse: (before, after) => {
      if (after === undefined) {
        return before["enabled"] === true ? { summary: `the zone is signed: ${dsWarning}`, consent: true } : undefined;
      }
      if (after["algorithm"] !== undefined && after["algorithm"] !== before["algorithm"]) {
        const steps = `by hand: ${dsWarning}; then declare enabled: false and apply, then the new algorithm and apply, then publish the new DS records`;
        const summary = `the algorithm of a signed zone cannot be changed without an outage; ${steps}`;
        return { summary, consent: false };
      }
      if (before["enabled"] === true && after["enabled"] === false) {
        return { summary: `signing would be switched off: ${dsWarning}`, consent: true };
      }
      return undefined;
    },
  },
};
