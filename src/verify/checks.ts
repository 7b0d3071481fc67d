import { hostsIn, isPrioritised, servedContent } from "../kinds/dns/record-content.ts";
import { nameInZone } from "../kinds/dns/record-name.ts";
import { addTo } from "../lib/collect.ts";
import { openValue } from "../model/body.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Address } from "../model/address.ts";
import type { Body, Desired, Key, Resource } from "../model/resource.ts";
import type { Mismatch, NotCompared } from "./verification.ts";
import { keysIn, leadsTo, wantedDs } from "./dnssec.ts";
import { addressesIn } from "./find-servers.ts";
import { isFailure, numberOfType, recordsOf, type Answer, type Question } from "./message.ts";

/** What answers differ in; a text: why they cannot be compared; undefined: in nothing. */
export type Judgement = Pick<Mismatch, "expected" | "answered"> | string | undefined;

/** Questions, and what their answers must be. */
export interface Check {
  readonly address: Address;
  /** Who is asked each; default: the zone's own server. */
  readonly questions: readonly (Question & { readonly of?: "parent" | "resolver" })[];
  readonly judge: (...answers: readonly Answer[]) => Judgement;
}

/** What is to be compared of one zone. */
export interface ZoneChecks {
  readonly zone: string;
  readonly address: Address;
  readonly checks: readonly Check[];
  /** The servers that the manifest wants the parent to name. */
  readonly delegation: { readonly address: Address; readonly names: readonly string[] } | undefined;
}

/** Everything that a manifest declares and DNS shows, and what it does not show. */
export interface Checks {
  readonly zones: readonly ZoneChecks[];
  readonly mailHosts: readonly Check[];
  readonly notCompared: readonly NotCompared[];
}

/** Returns what is to be compared of the zones of a manifest, and of the domains whose servers it names. */
export function checksOf({ resources }: Desired): Checks {
  const all = [...resources.values()];
  const notCompared: NotCompared[] = [];
  const sets = new Map<string, Resource[]>();
  for (const each of all) if (each.kind === "dns_record") addTo(sets, each.key["zone"] ?? "", each);
  const own = new Map(all.filter(({ kind }) => kind === "dns_zone").map((each) => [each.key["name"] ?? "", each]));
  const signings = new Map(all.filter(({ kind }) => kind === "dnssec").map((each) => [each.key["zone"] ?? "", each]));
  const domains = new Map(
    all.filter((each) => each.kind === "domain" && namesOf(each)).map((each) => [each.key["name"] ?? "", each]),
  );
  const names = [...new Set([...own.keys(), ...sets.keys(), ...signings.keys(), ...domains.keys()])].sort();
  const zones = names.map((zone): ZoneChecks => {
    const [ownSets, domain, signing] = [sets.get(zone) ?? [], domains.get(zone), signings.get(zone)];
    const resource = own.get(zone) ?? domain ?? signing ?? ownSets[0];
    const hasWildcard = ownSets.some(({ key }) => key["name"]?.startsWith("*") === true);
    const read = ownSets.map((set) => readSet(set, own.get(zone)?.fields["ttl"], hasWildcard));
    notCompared.push(...read.flatMap(({ address, reason }) => (reason === undefined ? [] : { address, reason })));
    return {
      zone,
      address: resource?.address ?? ("" as Address),
      checks: [...read.flatMap(({ check }) => check ?? []), ...(signing ? signingChecks(zone, signing) : [])],
      delegation: domain && { address: domain.address, names: namesOf(domain) ?? [] },
    };
  });
  return { zones, mailHosts: mailHostChecks([...sets.values()].flat()), notCompared };
}

function namesOf({ fields }: Resource): readonly string[] | undefined {
  const names = openValue(fields["nameservers"]);
  return Array.isArray(names) ? names.map(jsonText) : undefined;
}

const ownerOf = (key: Key): string => {
  const name = key["name"] === "@" ? "@" : nameInZone(key);
  return name === "@" ? (key["zone"] ?? "") : `${name}.${key["zone"]}`;
};

const isServed = ({ fields }: Body): boolean => openValue(fields["disabled"]) !== true;

/** Returns a record in the form of zone files; undefined if its value is secret, or known only to the API. */
function dataOf({ fields }: Body, type: string): string | undefined {
  const [content, priority] = [openValue(fields["content"]), openValue(fields["priority"])];
  if (typeof content !== "string") return undefined;
  if (!isPrioritised(type)) return servedContent(type, content);
  return typeof priority === "number" ? `${priority} ${content}` : undefined;
}

interface ReadSet extends Pick<Check, "address"> {
  readonly check?: Check;
  /** Why it is not compared, or not whole. */
  readonly reason?: string;
}

function readSet(set: Resource, zoneTtl: Resource["fields"][string] | undefined, hasWildcard: boolean): ReadSet {
  const { address, key, members = [] } = set;
  const question = { name: ownerOf(key), type: key["type"] ?? "" };
  if (question.type === "ALIAS")
    return {
      address,
      check: { address, questions: addressQuestions(question.name), judge: hasAddress },
      reason: "of an ALIAS only that its name has an address: its server answers with those of its target",
    };
  if (numberOfType(question.type) === undefined)
    return { address, reason: `Hostform does not read the type ${question.type}` };
  const served = members.filter(isServed);
  if (served.length === 0 && hasWildcard)
    return { address, reason: "its records are disabled, and a wildcard may answer in their place" };
  const data = served.map((member) => dataOf(member, question.type));
  const known = data.filter((each) => each !== undefined);
  const ttl = openValue(set.fields["ttl"]) ?? openValue(zoneTtl);
  return {
    address,
    check: {
      address,
      questions: [question],
      judge: (answer: Answer) => judgeSet(answer, question, { known, unknown: data.length - known.length, ttl }),
    },
    ...(known.length < data.length && {
      reason: "of values that are secret, or known only to the API, only how many there are",
    }),
  };
}

