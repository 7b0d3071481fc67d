import { entryOf } from "../contract/entry.ts";
import { getPointer } from "../model/json-pointer.ts";
import type { KindContract } from "../model/contract.ts";
import { confirm, type Examination, leaveUntested, nested, refute } from "./examination.ts";
import type { ReadList } from "./examine-list.ts";
import type { WholeRecords } from "./examine-object.ts";
import { examineUnread } from "./examine-unread.ts";
import { judgeFields } from "./judge/judge-fields.ts";

/** Judges the fields of a kind, and what else its records show. */
export function examineFields(exam: Examination, { ref, reading }: ReadList, { records, single }: WholeRecords): void {
  const { kind, scope } = ref;
  if (records.length === 0) return;
  const base = ["kinds", kind.name];
  const entry = entryOf(exam.contract, kind);
  const poor = Object.entries(entry.fields).filter(
    ([, { at }]) =>
      single !== undefined &&
      getPointer(single, at) !== undefined &&
      !records.some((record) => getPointer(record, at) !== undefined),
  );
  if (poor.length > 0 && single !== undefined) {
    const path = [...base, "operations", "list"];
    const found = `${poor
      .map(([name]) => name)
      .join(", ")
      .slice(0, 200)} only in an object that is read by itself`;
    refute(exam, { path, expected: "whole objects", found, write: nested([...path, "detail"], "read") });
  }
  const whole = poor.length > 0 && single !== undefined ? [single] : records;
  const judgements = judgeFields({ spelt: { entry, kind, key: scope }, records: whole });
  for (const [name, judgement] of judgements) {
    const path = [...base, "fields", name];
    if (judgement.is === "confirmed") confirm(exam, path);
    else if (judgement.is === "not_tested") leaveUntested(exam, path, judgement.reason);
    else
      refute(exam, {
        path,
        expected: judgement.expected,
        found: judgement.found,
        write: judgement.write && Object.keys(judgement.write).length > 0 ? nested(path, judgement.write) : undefined,
      });
  }
  examineOwnership(exam, kind.name, entry, { records });
  examineUnread(exam, kind, single === undefined ? records : [...records, single]);
  if (entry.id !== undefined && !reading.isSingle && entry.operations.read === undefined)
    confirm(exam, [...base, "id"]);
}

/** Judges the conditions by which the platform's own records are known. */
function examineOwnership(exam: Examination, kind: string, entry: KindContract, { records }: WholeRecords): void {
  const path = ["kinds", kind, "managed_when"];
  const [condition] = entry.managed_when ?? [];
  if (!condition) return;
  if (records.some((record) => getPointer(record, condition.pointer) !== undefined)) confirm(exam, path);
  else leaveUntested(exam, path, `no record has a value at ${condition.pointer}`);
}
