import type { Failure } from "../../model/failure.ts";
import type { Live } from "../../model/resource.ts";
import type { Report } from "../../model/report.ts";
import { prepare } from "../../plan/prepare.ts";
import { describeFailure } from "../../api/describe-failure.ts";
import { unplannedChanges } from "./compare-lives.ts";
import type { PlanFromLive } from "../refresh-and-plan.ts";
import type { Sandbox } from "./sandbox.ts";

/** Returns the problems after a rehearsed run: failed steps, changes that a second plan would make, and unplanned changes. */
export async function checkEnd(sandbox: Sandbox, first: PlanFromLive, report: Report): Promise<string[]> {
  const failed = report.outcomes.flatMap(({ step, outcome }) =>
    outcome.is === "failed"
      ? [`${step.id} failed: ${[describeFailure(outcome.failure), ...fieldsOf(outcome.failure)].join(" ")}`]
      : [],
  );
  const others = report.mismatches.map(({ address = "no step", sent }) => `${address} sent ${sent.join(", ")}`);
  // A value that was sent again once is not to be sent again for ever.
  const end = await sandbox.planAgain({ ...sandbox.input.consent, rotations: new Set() });
  return [
    ...failed,
    ...others,
    ...end.plan.steps.map(({ id }) => `still planned: ${id}`),
    ...end.plan.refusals.map(({ summary }) => `refused: ${summary}`),
    ...end.plan.incomplete.map(({ collection, reason }) => `not read whole: ${collection}: ${reason}`),
    ...unplannedChanges(first.plan, named(sandbox, first.live), named(sandbox, end.live)).map(
      (address) => `changed, though it is not in the plan: ${address}`,
    ),
  ];
}

/** With the names that the manifest has, where the server has prefixed them. */
const named = ({ after }: Sandbox, live: Live): Live => prepare({ ...after, live }).live;

const fieldsOf = ({ fields }: Failure) =>
  fields === undefined || JSON.stringify(fields) === "{}" ? [] : [JSON.stringify(fields)];
