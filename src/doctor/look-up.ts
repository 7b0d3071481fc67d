import { fillRequest } from "../api/fill-request.ts";
import { textAt } from "../contract/decode-record.ts";
import { lookupReadings } from "../contract/list-reading.ts";
import { listBinding, type ListRef, recordsAt } from "./ask-list.ts";
import { confirm, type Examination, pathKey, leaveUntested, refute } from "./examination.ts";
import { counted, placeText } from "./judge/say.ts";

/** Looks up the parameters of a list that stand in records of no kind. */
export async function lookUp(exam: Examination, ref: ListRef): Promise<void> {
  for (const { param, reading, at } of lookupReadings(listBinding(exam, exam.contract, ref), ref)) {
    const path = ["kinds", ref.kind.name, "params", param];
    const { params, query } = reading.request;
    if ([...Object.values(params), ...Object.values(query)].some((each) => typeof each !== "string")) continue;
    const request = fillRequest(reading.request, () => "");
    const answer = await exam.probe.ask(reading.rules, request.path, request.query);
    const items = answer.failure ? undefined : recordsAt(reading, reading.rules, answer.body);
    const expected = `a list at ${placeText(reading.rules.answer.list)} of the lookup`;
    if (!items) {
      const found = answer.failure ? `status ${answer.status ?? "none"}` : "no list there";
      refute(exam, { path, expected, found });
      continue;
    }
    const accepted = items.filter(reading.accepts ?? (() => true));
    const [text = ""] = accepted.map((item): string => textAt(item, at));
    if (text !== "") {
      exam.lookups.set(pathKey([ref.kind.name, param]), text);
      confirm(exam, path);
    } else if (accepted.length > 0) refute(exam, { path, expected: `a value at ${at}`, found: "nothing there" });
    else leaveUntested(exam, path, `none of ${counted(items.length, "record")} fulfils its conditions`);
  }
}
