import { diagnosticAt, type Mistake } from "../yaml/diagnostic-at.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { CollectionId, CollectionPolicy } from "../../model/resource.ts";
import type { WrittenResource } from "../read/read-resources.ts";
import { positionOf, type Span } from "../yaml/written.ts";
import type { DeclaredRecord, DeclaredZones, Lookup } from "./declared-zones.ts";
import { withArticle } from "../../model/with-article.ts";

/** All that a rule may look at. */
export interface LintInput {
  /** Returns the declared resources of some kinds, kind by kind. */
  readonly ofKind: (...kinds: readonly string[]) => readonly WrittenResource[];
  readonly collections: ReadonlyMap<CollectionId, CollectionPolicy>;
  readonly zones: DeclaredZones;
}

/** A place where a rule fires, and what is said of it. */
export type LintFinding = Omit<Mistake, "code"> & { readonly span: Span };

/** A check of content that is legal but surely wrong. */
export interface LintRule {
  /** Stable: scripts and `lint: { disable: […] }` name it. */
  readonly id: string;
  readonly find: (declared: LintInput) => readonly LintFinding[];
}

/** Returns a finding as the warning that a user reads. */
export const warningOf = (id: string, { span, ...words }: LintFinding): Diagnostic =>
  diagnosticAt(span, { severity: "warning", code: id, rule: id, ...words });

/** Returns a record's type and name in words, as in `MX @ in example.com`. */
export function nameOfRecord({ written: { resource } }: DeclaredRecord): string {
  const { type, name, zone } = resource.key;
  return `${type} ${name} in ${zone}`;
}

/** Says that a name has no record: for certain, or as far as the manifest tells. */
export function absence({ zone, surely }: Extract<Lookup, { is: "absent" }>, what: string) {
  return surely
    ? { clause: `which has no ${what}`, detail: undefined }
    : {
        clause: `for which no manifest declares ${withArticle(what)}`,
        detail: `the zone ${zone} is not exclusive, so there may be one on the server`,
      };
}

/** Returns the finding on a circle, of whose members the first has the claim. */
export function circleFinding(
  circle: readonly { readonly span: Span; readonly name: string }[],
  claim: string,
  hint: string,
): LintFinding {
  const [first, ...others] = circle as [(typeof circle)[number], ...typeof circle];
  const way = [...circle, first].map(({ name }) => name).join(" → ");
  return {
    span: first.span,
    summary: others.length === 0 ? claim : `${claim} in a circle: ${way}`,
    hint,
    ...(others.length > 0 && {
      related: others.map(({ span }) => ({ at: positionOf(span), message: "part of the circle" })),
    }),
  };
}
