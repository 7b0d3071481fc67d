import type { Contract } from "../../model/contract.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { apiRules } from "./api-rules.ts";
import { fieldRules } from "./field-rules.ts";
import { kindRules } from "./kind-rules.ts";
import type { Marks, Nodes, RuleTable } from "./nodes.ts";
import { requestRules } from "./request-rules.ts";
import { walkContract } from "./walk.ts";

/** A mistake of a contract. `path` leads to it, or as far as there is something. */
export interface FoundMistake extends Omit<Marks, "below">, Pick<Diagnostic, "summary" | "detail" | "hint"> {
  readonly path: readonly string[];
}

const tables: readonly RuleTable[] = [fieldRules, kindRules, requestRules, apiRules];

/**
 * Finds names that a contract makes up, and what it leaves open of what it offers: fields without a place, an object without a name or an
 * id, a parameter that nothing fills. A kind, a field or an operation without an entry is lacking, which is not a mistake; only a contract
 * that extends v2026, which has all of them, must say so of a field.
 * @param unchecked the names of further kinds, whose entries are wrong in their form.
 * @param isWhole whether the rules for all kinds have the right form; else they are not looked at.
 */
export function checkContract(
  contract: Contract,
  unchecked: ReadonlySet<string> = new Set(),
  isWhole = true,
): FoundMistake[] {
  const found: FoundMistake[] = [];
  walkContract(contract, { unchecked, isWhole }, <At extends keyof Nodes>(at: At, node: Nodes[At]) => {
    for (const row of tables.flatMap((table) => table[at]?.(node) ?? [])) {
      if (typeof row === "boolean") continue;
      const [summary, hint, { below = [], ...marks } = {}] = row;
      found.push({ path: [...node.path, ...below], summary, hint, ...marks });
    }
  });
  return found;
}
