import type { ApiRequest, Connection } from "../../api/connection.ts";
import type { Address } from "../../model/address.ts";
import type { Finding } from "../../model/rehearsal.ts";
import type { Consent } from "../../model/plan-input.ts";
import type { Plan } from "../../model/plan.ts";
import { checkEnd } from "./check-end.ts";
import type { Made, Sandbox } from "./sandbox.ts";

/** One who has seen so many is not helped by more. */
const mostFindings = 5;

export interface Sweep {
  /** Tried ones, two for each call: the connection is gone before it has come through, or before its answer has come back. */
  readonly cuts: number;
  readonly findings: readonly Finding[];
}

/**
 * Cuts a run off at every call, one call after another, and each time plans again and does what is left. A run that is cut off leaves
 * nothing but what the service holds, and after a lost answer that is the same as before the next call: so each of these states is
 * tried once, by stopping the run there, recovering, and putting the state back.
 */
export async function crashSweep(stage: Sandbox, first: Made, onCut: (cuts: number) => void): Promise<Sweep> {
  const findings: Finding[] = [];
  const posts = new Set<string>();
  let sent = 0;
  let cuts = 0;
  const cut = async (where: string) => {
    const details = await recover(stage, first, posts);
    if (details.length > 0)
      findings.push({ stage: "cut", summary: `The plan did not reach its end after a crash ${where}`, details });
  };
  const walking: Connection = {
    ...stage.connection,
    send: async (request) => {
      if (sent === 0) await cut(`before ${nameOf(request)}`);
      const answer = await stage.connection.send(request);
      if (answer.ok && request.method === "POST") posts.add(bodyOf(request));
      sent += 1;
      if (findings.length < mostFindings) {
        await cut(`after call ${sent}, ${nameOf(request)}`);
        cuts = 2 * sent;
        onCut(cuts);
      }
      return answer;
    },
  };
  const report = await stage.run(first, { connection: walking, parallelism: 1 });
  const details = await checkEnd(stage, first, report);
  if (details.length > 0)
    findings.push({
      stage: "cut",
      summary: "The plan did not reach its end without a crash, with one call at a time",
      details,
    });
  return { cuts, findings };
}

/** What is wrong after the rest of a plan was planned and done from here. The state of now is put back. */
async function recover(stage: Sandbox, first: Made, before: ReadonlySet<string>): Promise<string[]> {
  const putBack = stage.keep();
  const again: string[] = [];
  const noting: Connection = {
    ...stage.connection,
    send: async (request) => {
      const answer = await stage.connection.send(request);
      if (answer.ok && request.method === "POST" && before.has(bodyOf(request))) again.push(nameOf(request));
      return answer;
    },
  };
  try {
    const rest = await stage.planAgain(approved(stage.input.consent, first.plan));
    const refused = rest.plan.refusals.map(({ summary }) => `what is left is refused: ${summary}`);
    if (refused.length > 0) return refused;
    const report = await stage.run(rest, { connection: noting, parallelism: 1 });
    return [...again.map((name) => `made twice: ${name}`), ...(await checkEnd(stage, first, report))];
  } finally {
    putBack();
  }
}

const nameOf = ({ method, path }: ApiRequest) => `${method} ${path}`;
const bodyOf = ({ path, body }: ApiRequest) => `${path} ${JSON.stringify(body)}`;

/** An approval covers what an interrupted run has left, however many of a kind that is. */
function approved(consent: Consent, { steps }: Plan): Consent {
  const among = (is: (step: Plan["steps"][number]) => boolean): Address[] =>
    steps.filter(is).map(({ address }) => address);
  return {
    ...consent,
    deletes: new Set([...consent.deletes, ...among(({ action }) => action === "delete")]),
    purchases: new Set([...consent.purchases, ...among(({ purchase }) => purchase)]),
    deleteCounts: new Map(),
  };
}
