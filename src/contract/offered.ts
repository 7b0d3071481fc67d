import { isPlatformOwned } from "../kinds/derived/server-made.ts";
import { kindNamed, kinds } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import { kindOf, type Address } from "../model/address.ts";
import { bodiesOf, declaredNames, pickValues } from "../model/body.ts";
import type { Contract } from "../model/contract.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Body, Desired, Remote, Resource } from "../model/resource.ts";
import { hasKind, offers, offersUpdate } from "./entry.ts";
import { writesSets } from "./sets.ts";
import { fieldOf } from "./spelling/read-field.ts";

/** Whether the server creates objects of a kind together with their parent. A set is made by the request that writes it. */
export const isImplicit = ({ kinds: all }: Contract, { name }: Kind): boolean =>
  all[name]?.operations.create === "implicit" && !writesSets(all[name]);

/** Whether the API tells the platform's own objects of a kind from others. */
export const tellsOwner = (contract: Contract, kind: Kind): boolean =>
  contract.kinds[kind.name]?.managed_when !== undefined ||
  (kind.serverMade?.ownFlag !== undefined && hasField(contract, kind, kind.serverMade.ownFlag));

/** Whether the server makes and removes an object together with its parent. */
export const isMadeByServer = ({ contract }: { readonly contract: Contract }, kind: Kind, remote: Remote): boolean =>
  isImplicit(contract, kind) || isPlatformOwned(kind, remote);

/** Whether an object of a kind that is live already can be made anew beside the old one, which it supersedes. */
export const canSupersede = (contract: Contract, kind: Kind): boolean =>
  kind.listing?.newest !== undefined && offers(contract, kind, "create");

const rotatingFields = (kind: Kind) => Object.keys(kind.fields).filter((name) => kind.fields[name]?.rotates === true);

/** Whether the API has something like a field of a kind, in a place of its own or within another field's. */
export function hasField(contract: Contract, kind: Kind, name: string): boolean {
  const entry = contract.kinds[kind.name];
  if (!entry) return false;
  if (name === kind.rotation?.after) return offersUpdate(contract, kind, rotatingFields(kind));
  if (kind.fields[name]?.access === "manifest_only")
    return offers(contract, kind, "renew") || canSupersede(contract, kind);
  return fieldOf(entry, name) !== undefined;
}

/** Whether the block of a kind that the API lacks only holds those of kinds that it has: `dns:` without zones, with their records. */
export const isContainer = (contract: Contract, kind: Kind): boolean => {
  const place = kind.manifest.replaceAll(/\{\w+\}/gu, "{}");
  return kinds.some(
    (other) => hasKind(contract, other) && other.manifest.replaceAll(/\{\w+\}/gu, "{}").startsWith(`${place}.`),
  );
};

const fallbacks: ReadonlySet<string> = new Set(
  kinds.flatMap(({ relations: { requires = [] } = {}, fields }) =>
    Object.values(fields).flatMap(({ fallback }) =>
      fallback ? requires.flat().map(({ kind }) => `${kind} ${fallback.parent}`) : [],
    ),
  ),
);

/** Whether a field of a kind that the API lacks is what others have where they write nothing, such as a zone's TTL. */
export const isUsableDefault = (contract: Contract, kind: Kind, name: string): boolean =>
  !hasKind(contract, kind) && fallbacks.has(`${kind.name} ${name}`);

/** The requirements of a resource, without those that only kinds which the API lacks could meet. */
export const offeredParents = (contract: Contract, requirements: readonly (readonly Address[])[]): Address[][] =>
  requirements
    .map((alternatives) => alternatives.filter((address) => hasKind(contract, kindNamed(kindOf(address)))))
    .filter((alternatives) => alternatives.length > 0);

/** The part of a resource that the API does not offer: the whole, or some of its fields. */
export type Unoffered = { readonly is: "kind" } | { readonly is: "fields"; readonly names: readonly string[] };

/** Returns what of a declared resource the API does not offer; undefined if it takes the whole. What only stands for a default is left out. */
export function unofferedPart(contract: Contract, resource: Resource): Unoffered | undefined {
  const kind = kindNamed(resource.kind);
  // A value from the manifest's defaults is not written there.
  const isTaken = (name: string) => hasField(contract, kind, name) || kind.fields[name]?.fallback !== undefined;
  const names = declaredNames(...bodiesOf(resource));
  if (hasKind(contract, kind) && names.every(isTaken)) return undefined;
  if (!hasKind(contract, kind)) {
    if (!isContainer(contract, kind)) return { is: "kind" };
    const own = names.filter((name) => !isUsableDefault(contract, kind, name));
    return own.length > 0 || resource.lifecycle ? { is: "fields", names: own } : undefined;
  }
  return { is: "fields", names: names.filter((name) => !isTaken(name)) };
}

/** Returns what is desired, without what the API does not offer. */
export function offeredPart(contract: Contract, desired: Desired): Desired {
  const lacking = new Set(kinds.filter((kind) => !hasKind(contract, kind)).map(({ name }) => name));
  const isPoor = new Set(
    kinds.filter((kind) => !lacking.has(kind.name) && lacksField(contract, kind)).map(({ name }) => name),
  );
  if (lacking.size + isPoor.size === 0) return desired;
  const resources = [...desired.resources].flatMap(([address, resource]): [Address, Resource][] => {
    if (lacking.has(resource.kind)) return [];
    return [[address, isPoor.has(resource.kind) ? withoutLacking(contract, resource) : resource]];
  });
  return {
    ...desired,
    resources: new Map(resources),
    collections: new Map([...desired.collections].filter(([, { kind }]) => !lacking.has(kind))),
  };
}

/** Whether the API lacks any field of a kind. */
export const lacksField = (contract: Contract, kind: Kind) =>
  Object.keys(kind.fields).some((name) => !hasField(contract, kind, name));

function withoutLacking(contract: Contract, resource: Resource): Resource {
  const kind = kindNamed(resource.kind);
  const offered = <T extends Body>(body: T): T => ({
    ...body,
    fields: pickValues(body.fields, (name) => hasField(contract, kind, name)),
  });
  return { ...offered(resource), ...(resource.members && { members: resource.members.map(offered) }) };
}

/** Says that the API does not offer a part of a resource, and what to do. */
export function describeUnoffered(
  { name: contract }: Contract,
  { address, kind }: Pick<Resource, "address" | "kind">,
  part: Unoffered,
): Omit<Diagnostic, "at"> {
  const common = { severity: "error", code: "not_offered" } as const;
  if (part.is === "kind")
    return {
      ...common,
      summary: `${address} cannot be declared: the contract ${contract} has no ${kind}`,
      hint: `take it out of the manifest; if the API has it, add kinds.${kind} to the contract`,
    };
  const names = part.names.map((name) => kindNamed(kind).fields[name]?.from ?? name).join(", ");
  return {
    ...common,
    summary: `${names === "" ? "lifecycle" : names} of ${address} cannot be written: the contract ${contract} has no such field`,
    hint: `take it out of the manifest; if the API has it, add it under kinds.${kind}.fields in the contract`,
  };
}
