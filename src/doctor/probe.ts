import type { AnswerHead, Reader } from "../api/connection.ts";
import type { ApiRules } from "../model/contract.ts";
import type { Failure } from "../model/failure.ts";
import type { Json } from "../model/json.ts";

/** An answer, or why none came. The body is not judged by the contract: of a refusal it is there as well. */
export interface ProbeAnswer {
  /** The path with its query, below the base URL. */
  readonly path: string;
  readonly status: number | undefined;
  readonly body: Json;
  readonly head: AnswerHead | undefined;
  readonly failure: Failure | undefined;
}

/** Asks the API, by a limited number of GETs. */
export interface Probe {
  readonly ask: (rules: ApiRules, path: string, query?: Readonly<Record<string, string>>) => Promise<ProbeAnswer>;
  readonly requests: () => number;
  /** Every answer until now. */
  readonly answers: () => readonly ProbeAnswer[];
}

/** The most requests of a run. */
export const mostRequests = 50;
/** A server that is busy is asked again, but not as often as in an apply. */
const mostAttempts = 3;

export function makeProbe({ get }: Reader): Probe {
  const answers: ProbeAnswer[] = [];
  let requests = 0;
  const ask: Probe["ask"] = async (rules, path, query = {}) => {
    const search = new URLSearchParams(query).toString();
    const asked = search === "" ? path : `${path}?${search}`;
    if (requests >= mostRequests) return spent(asked);
    let head: AnswerHead | undefined;
    const onAnswer = (seen: AnswerHead) => {
      head = seen;
    };
    const attempts = Math.min(mostAttempts, mostRequests - requests);
    const result = await get({ path, query, rules: withoutJudgement(rules), attempts, onAnswer });
    requests += result.ok ? result.value.attempts : result.error.attempts;
    const answer: ProbeAnswer = result.ok
      ? { path: asked, status: result.value.status, body: result.value.body, head, failure: undefined }
      : {
          path: asked,
          status: result.error.status,
          body: result.error.fields ?? null,
          head,
          failure: result.error,
        };
    answers.push(answer);
    return answer;
  };
  return { ask, requests: () => requests, answers: () => answers };
}

/** Whether no more may be asked. */
export const isSpent = (probe: Probe): boolean => probe.requests() >= mostRequests;

function spent(path: string): ProbeAnswer {
  const failure: Failure = {
    sort: "interrupted",
    method: "GET",
    path,
    message: `${mostRequests} requests were sent`,
    attempts: 0,
  };
  return { path, status: undefined, body: null, head: undefined, failure };
}

/** Returns the rules by which no answer of success is a failure, and the body of a refusal is given whole. */
function withoutJudgement(rules: ApiRules): ApiRules {
  const { failed_when: _condition, ...answer } = rules.answer;
  const { message } = answer.error;
  return { ...rules, answer: { ...answer, error: { message, fields: "" } } };
}
