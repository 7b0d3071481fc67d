import fc from "fast-check";
import { expect, test } from "vitest";
import { noticeEvent, type Notice } from "../../src/messages/notices.ts";
import type { Address } from "../../src/model/address.ts";
import { renderNotice } from "../../src/render/diagnostics.ts";
import { forDraws } from "../support/for-draws.ts";

/** A notice of each sort that holds texts from outside, with this one in each place. */
const noticesWith = (text: string): readonly Notice[] => {
  const address = text as Address;
  const runner = { by: text, since: text, pid: 1, host: text };
  const stands = { imported: false, has_base_url: true, has_workflow: true, kept: [text] };
  const notices: readonly object[] = [
    { type: "plan_saved", path: text, refused: false },
    { type: "undo_saved", path: text, hash: "sha256:0" },
    { type: "saved_plan", path: text, undo: true },
    { type: "valid", resources: 1, files: [text, text] },
    { type: "snapshot", file: text, objects: 1, lists: 1, redacted: 1, reads: 1, taken_at: text },
    { type: "imported", place: text, files: 1, resources: 1, left_out: 1, reads: 1, is_new: true },
    { type: "initialised", ...stands, folder: text, files: [text], elsewhere: [{ file: text, applies: [text] }] },
    { type: "initialised", ...stands, folder: text, files: [], twice: [text] },
    { type: "no_match", pattern: text },
    { type: "pending", address, reason: text },
    { type: "cannot_undo", address, reason: text },
    { type: "lock_waiting", by: runner, waited: 1, timeout: 1 },
    { type: "not_put_back", address, successor: address, record: { a: text } },
    { type: "incomplete_read", what: text, address },
    { type: "inventory", where: text, count: 1, lastApply: { time: text, by: text, planHash: text }, running: runner },
    {
      type: "inventory_event",
      change: "added",
      time: text,
      commit: text,
      subject: text,
      by: text,
      planHash: text,
      headCommit: text,
      address,
    },
    { type: "inventory_changed", adopted: [address], forgotten: [], where: text },
  ];
  return notices as readonly Notice[];
};

const linesOf = (notices: readonly Notice[]) =>
  notices.map((notice) => renderNotice(notice, String).split("\n").length);

test("No text from outside drives a terminal or begins a line in a notice, such as the name of a file", async () => {
  const hostile = fc.string({
    unit: fc.constantFrom("a", " ", "/", "\n", "\r", "\u001b[2J", "\u009b", "\u202e", "'", '"'),
  });
  await forDraws({}, hostile, (text) => {
    const notices = noticesWith(`x${text}`);
    expect(linesOf(notices)).toEqual(linesOf(noticesWith("x")));
    expect(
      notices
        .map((notice) => renderNotice(notice, String))
        .join("")
        .replaceAll("\n", ""),
    ).not.toMatch(/[\p{Cc}\u202e]/u);
  });
});

test.each([
  [
    { kept: "shared", where: "refs/hostform/x", sharedAt: "origin" },
    { kept: "remote", remote: "origin" },
    "pushed to origin",
  ],
  [{ kept: "unshared", where: "refs/hostform/x" }, { kept: "clone" }, "in this clone only"],
  [{ kept: "file", where: "inv.json" }, { kept: "file" }, "is in inv.json."],
] as const)(
  "the event of resources that are ours now names its place as scripts know it: %o",
  (place, event, words) => {
    const told = noticeEvent({ type: "taken_over", count: 2, ...place });
    expect(JSON.parse(JSON.stringify(told))).toEqual({
      type: "taken_over",
      message: expect.stringContaining(words) as string,
      count: 2,
      where: place.where,
      ...event,
    });
  },
);
