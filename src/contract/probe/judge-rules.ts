import type { Contract } from "../../model/contract.ts";
import type { ProbeFinding } from "../../model/doctor.ts";
import { rulesOf } from "../rules-of.ts";
import { type ProbedList, refuted, seen } from "./finding.ts";

/** What answers of success held beside their lists. */
export interface SeenAnswers {
  readonly requestId: boolean;
  readonly totalHeader: boolean;
  readonly nextPage: boolean;
}

/** Judges the rules that hold for all kinds, or for one: what a list was read by that holds an object is seen. */
export function judgeRules(contract: Contract, lists: readonly ProbedList[], answers: SeenAnswers): ProbeFinding[] {
  const read = lists.filter(({ incomplete, items }) => incomplete === undefined && items.length > 0);
  const isLost = lists.length > 0 && lists.every(({ failure }) => failure?.sort === "not_found");
  const base = contract.base_path === "" ? "the base URL" : contract.base_path;
  return [
    ...(isLost ? [refuted(["base_path"], `an API below ${base}`, "404 for every list")] : []),
    ...(read.length > 0 ? [seen(["base_path"]), seen(["request", "auth"])] : []),
    ...(answers.requestId ? [seen(["answer", "request_id"])] : []),
    ...read.flatMap((list) => rulesUsed(contract, list, answers)),
  ];
}

function rulesUsed(contract: Contract, { kind, items }: ProbedList, answers: SeenAnswers): ProbeFinding[] {
  const { entry } = kind;
  const { list } = entry.operations;
  const home = (part: "answer" | "paging", word: string) =>
    entry[part] !== undefined && Object.hasOwn(entry[part], word) ? ["kinds", kind.name, part, word] : [part, word];
  const place = list.single === true ? "record" : "list";
  const isOwn = list.answer?.[place] !== undefined;
  const { paging } = rulesOf(contract, kind.name, "list");
  const isPaged = items.length > (paging.max_size ?? Infinity) || answers.nextPage;
  const counts = [
    ...(paging.total === undefined ? [] : ["total"]),
    ...(paging.total_header !== undefined && answers.totalHeader ? ["total_header"] : []),
  ];
  const pages = ["style", "page", "first", "size", "max_size", "next"].filter((word) => Object.hasOwn(paging, word));
  return [
    ...(isOwn ? [] : [seen(home("answer", place))]),
    ...(list.single === true ? [] : [...counts, ...(isPaged ? pages : [])].map((word) => seen(home("paging", word)))),
  ];
}
