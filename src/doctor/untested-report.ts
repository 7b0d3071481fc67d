import type { Contract } from "../model/contract.ts";
import type { DoctorFinding } from "../model/doctor.ts";
import type { Failure } from "../model/failure.ts";
import { contractEntries } from "./entries.ts";
import type { ExaminedApi } from "./examine-api.ts";

/** Returns the report of an API that could not be asked. */
export function untestedReport(contract: Contract, way: readonly DoctorFinding[], failure: Failure): ExaminedApi {
  const rest = [["key"], ["clock"], ...contractEntries(contract).map(({ path }) => path)];
  const untested = rest.map((path): DoctorFinding => ({ path, is: "not_tested", reason: "the API was not reached" }));
  return { contract: contract.name, findings: [...way, ...untested], requests: 0, failure };
}
