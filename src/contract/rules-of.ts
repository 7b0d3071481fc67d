import type {
  ApiRules,
  Contract,
  KindContract,
  ListContract,
  OperationContract,
  PagingRules,
} from "../model/contract.ts";
import type { Json } from "../model/json.ts";
import { isCounted } from "../model/paging.ts";
import { layOver } from "./lay-over.ts";

type AnsweringOperation = Pick<OperationContract | ListContract, "answer">;
type OperationKey = keyof KindContract["operations"];

/**
 * Returns the rules for the answers of a kind: its own laid over the contract's, and over them those of an operation.
 * @param operation by its name, or itself where it has none.
 */
export function rulesOf(contract: Contract, kind: string, operation?: OperationKey | AnsweringOperation): ApiRules {
  const { answer, paging, operations } = contract.kinds[kind] ?? {};
  const asked = typeof operation === "string" ? operations?.[operation] : operation;
  const own = typeof asked === "object" && "answer" in asked ? asked.answer : undefined;
  if (answer === undefined && paging === undefined && own === undefined) return contract;
  const whole = [answer, own].reduce<Json>(
    (base, laid) => layOver(base, laid ?? {}),
    contract.answer as unknown as Json,
  );
  return { ...contract, answer: whole as unknown as ApiRules["answer"], paging: pagingOf(contract, paging) };
}

/** A kind that names its style says all of its paging; only the size of the pages is taken over from the contract. */
function pagingOf({ paging }: Contract, own: PagingRules | undefined): PagingRules {
  if (own === undefined) return paging;
  const { size, max_size: most, total: _total, total_header: _header, ...uncounted } = paging;
  const sizes = { ...(size !== undefined && { size }), ...(most !== undefined && { max_size: most }) };
  if (own.style !== undefined) return { ...(own.style !== "none" && sizes), ...own };
  // There is one total: a kind that says where it stands says so instead of the contract.
  return isCounted({ paging: own }) ? { ...uncounted, ...sizes, ...own } : { ...paging, ...own };
}

/** Whether an API does not count its list of a kind, so that a list that was cut short looks like a complete one. */
export const isWeakList = (contract: Contract, kind: string): boolean =>
  contract.kinds[kind]?.operations.list.single !== true && !isCounted(rulesOf(contract, kind));
