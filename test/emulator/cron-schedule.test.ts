import { expect, test } from "vitest";
import { isCronSchedule } from "../../src/emulator/kinds/cron.ts";

test.each([
  "* * * * *",
  "0 3 * * *",
  "*/5 0-23/2 1,15 jan-MAR mon-fri",
  "59 23 31 12 7",
  "0 0 * * sun",
  " 0  3\t* * * ",
])("%j is a schedule", (text) => {
  expect(isCronSchedule(text)).toBe(true);
});

test.each(
  [
    ["", "0 3 * *", "0 3 * * * *", "@daily", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8"],
    [
      "*/0 * * * *",
      "5-1 * * * *",
      "1-2-3 * * * *",
      "a * * * *",
      "* * * foo *",
      "1, * * * *",
      "-1 * * * *",
      "1.5 * * * *",
    ],
  ].flat(),
)("%j is no schedule", (text) => {
  expect(isCronSchedule(text)).toBe(false);
});
