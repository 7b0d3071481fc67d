import type { Relation, Verdict } from "../model/explanation.ts";

/** The words for a field that is compared on both sides. They stand apart from the text, which takes longer to load. */
export const verdicts: Readonly<Record<Verdict, string>> = {
  same: "same",
  same_but_spelt_otherwise: "equal, but formatted differently",
  differs: "differs",
  not_live: "not live",
  not_managed: "not managed",
  write_only: "write-only",
  read_only: "read-only",
  not_sent: "never sent",
  not_told: "not returned by the API",
  ignored_by_ignore_changes: "ignored by ignore_changes",
};

/** The words for a relation between two resources. */
export const ways: Readonly<Record<Relation["how"], string>> = {
  needs: "Needs",
  refers_to: "Refers to",
  comes_after: "Comes after",
  shares: "Conflicts with",
  is_needed_by: "Is needed by",
  is_referred_to_by: "Is referred to by",
  comes_before: "Comes before",
};
