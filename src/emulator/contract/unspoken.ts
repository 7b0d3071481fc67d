import { EmulatorError } from "../emulator-error.ts";
import { kinds as served } from "../kinds/index.ts";
import type { KindName } from "../kinds/kind-name.ts";
import type { Contract, KindEntry } from "./contract.ts";
import { placeholdersIn } from "./params.ts";
import { kindsOf, representedBy, type Door, type Route } from "./routes.ts";

/** Refuses a contract of which this service could speak a part only: it names every entry. */
export function refuseUnspoken({ contract, routes }: Door, operations: ReadonlySet<string>): void {
  const all = [
    ...kindsOf(contract).flatMap(([kind, entry]) => unspokenIn(contract, kind, entry)),
    ...routes.flatMap((route) => unspokenRequest(contract, route, operations)),
  ];
  if (all.length === 0) return;
  throw new EmulatorError(
    `The embedded service cannot speak the contract ${contract.name}:\n  ${[...new Set(all)].join("\n  ")}`,
    "leave these entries out of a copy of the contract to rehearse against the rest",
  );
}

const isServed = (kind: KindName): boolean => kind !== "job" && Object.hasOwn(served, kind);

function unspokenIn(contract: Contract, kind: KindName, { fields, operations, params = {} }: KindEntry): string[] {
  const at = `kinds.${kind}`;
  if (!isServed(kind)) return [`${at}: the embedded service has no such kind`];
  const { list, create, set, zone } = operations;
  const isRecord = kind === "dns_record";
  return [
    ...(create === "implicit" && kind !== "mail_settings"
      ? [`${at}.operations.create: the embedded service creates only mail_settings by itself`]
      : []),
    ...((set ?? zone ?? list.explode) !== undefined && !isRecord ? [`${at}.operations: only dns_record has sets`] : []),
    ...Object.entries(fields).flatMap(([name, { id_of: owner }]) =>
      owner === undefined || (owner === "service" && name === "service" && contract.kinds.service !== undefined)
        ? []
        : [`${at}.fields.${name}: only the field service holds the id of another object, and its kind must be offered`],
    ),
    ...Object.entries(params).flatMap(([name, { id_of: owner }]) =>
      owner === undefined || contract.kinds[owner] !== undefined
        ? []
        : [`${at}.params.${name}: the contract does not offer ${owner}`],
    ),
  ];
}

function unspokenRequest(
  { kinds }: Contract,
  { kind, role, operation, entry }: Route,
  operations: ReadonlySet<string>,
): string[] {
  if (!isServed(kind)) return [];
  const own = representedBy({ kind, role });
  if (!operations.has(own)) return [`${entry}: the embedded service cannot ${role.sort} a ${kind}`];
  const names = ["read", "update", "field", "delete", "renew"];
  const { list } = kinds[kind]?.operations ?? {};
  const isNamed = [operation.path, ...Object.values(operation.query ?? {}), ...Object.values(operation.body ?? {})]
    .flatMap((text) => (typeof text === "string" ? placeholdersIn(text) : []))
    .some((name) => list?.for_each?.[name] === undefined);
  return names.includes(role.sort) && !isNamed && list?.single !== true
    ? [`${entry}: nothing in the request says which ${kind} is meant`]
    : [];
}
