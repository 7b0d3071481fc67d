import { confirm, type Examination, leaveUntested, refute } from "./examination.ts";

/** Milliseconds by which clocks may differ: more would make tokens, certificates and times of records look wrong. */
const mostSkew = 60_000;

/** Compares the header `Date` of the last answer with our own clock. */
export function examineClock(exam: Examination, now: number): void {
  const path = ["clock"];
  const date = exam.probe
    .answers()
    .findLast(({ head }) => head)
    ?.head?.header("date");
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs)) return leaveUntested(exam, path, "no answer had a header Date");
  const skew = theirs - now;
  if (Math.abs(skew) <= mostSkew) return confirm(exam, path);
  const seconds = Math.round(Math.abs(skew) / 1000);
  const found = `${seconds} s ${skew > 0 ? "after" : "before"} the clock of this machine`;
  refute(exam, { path, expected: "the server's time within 60 s of ours", found });
}
