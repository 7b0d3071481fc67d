import { bindKind } from "../../contract/bound-kind.ts";
import { offers } from "../../contract/entry.ts";
import { hasField } from "../../contract/offered.ts";
import { kindNamed } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kind.ts";
import { setPointer } from "../../model/json-pointer.ts";
import { lackingValues } from "./seed-from-live.ts";
import type { Contract, FieldContract, KindContract, OperationContract } from "../../model/contract.ts";

/**
 * The built-in contract, which the embedded service keeps, as far as the real API goes along: kinds, fields and operations that it does
 * not offer are taken away, and names are prefixed as it does, so that both come to the same plan.
 */
export function rehearsalContract(builtIn: Contract, real: Contract): Contract {
  const offered = Object.entries(builtIn.kinds).flatMap(([name, own]): [string, KindContract][] =>
    own && real.kinds[name] ? [[name, narrowed(kindNamed(name), own, real)]] : [],
  );
  // A parameter that the embedded service fills with the id of an object needs the list of such objects, though the real API has none.
  const needed = new Set(
    offered
      .flatMap(([, { params = {} }]) => Object.values(params))
      .flatMap((source) => ("id_of" in source ? [source.id_of] : [])),
  );
  const listed = [...needed].flatMap((name): [string, KindContract][] => {
    const own = builtIn.kinds[name];
    return own && !real.kinds[name] ? [[name, onlyListed(name, own)]] : [];
  });
  return { ...builtIn, kinds: Object.fromEntries([...offered, ...listed]) };
}

function onlyListed(name: string, { fields, operations: { list }, ...own }: KindContract): KindContract {
  const key = kindNamed(name).naming.toFields({});
  return {
    ...own,
    fields: Object.fromEntries(Object.entries(fields).filter(([field]) => Object.hasOwn(key, field))),
    operations: { list },
  };
}

function narrowed(kind: Kind, { name_prefix: _own, ...own }: KindContract, real: Contract): KindContract {
  const { name_prefix, operations, fields, named_by } = bindKind(real, kind.name).entry;
  const { list, create, ...others } = own.operations;
  const isThere = (name: string) => Object.hasOwn(operations, name) || offers(real, kind, name as "update");
  // The embedded service makes nothing without a name, also where the real API has none and another field tells objects apart.
  const isName = (name: string) => named_by !== undefined && Object.hasOwn(kind.naming.toFields({}), name);
  const isKept = ([name, { id_of: parent }]: readonly [string, FieldContract]) =>
    parent !== undefined || hasField(real, kind, name) || isName(name);
  return {
    ...own,
    ...(name_prefix !== undefined && { name_prefix }),
    fields: Object.fromEntries(
      Object.entries(own.fields)
        .filter(isKept)
        // The values that the real API takes: they decide which records an exclusive zone deletes.
        .map(([name, field]) => [name, { ...field, ...(fields[name]?.values && { values: fields[name].values }) }]),
    ),
    operations: {
      list,
      ...(create !== undefined && isThere("create") && { create: withStandIns(kind, create, own, real) }),
      ...Object.fromEntries(Object.entries(others).filter(([name]) => isThere(name))),
    },
  };
}

/** A creation with what the embedded service demands and the real API does not have. */
function withStandIns(
  kind: Kind,
  create: OperationContract | "implicit",
  { fields }: KindContract,
  real: Contract,
): OperationContract | "implicit" {
  if (create === "implicit") return create;
  const missing = Object.entries(lackingValues(real, kind));
  if (missing.length === 0) return create;
  const base = missing.reduce(
    (body, [name, value]) => setPointer(body, fields[name]?.at ?? `/${name}`, value),
    create.base ?? {},
  );
  return { ...create, base };
}
