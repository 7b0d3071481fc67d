import { counted, someOf } from "../lib/shorten.ts";
import { quoted } from "../lib/escape.ts";
import type { Address } from "../model/address.ts";
import type { Position } from "../model/diagnostic.ts";
import type { MissedApply, Unconfirmed } from "../model/inventory.ts";
import { describeReason, type Explained } from "./step-reasons.ts";
import { applyAfter, forgetting, inventoryCommand, unlocking } from "./advice.ts";
import { describeMissed, takenBack } from "./missed-apply.ts";

/** A flag that allows what a plan refuses. */
export type ConsentFlag = "--allow-delete" | "--allow-purchase" | "--rollback";

/** A step that may not run as things are, and the consent it needs, in words. */
export interface WordsOf<Code> {
  /** Undefined where it is about the plan as a whole. */
  readonly address?: Address;
  readonly code: Code;
  readonly summary: string;
  /** The remedy in words: the flag and the alternatives where there is a flag with an address. */
  readonly hint: string;
  /** The flag that would allow it; those that take an address take this one. Undefined where none does. */
  readonly flag?: ConsentFlag;
  /** Remedies in place of the flag; absent if there are none, and in a saved plan. */
  readonly alternatives?: readonly string[];
  readonly at?: Position;
}

/** The subject of a refusal. */
export interface Subject {
  readonly address: Address;
  readonly at?: Position | undefined;
  /** The command that changes the inventory of the run. Default: without its flags. */
  readonly inventory?: string | undefined;
}

type Going = Subject & Explained;

