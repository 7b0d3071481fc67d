import type { Failure } from "../../model/failure.ts";
import type { Live } from "../../model/resource.ts";
import type { Report } from "../../model/report.ts";
import { prepare } from "../../plan/prepare.ts";
import { describeFailure } from "../../api/network-failure.ts";
import type { PlanFromLive } from "../session/refresh-and-plan.ts";
import type { Sandbox } from "./sandbox.ts";
import { collectionAt, locate } from "../../kinds/derived/collection.ts";
import { parentsOf } from "../../kinds/derived/parents.ts";
import type { Address } from "../../model/address.ts";
import type { Plan } from "../../model/plan.ts";
import { isWritable, writableObjects } from "../../saved-plans/writable.ts";

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

/** Returns the addresses that changed during a plan although it neither contains them nor creates or deletes their parent. */
function unplannedChanges({ steps }: Plan, before: Live, after: Live): Address[] {
  const named = new Set(steps.flatMap(({ address, takesAlong = [] }) => [address, ...takesAlong]));
  const moved = new Set(
    steps.flatMap(({ address, action }) => (action === "create" || action === "delete" ? [address] : [])),
  );
  const known = new Set([...before.resources.keys(), ...after.resources.keys()]);
  return [...known].filter((address) => {
    const collection = collectionAt(address);
    if (named.has(address) || !before.collections.has(collection) || !after.collections.has(collection)) return false;
    return writable(address, before) !== writable(address, after) && !belongsTo(address, moved);
  });
}

function writable(address: Address, live: Live): string {
  const { kind } = locate(address);
  return writableObjects(kind, live.resources.get(address))
    .map(({ fields }) => Object.entries(fields).filter(([name]) => isWritable(kind, name)))
    .map((fields) => JSON.stringify(fields.toSorted(([a], [b]) => (a < b ? -1 : 1))))
    .sort()
    .join("\n");
}

function belongsTo(address: Address, parents: ReadonlySet<Address>): boolean {
  const { kind, key } = locate(address);
  return parentsOf(kind, key, {}).some((alternatives) => alternatives.some((parent) => parents.has(parent)));
}
