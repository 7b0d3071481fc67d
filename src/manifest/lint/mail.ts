import { getOrMake } from "../../lib/collect.ts";
import { toAddress } from "../../model/address.ts";
import type { WrittenResource } from "../read/read-resources.ts";
import { spanAt } from "../read/read-body.ts";
import { absence, type LintFinding, type LintRule } from "./rule.ts";
import { openValue } from "../../model/body.ts";

/** Mailboxes of a domain whose zone has no MX, or says that it takes no mail. */
const mailboxWithoutMx: LintRule = {
  id: "mailbox_without_mx",
  find: ({ ofKind, zones }) => {
    const first = new Map<string, WrittenResource>();
    for (const each of ofKind("mailbox")) getOrMake(first, each.resource.key["domain"] ?? "", () => each);
    return [...first].flatMap(([domain, { keySpan: span }]): LintFinding | [] => {
      const found = zones.look(domain, ["MX"]);
      if (found.is === "unknown") return [];
      const summary = `No mail reaches the mailboxes of ${domain}`;
      if (found.is === "absent") {
        const { clause, detail } = absence(found, "MX record");
        return { span, summary: `${summary}, ${clause}`, detail, hint: addMx(domain, found.zone) };
      }
      const [only, ...others] = found.records;
      if (only?.content !== "." || others.length > 0) return [];
      const hint = "write the mail servers in its place";
      return { span, summary: `${summary}, whose MX record says that it takes none`, hint };
    });
  },
};

const addMx = (domain: string, zone: string) =>
  `add to ${zone}  ${domain === zone ? '"@"' : domain.slice(0, -zone.length - 1)}: { MX: [{ priority: 10, value: … }] }`;

/** Signed mail whose key stands nowhere: the signature cannot be verified. */
const dkimWithoutRecord: LintRule = {
  id: "dkim_without_record",
  find: ({ ofKind, zones }) => {
    const signing = ofKind("mail_settings").filter(
      ({ resource }) => openValue(resource.fields["dkim.enabled"]) === true,
    );
    if (signing.length === 0) return [];
    const withKey = new Set(zones.ownersOf(["TXT", "CNAME", "NS"]).flatMap(domainsWithKey));
    return signing.flatMap((each): LintFinding | [] => {
      const domain = each.resource.key["domain"] ?? "";
      const zone = zones.zoneOf(domain);
      if (zone === undefined || withKey.has(domain)) return [];
      // Nothing can be said of the key if nothing can be said of the names below the domain.
      const found = zones.look(`_domainkey.${domain}`, ["TXT"]);
      if (found.is !== "absent") return [];
      const below = domain === zone ? "" : `.${domain.slice(0, -zone.length - 1)}`;
      const reference = `\${ref:${toAddress("mail_settings", [domain])}.dkim.record}`;
      return {
        span: spanAt(each.body, ["dkim", "enabled"]),
        summary: `Mail of ${domain} is signed with DKIM, and no manifest declares the record of its key in ${zone}`,
        // A record that the platform puts there by itself is in no manifest.
        detail: `a record below _domainkey${below} in ${zone}${domain === zone ? ", unless the platform puts it there by itself" : ""}`,
        hint: `add to ${zone}  SELECTOR._domainkey${below}: { TXT: "${reference}" } where hostform why mail_settings/${domain} shows the SELECTOR; or if the platform does it, lint: { disable: [dkim_without_record] }`,
      };
    });
  },
};

/** Returns the domains whose keys receivers look for at a name (SELECTOR._domainkey.DOMAIN), or below it. */
function domainsWithKey(owner: string): string[] {
  if (!owner.includes("_domainkey")) return [];
  const labels = owner.split(".");
  return labels.flatMap((label, index) => (label === "_domainkey" ? labels.slice(index + 1).join(".") : []));
}

export const mailRules: readonly LintRule[] = [mailboxWithoutMx, dkimWithoutRecord];
