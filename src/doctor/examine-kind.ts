import { decodeList } from "../contract/decode-list.ts";
import { entryOf } from "../contract/entry.ts";
import { explodeSets } from "../contract/sets.ts";
import { hasUsableName, strayPart } from "../kinds/derived/listed-object.ts";
import type { Kind } from "../kinds/kind.ts";
import type { JsonObject } from "../model/json.ts";
import { counted } from "./judge/say.ts";
import { recordsAt } from "./ask-list.ts";
import { confirm, type Examination, leaveUntested, nested, refute } from "./examination.ts";
import { examineFields } from "./examine-fields.ts";
import { examineAbsence, examineList, type ReadList, scopeRepairs, tryRepair } from "./examine-list.ts";
import { examineObject } from "./examine-object.ts";
import { examinePaging, examineTotal } from "./examine-paging.ts";
import { listRefs, whyNoList } from "./list-refs.ts";
import { lookUp } from "./look-up.ts";

/** Compares the entries of a kind with the answers of the API. */
export async function examineKind(exam: Examination, kind: Kind): Promise<void> {
  const path = ["kinds", kind.name, "operations", "list"];
  const refs = listRefs(exam, kind);
  let best: ReadList | undefined;
  let reason = refs.length === 0 ? whyNoList(exam, kind) : "";
  for (const ref of refs) {
    if (best && best.items.length > 0) break;
    await lookUp(exam, ref);
    const outcome = await examineList(exam, ref);
    if (outcome.is === "read" && (!best || outcome.list.items.length > 0)) best = outcome.list;
    if (outcome.is !== "read") reason = outcome.reason;
    if (outcome.is === "failed") break;
  }
  const [first] = refs;
  if (!best && first && entryOf(exam.contract, kind).operations.list.single === true) {
    const outcome = await examineAbsence(exam, first);
    if (outcome?.is === "read") best = outcome.list;
  }
  if (!best) return leaveUntested(exam, path, reason);
  await examineRead(exam, best);
}

async function examineRead(exam: Examination, first: ReadList): Promise<void> {
  const { kind } = first.ref;
  const list = await keepToScope(exam, first);
  examineTotal(exam, list);
  const records = recordsOf(exam, list);
  if (records.length === 0) {
    const reason =
      list.items.length === 0 ? "the list is empty" : "no object of the list fulfils the conditions of where";
    return leaveUntested(exam, ["kinds", kind.name, "fields"], reason);
  }
  const whole = await examineObject(exam, list, records);
  examineFields(exam, list, whole);
  keepObjects(exam, list, whole.records);
  for (const param of Object.keys(entryOf(exam.contract, kind).params ?? {}))
    confirm(exam, ["kinds", kind.name, "params", param]);
  await examinePaging(exam, list);
}

/** Returns the records of a list that count, each member of a set by itself. */
export function recordsOf(exam: Examination, { ref, reading, items }: ReadList): readonly JsonObject[] {
  return explodeSets(entryOf(exam.contract, ref.kind), items.filter(reading.accepts ?? (() => true)));
}

/** Reads a list by another query where it holds objects of other scopes. */
async function keepToScope(exam: Examination, list: ReadList): Promise<ReadList> {
  const { ref } = list;
  const entry = entryOf(exam.contract, ref.kind);
  const strays = strayCount(exam, list);
  if (strays === 0 || entry.operations.list.scope === "mixed") return list;
  const path = ["kinds", ref.kind.name, "operations", "list"];
  const expected = `only objects of ${Object.keys(ref.scope).join(" and ")} that was asked for`;
  const found = `${counted(strays, "object")} of another`;
  for (const { write } of scopeRepairs(exam, ref)) {
    const other = await tryRepair(exam, ref, write);
    const items = other && recordsAt(other.reading, list.reading.rules, other.answer.body);
    if (!other || !items || strayCount(exam, { ...other, items }) > 0) continue;
    refute(exam, { path, expected, found, write });
    return { ...other, items };
  }
  refute(exam, { path, expected, found, write: nested(path, { scope: "mixed" }) });
  return list;
}

function strayCount(exam: Examination, list: ReadList): number {
  const { ref } = list;
  return decoded(exam, list, recordsOf(exam, list)).filter(
    ({ key, remote }) => strayPart(ref, key, remote.fields) !== undefined && !isUntranslated(remote.fields),
  ).length;
}

/** Whether a field holds the id of an object that was not read. */
const isUntranslated = (fields: object) => Object.values(fields).some((value) => String(value).startsWith("(id "));

const decoded = (exam: Examination, { ref }: ReadList, records: readonly JsonObject[]) =>
  decodeList(exam.contract, ref, records, (kind, id) => {
    const owner = [...exam.found.values()].find((each) => each.kind.name === kind && each.remote.id === id);
    return owner && owner.kind.naming.addressParts(owner.key)[0];
  });

/** Keeps the objects by which other lists are named, also those without an id: not every list needs it. */
function keepObjects(exam: Examination, list: ReadList, records: readonly JsonObject[]): void {
  const { kind } = list.ref;
  for (const { address, key, remote } of decoded(exam, list, records.slice(0, 100)))
    if (hasUsableName({ kind: kind.name, key, address })) exam.found.set(address, { kind, key, remote });
}
