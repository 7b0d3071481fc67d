import { buildRequest, constantsOf } from "../contract/request.ts";
import { rulesOf } from "../contract/rules-of.ts";
import { collectionAt, collectionNamed, locate } from "../kinds/derived/collection.ts";
import type { Failure } from "../model/failure.ts";
import type { Plan, Step } from "../model/plan.ts";
import type { SentAfterRequest } from "../model/report.ts";
import type { CollectionId } from "../model/resource.ts";
import { buildBareBody, fillCall } from "./build-body.ts";
import { awaitJob } from "./await-ready.ts";
import { bindingOf, kindIn, type RunContext } from "./run-context.ts";

interface AfterWritesOptions {
  readonly contextFor: (collection: CollectionId) => RunContext;
  /** Whether what fails here is remembered for the next apply. */
  readonly kept: boolean;
  /** Whether the run was stopped: then only what was written now is followed by its request. */
  readonly stopped: boolean;
}

/**
 * Sends the request that makes an API use what was written to a collection, such as a refresh, where its contract has one: once for each
 * collection, also after the run was stopped, and also where an earlier apply has left it unsent. Follows the job that it starts. Returns
 * how each ended.
 * @param written the steps of which anything was sent.
 */
export async function sendAfterWrites(
  written: readonly Step[],
  { afterRequests = [] }: Pick<Plan, "afterRequests">,
  { contextFor, kept, stopped }: AfterWritesOptions,
): Promise<readonly SentAfterRequest[]> {
  const keys = new Map(written.map(({ address }) => [collectionAt(address), locate(address).key]));
  const sent = await Promise.all(
    afterRequests.map(async ({ collection, due }): Promise<readonly SentAfterRequest[]> => {
      const context = contextFor(collection);
      const { kind: { name } = { name: "" }, scope } = collectionNamed(collection) ?? {};
      const after = context.contract.kinds[name]?.after;
      const key = keys.get(collection) ?? (due && !stopped ? scope : undefined);
      if (!after || !key) return [];
      const kind = kindIn(context, name);
      const call = buildRequest(bindingOf(context), { kind, key }, after);
      const body = buildBareBody(context, call, constantsOf(after));
      const filled = fillCall(context, kind, call);
      const rules = rulesOf(context.contract, name, after);
      const answer = await context.connection.send({ ...filled, rules, ...(body && { body }), finish: true });
      const ended = answer.ok ? await awaitJob(context, rules, answer.value) : answer;
      return [{ collection, kept, ...(!ended.ok && { failure: explained(ended.error, kept) }) }];
    }),
  );
  return sent.flat();
}

const explained = (failure: Failure, kept: boolean): Failure => ({
  ...failure,
  message: `${failure.message.replace(/\.$/u, "")}; the changes were written, but the API may not use them until this request succeeds: ${kept ? "apply again, which sends it again, or send it by hand" : "send it by hand, or apply another change to the same list (without an inventory the next apply does not know of it)"}`,
});
