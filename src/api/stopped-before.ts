import { mayBeDone, type Failure } from "../model/failure.ts";

/**
 * What came of a request that waited when the run was stopped: of a write its last answer, which tells whether it may be done; else
 * that it was not sent. `path` has its query.
 */
export function stoppedBefore(asked: Pick<Failure, "method" | "path">, last: Failure | undefined): Failure {
  if (!last || asked.method === "GET") {
    const message = "the run was stopped before it was sent";
    return { ...asked, sort: "interrupted", message, attempts: last?.attempts ?? 0 };
  }
  const state = mayBeDone(last) || last.earlierMayBeDone === true ? "" : "it was not done, and ";
  const words = last.message.replace(/\.$/u, "");
  return { ...last, message: `${words}; ${state}the run was stopped before it was sent again` };
}
