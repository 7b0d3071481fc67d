import { checkSpelling } from "./spelling/check-spelling.ts";
import { kinds } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Contract, KindContract } from "../model/contract.ts";
import { checkAnswers } from "./check-answers.ts";

/** What a contract leaves open: a kind or a field without an entry, a list that is missing, a parameter that nothing fills. One sentence each. */
export function checkCompleteness(
  contract: Contract,
): { readonly path: readonly string[]; readonly summary: string }[] {
  const ofKinds = kinds.flatMap((kind) => {
    const entry = contract.kinds[kind.name];
    if (!entry) return [{ path: ["kinds"], summary: `kinds has no entry for ${kind.name}` }];
    return [
      ...missingFields(kind, entry),
      ...missingValues(kind, entry),
      ...unfilledParameters(kind, entry),
      ...checkSpelling(kind, entry),
    ];
  });
  return [...ofKinds, ...checkAnswers(contract)];
}

function missingFields(kind: Kind, entry: KindContract) {
  return Object.entries(kind.fields)
    .flatMap(([field, { access }]) => (access === "manifest_only" ? [] : [field]))
    .filter((field) => !Object.hasOwn(entry.fields, field))
    .map((field) => ({
      path: ["kinds", kind.name, "fields"],
      summary: `kinds.${kind.name}.fields has no entry for ${field}`,
    }));
}

function missingValues(kind: Kind, entry: KindContract) {
  return Object.entries(kind.fields)
    .filter(([field, { listed }]) => listed && entry.fields[field] && !entry.fields[field].values)
    .map(([field]) => ({
      path: ["kinds", kind.name, "fields", field],
      summary: `kinds.${kind.name}.fields.${field} lists no values that the API takes`,
    }));
}

function unfilledParameters(kind: Kind, entry: KindContract) {
  return Object.entries(entry.operations).flatMap(([name, operation]) => {
    if (operation === "implicit" || !("path" in operation)) return [];
    const compared = "where" in operation ? operation.where?.flatMap(({ equals }) => equals) : undefined;
    const text = [operation.path, ...Object.values(operation.query ?? {}), ...(compared ?? [])].join(" ");
    return [...text.matchAll(/\{(\w+)\}/gu)]
      .map(([, placeholder = ""]) => placeholder)
      .filter((placeholder) => placeholder !== "id" && !Object.hasOwn(entry.params ?? {}, placeholder))
      .map((placeholder) => ({
        path: ["kinds", kind.name, "operations", name],
        summary: `kinds.${kind.name}.operations.${name} uses {${placeholder}}, which kinds.${kind.name}.params does not define`,
      }));
  });
}
