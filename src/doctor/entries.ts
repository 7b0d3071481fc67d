import { operationsIn } from "../contract/operations-in.ts";
import { findKind } from "../kinds/index.ts";
import type { Contract, KindContract } from "../model/contract.ts";
import type { EntryPath } from "./examination.ts";
import { isReadable } from "./judge/judge-fields.ts";

/** An entry of a contract, and why it is not tested where no answer is about it. */
export interface ContractEntry {
  readonly path: EntryPath;
  readonly reason: string;
}

const writes = "only GETs are sent";
const unseen = "no answer showed it";

/** Returns every entry of a contract that answers can bear out or contradict, in the order of a contract file. */
export function contractEntries(contract: Contract): ContractEntry[] {
  const { request, answer, paging } = contract;
  return [
    entry(["base_path"], unseen),
    entry(["request", "auth"], unseen),
    ...(["precondition", "idempotency"] as const).flatMap((name) =>
      request[name] ? [entry(["request", name], writes)] : [],
    ),
    ...rulesBelow([], answer),
    ...pagingBelow([], paging),
    ...Object.entries(contract.kinds).flatMap(([name, kind]) => (kind ? kindEntries(name, kind) : [])),
  ];
}

const entry = (path: EntryPath, reason: string): ContractEntry => ({ path, reason });

function rulesBelow(base: EntryPath, answer: Partial<Contract["answer"]>): ContractEntry[] {
  const path = [...base, "answer"];
  const { error, rate_limit: limit, request_id: id, job } = answer;
  return [
    ...(["record", "list"] as const).flatMap((name) =>
      answer[name] === undefined ? [] : [entry([...path, name], unseen)],
    ),
    ...(id ? [entry([...path, "request_id", "header"], unseen)] : []),
    ...Object.keys(error ?? {}).flatMap((name) =>
      name === "message" || name === "code" ? [entry([...path, "error", name], "no request was refused")] : [],
    ),
    ...Object.keys(limit ?? {}).flatMap((name) =>
      name === "assumed" ? [] : [entry([...path, "rate_limit", name], "the limit was not reached")],
    ),
    ...(job ? [entry([...path, "job"], writes)] : []),
  ];
}

const pagingBelow = (base: EntryPath, paging: object): ContractEntry[] => [
  entry([...base, "paging"], "no list has three objects"),
  ...["size", "max_size", "total", "total_header", "actual_size"].flatMap((name) =>
    Object.hasOwn(paging, name) ? [entry([...base, "paging", name], unseen)] : [],
  ),
];

function kindEntries(name: string, kind: KindContract): ContractEntry[] {
  const path = ["kinds", name];
  const own = findKind(name);
  return [
    ...(["id", "etag", "managed_when"] as const).flatMap((word) =>
      kind[word] === undefined ? [] : [entry([...path, word], unseen)],
    ),
    ...(kind.answer ? rulesBelow(path, kind.answer) : []),
    ...(kind.paging ? pagingBelow(path, kind.paging) : []),
    ...Object.keys(kind.params ?? {}).map((param) => entry([...path, "params", param], unseen)),
    ...Object.keys(kind.fields).map((field) =>
      entry(
        [...path, "fields", field],
        own && !isReadable(own, field) ? "answers do not hold it, since it is only written" : unseen,
      ),
    ),
    ...operationsIn(kind).map(([place, { method }]) => entry([...path, ...place], method === "GET" ? unseen : writes)),
  ];
}
