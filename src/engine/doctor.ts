import type { Reader } from "../api/connection.ts";
import type { ProbedList } from "../contract/probe/finding.ts";
import { probeContract } from "../contract/probe/probe-contract.ts";
import type { CollectionRef } from "../kinds/derived/collection.ts";
import { warnOfRefusedKey } from "../policy/refused-key.ts";
import type { Ending, Session } from "./session/host.ts";
import { withTarget, type OpenTargetOptions } from "./session/open-target.ts";
import { readAccount, reportLists } from "./session/read-and-plan.ts";

/**
 * Reads lists of an account as a plan reads them, and compares a contract with them. Ends with `changes` if an entry was refuted, else with
 * `refused` if a list could not be read whole.
 */
export const probeApi = (options: OpenTargetOptions, io: Session): Promise<Ending> =>
  withTarget(options, {}, io, async ({ connection, contract }) => {
    const lists: ProbedList[] = [];
    const answers = { requests: 0, requestId: false, totalHeader: false, nextPage: false };
    const get: Reader["get"] = async (request) => {
      const result = await connection.get(request);
      answers.requests += result.ok ? result.value.attempts : result.error.attempts;
      if (!result.ok) return result;
      answers.requestId ||= result.value.requestId !== undefined;
      answers.totalHeader ||= result.value.total !== undefined;
      answers.nextPage ||= result.value.next !== undefined;
      return result;
    };
    const source = { ...reportLists({ get }, io), onListing: (list: ProbedList) => lists.push(list) };
    const live = await readAccount(source, contract, firstOfEachKind());
    const findings = probeContract(contract, lists, answers);
    const isRefuted = findings.some(({ is }) => is === "refuted");
    const isOut = !live.ok && !isRefuted;
    // What is unseen for a refused key or a dead server would hide it.
    if (isOut) io.emit({ type: "failure", failure: live.error });
    if (!isOut || findings.some(({ is }) => is === "seen"))
      io.emit({ type: "doctor", report: { contract: contract.name, findings, requests: answers.requests } });
    if (live.ok) io.emit({ type: "diagnostics", diagnostics: warnOfRefusedKey(live.value) });
    if (isOut) return "api_unavailable";
    if (isRefuted) return "changes";
    return lists.some(({ incomplete }) => incomplete !== undefined) ? "refused" : "done";
  });

/** Lists of one kind that are read at most. */
const mostLists = 3;

function firstOfEachKind(): (ref: CollectionRef) => boolean {
  const chosen = new Map<string, Set<string>>();
  return ({ id, kind }) => {
    const ids = chosen.get(kind.name) ?? new Set();
    chosen.set(kind.name, ids);
    if (ids.size < mostLists) ids.add(id);
    return ids.has(id);
  };
}
