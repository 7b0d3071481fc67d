import { conflict } from "../refusal.ts";

interface Neighbour {
  readonly type: string;
  readonly content: string;
}

const addresses = ["A", "AAAA", "CNAME"];

/**
 * Refuses (409) a record that cannot stand beside the others of its name: a CNAME is alone at its name and never at the
 * apex (RFC 1034 section 3.6.2), a name has one DNAME (RFC 6672 section 2.4), an ALIAS does not stand beside A, AAAA or CNAME. Disabled records count as well, so
 * that enabling one can never break a zone.
 */
export function guardNeighbours(record: Neighbour & { readonly name: string }, neighbours: readonly Neighbour[]): void {
  const { name, type } = record;
  if (type === "CNAME" && name === "@") {
    throw conflict("A CNAME cannot stand at the apex, where SOA and NS are; use ALIAS, or A and AAAA.");
  }
  const rival = neighbours.find((other) => excludes(type, other.type) || excludes(other.type, type));
  if (rival !== undefined) {
    throw conflict(`The ${type} record at "${name}" excludes the ${rival.type} record ${rival.content} that is there.`);
  }
}

function excludes(type: string, other: string): boolean {
  return type === "CNAME" || (type === "DNAME" && other === "DNAME") || (type === "ALIAS" && addresses.includes(other));
}
