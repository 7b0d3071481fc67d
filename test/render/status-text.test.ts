import { expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import type { StatusRow } from "../../src/model/report.ts";
import { renderStatus } from "../../src/render/status-text.ts";

const lineOf = (row: Partial<StatusRow>): string => {
  const whole: StatusRow = { address: "mailbox/a@b.example" as Address, status: "active", state: "ready", ...row };
  const [, line = ""] = renderStatus([whole], { color: false, width: 120, mask: (each) => each }).split("\n");
  return line.replace(/^.*active\s+/u, "");
};

test.each([
  [512, 2048, "512 of 2048 MB (25 %)"],
  [0, 0, "0 of 0 MB"],
  [5, 0, "5 of 0 MB"],
  [5, null, "5 MB of unlimited"],
  [5, undefined, "5 MB"],
])("the use of %s MB with the limit %s is shown as %s", (usedMb, limitMb, shown) => {
  expect(lineOf({ usedMb, ...(limitMb !== undefined && { limitMb }) })).toBe(shown);
});

test.each([
  [-2, "2 days ago"],
  [-1, "1 day ago"],
  [0, "in 0 days"],
  [1, "in 1 day"],
  [30, "in 30 days"],
])("an expiry %s days away is shown as %s", (daysLeft, shown) => {
  expect(lineOf({ expiresAt: "2027-01-01", daysLeft })).toBe(shown);
});
