import { type Address, toAddress, withLastPart } from "../../model/address.ts";
import { openValue } from "../../model/body.ts";
import { clearValue } from "../../model/clear-values.ts";
import { jsonText } from "../../model/json.ts";
import type { Body, Key, Resource } from "../../model/resource.ts";
import type { Census, Problem } from "../kind.ts";

/** Finds the mistakes that can be seen in a record set only beside others, or as a whole; `types`: all types that Hostform reads. */
export type RecordSetCheck = (
  resource: Resource,
  lookup: (address: Address) => Resource | undefined,
  census: Census | undefined,
  types: readonly string[],
) => readonly Problem[];

const none: readonly Problem[] = [];

const addressOf = ({ zone = "", name = "" }: Key, type: string) => toAddress("dns_record", [zone, name, type]);

export const cnameStandsAlone: RecordSetCheck = ({ key, address }, lookup, census, types) => {
  if (key["name"] === "@") {
    const hint = "use ALIAS, or the A and AAAA records of the target";
    return [{ code: "cname_at_apex", summary: `A CNAME cannot stand at the apex of ${key["zone"]}`, hint }];
  }
  if (census?.isAlone(address) === true) return none;
  const own = addressOf(key, "CNAME");
  const beside = types.filter((type) => type !== "CNAME" && lookup(withLastPart(own, type)));
  return beside.length === 0 ? none : [notAlone(key, beside.join(", "))];
};

const notAlone = ({ name, zone }: Key, beside: string): Problem => ({
  code: "cname_not_alone",
  summary: `The CNAME at ${name} in ${zone} shares its name with ${beside}`,
  detail: "no other record at the owner name of a CNAME (RFC 1034 section 3.6.2)",
});

/** A type that is not in the list is not found beside a CNAME: it finds the CNAME itself. */
export const unknownBesideCname: RecordSetCheck = ({ key }, lookup) =>
  lookup(addressOf(key, "CNAME")) ? [notAlone(key, key["type"] ?? "")] : none;

export const aliasStandsAlone: RecordSetCheck = ({ key }, lookup) => {
  const beside = ["A", "AAAA"].filter((type) => lookup(addressOf(key, type)));
  if (beside.length === 0) return none;
  const summary = `The ALIAS at ${key["name"]} in ${key["zone"]} shares its name with ${beside.join(", ")}`;
  return [{ code: "alias_not_alone", summary, detail: "an ALIAS answers for A and AAAA" }];
};

/** Makes the rule of a type that cannot stand at the apex. */
const notAtApex =
  (problemIn: (zone: string) => Problem): RecordSetCheck =>
  ({ key: { name, zone = "" } }) =>
    name === "@" ? [problemIn(zone)] : none;

export const apexNsIsThePlatforms = notAtApex((zone) => ({
  code: "managed_by_platform",
  summary: `The NS records at the apex of ${zone} are managed by the platform and cannot be written`,
  hint: "leave them out; name servers of a domain are set under domains:",
}));

export const apexHasNoDs = notAtApex((zone) => ({
  code: "ds_at_apex",
  summary: `The DS of ${zone} belongs in the zone above, not in ${zone} itself`,
  hint: "give it to the registrar, or declare it in the parent zone",
}));

const isNull = ({ fields }: Body) => clearValue(fields["content"]) === ".";

export const nullMxStandsAlone: RecordSetCheck = ({ key, members = [] }) => {
  const { zone, name } = key;
  if (!members.some(isNull)) return none;
  const detail = "a null MX is alone, and its priority is 0 (RFC 7505 section 3)";
  const problem = (code: string, summary: string): Problem => ({ code, summary, detail });
  return [
    ...(members.length > 1
      ? [problem("null_mx_not_alone", `The null MX at ${name} in ${zone} shares its name with other MX records`)]
      : []),
    ...members
      .filter((member) => isNull(member) && openValue(member.fields["priority"]) !== 0)
      .map(({ fields: { priority } }) =>
        problem(
          "null_mx_priority",
          `The null MX at ${name} in ${zone} has the priority ${jsonText(openValue(priority))}`,
        ),
      ),
  ];
};
