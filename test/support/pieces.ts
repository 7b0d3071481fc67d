import fc from "fast-check";
import { holdsList } from "../../src/contract/spelling/fits.ts";
import { findKind } from "../../src/kinds/index.ts";
import type { Contract, FieldContract, KindContract, Pointer } from "../../src/model/contract.ts";

/** Where the items of lists, the first labels of SRV names and the parts of SRV contents stand; undefined: as in the contract. */
export interface Pieces {
  readonly item: Pointer | undefined;
  readonly labels: Readonly<Record<string, Pointer>> | undefined;
  readonly numbers: readonly string[] | undefined;
}

export const pieces: fc.Arbitrary<Pieces> = fc.record({
  item: fc.constantFrom(undefined, "/name", "/host/name", "/0"),
  labels: fc.constantFrom<Pieces["labels"][]>(
    undefined,
    { _service: "/service", _protocol: "/protocol" },
    { service: "/srv/service", protocol: "/srv/protocol" },
    { _service: "/service", protocol: "/proto" },
  ),
  numbers: fc.constantFrom<Pieces["numbers"][]>(
    undefined,
    ["priority weight port"],
    ["priority", "port weight"],
    ["weight priority", "port"],
    ["priority", "weight", "port"],
  ),
});

/** Lays pieces over a contract: an item over each list, the others beside the name and the content of SRV records. */
export function withPieces(contract: Contract, { item, labels, numbers }: Pieces): Contract {
  const places = numbers && Object.fromEntries([...numbers, "target"].map((key, index) => [key, `/part${index}`]));
  const change = (kindName: string, name: string, field: FieldContract): FieldContract => {
    const kind = findKind(kindName);
    const parts =
      kindName !== "dns_record" ? undefined : name === "name" ? labels : name === "content" ? places : undefined;
    return {
      ...field,
      ...(item !== undefined && kind && holdsList(kind, name) && { item }),
      ...(parts && { parts: { ...field.parts, SRV: beside(field.at, parts) } }),
    };
  };
  const kinds = Object.entries(contract.kinds).map(([kind, entry]): [string, KindContract | null] => {
    if (!entry) return [kind, entry];
    const fields = Object.entries(entry.fields).map(([name, field]) => [name, change(kind, name, field)] as const);
    return [kind, { ...entry, fields: Object.fromEntries(fields) }];
  });
  return { ...contract, kinds: Object.fromEntries(kinds) };
}

const beside = (at: Pointer, pointers: Readonly<Record<string, Pointer>>) =>
  Object.fromEntries(
    Object.entries(pointers).map(([part, pointer]) => [part, at.slice(0, Math.max(0, at.lastIndexOf("/"))) + pointer]),
  );
