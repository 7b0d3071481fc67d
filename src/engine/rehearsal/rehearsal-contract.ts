import type { Contract, FieldContract, KindContract } from "../../model/contract.ts";

/**
 * The built-in contract, which the embedded service keeps, as far as the real API goes along: operations that it does not offer are
 * taken away, and names are prefixed as it does, so that both come to the same plan.
 */
export function rehearsalContract(builtIn: Contract, real: Contract): Contract {
  const kinds = Object.entries(builtIn.kinds).flatMap(([name, own]) => {
    const other = real.kinds[name];
    return own && other ? [[name, narrowed(own, other)] as const] : [];
  });
  return { ...builtIn, kinds: Object.fromEntries(kinds) };
}

function narrowed(
  { name_prefix: _own, ...own }: KindContract,
  { name_prefix, operations, fields }: KindContract,
): KindContract {
  const { list, ...others } = own.operations;
  const offered = Object.entries(others).filter(([name]) => Object.hasOwn(operations, name));
  return {
    ...own,
    ...(name_prefix !== undefined && { name_prefix }),
    fields: Object.fromEntries(
      Object.entries(own.fields).map(([name, field]) => [name, { ...field, ...valuesOf(fields[name]) }]),
    ),
    operations: { list, ...Object.fromEntries(offered) },
  };
}

/** What the real API takes decides what an exclusive zone deletes. */
const valuesOf = (real: FieldContract | undefined) => (real?.values ? { values: real.values } : {});
