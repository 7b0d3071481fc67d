import type { Kind } from "../kinds/kind.ts";
import { isPrioritised } from "../kinds/dns/record-content.ts";
import type { KindContract } from "../model/contract.ts";
import type { ContractMistake } from "./contract-mistake.ts";
import { fieldOf } from "./spelling/read-field.ts";
import { priorityField } from "./spelling/place.ts";

/** Warns of fields that a contract leaves out though every creation needs them, and of a priority without a place. */
export function checkRequired(kind: Kind, entry: KindContract): ContractMistake[] {
  const path = ["kinds", kind.name, "fields"];
  return leftOutFields(kind, entry).map(({ name, reason }) => ({
    path,
    key: true,
    summary: `${path.join(".")} has no entry for ${name}: ${reason}`,
    hint: `write ${name}: { at: /… }; if the API has nothing like it, write ${name}: { absent: true }`,
    isWarning: true,
    code: "contract_incomplete",
  }));
}

/** Returns the fields that a contract leaves out of a kind, and that objects need. */
function leftOutFields(kind: Kind, entry: KindContract): { readonly name: string; readonly reason: string }[] {
  const { create, set, zone } = entry.operations;
  const isMade = (create !== undefined && create !== "implicit") || set !== undefined || zone !== undefined;
  const isLeftOut = (name: string) =>
    Object.hasOwn(kind.fields, name) && !Object.hasOwn(entry.fields, name) && fieldOf(entry, name) === undefined;
  const prioritised = Object.values(entry.fields).flatMap(({ values = [] }) => values.filter(isPrioritised));
  const required = Object.entries(kind.fields).filter(
    ([name, { required: isRequired, access }]) =>
      isRequired === true && access !== "manifest_only" && name !== kind.members?.identity && isMade && isLeftOut(name),
  );
  return [
    ...required.map(([name]) => ({ name, reason: `no ${kind.name} can be declared without it` })),
    ...(prioritised.length > 0 && isLeftOut(priorityField)
      ? [{ name: priorityField, reason: `records of the type ${prioritised.join(" and ")} have one` }]
      : []),
  ];
}