/** The rules: the code of a refusal, and the words that follow from the subject and the data. */
export const rules = {
  /** `summary`: the rule of its kind that demands consent. */
  needsConsent: (step: Subject, summary: string) =>
    allowed("protected", step, `${step.address} needs consent: ${summary}`),
  byKind: (step: Subject, summary: string) =>
    refused("refused_by_kind", step, {
      summary: `${step.address} cannot be changed or deleted: ${summary}`,
      hint: "no flag allows it; take the change out of the manifest",
    }),
  purchase: (step: Going) =>
    allowed("purchase", step, `${doing[step.action]} ${step.address} costs money or cannot be undone`),
  carriedOutBefore: (step: Going) =>
    unnamed("protected", step, "an earlier apply carried that entry out, and it exists again"),
  /** `SCOPE=N` holds for exactly N. `scope`: as it is written after the flag; `isKind`: whether it stands for a kind. */
  miscounted: (step: Going, { scope, isKind, allows, size }: Count) =>
    unnamed(
      "over_budget",
      step,
      `the plan deletes ${size} ${isKind ? "of this kind" : `of ${scope}`}, but --allow-delete ${scope}=${allows} allows exactly ${allows}`,
    ),
  ofProtectedKind: (step: Going) => unnamed("protected", step, "its kind is protected"),
  byOtherReading: (step: Going, other: Address) =>
    unnamed("protected", step, `${other} would be created: the same name, read in another way`),
  firstExclusive: (step: Going, hasInventory: boolean) =>
    unnamed(
      "first_exclusive",
      step,
      hasInventory
        ? "no earlier apply recorded its collection as exclusive"
        : "no inventory is kept, so no earlier apply can have recorded its collection as exclusive: --inventory FILE keeps one",
    ),
  emptied: (step: Going, collection: string) => unnamed("emptied", step, `nothing would be left in ${collection}`),
  /** `kind`: of all that go, if it is one. `limit`: a number, or a percentage. */
  overBudget: (step: Going, { going, all, kind, limit }: Budget) => {
    const noun = kind === undefined ? "resources" : pluralOf(kind);
    const budget = typeof limit === "number" ? String(limit) : `${Number.parseInt(limit, 10)} %, at least 3`;
    const why = `${going} of ${all} ${noun} would be deleted; the budget is ${budget}`;
    return unnamed("over_budget", step, why, ["raise policy.max_deletes"]);
  },
  /** `isKnown`: whether git shows that the last apply would be taken back at these addresses. */
  rolledBack: (
    _plan: object,
    missed: Omit<MissedApply, "base"> | undefined,
    now: number,
    reverted: readonly Address[],
    isKnown: boolean,
  ) => ({
    ...refused("rolled_back", {}, { summary: describeMissed(missed, now), hint: takenBack(reverted, isKnown) }),
    flag: "--rollback" as const,
  }),
  /** `files`: manifests of the last apply; `arePresent`: whether they exist. `count`: of the deletions; `first`: one of them. */
  manifestLeftOut: (_plan: object, files: readonly string[], arePresent: boolean, count: number, first: Address) => {
    const isOne = files.length === 1;
    const named = `${files[0]}${isOne ? "" : ` and ${files.length - 1} more`}`;
    const lost = `${counted(count, "resource")} would be deleted, such as ${first}`;
    return refused(
      "manifest_left_out",
      {},
      arePresent
        ? {
            summary: `${named} ${isOne ? "was" : "were"} part of the last apply, and this run was not given ${isOne ? "it" : "them"}; ${lost}`,
            hint: "pass it with -f too, give it its own name:, or commit its deletion",
          }
        : {
            summary: `${named} ${isOne ? "was part of the last apply and is missing now, but its deletion is" : "were part of the last apply and are missing now, but their deletion is"} not committed; ${lost}`,
            hint: "commit the deletion, or restore what git has: git checkout HEAD -- FILE",
          },
    );
  },
  preventDestroy: (step: Going, isDeclared: boolean) =>
    refused("prevent_destroy", step, {
      summary: `${wouldGo(step)}; its lifecycle sets prevent_destroy`,
      hint: isDeclared
        ? "no flag allows it: take prevent_destroy out of its lifecycle, and apply that first"
        : "no flag allows it: declare it once more without prevent_destroy, apply that, then take it out",
    }),
  /** `source`: what its value refers to, where the list of that is meant, and not its own. */
  incompleteRead: (step: Going, source?: Address) =>
    refused("incomplete_read", step, {
      summary: `cannot ${step.action} ${step.address}: ${source ? `it refers to ${source}, whose list` : "the list of its collection"} is incomplete`,
      hint: readAgain,
    }),
  unknownIfThere: (resource: Subject) =>
    refused("incomplete_read", resource, {
      summary: `it is not known whether ${resource.address} exists: the list of its collection is incomplete`,
      hint: readAgain,
    }),
  /** `holder`: the undeclared resource that uses the name. `isRemoved`: an entry under `removed:` names it. */
  nameTaken: (step: Subject, { holder, name, isPlatforms, isRemoved }: TakenName) =>
    refused("in_the_way", step, {
      summary: `${step.address} cannot be created: ${holder}, which is not declared, already uses ${name}`,
      hint: isPlatforms
        ? "the platform manages it: only the platform can remove it"
        : isRemoved
          ? "to delete it, write action: delete in its entry under removed:"
          : `to delete it, add to the manifest  removed: [{ address: ${holder}, action: delete }]`,
    }),
  mayBePrefixed: ({ address, inventory = inventoryCommand }: Subject, actual: Address) =>
    refused(
      "in_the_way",
      { address },
      {
        summary: `${address} is not in the inventory, and ${actual} may be the same resource with a prefix added by the server`,
        hint: `declare ${actual} as well, with an empty block; or if both are the same resource, run: ${inventory} --adopt ${quoted(address)}`,
      },
    ),
  /** `kept`: the resources below that this API cannot delete, of this kind. */
  undeletableChildren: (step: Going, kept: readonly Address[], kind: string) => {
    const { address, replaces } = step;
    const what = replaces ? `replaced (${describeReason(step)})` : "deleted";
    return refused("has_children", step, {
      summary: `${address} cannot be ${what}: ${someOf(kept, 10)} ${kept.length === 1 ? "belongs" : "belong"} to it, and this API deletes no ${kind}`,
      hint: replaces
        ? "no flag allows it: leave the field as it is, or create a new resource under another name and move to it"
        : `no flag allows it: ask the vendor to delete it, or keep it and manage it no more: removed: [{ address: ${address}, action: forget }]`,
    });
  },
  children: (step: Going, children: readonly Address[], areDeclared: boolean) =>
    refused("has_children", step, {
      summary: `${step.address} cannot be ${step.replaces ? "replaced" : "deleted"}: ${children.length === 1 ? "1 child resource" : `${children.length} child resources`} would stay (${someOf(children, 10)})`,
      hint: step.replaces
        ? "declare each of them (an empty block is enough), delete it or move it elsewhere; then apply this change"
        : areDeclared
          ? `keep ${step.address}, or write in the manifest another place for each of them (such as service: null for a domain, or grants: {} for a database user)`
          : "name each of them under removed: with action: delete, or keep the parent",
    }),
  /** `words`: of the runner's policy. Without an address they are about the plan. */
  byPolicy: (subject: Partial<Subject>, words: string) =>
    refused("policy", subject, {
      summary: `the policy of this runner refuses ${subject.address ?? "the plan"}: ${words}`,
      hint: "no flag allows it: change what it names, or ask whoever keeps the policy (--policy-command) to change or repair it",
    }),
  noDeletion: (resource: Subject) =>
    refused("managed_by_platform", resource, {
      summary: `${resource.address} cannot be deleted: the API offers no such operation`,
      hint: "take it out of removed:, or set its collection to exclusive: false",
    }),
  /** `sent`: the request, if the inventory holds it. */
  journalLost: (step: Subject, why: UnknownOutcome, sent: Sent | undefined) => {
    const commands = [
      ...(why.is === "unreadable" ? [`rm ${why.files.map(quoted).join(" ")}`] : []),
      ...(why.is !== "unreadable" || why.isLocked ? [unlocking(step.inventory)] : []),
      ...(sent ? [forgetting(step.address, step.inventory)] : []),
    ];
    const requested = sent ? `requested it at ${sent.at}, and no list shows it` : "may have requested it";
    return refused("journal_lost", step, {
      summary: `${objectOf(step, sent)} must not be requested twice, and an earlier apply ${requested}: ${unknownText(why)}`,
      hint: `check on the server whether it was carried out; then ${applyAfter(commands)}`,
    });
  },
  unconfirmed: (step: Subject, sent: Sent & Pick<Unconfirmed, "operation">) =>
    refused("unconfirmed", step, {
      summary: `${objectOf(step, sent)} may already have been ${sent.operation === "renew" ? "renewed" : "created"}: an earlier apply sent the request at ${sent.at}, and it does not appear in the list yet`,
      hint: `apply again when a list shows it, or leave it out: --except ${step.address}; if the server has certainly not carried it out, ${applyAfter([forgetting(step.address, step.inventory)])}`,
    }),
};

