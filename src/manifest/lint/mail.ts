import { getOrMake } from "../../lib/collect.ts";
import { toAddress } from "../../model/address.ts";
import type { WrittenResource } from "../read/read-resources.ts";
import { spanAt } from "../read/read-body.ts";
import { absence, type LintFinding, type LintRule, circleFinding, type LintInput } from "./rule.ts";
import { openValue } from "../../model/body.ts";
import { collectionOf } from "../../kinds/derived/collection.ts";
import { firstIgnoring } from "../../kinds/derived/matches-ignore.ts";
import { kindNamed } from "../../kinds/index.ts";
import { normaliseMailAddress } from "../../kinds/shared/mail-address.ts";
import { jsonText } from "../../model/json.ts";
import type { CollectionPolicy } from "../../model/resource.ts";
import { findCircle } from "../read/check-references.ts";
import { itemsOf, memberOf, toJson } from "../yaml/written.ts";

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
    const withKey = new Set(zones.recordsOf(["TXT", "CNAME", "NS"]).flatMap(({ owner }) => domainsWithKey(owner)));
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

interface AliasDestination {
  readonly address: string;
  readonly index: number;
}

/** Returns the destinations of an alias in their written order; those that come from elsewhere (`${…}`) are destinations out. */
const destinationsOf = ({ body }: WrittenResource): AliasDestination[] =>
  itemsOf(memberOf(body, "destinations")).flatMap((item, index) => {
    const text = jsonText(toJson(item));
    return text.includes("${") ? [] : { address: normaliseMailAddress(text), index };
  });

const addressOf = ({ resource: { key } }: WrittenResource) => `${key["local"]}@${key["domain"]}`;

/** An alias to an address of a declared mail domain that is neither a mailbox nor an alias: mail to it is lost. */
const aliasTargetMissing: LintRule = {
  id: "alias_target_missing",
  find: (declared) => {
    const domains = new Set(
      declared.ofKind("mailbox", "mail_alias", "mail_settings").map(({ resource }) => resource.key["domain"] ?? ""),
    );
    const addresses = new Set(declared.ofKind("mailbox", "mail_alias").map(addressOf));
    const caught = new Set(
      declared.ofKind("mail_settings").flatMap(({ resource: { key, fields } }) => {
        const value = fields["catch_all"];
        return value === undefined || (value.is === "known" && value.value === null) ? [] : (key["domain"] ?? "");
      }),
    );
    return declared.ofKind("mail_alias").flatMap((alias) =>
      destinationsOf(alias).flatMap(({ address, index }): LintFinding | [] => {
        const domain = address.slice(address.lastIndexOf("@") + 1);
        if (!domains.has(domain) || caught.has(domain) || addresses.has(address)) return [];
        const policies = policiesOf(declared, domain);
        if (policies.some((policy) => isIgnored(policy, address))) return [];
        const areExclusive = policies.length === 2 && policies.every(({ exclusive }) => exclusive);
        return {
          span: spanAt(alias.body, ["destinations", index]),
          summary: `${alias.resource.address} forwards mail to ${address}, which is neither a declared mailbox nor a declared alias`,
          detail: areExclusive
            ? undefined
            : `the mail addresses of ${domain} are not exclusive, so there may be one on the server`,
          hint: `declare the mailbox, or take the address out of the alias`,
        };
      }),
    );
  },
};

const policiesOf = ({ collections }: LintInput, domain: string): CollectionPolicy[] =>
  ["mailbox", "mail_alias"].flatMap((name) => collections.get(collectionOf(kindNamed(name), { domain }).id) ?? []);

function isIgnored(policy: CollectionPolicy, address: string): boolean {
  const key = { ...policy.scope, local: address.slice(0, address.lastIndexOf("@")) };
  return firstIgnoring(kindNamed(policy.kind), policy, key) !== undefined;
}

/** An alias that forwards mail to itself, at once or over other aliases. */
const aliasCircle: LintRule = {
  id: "alias_circle",
  find: (declared) => {
    const aliases = new Map(declared.ofKind("mail_alias").map((alias) => [addressOf(alias), alias]));
    const linksOf = (address: string) => {
      const alias = aliases.get(address);
      return alias ? destinationsOf(alias).map((to) => to.address) : [];
    };
    const done = new Set<string>();
    return [...aliases.keys()].flatMap((start) => {
      const circle = findCircle(start, linksOf, done)?.flatMap((address) => aliases.get(address) ?? []);
      const places = circle?.map((alias) => ({ span: alias.keySpan, name: addressOf(alias) }));
      const claim = `${circle?.[0]?.resource.address} forwards mail to itself`;
      return places ? circleFinding(places, claim, "forward the mail to a mailbox") : [];
    });
  },
};

export const mailRules: readonly LintRule[] = [mailboxWithoutMx, dkimWithoutRecord, aliasTargetMissing, aliasCircle];
