import { collectionOf } from "../../kinds/derived/collection.ts";
import { firstIgnoring } from "../../kinds/derived/matches-ignore.ts";
import { kindNamed } from "../../kinds/index.ts";
import { normaliseMailAddress } from "../../kinds/shared/mail-address.ts";
import { jsonText } from "../../model/json.ts";
import type { CollectionPolicy } from "../../model/resource.ts";
import { findCircle } from "../read/find-circle.ts";
import { spanAt } from "../read/read-body.ts";
import type { WrittenResource } from "../read/read-resources.ts";
import { itemsOf, memberOf, toJson } from "../yaml/written.ts";
import { circleFinding, type LintInput, type LintFinding, type LintRule } from "./rule.ts";

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

export const aliasRules: readonly LintRule[] = [aliasTargetMissing, aliasCircle];
