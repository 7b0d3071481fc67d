import type { Kind } from "../../kinds/kind.ts";
import type { Codec } from "../../model/contract.ts";
import { isContent, isRecordName } from "./special-fields.ts";

export type ValueSort = "text" | "number" | "boolean" | "any";

/** Returns the sort of a field's values, as its normal form of a digit shows it. Some write-only fields have none. */
export function sortOf({ fields }: Kind, name: string): ValueSort {
  const { normalise, access } = fields[name] ?? {};
  const normal = normalise?.("1", {});
  if (typeof normal === "boolean") return "boolean";
  if (typeof normal === "number") return "number";
  return normalise === undefined && access === "write_only" ? "any" : "text";
}

/** Whether a field holds a list: its normal form has each item once. */
export function holdsList({ fields }: Kind, name: string): boolean {
  const normal = fields[name]?.normalise?.(["a.example", "a.example"], {});
  return Array.isArray(normal) && normal.length === 1;
}

const isSort =
  (...sorts: readonly ValueSort[]) =>
  (kind: Kind, name: string) =>
    [...sorts, "any"].includes(sortOf(kind, name));

/** Fields beside names and contents of DNS records that hold host or domain names. */
const hostFields: ReadonlySet<string> = new Set([
  "certificate.domains",
  "database.host",
  "dns_zone.name",
  "dns_zone.nameservers",
  "domain.name",
  "domain.nameservers",
  "service.domain",
]);

/** Fields of mail resources that hold mail addresses. */
const addressFields: ReadonlySet<string> = new Set(["address", "catch_all", "destinations"]);

const holdsHosts = (kind: Kind, name: string) =>
  hostFields.has(`${kind.name}.${name}`) || isRecordName(kind, name) || isContent(kind, name);

/** The fields that each codec is made for. */
const madeFor: Readonly<Record<Codec, (kind: Kind, name: string) => boolean>> = {
  bytes: (kind, name) => name.endsWith("_mb") && isSort("number")(kind, name),
  local_part: (kind, name) => kind.scope.includes("domain") && addressFields.has(name),
  whole_name: isRecordName,
  relative_name: isRecordName,
  empty_apex: isRecordName,
  plain_text: isContent,
  quoted_text: isContent,
  final_dot: holdsHosts,
  no_final_dot: holdsHosts,
  priority_inside: isContent,
  integer: isSort("text"),
  string: isSort("number", "boolean"),
};

/** Codecs that contradict each other. */
const contrary: readonly (readonly [Codec, Codec])[] = [
  ["whole_name", "relative_name"],
  ["plain_text", "quoted_text"],
  ["final_dot", "no_final_dot"],
  ["integer", "string"],
];

/** Returns the codecs that are made for a field. */
export const codecsFor = (kind: Kind, name: string): string[] =>
  Object.entries(madeFor).flatMap(([codec, fits]) => (fits(kind, name) ? [codec] : []));

/** Returns why codecs make no sense for a field; undefined if they do. */
export function misfit(kind: Kind, name: string, codecs: readonly Codec[]): string | undefined {
  const wrong = codecs.find((codec) => !madeFor[codec](kind, name));
  if (wrong !== undefined) return `${wrong} is not a spelling of ${name}`;
  const pair = contrary.find((both) => both.every((codec) => codecs.includes(codec)));
  if (pair) return `${pair.join(" and ")} contradict each other`;
  return isRecordName(kind, name) && codecs.includes("final_dot") && !codecs.includes("whole_name")
    ? "final_dot of a name needs whole_name beside it"
    : undefined;
}
