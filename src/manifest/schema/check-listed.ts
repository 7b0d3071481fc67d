import leven from "leven";
import { unlistedValue } from "../../contract/taken-values.ts";
import type { Address } from "../../model/address.ts";
import type { Contract } from "../../model/contract.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { diagnosticAt } from "../yaml/diagnostic-at.ts";
import type { WrittenResource } from "../read/read-resources.ts";

/** Finds the declared resources that the API does not take, such as DNS records of a type that the contract does not list. */
export function checkListed(written: ReadonlyMap<Address, WrittenResource>, contract: Contract): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const { kind, resource, keySpan } of written.values()) {
    const unlisted = unlistedValue(contract, kind, resource.key);
    if (!unlisted) continue;
    const { field, value, values } = unlisted;
    const place = `kinds.${kind.name}.fields.${field}.values`;
    // Another word of the standard is not a misspelling.
    const near =
      kind.fields[field]?.listed?.isWord(value) === true ? undefined : values.find((each) => leven(each, value) === 1);
    const problem: Omit<Diagnostic, "at" | "frame"> = {
      severity: "error",
      code: "unlisted_value",
      summary: `The contract ${contract.name} does not list ${value} as a ${field} of ${kind.name}`,
      detail: `one of ${values.join(", ")}`,
      hint:
        near === undefined ? `if it does, list it under ${place} in a contract of your own` : `did you mean ${near}?`,
    };
    found.push(diagnosticAt(keySpan, problem));
  }
  return found;
}
