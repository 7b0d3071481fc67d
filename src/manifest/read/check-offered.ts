import {
  describeUnoffered,
  hasField,
  isUsableDefault,
  lacksField,
  unofferedPart,
  type Unoffered,
} from "../../contract/offered.ts";
import leven from "leven";
import { hasKind } from "../../contract/entry.ts";
import { unlistedValue } from "../../contract/taken-values.ts";
import { kindNamed, kinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kind.ts";
import { kindOf } from "../../model/address.ts";
import { bodiesOf, referencesIn } from "../../model/body.ts";
import type { Contract } from "../../model/contract.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { didYouMean } from "../../model/nearest.ts";
import type { Key, Removal } from "../../model/resource.ts";
import { diagnosticAt, type Mistake } from "../yaml/diagnostic-at.ts";
import type { ReadDesired } from "./desired.ts";
import { spanAt, writtenFields, type Path } from "./read-body.ts";
import type { WrittenResource } from "./read-resources.ts";
import { toJson, type WrittenNode } from "../yaml/written.ts";

/**
 * Finds what is declared, referred to, or is to be deleted, and the API does not have: values that the contract does not list, kinds and
 * references at their key, fields at their value.
 */
export function checkOffered({ written, referring, desired }: ReadDesired, contract: Contract): Diagnostic[] {
  const poor = new Set(kinds.filter((kind) => lacksField(contract, kind)));
  const suspects = poor.size === 0 ? [] : [...written.values()].filter(({ kind }) => poor.has(kind));
  return [
    ...checkListed(written, contract),
    ...suspects.flatMap((each) => checkResource(each, contract)),
    ...referring.flatMap((each) => checkReferred(each, contract)),
    ...[...desired.removed.values()].flatMap((each) => checkRemoval(each, contract)),
  ];
}

/** Finds the declared resources that the API does not take, such as DNS records of a type that the contract does not list. */
function checkListed(written: ReadDesired["written"], contract: Contract): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const { kind, resource, keySpan } of written.values()) {
    const unlisted = unlistedValue(contract, kind, resource.key);
    if (!unlisted) continue;
    const { field, value, values } = unlisted;
    const place = `kinds.${kind.name}.fields.${field}.values`;
    // Another word of the standard is not a misspelling.
    const isWord = kind.fields[field]?.listed?.isWord(value) === true;
    const near = isWord ? undefined : values.find((each) => leven(each, value) === 1);
    const problem: Mistake = {
      code: "unlisted_value",
      summary: `The contract ${contract.name} does not list ${value} as a ${field} of ${kind.name}`,
      detail: `one of ${values.join(", ")}`,
      hint: didYouMean(near, "") ?? `if it does, list it under ${place} in a contract of your own`,
    };
    found.push(diagnosticAt(keySpan, problem));
  }
  return found;
}

function checkResource({ resource, kind, keySpan, body }: WrittenResource, contract: Contract): Diagnostic[] {
  const part = unofferedPart(contract, resource);
  const describe = (unoffered: Unoffered) => describeUnoffered(contract, resource, unoffered);
  if (part?.is === "kind") return [diagnosticAt(keySpan, describe(part))];
  const paths = writtenPaths(kind, body, resource.key).filter(
    ({ name }) => !hasField(contract, kind, name) && !isUsableDefault(contract, kind, name),
  );
  const found = paths.map(({ name, path }) =>
    diagnosticAt(spanAt(body, path), describe({ is: "fields", names: [name] })),
  );
  return found.length === 0 && part ? [diagnosticAt(keySpan, describe(part))] : found;
}

/** Finds the fields that a block writes, with the path to each. */
function writtenPaths(kind: Kind, body: WrittenNode, key: Key): { readonly name: string; readonly path: Path }[] {
  if (!kind.members) return writtenFields(kind, body);
  const { shared, members } = kind.members.read(toJson(body) ?? {}, key);
  return [
    ...Object.keys(shared).map((name) => ({ name, path: [name] })),
    ...members.flatMap(({ fields, path }) => Object.keys(fields).map((name) => ({ name, path: [...path, name] }))),
  ];
}

/** An apply would wait for such a field until its time is over. */
const checkReferred = ({ resource, keySpan }: WrittenResource, contract: Contract): Diagnostic[] =>
  referencesIn(bodiesOf(resource))
    .filter(({ ref, field }) => !hasField(contract, kindNamed(kindOf(ref)), field))
    .map(({ ref, field }) =>
      diagnosticAt(keySpan, {
        code: "not_offered",
        summary: `${resource.address} refers to ${field} of ${ref}, which is never known: the contract ${contract.name} has no such field`,
        hint: `write the value out; if the API has it, add it under kinds.${kindOf(ref)}.fields in the contract`,
      }),
    );

/** Refuses to delete a resource of a kind that the API does not have; it can be forgotten. */
function checkRemoval({ address, action, at }: Removal, contract: Contract): Diagnostic[] {
  const kind = kindOf(address);
  if (action === "forget" || hasKind(contract, kindNamed(kind))) return [];
  const summary = `${address} cannot be deleted: the contract ${contract.name} has no ${kind}`;
  return [
    { severity: "error", code: "not_offered", summary, hint: "take it out of removed:, or write action: forget", at },
  ];
}
