import type { ApiRequest, Connection } from "../../api/connection.ts";
import type { Rehearsal, RehearsalFinding } from "../../model/report.ts";
import type { Consent } from "../../model/plan-input.ts";
import type { Plan } from "../../model/plan.ts";
import { addConsent, costlyAddresses } from "../../saved-plans/approved-consent.ts";
import { checkEnd, type Sandbox } from "./sandbox.ts";
import type { Session } from "../session/host.ts";
import type { PlanFromLive } from "../session/read-and-plan.ts";

/** One who has seen so many is not helped by more. */
const mostFindings = 5;

/** Milliseconds between two lines that say how far it is. */
const progressEvery = 5_000;

/**
 * Cuts a run off at every call, one call after another, and each time plans again and does what is left. A run that is cut off leaves
 * nothing but what the service holds, and after a lost answer that is the same as before the next call: so each of these states is
 * tried once, by stopping the run there, recovering, and putting the state back. Two cuts are tried for each call: the connection is gone
 * before it has come through, or before its answer has come back.
 * @param calls those of the plan.
 */
export async function crashSweep(
  sandbox: Sandbox,
  first: PlanFromLive,
  calls: number,
  io: Pick<Session, "every" | "emit">,
): Promise<Pick<Rehearsal, "cuts" | "findings">> {
  const findings: RehearsalFinding[] = [];
  const posts = new Set<string>();
  let sent = 0;
  let cuts = 0;
  const quiet = io.every(progressEvery, () => io.emit({ type: "rehearsing", cuts, total: 2 * calls }));
  const cut = async (where: string) => {
    const details = await recover(sandbox, first, posts);
    if (details.length > 0)
      findings.push({ stage: "cut", summary: `The plan did not reach its end after a crash ${where}`, details });
  };
  const walking: Connection = {
    ...sandbox.connection,
    send: async (request) => {
      if (sent === 0) await cut(`before ${nameOf(request)}`);
      const answer = await sandbox.connection.send(request);
      if (answer.ok && request.method === "POST") posts.add(bodyOf(request));
      sent += 1;
      if (findings.length < mostFindings) {
        await cut(`after call ${sent}, ${nameOf(request)}`);
        cuts = 2 * sent;
      }
      return answer;
    },
  };
  try {
    const report = await sandbox.run(first, { connection: walking, parallelism: 1 });
    const details = await checkEnd(sandbox, first, report);
    const summary = "The plan did not reach its end without a crash, with one call at a time";
    if (details.length > 0) findings.push({ stage: "cut", summary, details });
    return { cuts, findings };
  } finally {
    quiet();
  }
}

/** Plans and does the rest of a plan from here, and returns the problems. Puts the state of now back. */
async function recover(sandbox: Sandbox, first: PlanFromLive, before: ReadonlySet<string>): Promise<string[]> {
  const putBack = sandbox.keep();
  const again: string[] = [];
  const noting: Connection = {
    ...sandbox.connection,
    send: async (request) => {
      const answer = await sandbox.connection.send(request);
      if (answer.ok && request.method === "POST" && before.has(bodyOf(request))) again.push(nameOf(request));
      return answer;
    },
  };
  try {
    const rest = await sandbox.planAgain(approved(sandbox.input.consent, first.plan));
    const refused = rest.plan.refusals.map(({ summary }) => `what is left is refused: ${summary}`);
    if (refused.length > 0) return refused;
    const report = await sandbox.run(rest, { connection: noting, parallelism: 1 });
    return [...again.map((name) => `made twice: ${name}`), ...(await checkEnd(sandbox, first, report))];
  } finally {
    putBack();
  }
}

const nameOf = ({ method, path }: ApiRequest) => `${method} ${path}`;
const bodyOf = ({ path, body }: ApiRequest) => `${path} ${JSON.stringify(body)}`;

/** An approval covers what an interrupted run has left, however many of a kind that is. */
function approved(consent: Consent, { steps }: Plan): Consent {
  const { deleted, bought } = costlyAddresses(steps);
  return { ...addConsent(consent, { deletes: deleted, purchases: bought }), deleteCounts: new Map() };
}
