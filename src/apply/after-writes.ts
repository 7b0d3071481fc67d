import { buildRequest } from "../contract/request.ts";
import { entryOf } from "../contract/entry.ts";
import { collectionAt } from "../kinds/derived/collection.ts";
import { locate } from "../kinds/derived/locate.ts";
import type { Failure } from "../model/failure.ts";
import type { Step, StepId } from "../model/plan.ts";
import { buildRequestBody } from "./build-body.ts";
import { fillCall } from "./fill-call.ts";
import { bindingOf, type RunContext } from "./run-context.ts";

/**
 * Sends the request that makes an API use what was written to a collection, such as a refresh, where its contract has one: once for each
 * collection, also after the run was stopped. Returns the failures, each by the last of the steps that wrote there.
 * @param written the steps of which anything was sent, in the order of the plan.
 */
export async function sendAfterWrites(
  written: readonly Step[],
  contextFor: (step: Step) => RunContext,
): Promise<ReadonlyMap<StepId, Failure>> {
  const last = new Map(written.map((step) => [collectionAt(step.address), step]));
  const failures = await Promise.all(
    [...last.values()].map(async (step): Promise<readonly [StepId, Failure][]> => {
      const context = contextFor(step);
      const { kind, key } = locate(step.address);
      const { after } = entryOf(context.contract, kind);
      if (!after) return [];
      const call = buildRequest(bindingOf(context), kind, after, key);
      const body = buildRequestBody(context, call, after);
      const sent = await context.connection.send({
        ...fillCall(context, step.address, call),
        ...(body && { body }),
        finish: true,
      });
      if (sent.ok) return [];
      const message = `${sent.error.message.replace(/\.$/u, "")}; the changes were written, but the API may not use them until this request succeeds: send it by hand, or apply another change to the same list`;
      return [[step.id, { ...sent.error, message }]];
    }),
  );
  return new Map(failures.flat());
}
