import type { Reader } from "../api/connection.ts";
import { kinds } from "../kinds/index.ts";
import { entryOf, hasKind } from "../contract/entry.ts";
import { fillRequest } from "../api/fill-request.ts";
import { buildRequest } from "../contract/request.ts";
import type { Contract } from "../model/contract.ts";
import type { DoctorFinding, DoctorReport } from "../model/doctor.ts";
import type { Failure } from "../model/failure.ts";
import { contractEntries } from "./entries.ts";
import { type Examination, pathKey, refute } from "./examination.ts";
import { examineAuth } from "./examine-auth.ts";
import { examineClock } from "./examine-clock.ts";
import { examineKind } from "./examine-kind.ts";
import { examineRules } from "./examine-rules.ts";
import { isBaseKnown } from "./examine-list.ts";
import { parentsFirst, listRefs } from "./list-refs.ts";
import { isSpent, makeProbe } from "./probe.ts";

/** A report, and the failure by which the API could not be used at all. */
export interface ExaminedApi extends DoctorReport {
  readonly failure?: Failure;
}

/** Compares each entry of a contract with the answers of an API, by GETs alone and at most 50 of them. */
export async function examineApi(reader: Reader, contract: Contract, now: () => number): Promise<ExaminedApi> {
  const exam: Examination = {
    probe: makeProbe(reader),
    contract,
    findings: new Map(),
    found: new Map(),
    lookups: new Map(),
    unread: new Map(),
  };
  const offered = parentsFirst(contract, kinds);
  const first = offered.flatMap((kind) => listRefs(exam, kind))[0];
  const refused = first && (await examineAuth(exam, first));
  const { failure } = refused ?? {};
  if (!failure) {
    for (const kind of offered) {
      if (isSpent(exam.probe)) break;
      await examineKind(exam, kind);
    }
    await examineRefusal(exam);
    examineRules(exam);
    refuteBase(exam);
  }
  examineClock(exam, now());
  const findings = [...withRest(exam, contract)];
  const unread = Object.fromEntries(exam.unread);
  return { contract: contract.name, findings, unread, requests: exam.probe.requests(), ...(failure && { failure }) };
}

/** Refutes the base path where not one answer was a success, and one was a 404. */
function refuteBase(exam: Examination): void {
  if (isBaseKnown(exam) || !exam.probe.answers().some(({ status }) => status === 404)) return;
  const { base_path: base } = exam.contract;
  refute(exam, {
    path: ["base_path"],
    expected: `an API below ${base === "" ? "the base URL" : base}`,
    found: "404 for every list",
  });
}

/** Asks for an object that is not there, to see how the API refuses a request. */
async function examineRefusal(exam: Examination): Promise<void> {
  const { contract, probe } = exam;
  if (isSpent(probe) || probe.answers().some(({ status = 0 }) => status >= 400)) return;
  for (const kind of kinds.filter((each) => hasKind(contract, each) && each.scope.length === 0)) {
    const { read } = entryOf(contract, kind).operations;
    if (!read || !read.path.includes("{id}")) continue;
    const binding = { contract, idOf: () => undefined };
    const params = [...read.path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => name);
    if (params.some((name) => name !== "id")) continue;
    const request = buildRequest(binding, { kind, key: {}, id: absentId }, read);
    await probe.ask(contract, fillRequest(request, () => "").path);
    return;
  }
}

const absentId = "999999999";

/** Returns the findings in the order of the contract, with those entries that no answer is about. */
function* withRest({ findings }: Examination, contract: Contract): Generator<DoctorFinding> {
  const left = new Map(findings);
  for (const { path, reason } of [...wayEntries, ...contractEntries(contract)]) {
    const finding = left.get(pathKey(path));
    left.delete(pathKey(path));
    yield finding ?? { path, is: "not_tested", reason: reasonOf(findings, path) ?? reason };
  }
  // Entries that only the repaired contract has, such as the paging of one kind.
  for (const finding of left.values()) if (finding.is === "refuted") yield finding;
}

const wayEntries = [["key"], ["clock"]].map((path) => ({ path, reason: "no answer came" }));

/** Returns the reason for which something above an entry, or its list, was not tested. */
function reasonOf(findings: Examination["findings"], path: readonly string[]): string | undefined {
  const [root, kind = ""] = path;
  const above = [
    ...path.map((_, index) => path.slice(0, path.length - index - 1)),
    ...(root === "kinds" ? [["kinds", kind, "operations", "list"]] : []),
  ];
  for (const each of above) {
    const finding = findings.get(pathKey(each));
    if (finding?.is === "not_tested") return finding.reason;
    if (finding?.is === "refuted" && finding.write === undefined && each.at(-1) === "list")
      return "its list could not be read";
  }
  return undefined;
}