/** Returns a refusal with other alternatives to its flag; unchanged if its flag takes no address. */
export function withAlternatives<Code>(refusal: WordsOf<Code>, alternatives: readonly string[]): WordsOf<Code> {
  const { address, flag } = refusal;
  if (address === undefined || flag === undefined) return refusal;
  return {
    ...refusal,
    hint: [`${flag} ${address}`, ...alternatives].join(", or "),
    ...(alternatives.length > 0 && { alternatives }),
  };
}

const refused = <Code extends string>(
  code: Code,
  { address, at }: Partial<Subject>,
  words: { readonly summary: string; readonly hint: string },
): WordsOf<Code> => ({ ...(address !== undefined && { address }), code, ...words, ...(at && { at }) });

const allowed = <Code extends string>(
  code: Code,
  step: Subject,
  summary: string,
  alternatives: readonly string[] = [],
): WordsOf<Code> => {
  const flag = code === "purchase" ? "--allow-purchase" : "--allow-delete";
  return withAlternatives({ ...refused(code, step, { summary, hint: "" }), flag }, alternatives);
};

/** A deletion that nobody has named, and why it must be. */
const unnamed = <Code extends string>(code: Code, step: Going, why: string, alternatives: readonly string[] = []) =>
  allowed(code, step, `${wouldGo(step)}; ${why}`, alternatives);

function wouldGo(step: Going): string {
  const reason = describeReason(step);
  return `${step.address} would be ${step.replaces ? `replaced, because ${reason}` : `deleted (${reason})`}`;
}

interface Count {
  readonly scope: string;
  readonly isKind: boolean;
  readonly allows: number;
  readonly size: number;
}

interface Budget {
  readonly going: number;
  readonly all: number;
  readonly kind: string | undefined;
  readonly limit: number | string;
}

interface TakenName {
  readonly holder: Address;
  readonly name: string;
  readonly isPlatforms: boolean;
  readonly isRemoved: boolean;
}

/** Why it is not known what an earlier apply has sent. `isLocked`: whether an apply has left its mark in the inventory. */
export type UnknownOutcome =
  | { readonly is: "unreadable"; readonly files: readonly string[]; readonly isLocked: boolean }
  /** `recorded`: of the `sent` requests that must not be repeated. */
  | {
      readonly is: "incomplete";
      readonly by: string;
      readonly since: string;
      readonly recorded: number;
      readonly sent: number;
    }
  | { readonly is: "elsewhere"; readonly by: string; readonly since: string };

function unknownText(why: UnknownOutcome): string {
  switch (why.is) {
    case "unreadable":
      return "the journal of an earlier apply could not be read";
    case "incomplete":
      return `the journal of the apply by ${why.by}, begun at ${why.since}, is incomplete: it records ${why.recorded} of ${why.sent} such requests`;
    case "elsewhere":
      return `the apply by ${why.by}, begun at ${why.since}, did not end, and its journal is not here`;
  }
}

/** A request of an earlier apply. */
type Sent = Pick<Unconfirmed, "at" | "id">;

const doing = { create: "creating", update: "changing", delete: "deleting", renew: "renewing" } as const;

const readAgain = "run again when the API returns the complete list, or use an API key that may read it";

const objectOf = ({ address }: Subject, sent: Sent | undefined) =>
  sent?.id === undefined ? address : `${address} (${sent.id})`;

/** The name of a kind for several, such as `mail aliases`. */
const pluralOf = (kind: string) =>
  kind.replaceAll("_", " ").replace(/(s|x)?$/u, (end) => (end === "" ? "s" : `${end}es`));