interface ExpectedSet {
  readonly known: readonly string[];
  /** Records whose data is not known. */
  readonly unknown: number;
  /** Seconds; undefined: any. */
  readonly ttl: Json | undefined;
}

function judgeSet(answer: Answer, question: Question, { known, unknown, ttl }: ExpectedSet): Judgement {
  const records = recordsOf(answer, question);
  const answered = new Set(records.map(({ text }) => text));
  const isSame = known.every((text) => answered.has(text)) && answered.size === new Set(known).size + unknown;
  const others = answer.isCached ? [] : records.map((each) => each.ttl).filter((each) => each !== ttl);
  const wrongTtl = ttl === undefined ? [] : [...new Set(others)];
  if (isSame && !isFailure(answer) && wrongTtl.length === 0) return undefined;
  const unknowns = unknown > 0 ? [`${unknown} other`] : [];
  return {
    expected: [...known, ...unknowns, ...(isSame && wrongTtl.length > 0 ? [`TTL ${jsonText(ttl)}`] : [])],
    answered: [
      ...(records.length === 0 ? [whyNone(answer, question)] : answered),
      ...(isSame ? wrongTtl.map((each) => `TTL ${each}`) : []),
    ],
  };
}

/** Says what stands in place of records. */
function whyNone(answer: Answer, { name }: Question): string {
  const [alias] = recordsOf(answer, { name, type: "CNAME" });
  if (alias) return `CNAME ${alias.text}`;
  return answer.code === "NOERROR" ? "no such record" : answer.code;
}

const addressQuestions = (name: string) => ["A", "AAAA"].map((type) => ({ name, type }));

const hasAddress = (...answers: readonly Answer[]): Judgement =>
  answers.some((answer) => addressesIn(answer).length > 0)
    ? undefined
    : { expected: ["an address"], answered: [...new Set(answers.map((answer) => reasonFor(answer)))] };

const reasonFor = ({ code }: Answer) => (code === "NOERROR" ? "no address" : code);

/** Whether a server was asked for what it does not answer for: only a resolver looks that up. */
const isStranger = ({ isAuthoritative, isCached, records }: Answer) =>
  !isAuthoritative && !isCached && records.length === 0;

/** Mail needs an address at each host, and not behind a CNAME (RFC 2181 section 10.3). */
function mailHostChecks(sets: readonly Resource[]): readonly Check[] {
  const hosts = new Map<string, Address>();
  for (const { address, key, members = [] } of sets)
    if (key["type"] === "MX")
      for (const member of members.filter(isServed))
        for (const host of hostsIn("MX", dataOf(member, "MX")?.replace(/^\d+ /u, "") ?? ""))
          if (!hosts.has(host)) hosts.set(host, address);
  return [...hosts].map(([host, address]) => ({
    address,
    questions: addressQuestions(host).map((question) => ({ ...question, of: "resolver" })),
    judge: (...answers) => {
      if (answers.every(isStranger)) return `the server that was asked does not look up ${host}`;
      const [alias] = answers.flatMap((answer) => recordsOf(answer, { name: host, type: "CNAME" }));
      return alias
        ? { expected: ["an address, and no CNAME"], answered: [`CNAME ${alias.text}`] }
        : hasAddress(...answers);
    },
  }));
}

const keyOf = (algorithm: Json) => `a DNSKEY of algorithm ${jsonText(algorithm)}`;

/** A signed zone has keys, and a DS at its parent leads to one; a DS without keys makes a domain unreachable. */
function signingChecks(zone: string, { address, fields }: Resource): readonly Check[] {
  const [enabled, algorithm] = [openValue(fields["enabled"]), openValue(fields["algorithm"])];
  if (typeof enabled !== "boolean") return [];
  const [dnskey, ds] = [
    { name: zone, type: "DNSKEY" },
    { name: zone, type: "DS", of: "parent" as const },
  ];
  const judgeKeys = (answer: Answer): Judgement => {
    const algorithms = new Set(keysIn(answer, zone).map((key) => key.algorithm));
    if (algorithm === undefined ? algorithms.size > 0 : [...algorithms].some((each) => each === algorithm))
      return undefined;
    return {
      expected: [algorithm === undefined ? "a DNSKEY" : keyOf(algorithm)],
      answered: algorithms.size > 0 ? [...algorithms].map(keyOf) : [whyNone(answer, dnskey)],
    };
  };
  const judgeDs = (answer: Answer, keys: Answer): Judgement => {
    const found = recordsOf(answer, ds).map(({ text }) => text);
    // The zone itself answers for its parent: it has no DS, whatever the parent has.
    if (found.length === 0 && (answer.zone === zone || isStranger(answer)))
      return "the server that was asked does not know the DS at the parent";
    const answered = found.length > 0 ? found : [whyNone(answer, ds)];
    if (!enabled) return found.length > 0 || isFailure(answer) ? { expected: ["no DS"], answered } : undefined;
    const all = keysIn(keys, zone);
    if (found.some((text) => all.some((key) => leadsTo(text, key)))) return undefined;
    return { expected: all.length === 0 ? ["a DS that leads to a key"] : all.map(wantedDs), answered };
  };
  return [
    ...(enabled ? [{ address, questions: [dnskey], judge: judgeKeys }] : []),
    { address, questions: [ds, dnskey], judge: judgeDs },
  ];
}
