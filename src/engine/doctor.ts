import { inspectName, inspectTls } from "../api/inspect-host.ts";
import { builtInContracts } from "../contract/load-contract.ts";
import { takeOffAssumed } from "../doctor/take-off-assumed.ts";
import { examineApi, type ExaminedApi } from "../doctor/examine-api.ts";
import { untestedReport } from "../doctor/untested-report.ts";
import { readText } from "../lib/read-file.ts";
import { writeFile } from "../lib/write-file.ts";
import type { DoctorFinding } from "../model/doctor.ts";
import type { Failure } from "../model/failure.ts";
import { existsSync } from "node:fs";
import { placeOfContract } from "./choose-contract.ts";
import { realPath } from "../lib/inside.ts";
import type { Ending } from "./ending.ts";
import type { Emit } from "./events.ts";
import type { Host } from "./host.ts";
import { InputError } from "./input-error.ts";
import { openTarget, type OpenTarget, type OpenTargetOptions } from "./open-target.ts";

export interface DoctorOptions extends OpenTargetOptions {
  /** The file to write the contract to, without `assumed` at what was confirmed. */
  readonly write?: string | undefined;
}

/** Compares a contract with the answers of its API, by GETs alone. Ends with `changes` if an entry was refuted. */
export async function examineContract(options: DoctorOptions, io: Host, emit: Emit): Promise<Ending> {
  const file = options.write === undefined ? undefined : contractFile(options, options.write, io.env);
  const open = await openTarget(options, { name: "account", provider: {} }, io, emit);
  try {
    const report = await examineTarget(open, io);
    emit({ type: "doctor", report });
    if (report.failure) {
      emit({ type: "failure", failure: report.failure });
      return "api_unavailable";
    }
    if (file !== undefined && options.write !== undefined) writeContract(file, options.write, report.findings, emit);
    return report.findings.some(({ is }) => is === "refuted") ? "changes" : "done";
  } finally {
    await open.close();
  }
}

/** Examines the way to the API, and then the API. */
async function examineTarget({ target, ca, connection, contract }: OpenTarget, { now }: Host): Promise<ExaminedApi> {
  const url = new URL(target.baseUrl);
  const name = await inspectName(url);
  const way = [wayFinding("dns", name)];
  if (name) return untestedReport(contract, way, name);
  const tls = await inspectTls(url, ca);
  way.push(wayFinding("tls", tls));
  if (tls) return untestedReport(contract, way, tls);
  const report = await examineApi(connection, contract, now);
  return { ...report, findings: [...way, ...report.findings] };
}

const expectations = { dns: "a name that resolves", tls: "a certificate that is trusted" } as const;

const wayFinding = (name: "dns" | "tls", failure: Failure | undefined): DoctorFinding =>
  failure
    ? { path: [name], is: "refuted", expected: expectations[name], found: failure.message }
    : { path: [name], is: "confirmed" };

/** Returns the contract's file. Throws an InputError if it is built in, or another file would be lost. */
function contractFile({ contract }: DoctorOptions, target: string, env: Host["env"]): string {
  const file = placeOfContract(contract, {}, env);
  if (file === undefined || builtInContracts.includes(file)) throw new InputError({ type: "no_contract_file" });
  // A mistyped name must not cost a file.
  if (existsSync(target) && realPath(target) !== realPath(file))
    throw new InputError({ type: "would_overwrite", file: "contract", path: target });
  return file;
}

/** The largest contract that is read. */
const maxBytes = 1024 * 1024;

function writeContract(file: string, target: string, findings: readonly DoctorFinding[], emit: Emit): void {
  const { text, taken } = takeOffAssumed(readText(file, maxBytes), findings);
  try {
    writeFile(target, text, 0o644);
  } catch (error) {
    throw new InputError({ type: "unwritable", file: "contract", path: target, reason: (error as Error).message });
  }
  emit({ type: "contract_written", file: target, taken });
}
