import { normaliseAddress } from "../kinds/derived/locate.ts";
import { findKind, kinds } from "../kinds/index.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { TemplatePart } from "../model/resource.ts";

type Reference = Extract<TemplatePart, { readonly ref: Address }>;

/** A reference whose address is in normal form and whose field the kind has to read; or what was expected. */
export function readReference({ ref, field }: Reference): Reference | { readonly wrong: string } {
  const text = `${ref}.${field}`;
  const kind = findKind(kindOf(ref));
  if (!kind)
    return {
      wrong: `\${ref:${text}} does not name a kind: expected one of ${kinds.map(({ name }) => name).join(", ")}`,
    };
  const readable = Object.entries(kind.fields).flatMap(([name, { access }]) => (access === "read_only" ? [name] : []));
  // Addresses and fields both have dots: the longest field that fits is meant.
  for (const name of readable.toSorted((a, b) => b.length - a.length)) {
    const address = text.endsWith(`.${name}`) ? normaliseAddress(text.slice(0, -name.length - 1)) : undefined;
    if (address !== undefined) return { ref: address, field: name };
  }
  return {
    wrong: `\${ref:${text}} does not end in a read-only field of ${kind.name}: expected ADDRESS.FIELD with one of ${readable.join(", ")}`,
  };
}
