import { isUnsettled, type Failure } from "../model/failure.ts";
import type { Step } from "../model/plan.ts";
import { isNotOffered } from "../model/write-state.ts";
import { harmless, nameSome } from "../lib/shorten.ts";
import { positionText } from "./shared-cause.ts";

interface StepFailure {
  readonly step: Step;
  readonly outcome: { readonly failure: Failure };
}

/** Refusals that the same request meets again, however often it is sent. */
type Lasting =
  | "invalid"
  | "forbidden"
  | "conflict"
  | "not_found"
  | "unauthorized"
  | "not_offered"
  | "refused"
  | "renamed";

const advices: Readonly<Record<Lasting, (names: string, fields: string) => string>> = {
  invalid: (names, fields) =>
    `change ${fields === "" ? "" : `${fields} of `}${names}, which the API does not accept as it is`,
  forbidden: (names) => `use a key that may write ${names}, or take it out of the manifest`,
  conflict: (names) => `check which resource conflicts with ${names}, and change one of the two`,
  not_found: (names) => `check what ${names} needs, because the server no longer has it; then plan again`,
  unauthorized: () => "check the API key",
  not_offered: (names) => `take ${names} out of the manifest, or correct the contract: the API does not offer this`,
  refused: (names) => `remove the cause for which the API refuses ${names}`,
  renamed: (names) => `declare ${names} by the name that the server gives it, or remove that object on the server`,
};

/** Returns the advice after an apply that ended in part: the changes to make, if the same requests would be refused again. */
export function whatNext(failed: readonly StepFailure[]): string {
  const mayBeThere = failed.some(
    ({ step: { action }, outcome }) => (action === "create" || action === "renew") && isUnsettled(outcome.failure),
  );
  if (mayBeThere) return "Plan again, and check what may already have been changed before you apply";
  const all = Object.keys(advices) as Lasting[];
  const changes = all.flatMap((sort) => {
    const group = failed.filter(({ outcome }) => lastingSort(outcome.failure) === sort);
    return group.length === 0 ? [] : [advices[sort](nameSome(group.map(nameOf), 1), fieldsOf(group))];
  });
  if (changes.length === 0) return "Run again to do the rest";
  const text = changes.join("; ");
  return harmless(`To go on, ${text}. Then apply again`);
}

function lastingSort(failure: Failure): Lasting | undefined {
  const { sort, status, otherName } = failure;
  if (otherName !== undefined) return "renamed";
  if (sort === "malformed" && !isUnsettled(failure)) return isNotOffered(status) ? "not_offered" : "refused";
  return Object.hasOwn(advices, sort) ? (sort as Lasting) : undefined;
}

const nameOf = ({ step: { address, at } }: StepFailure) => `${address}${positionText(at)}`;

/** The fields that the API names, of a step that failed alone. */
function fieldsOf([first, ...others]: readonly StepFailure[]): string {
  const fields = first?.outcome.failure.fields;
  if (others.length > 0 || typeof fields !== "object" || fields === null || Array.isArray(fields)) return "";
  return Object.keys(fields).join(", ");
}
