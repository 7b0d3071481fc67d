import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import { readAnswer, writeQuestion, type Answer, type Question } from "./message.ts";

/** A server at one address. */
export interface Place {
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
export async function ask(place: Place, question: Question, stop: AbortSignal): Promise<Answer | string> {
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
    socket.on("error", ({ message }) => end(message));
    socket.on("message", (bytes) => {
      const read = readAnswer(bytes, question, id);
      if (read) end(read);
      else strangers += 1;
    });
    socket.connect(port, address, () => {
      timers.push(setTimeout(send, sendAgainAfter));
      timers.push(setTimeout(() => end(strangers > 0 ? "no answer to this question" : "no answer"), giveUpAfter));
      send();
    });
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
    socket.once("error", ({ message }) => end(message));
    socket.once("connect", () => {
      const message = writeQuestion(question, id, isRecursive);
      socket.write(Buffer.concat([Buffer.of(message.length >> 8, message.length & 255), message]));
    });
    socket.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk.subarray(0, longest + 2 - bytes.length)]);
      const length = bytes.length < 2 ? longest : bytes.readUInt16BE();
      if (bytes.length < length + 2) return;
      end(readAnswer(bytes.subarray(2, length + 2), question, id) ?? "no answer to this question over TCP");
    });
  });
}
