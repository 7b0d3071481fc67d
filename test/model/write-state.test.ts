import { expect, test } from "vitest";
import { mayBeDone, type Failure } from "../../src/model/failure.ts";
import { isNotOffered, writeState } from "../../src/model/write-state.ts";
import { refusalStatuses } from "../support/refusal-statuses.ts";

const all = [undefined, ...Array.from({ length: 900 }, (_, index) => index + 100)];
const through = (first: number, last: number) =>
  all.filter((each) => each !== undefined && each >= first && each <= last);

test("each status, and none, is sorted into done, not done and unknown, and what is not known for certain is unknown", () => {
  expect(all.filter((status) => writeState(status) === "done")).toEqual([...through(200, 205), ...through(208, 299)]);
  expect(all.filter((status) => writeState(status) === "not_done")).toEqual(refusalStatuses);
  const unknown = [
    undefined,
    ...through(100, 199),
    206,
    207,
    ...through(300, 399),
    406,
    408,
    423,
    425,
    460,
    499,
    500,
    502,
  ];
  for (const status of unknown) expect(writeState(status), `${status}`).toBe("unknown");
});

test("only 405, 410 and 501 say that the API does not offer the operation", () => {
  expect(all.filter((status) => isNotOffered(status))).toEqual([405, 410, 501]);
});

test("a failure without a status may be done unless the request was surely not sent", () => {
  const done = (sort: Failure["sort"]) => mayBeDone({ sort, method: "POST", path: "/x", message: "", attempts: 1 });
  expect((["unknown_outcome", "server_error"] as const).filter((sort) => !done(sort))).toEqual([]);
  const surely = ["unreachable", "untrusted", "unrecorded", "interrupted", "malformed", "rate_limited"] as const;
  expect(surely.filter((sort) => done(sort))).toEqual([]);
});
