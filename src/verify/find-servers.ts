import { isIP, isIPv6, connect } from "node:net";
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { connectionText } from "../lib/system-words.ts";
import { isFailure, recordsOf, type Answer, type Question, readAnswer, writeQuestion } from "./message.ts";

/** A server by its name, at each of its addresses. */
export interface Server {
  readonly name: string;
  readonly places: readonly Place[];
}

/** An answer, and the address that gave it; or why nobody gave one. */
export type Reply = { readonly answer: Answer; readonly place: Place } | string;

/** Asks the addresses of servers in turn until one answers; of resolvers, until one does not say that it has failed. */
export async function askAny(places: readonly Place[], question: Question, stop: AbortSignal): Promise<Reply> {
  let failed: Reply | undefined;
  let reason = "it has no address";
  for (const place of places) {
    const answer = await ask(place, question, stop);
    if (typeof answer === "string") reason = answer;
    else if (place.isRecursive && isFailure(answer)) failed ??= { answer, place };
    else return { answer, place };
  }
  return failed ?? reason;
}

/** Finds servers. Throws nothing; what was not found is left out. */
export interface Finder {
  readonly resolver: Server;
  /** The port of servers that are found. */
  readonly port: number;
  readonly stop: AbortSignal;
}

/** Servers at most that are asked of one zone, and addresses of one server: whoever answers chooses how many there are. */
const mostServers = 13;
const mostAddresses = 4;

/** Returns the addresses of a host as a resolver knows them, those of IPv4 first. */
export async function addressesOf(host: string, { resolver, stop }: Pick<Finder, "resolver" | "stop">) {
  const replies = await Promise.all(["A", "AAAA"].map((type) => askAny(resolver.places, { name: host, type }, stop)));
  return replies.flatMap((reply) => (typeof reply === "string" ? [] : addressesIn(reply.answer)));
}

/** Returns all addresses in an answer: their owner may be the end of a chain of aliases. */
export const addressesIn = (answer: Answer, ofHost?: string): readonly string[] =>
  answer.records
    .filter(({ name }) => ofHost === undefined || name === ofHost)
    .flatMap(({ name }) => ["A", "AAAA"].flatMap((type) => recordsOf(answer, { name, type })))
    .map(({ text }) => text)
    .filter((text, index, all) => isIP(text) > 0 && all.indexOf(text) === index)
    .slice(0, mostAddresses);

async function serversNamed(names: readonly string[], answer: Answer, finder: Finder): Promise<Server[]> {
  return Promise.all(
    names.slice(0, mostServers).map(async (name) => {
      const glue = addressesIn(answer, name);
      const addresses = glue.length > 0 ? glue : await addressesOf(name, finder);
      return { name, places: addresses.map((address) => ({ address, port: finder.port, isRecursive: false })) };
    }),
  );
}

const namesIn = (answer: Answer, zone: string): readonly string[] =>
  recordsOf(answer, { name: zone, type: "NS" }).map(({ text }) => text.replace(/(?<=.)\.$/u, ""));

/** Asks a server which servers a zone has. An answer that is a failure counts as none. */
async function askForServers({ name, places }: Server, zone: string, { stop }: Finder): Promise<Reply> {
  const reply = await askAny(places, { name: zone, type: "NS" }, stop);
  if (typeof reply === "string") return `${name}: ${reply}`;
  return isFailure(reply.answer) ? `${name}: ${reply.answer.code}` : reply;
}

/** The servers that the parent names for a zone. */
export interface Delegation {
  /** The server of the parent that said so. */
  readonly parent: Server;
  /** Empty: it is not delegated. */
  readonly servers: readonly Server[];
  /** What the parent answered, where it names none. */
  readonly code: string;
}

/** Asks the servers of the parent which servers a zone has. Returns why nobody could be asked, if so. */
export async function findDelegation(zone: string, finder: Finder): Promise<Delegation | string> {
  const above = await serversAbove(zone, finder);
  if (typeof above === "string") return above;
  let reason = "no server of the parent has an address";
  for (const parent of above.slice(0, mostServers)) {
    const reply = await askForServers(parent, zone, finder);
    if (typeof reply === "string") reason = reply;
    else {
      const { answer, place } = reply;
      const servers = await serversNamed(namesIn(answer, zone), answer, finder);
      return { parent: { ...parent, places: [place] }, servers, code: answer.code };
    }
  }
  return reason;
}

