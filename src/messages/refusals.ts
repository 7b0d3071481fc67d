import { counted } from "../lib/shorten.ts";
import { quoted } from "../lib/escape.ts";
import type { Address } from "../model/address.ts";
import type { Position } from "../model/diagnostic.ts";
import type { MissedApply, Unconfirmed } from "../model/inventory.ts";
import { describeReason, type Explained } from "./step-reasons.ts";
import { applyAfter, forgetting, inventoryCommand } from "./advice.ts";
import { describeMissed, takenBack } from "./missed-apply.ts";
import { whyNoConsent, type WhyNoConsent } from "./why-no-consent.ts";

/** A flag that allows what a plan refuses. */
export type ConsentFlag = "--allow-delete" | "--allow-purchase" | "--rollback";

/** A step that may not run as things are, and the consent it needs. */
export interface RefusalOf<Code> {
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
interface Subject {
  readonly address: Address;
  readonly at?: Position | undefined;
}

type Going = Subject & Explained;

/** The refusals: their code, and the words that follow from their data. */
export const refusals = {
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
    missed: Omit<MissedApply, "base"> | undefined,
    now: number,
    reverted: readonly Address[],
    isKnown: boolean,
  ) => ({
    ...refused("rolled_back", {}, { summary: describeMissed(missed, now), hint: takenBack(reverted, isKnown) }),
    flag: "--rollback" as const,
  }),
  /** `files`: manifests of the last apply; `arePresent`: whether they exist. `going`: the deletions. */
  manifestLeftOut: (files: readonly string[], arePresent: boolean, going: readonly Subject[]) => {
    const [isOne, count] = [files.length === 1, going.length];
    const named = `${files[0]}${isOne ? "" : ` and ${files.length - 1} more`}`;
    const lost = `${counted(count, "resource")} would be deleted, such as ${going[0]?.address}`;
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
  /** `why`: the reason for which its list was not read whole. */
  incompleteRead: (step: Subject & Pick<Explained, "action">, why: string) =>
    refused("incomplete_read", step, {
      summary: `cannot ${step.action} ${step.address}: the list of its collection is incomplete (${why})`,
      hint: readAgain,
    }),
  unknownIfThere: (resource: Subject, why: string) =>
    refused("incomplete_read", resource, {
      summary: `it is not known whether ${resource.address} exists: the list of its collection is incomplete (${why})`,
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
  mayBePrefixed: ({ address }: Subject, actual: Address) =>
    refused(
      "in_the_way",
      { address },
      {
        summary: `${address} is not in the inventory, and ${actual} may be the same resource with a prefix added by the server`,
        hint: `declare ${actual} as well, with an empty block; or if both are the same resource, run: ${inventoryCommand} --adopt ${quoted(address)}`,
      },
    ),
  /** `kept`: the resources below that this API cannot delete, of this kind. */
  undeletableChildren: (step: Going, kept: readonly Address[], kind: string) => {
    const { address, replaces } = step;
    const what = replaces ? `replaced (${describeReason(step)})` : "deleted";
    return refused("has_children", step, {
      summary: `${address} cannot be ${what}: ${some(kept)} ${kept.length === 1 ? "belongs" : "belong"} to it, and this API deletes no ${kind}`,
      hint: replaces
        ? "no flag allows it: leave the field as it is, or create a new resource under another name and move to it"
        : `no flag allows it: ask the vendor to delete it, or keep it and manage it no more: removed: [{ address: ${address}, action: forget }]`,
    });
  },
  children: (step: Subject & Pick<Explained, "replaces">, children: readonly Address[], areDeclared: boolean) =>
    refused("has_children", step, {
      summary: `${step.address} cannot be ${step.replaces ? "replaced" : "deleted"}: ${children.length === 1 ? "1 child resource" : `${children.length} child resources`} would stay (${some(children)})`,
      hint: step.replaces
        ? "declare each of them (an empty block is enough), delete it or move it elsewhere; then apply this change"
        : areDeclared
          ? `keep ${step.address}, or write in the manifest another place for each of them (such as service: null for a domain)`
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
  /** `ways`: the commands that say that someone has checked. `sent`: the request, if the inventory holds it. */
  journalLost: (step: Subject, { reason, commands }: UnknownOutcome, sent: Unconfirmed | undefined) => {
    const all = [...commands, ...(sent ? [forgetting(step.address)] : [])];
    const requested = sent ? `requested it at ${sent.at}, and no list shows it` : "may have requested it";
    return refused("journal_lost", step, {
      summary: `${objectOf(step, sent)} must not be requested twice, and an earlier apply ${requested}: ${reason}`,
      hint: `check on the server whether it was carried out; then ${applyAfter(all)}`,
    });
  },
  unconfirmed: (step: Subject, sent: Unconfirmed) =>
    refused("unconfirmed", step, {
      summary: `${objectOf(step, sent)} may already have been ${sent.operation === "renew" ? "renewed" : "created"}: an earlier apply sent the request at ${sent.at}, and it does not appear in the list yet`,
      hint: `apply again when a list shows it, or leave it out: --except ${step.address}; if the server has certainly not carried it out, ${applyAfter([forgetting(step.address)])}`,
    }),
};

export type RefusalCode = ReturnType<(typeof refusals)[keyof typeof refusals]>["code"];
export type Refusal = RefusalOf<RefusalCode>;

/** Adds the reason why the entry that asks for a deletion does not allow it. `file`: of the entry. */
export const withEntry = (refusal: Refusal, why: WhyNoConsent, file: string | undefined): Refusal =>
  withAlternatives({ ...refusal, summary: `${refusal.summary}; ${whyNoConsent[why]}` }, [
    ...(refusal.alternatives ?? []),
    ...(why === "not_committed" && file !== undefined ? [`commit ${file}`] : []),
  ]);

/** Returns a refusal of a saved plan with what lifts it: its flag, or a new plan, for the file holds what was refused. */
export const ofSavedPlan = ({ alternatives: _others, ...refusal }: Refusal): Refusal =>
  refusal.flag === undefined
    ? { ...refusal, hint: `${refusal.hint}, and save a new plan` }
    : withAlternatives(refusal, []);

/** Returns the permission for a refusal whose flag takes an address; undefined for others. */
export const allowingFlag = ({ address, flag }: Pick<Refusal, "address" | "flag">): string | undefined =>
  address === undefined || flag === undefined ? undefined : `${flag} ${address}`;

/** Returns a refusal with other alternatives to its flag; unchanged if its flag takes no address. */
function withAlternatives<Code>(refusal: RefusalOf<Code>, alternatives: readonly string[]): RefusalOf<Code> {
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
): RefusalOf<Code> => ({ ...(address !== undefined && { address }), code, ...words, ...(at && { at }) });

const allowed = <Code extends string>(
  code: Code,
  step: Subject,
  summary: string,
  alternatives: readonly string[] = [],
): RefusalOf<Code> => {
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

/** Why it is not known what an earlier apply has sent, and what to do once someone has looked. */
export interface UnknownOutcome {
  readonly reason: string;
  readonly commands: readonly string[];
}

const doing = { create: "creating", update: "changing", delete: "deleting", renew: "renewing" } as const;

const readAgain = "run again when the API returns the complete list, or use an API key that may read it";

const objectOf = ({ address }: Subject, sent: Unconfirmed | undefined) =>
  sent?.id === undefined ? address : `${address} (${sent.id})`;

const some = (addresses: readonly Address[]) =>
  `${addresses.slice(0, 10).join(", ")}${addresses.length > 10 ? ", …" : ""}`;

/** The name of a kind for several, such as `mail aliases`. */
const pluralOf = (kind: string) =>
  kind.replaceAll("_", " ").replace(/(s|x)?$/u, (end) => (end === "" ? "s" : `${end}es`));
