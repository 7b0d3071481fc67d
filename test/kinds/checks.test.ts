import { expect, test } from "vitest";
import { buildInput } from "../plan/build-input.ts";

/** The records of example.com, and the zones beside it. */
const zoneWith = (records: object, zones: object = {}) =>
  `dns: ${JSON.stringify({ "example.com": { records }, ...zones })}`;

test.each<[string, string, string]>([
  ["cname_at_apex", "A CNAME cannot stand at the apex of example.com", zoneWith({ "@": { CNAME: "example.net." } })],
  [
    "cname_not_alone",
    "The CNAME at www in example.com shares its name with A, TXT",
    zoneWith({ www: { CNAME: "example.net.", TXT: "x", A: "192.0.2.1" } }),
  ],
  [
    "cname_not_alone",
    "The CNAME at www in example.com shares its name with TYPE65280",
    zoneWith({ www: { CNAME: "example.net.", TYPE65280: String.raw`\# 1 00` } }),
  ],
  [
    "alias_not_alone",
    "The ALIAS at www in example.com shares its name with A, AAAA",
    zoneWith({ www: { ALIAS: "example.net.", A: "192.0.2.1", AAAA: "2001:db8::1" } }),
  ],
  [
    "duplicate_value",
    "AAAA www in example.com holds 2001:db8::1 twice",
    zoneWith({ www: { AAAA: ["2001:db8::1", "2001:DB8:0::1"] } }),
  ],
  [
    "below_child_zone",
    "TXT www.sub in example.com belongs to the zone sub.example.com, which is declared as well",
    zoneWith({ "www.sub": { TXT: "x" } }, { "sub.example.com": {} }),
  ],
  [
    "ds_at_apex",
    "The DS of example.com belongs in the zone above, not in example.com itself",
    zoneWith({ "@": { DS: `1 13 2 ${"ab".repeat(32)}` } }),
  ],
  [
    "renewed_for_ever",
    "example.com would be renewed at every apply: renew_before is not less than the 1 years that each renewal brings",
    "domains: { example.com: { renew_before: 365d } }",
  ],
  [
    "transfer_without_code",
    "The transfer of example.com has no auth_code",
    "domains: { example.com: { transfer: {} } }",
  ],
  [
    "managed_certificate",
    "A managed certificate is made by the platform, so it takes no chain",
    "services: { example.com: }\ncertificates: { example.com: [{ domains: [example.com], chain: x }] }",
  ],
])("a manifest is refused with %s: %s", async (code, summary, manifest) => {
  const said = await buildInput(manifest, {}).then(
    () => [],
    (error: Error) => JSON.parse(error.message) as unknown[],
  );
  expect(said).toMatchObject([{ code, summary }]);
});
