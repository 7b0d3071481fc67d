import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net";
import { EmulatorError } from "../emulator-error.ts";
import type { Answer } from "./answer.ts";

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** PEM. */
  readonly cert: string;
  readonly key: string;
  /** Added to each answer, in ms. */
  readonly latencyMs: number;
  readonly answer: (request: IncomingMessage) => Promise<Answer>;
  /** The answer to bytes that are not HTTP, or to a request that breaks off. */
  readonly answerGarbage: () => Answer;
}

/** The time for which a client that still sends a refused body is listened to, so that it gets to read the refusal. */
const lingerMs = 500;

/** The most that a timer of Node counts: a longer one would end at once. */
const longestWaitMs = 2 ** 31 - 1;

/** Serves HTTPS only. Returns the port, and the address: `0.0.0.0` or `::` for all of this machine. Throws an `EmulatorError` when the port cannot be listened on. */
export async function listen(options: ListenOptions) {
  const { cert, key, latencyMs, answer, host, port } = options;
  const https = createHttpsServer({ cert, key, keepAliveTimeout: 60_000 }, (request, response) => {
    respond(request, response, answer, latencyMs).catch((error: Error) => response.destroy(error));
  });
  https.on("clientError", (_, socket) => {
    if (socket.writable) socket.end(messageOf(options.answerGarbage()));
  });
  const sockets = new Set<Socket>();
  const front = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
    socket.once("data", (first: Buffer) => greet(socket, first, (secure) => https.emit("connection", secure)));
  });
  await bind(front, host, port);
  return {
    ...(front.address() as AddressInfo),
    /** Ends all connections, those in use as well. */
    close: (): Promise<void> =>
      new Promise((resolve) => {
        front.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const tlsHandshake = 0x16;

/** Hands a TLS connection on, and tells any other what this port speaks. */
function greet(socket: Socket, first: Buffer, secure: (socket: Socket) => void): void {
  if (first[0] === tlsHandshake) {
    socket.pause();
    socket.unshift(first);
    secure(socket);
  } else {
    socket.end(
      messageOf({ status: 400, headers: { "Content-Type": "text/plain" }, body: "This port speaks HTTPS only.\n" }),
    );
  }
}

/** A whole answer as text, for a connection that has no request to answer. */
function messageOf({ status, headers, body = "" }: Answer): string {
  const lines = Object.entries({ ...headers, "Content-Length": Buffer.byteLength(body), Connection: "close" });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(cannotListen(error, host, port));
    server.once("error", fail);
    try {
      server.listen(port, host, resolve);
    } catch (error) {
      fail(error as NodeJS.ErrnoException);
    }
  });
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): EmulatorError {
  const hints: Readonly<Record<string, string>> = {
    EADDRINUSE: "Another program listens there: stop it, or take another port (0: any free one).",
    ERR_SOCKET_BAD_PORT: "Take a port from 0 to 65535 (0: any free one).",
    EACCES: "Ports below 1024 need rights that this user lacks: take a higher one.",
  };
  const hint = hints[error.code ?? ""] ?? "Name a host that is an address of this machine, such as 127.0.0.1.";
  return new EmulatorError(`Listening on ${host} port ${port} failed: ${error.code ?? error.message}.`, hint, error);
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: ListenOptions["answer"],
  latencyMs: number,
): Promise<void> {
  const { status, headers, body, delivery = {} } = await answer(request);
  const waitMs = Math.min(latencyMs + (delivery.delayMs ?? 0), longestWaitMs);
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs).unref());
  if (delivery.end === "hang") return;
  if (delivery.end === "reset" || delivery.end === "exit") {
    request.socket.destroy();
    return;
  }
  const bytes = Buffer.from(body ?? "");
  const all: Record<string, string | number> = { ...headers };
  if (body !== undefined) all["Content-Length"] = bytes.length;
  response.writeHead(status, all);
  if (delivery.end === "truncate") {
    sendPart(response, bytes.subarray(0, Math.min(delivery.bytes ?? 0, bytes.length - 1)));
    return;
  }
  if (headers["Connection"] !== "close" || request.complete) {
    response.end(bytes);
    return;
  }
  response.write(bytes);
  request.resume();
  const end = (): void => void response.end();
  request.once("end", end);
  setTimeout(end, lingerMs).unref();
}

/** The connection breaks once the part is out. */
function sendPart(response: ServerResponse, part: Buffer): void {
  response.flushHeaders();
  if (part.length > 0) response.write(part);
  // An empty write comes after what has been written before it.
  response.socket?.write("", () => response.destroy());
}
