import { inParallel } from "../lib/in-parallel.ts";
import type { Mismatch, NotCompared, Verification } from "./verification.ts";
import type { Check, Checks, ZoneChecks } from "./checks.ts";
import { lookAtHost, type CertifiedHost } from "./certificates.ts";
import { addressesOf, askAny, findDelegation, type Delegation, type Finder, type Server } from "./find-servers.ts";
import type { Answer } from "./message.ts";

/** What one comparison found; undefined: what was declared. */
type Found = Mismatch | NotCompared | undefined;

/** Zones that are compared at the same time, and questions to one server. */
const zonesAtOnce = 4;
const questionsAtOnce = 8;

/** The servers that a verification asks. */
export interface Asked extends Finder {
  /** The hosts whose certificates are compared, and their port. */
  readonly certified: readonly CertifiedHost[];
  readonly tlsPort: number;
  readonly now: () => number;
  /** Whether the resolver is asked in place of the servers of each zone. */
  readonly isOnly: boolean;
}

/** Returns what compares everything; when it is called again, what differed or was not answered before. */
export function makeVerifier({ zones, mailHosts, notCompared }: Checks, asked: Asked): () => Promise<Verification> {
  const { resolver, isOnly, stop, certified } = asked;
  /** What needs no second look: what is as it was declared, or cannot be compared. */
  const settled = new Map<string, NotCompared | undefined>();
  const delegations = new Map<string, Delegation>();
  const only: Delegation = { parent: resolver, servers: [resolver], code: "NOERROR" };

  const lookAtZone = async (checks: ZoneChecks): Promise<Found[]> => {
    const { zone, address, delegation: wanted } = checks;
    const delegation = isOnly ? only : (delegations.get(zone) ?? (await findDelegation(zone, asked)));
    const base = { address, asked: `${zone} NS` };
    if (typeof delegation === "string")
      return [{ ...base, is: "nobody", server: "its parent", expected: ["name servers"], answered: [delegation] }];
    const { parent, servers, code } = delegation;
    const server = placeName(parent);
    const answered = servers.length > 0 ? servers.map(({ name }) => `${name}.`) : [code];
    const expected = wanted ? wanted.names.map((name) => `${name}.`) : ["name servers"];
    const isWanted = servers.length > 0 && (!wanted || isSameSet(expected, answered));
    if (isWanted && !isOnly) delegations.set(zone, delegation);
    const own: Found[] =
      isWanted || isOnly
        ? []
        : [{ address: wanted?.address ?? address, asked: base.asked, is: "differs", server, expected, answered }];
    const found = await Promise.all(servers.map((each) => lookAtServer(each, parent, checks)));
    const isAnswered = found.some((each) => !each.some(isSilent));
    return [
      ...own,
      ...found.flat().map((each) => (isSilent(each) && !isAnswered ? { ...each, is: "nobody" as const } : each)),
    ];
  };

  /** Asks a server for its serial first: one that does not answer is asked nothing else. */
  const lookAtServer = async (server: Server, parent: Server, { zone, address, checks }: ZoneChecks) => {
    const question = { name: zone, type: "SOA" };
    const reply = await askAny(server.places, question, stop);
    const base = { address, asked: `${zone} SOA`, expected: ["an authoritative answer"] };
    if (typeof reply === "string")
      return [{ ...base, is: "silent" as const, server: placeName(server), answered: [reply] }];
    const { answer, place } = reply;
    const isLame = answer.serial === undefined || answer.zone !== zone || !(answer.isAuthoritative || isOnly);
    if (isLame) {
      const reason = answer.code === "NOERROR" ? "none, though it was asked" : answer.code;
      return [
        { ...base, is: "differs" as const, server: placeName({ ...server, places: [place] }), answered: [reason] },
      ];
    }
    return lookAt(checks, { own: { ...server, places: [place] }, parent, resolver }, { serial: answer.serial });
  };

  const lookAt = async (
    checks: readonly Check[],
    servers: { readonly [Of in "own" | "parent" | "resolver"]: Server },
    { serial, silent = "silent" }: { readonly serial?: number; readonly silent?: "silent" | "nobody" },
  ): Promise<Found[]> => {
    const silence = new Map<string, string>();
    const heard = new Set<string>();
    const own = placeName(servers.own);
    return inParallel([...checks.entries()], questionsAtOnce, async ([index, { address, questions, judge }]) => {
      const key = [own, address, index].join(" ");
      if (settled.has(key)) return settled.get(key);
      const [first] = questions;
      const asked = `${first?.name} ${questions.map(({ type }) => type).join("/")}`;
      const from = first?.of === undefined ? { server: own, serial } : { server: placeName(servers[first.of]) };
      const base = { address, ...from, asked };
      const answers: Answer[] = [];
      for (const { of = "own", ...question } of questions) {
        const reply = silence.get(of) ?? (await askAny(servers[of].places, question, stop));
        if (typeof reply === "string") {
          // A resolver may be silent about one name alone.
          if (of === "own" || !heard.has(of)) silence.set(of, reply);
          return { ...base, server: placeName(servers[of]), is: silent, expected: ["an answer"], answered: [reply] };
        }
        heard.add(of);
        answers.push(reply.answer);
      }
      const judged = judge(...answers);
      if (judged !== undefined && typeof judged !== "string") return { ...base, is: "differs" as const, ...judged };
      const found = judged === undefined ? undefined : { address, reason: judged };
      settled.set(key, found);
      return found;
    });
  };

  const lookAtCertificate = async (each: CertifiedHost): Promise<Found[]> => {
    const ips = await addressesOf(each.host, asked);
    const none = { address: each.address, server: placeName(resolver), asked: `${each.host} A/AAAA` };
    if (ips.length === 0) return [{ ...none, is: "differs", expected: ["an address"], answered: ["no address"] }];
    return Promise.all(ips.map((ip) => lookAtHost(each, { ip, port: asked.tlsPort, stop, now: asked.now })));
  };

  return async () => {
    const found = (
      await Promise.all([
        inParallel(zones, zonesAtOnce, lookAtZone),
        inParallel(certified, questionsAtOnce, lookAtCertificate),
        lookAt(mailHosts, { own: resolver, parent: resolver, resolver }, { silent: "nobody" }),
      ])
    ).flat(2);
    const unseen = found.filter((each): each is NotCompared => each !== undefined && "reason" in each);
    return {
      mismatches: unique(found.filter((each): each is Mismatch => each !== undefined && "is" in each)),
      notCompared: unique([...notCompared, ...unseen]),
      matches: found.filter((each) => each === undefined).length,
    };
  };
}

/** Returns each entry once: the parent is asked for a DS beside each server of the zone. */
const unique = <T>(found: readonly T[]): T[] => [
  ...new Map(found.map((each) => [JSON.stringify(each), each])).values(),
];

const isSilent = (found: Found): found is Mismatch => found !== undefined && "is" in found && found.is === "silent";

const isSameSet = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((each) => other.includes(each));

const placeName = ({ name, places: [place] }: Server): string =>
  place === undefined || name.includes(place.address) ? name : `${name} (${place.address})`;
