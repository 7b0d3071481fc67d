import { groupBy } from "../../lib/collect.ts";
import type { Address } from "../../model/address.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { CollectionId, CollectionPolicy } from "../../model/resource.ts";
import type { WrittenResource } from "../read/read-resources.ts";
import { mailRules } from "./mail.ts";
import { certificateRules, tlsaRules } from "./certificates.ts";
import { DeclaredZones } from "./declared-zones.ts";
import { ambiguousName, glueMissing, targetRules } from "./names.ts";
import { warningOf, type LintRule } from "./rule.ts";
import { spfRules } from "./spf.ts";

/** Every rule about content that is legal but surely wrong. */
export const rules: readonly LintRule[] = [
  ...targetRules,
  ...spfRules,
  ...mailRules,
  ...certificateRules,
  ambiguousName,
  glueMissing,
  ...tlsaRules,
];

/** The ids that `lint: { disable: […] }` takes: those of the rules, and of the warnings that stand with the zone cuts. */
export const lintIds: readonly string[] = [
  ...rules.map(({ id }) => id),
  "hidden_by_delegation",
  "hidden_by_dname",
].sort();

/** Returns a warning for each place where an enabled rule fires. */
export function lint(
  written: ReadonlyMap<Address, WrittenResource>,
  collections: ReadonlyMap<CollectionId, CollectionPolicy>,
  disabled: ReadonlySet<string>,
): Diagnostic[] {
  const enabled = rules.filter(({ id }) => !disabled.has(id));
  if (enabled.length === 0) return [];
  const byKind = groupBy(written.values(), ({ resource }) => resource.kind);
  const ofKind = (...kinds: readonly string[]): readonly WrittenResource[] =>
    ([] as WrittenResource[]).concat(...kinds.map((kind) => byKind.get(kind) ?? []));
  const declared = {
    ofKind,
    collections,
    zones: new DeclaredZones(ofKind("dns_zone"), ofKind("dns_record"), collections),
  };
  return enabled.flatMap(({ id, find }) => find(declared).map((finding) => warningOf(id, finding)));
}
