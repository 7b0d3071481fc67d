import { expect } from "vitest";
import type { Ran } from "./run-hostform.ts";

/** Returns a run that has ended with this exit status. If it ended with another, the test fails with all that the run printed. */
export function exits<Run extends Pick<Ran, "status">>(status: number, ran: Run): Run {
  const printed = Object.values(ran).filter((value) => typeof value === "string");
  expect(ran.status, printed.join("\n")).toBe(status);
  return ran;
}
