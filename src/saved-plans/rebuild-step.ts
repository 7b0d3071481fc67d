import { templateText } from "../model/template-text.ts";
import type { HttpCall } from "../model/http-call.ts";
import { kindNamed } from "../kinds/index.ts";
import { kindOf } from "../model/address.ts";
import type { Change, OnServerRejection, Plan, Refusal, Step, StepId } from "../model/plan.ts";
import { detachId } from "../plan/plan-replace.ts";
import type { StepReason } from "../model/step-reason.ts";
import type { SavedCall, SavedOnServerRejection } from "../model/saved-plan.ts";
import type { ApprovedContent } from "./plan-hash.ts";

type ApprovedStep = ApprovedContent["steps"][number];

/**
 * Rebuilds a plan from a saved one, as any plan is shown, with the source of each value that the file does not hold. It takes only the content that
 * the hash covers, so nothing else can be shown. It cannot be run: its calls say only of which sort they are.
 */
export function rebuildPlan(content: ApprovedContent, hash: string): Plan {
  const { target, steps, refusals } = content;
  return {
    target,
    steps: steps.map((step) => rebuildStep(content, step)),
    refusals: refusals.map(withLastingHint),
    isSaved: true,
    diagnostics: [],
    unmanaged: [],
    incomplete: [],
    unchanged: 0,
    owned: { addresses: [], preventDestroy: [], exclusive: [] },
    leftOut: [],
    ignoredSpellings: [],
    reads: 0,
    hash,
  };
}

/** Returns a refusal of a saved plan with what lifts it: its flag, or a new plan, for the file holds what was refused. */
export function withLastingHint(refusal: Refusal): Refusal {
  const { address, flag, hint } = refusal;
  if (flag === undefined) return { ...refusal, hint: `${hint}, and save a new plan` };
  return hint.startsWith(`${flag} ${address}`) ? { ...refusal, hint: `${flag} ${address}` } : refusal;
}

function rebuildStep(content: ApprovedContent, approved: ApprovedStep): Step {
  const { on_refusal: ends, ...step } = approved;
  return {
    ...step,
    id: stepIdOf(step),
    changes: step.changes.map((change) => withSource(step, change)),
    calls: step.calls.map(outline),
    reason: reasonOf(content, step),
    ...(ends && { on_refusal: ends.map(outlineServerRejection) }),
  };
}

/** Returns the id of a step, which the file does not show. */
export const stepIdOf = ({
  action,
  address,
  detaches,
}: Pick<ApprovedStep, "action" | "address" | "detaches">): StepId =>
  detaches ? detachId(address) : `${action} ${address}`;

/** Returns the reason for a step, as far as the approved content gives it: no text of the file is believed. */
export function reasonOf(
  { undo }: Pick<ApprovedContent, "undo">,
  step: Pick<ApprovedStep, "action" | "address" | "after" | "changes" | "detaches" | "replaces">,
): StepReason {
  const { action, changes, replaces } = step;
  if (step.detaches) return { is: "reference_detached" };
  if (step.after.includes(detachId(step.address))) return { is: "reference_restored" };
  if (undo) return { is: "undo" };
  if (replaces || action !== "update") return { is: "in_saved_plan" };
  // A secret that is sent again is shown as a change from one secret to another.
  const differing = changes.filter(
    ({ before, after, carried }) => carried !== true && (before.is !== "sensitive" || after.is !== "sensitive"),
  );
  const names = [...new Set(differing.map(({ path }) => path))];
  return names.length === 0 ? { is: "secret_sent_again" } : { is: "fields_differ", fields: names };
}

function withSource({ declared, members = [], address }: ApprovedStep, change: Change): Change {
  const { path, after } = change;
  if (!declared || after.is === "value" || after.is === "absent") return change;
  const { members: rules } = kindNamed(kindOf(address));
  const name = rules && path === "value" ? rules.identity : path;
  const sources = [declared, ...members].flatMap(([, late]) => {
    const source = Object.hasOwn(late, name) ? late[name] : undefined;
    return source ? [templateText(source.parts)] : [];
  });
  // Which of several hidden values of a set is which is not told.
  return sources.length === 0 ? change : { ...change, after: { ...after, from: [...new Set(sources)].join(" or ") } };
}

const outline = (call: SavedCall): HttpCall => ({
  operation: "delete",
  ...call,
  params: {},
  query: {},
  etag: undefined,
});

const outlineServerRejection = (each: SavedOnServerRejection): OnServerRejection =>
  each.is === "lost"
    ? each
    : {
        ...each,
        calls: each.calls.map((call) => ({
          ...call,
          params: {},
          query: {},
          id: "",
          base: {},
          omit: [],
          values: [],
          read: undefined,
        })),
      };
