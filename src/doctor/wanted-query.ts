import { entryOf } from "../contract/entry.ts";
import { parametersIn, textsOf } from "../contract/operations-in.ts";
import type { AnsweredList } from "./ask-list.ts";
import type { Examination } from "./examination.ts";
import { namesWanted } from "./judge/wanted-names.ts";
import { listRepair, type Repair } from "./repair-path.ts";

/** Queries that are tried for a list at most. */
const most = 3;

/** Queries by which a list may be taken that was refused, and how to write one. */
export interface WantedQuery {
  readonly repairs: readonly Repair[];
  readonly hint: string;
}

/** Returns the queries that a list may need: the names that the API misses, else those of parameters that the list does not use. */
export function wantedQuery({ contract }: Examination, { ref, answer, query, reading }: AnsweredList): WantedQuery {
  const { kind } = ref;
  const { params = {}, operations } = entryOf(contract, kind);
  const used = parametersIn(textsOf(operations.list));
  const free = Object.keys(params).filter((param) => !used.includes(param));
  const { page = "", size = "" } = reading.rules.paging;
  const names = namesWanted(answer.body, [...Object.keys(query), page, size]);
  const repairs = free.flatMap((param) =>
    (names.length > 0 ? names : [param]).map((name) => listRepair(kind, { query: { [name]: `{${param}}` } })),
  );
  const [name] = names;
  const missing =
    name === undefined
      ? "the list may need a query parameter"
      : `the list needs ${names.join(" and ")}, which the contract does not send; as a query parameter`;
  const source =
    kind.scope.length === 0
      ? "a constant"
      : `a constant, or "{PARAM}" with params: { PARAM: { key: ${kind.scope[0] ?? ""} } }`;
  return {
    repairs: repairs.slice(0, most),
    hint: `${missing}, write query: { ${name ?? "NAME"}: … } at kinds.${kind.name}.operations.list; its value is ${source}`,
  };
}