/** Returns the servers of the zone above a zone: a name between the two may be no zone. */
async function serversAbove(zone: string, finder: Finder): Promise<Server[] | string> {
  const labels = zone.split(".");
  for (let from = 1; from <= labels.length; from += 1) {
    const name = labels.slice(from).join(".") || ".";
    const reply = await askForServers(finder.resolver, name, finder);
    if (typeof reply === "string") return reply;
    const names = namesIn(reply.answer, name);
    if (names.length > 0) return serversNamed(names, reply.answer, finder);
  }
  return `${finder.resolver.name} knows no zone above ${zone}`;
}

/** Reads `ADDRESS` or `ADDRESS:PORT`, an IPv6 address with a port in brackets; undefined for anything else. */
export function readPlace(text: string): Omit<Place, "isRecursive"> | undefined {
  if (isIP(text) > 0) return { address: text, port: 53 };
  const [, v6, other = "", digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/u.exec(text) ?? [];
  const port = Number(digits);
  if (!(port >= 1 && port <= 65_535)) return undefined;
  const address = v6 ?? other;
  return (v6 === undefined ? isIP(other) === 4 : isIPv6(v6)) ? { address, port } : undefined;
}

/** A server at one address. */
interface Place {
  readonly address: string;
  readonly port: number;
  /** Whether it may ask others for what it does not know. */
  readonly isRecursive: boolean;
}

/** Milliseconds after which a question is sent again, then after which it is given up. */
const sendAgainAfter = 1000;
const giveUpAfter = 3000;

/** The bytes of the longest answer over TCP, behind its length. */
const longest = 65_535;

/** Asks a server over UDP, and over TCP where the answer does not fit. Returns the answer, or why there is none. */
async function ask(place: Place, question: Question, stop: AbortSignal): Promise<Answer | string> {
  if (stop.aborted) return "stopped";
  const answer = await askOverUdp(place, question, stop);
  return typeof answer !== "string" && answer.isTruncated ? askOverTcp(place, question, stop) : answer;
}

/** The system takes datagrams of this one address and port only, and chooses a port of ours at random. */
async function askOverUdp({ address, port, isRecursive }: Place, question: Question, signal: AbortSignal) {
  const id = randomInt(65_536);
  const send = () => socket.send(writeQuestion(question, id, isRecursive));
  const socket = createSocket({ type: isIPv6(address) ? "udp6" : "udp4", signal });
  let strangers = 0;
  return new Promise<Answer | string>((resolve) => {
    const timers: NodeJS.Timeout[] = [];
    let result: Answer | string | undefined;
    const end = (answer: Answer | string) => {
      if (result === undefined) socket.close();
      result ??= answer;
    };
    // A signal closes it, too.
    socket.once("close", () => {
      timers.forEach(clearTimeout);
      resolve((result ??= "stopped"));
    });
    socket.on("error", (error) => end(connectionText(error)));
    socket.on("message", (bytes) => {
      const read = readAnswer(bytes, question, id);
      if (read) end(read);
      else strangers += 1;
    });
    // A callback of connect would be called where it failed, too.
    socket.once("connect", () => {
      timers.push(setTimeout(send, sendAgainAfter));
      timers.push(setTimeout(() => end(strangers > 0 ? "no answer to this question" : "no answer"), giveUpAfter));
      send();
    });
    socket.connect(port, address);
  });
}

async function askOverTcp({ address, port, isRecursive }: Place, question: Question, signal: AbortSignal) {
  const id = randomInt(65_536);
  return new Promise<Answer | string>((resolve) => {
    const socket = connect({ host: address, port, signal });
    const end = (result: Answer | string) => {
      resolve(result);
      socket.destroy();
    };
    let bytes = Buffer.alloc(0);
    const timer = setTimeout(() => end("no answer over TCP"), giveUpAfter);
    socket.once("close", () => {
      clearTimeout(timer);
      end("no whole answer over TCP");
    });
    socket.once("error", (error) => end(connectionText(error)));
    socket.once("connect", () => {
      const message = writeQuestion(question, id, isRecursive);
      socket.write(Buffer.concat([Buffer.of(message.length >> 8, message.length & 255), message]));
    });
    socket.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk.subarray(0, longest + 2 - bytes.length)]);
      const length = bytes.length < 2 ? longest : bytes.readUInt16BE();
      if (bytes.length < length + 2) return;
      const answer = readAnswer(bytes.subarray(2, length + 2), question, id);
      // Nothing is longer: a server that cuts off its answer here, too, gives none.
      if (answer?.isTruncated !== true) end(answer ?? "no answer to this question over TCP");
      else end("no whole answer over TCP");
    });
  });
}
