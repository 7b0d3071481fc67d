import type { Address } from "../model/address.ts";
import type { Json } from "../model/json.ts";
import type { Explained } from "./step-reasons.ts";
import { rules, withAlternatives, type Subject, type WordsOf } from "./refusal-words.ts";

/** The rule that refuses and its data, from which the words follow: a plan file holds this. */
export interface RefusalSource {
  readonly rule: keyof typeof rules;
  /** Of the step that is refused. */
  readonly step?: Explained;
  readonly data: readonly Json[];
  /** Why an entry under `removed:` does not allow it. */
  readonly entry?: { readonly why: WhyNoConsent; readonly file?: string };
  /** Whether a saved plan is refused: only a flag or a new plan lifts it. */
  readonly isSaved?: true;
  /** The command that changes the inventory, with the flags of the run. */
  readonly inventory?: string;
}

/** A step that may not run as things are, and the consent it needs: as data, and in words that follow from it. */
export type Refusal = WordsOf<RefusalCode> & { readonly from: RefusalSource };
export type RefusalCode = ReturnType<(typeof rules)[keyof typeof rules]>["code"];

/** A refusal as a plan file holds it: without words. */
export type SavedRefusal = Pick<Refusal, "address" | "code" | "flag" | "at" | "from">;

type Rules = typeof rules;

/** The refusals, each made from its subject and its data. */
export const refusals = Object.fromEntries(
  Object.entries(rules).map(([rule, { length }]) => [
    rule,
    (subject: Subject & Explained, ...data: unknown[]) => {
      const { action, replaces, reason } = subject;
      const step = reason && { action, replaces, reason };
      // As it is read from a file, so that the words cannot differ. Further arguments are those of Array.map.
      const from = JSON.parse(JSON.stringify({ rule, step, data: data.slice(0, length - 1) })) as RefusalSource;
      return inWords(from, subject);
    },
  ]),
) as { readonly [Rule in keyof Rules]: (...given: Parameters<Rules[Rule]>) => Refusal };

/** Returns a refusal with its words. */
function inWords(from: RefusalSource, subject: Partial<Subject>): Refusal {
  const { rule, step, data, entry, isSaved, inventory } = from;
  const say = rules[rule] as (subject: object, ...data: readonly Json[]) => WordsOf<RefusalCode>;
  const words = say({ ...step, ...subject, inventory }, ...data);
  const explained = entry ? withEntry(words, entry) : words;
  return { ...(isSaved ? ofSavedPlan(explained) : explained), from };
}

/** Returns a refusal in words that name another subject, such as `each of these 3`, in place of its address. */
export const aboutOthers = ({ address, from }: Refusal, subject: string): Refusal =>
  inWords(from, address === undefined ? {} : { address: subject as Address });

/** Returns a refusal in words whose commands carry the flags of the run. `inventory`: the command that changes the inventory. */
export const withCommand = (refusal: Refusal, inventory: string): Refusal =>
  inWords({ ...refusal.from, inventory }, refusal);

/** Adds the reason why the entry that asks for a deletion does not allow it. `file`: of the entry. */
export const refusedEntry = (refusal: Refusal, why: WhyNoConsent, file: string | undefined): Refusal =>
  inWords({ ...refusal.from, entry: { why, ...(file !== undefined && { file }) } }, refusal);

/** Returns a refusal of a saved plan with what lifts it: its flag, or a new plan, for the file holds what was refused. */
export const savedRefusal = ({ from, ...subject }: SavedRefusal): Refusal =>
  inWords({ ...from, isSaved: true }, subject);

function withEntry<Code>(words: WordsOf<Code>, { why, file }: NonNullable<RefusalSource["entry"]>): WordsOf<Code> {
  const alternatives = why === "not_committed" && file !== undefined ? [`commit ${file}`] : [];
  return withAlternatives({ ...words, summary: `${words.summary}; ${whyNoConsent[why]}` }, [
    ...(words.alternatives ?? []),
    ...alternatives,
  ]);
}

const ofSavedPlan = <Code>({ alternatives: _others, ...words }: WordsOf<Code>): WordsOf<Code> =>
  words.flag === undefined ? { ...words, hint: `${words.hint}, and save a new plan` } : withAlternatives(words, []);

/** Returns the permission for a refusal whose flag takes an address; undefined for others. */
export const allowingFlag = ({ address, flag }: Pick<Refusal, "address" | "flag">): string | undefined =>
  address === undefined || flag === undefined ? undefined : `${flag} ${address}`;

const noConsent = "its entry under removed: does not count, because";

/** The reason why an entry under `removed:` does not consent to the deletion that it asks for. */
export const whyNoConsent = {
  not_committed: "its entry under removed: is consent once it is committed",
  not_in_git: `${noConsent} its file is in no git repository`,
  not_literal: `${noConsent} a variable or a template makes its address: write the address out`,
  not_new: `${noConsent} the inventory does not hold the address, and the entry was there at the last apply`,
  not_in_this_commit: `${noConsent} before the first apply only the commit that adds an entry consents`,
  no_commit_recorded: `${noConsent} the last apply recorded no commit, so the entry may be older`,
  history_unknown: `${noConsent} this clone lacks the commits that show whether it is new: fetch them with  git fetch --unshallow`,
  rolled_back: `${noConsent} this commit does not contain that of the last apply`,
  undecided: `${noConsent} two inventories disagree and neither has been chosen yet: hostform inventory shows both`,
  inventory_unread: `${noConsent} the inventory could not be read where it is kept`,
  no_inventory: `${noConsent} no inventory is kept`,
};

export type WhyNoConsent = keyof typeof whyNoConsent;
