import { type ChildProcess, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buffer } from "node:stream/consumers";
import Database from "libsql";
import { Agent, request as forward } from "undici";
import { startHttpsServer } from "../support/https-server.ts";

const program = "/usr/sbin/pdns_server";
const schema = "/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql";

/** Why the real server cannot be started; undefined if it can. Nothing is installed for it. */
export const missing = [program, schema].some((file) => !existsSync(file))
  ? "install Debian's pdns-server and pdns-backend-sqlite3, without their service"
  : undefined;

const key = "key-of-powerdns";

export interface PowerDns {
  readonly folder: string;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The address for DNS queries, for `setServers`. */
  readonly dns: string;
  /** The writes since the last call, as their JSON bodies. */
  readonly writes: () => readonly string[];
  /** Sends a request by hand, as someone else would. */
  readonly byHand: (method: string, path: string, body?: unknown) => Promise<unknown>;
  /** Called before and after each write, with its number, from 1. */
  meddle: (nth: number, when: "before" | "after") => Promise<void>;
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
  /** The number of answers to a DNS query over UDP; for types that node:dns does not ask for. */
  readonly countAnswers: (name: string, type: number) => Promise<number>;
  readonly close: () => Promise<void>;
}

/** Starts a server on loopback, with its files in a folder of its own, and a TLS proxy before its API. */
export async function startPowerDns(): Promise<PowerDns> {
  const folder = mkdtempSync(join(tmpdir(), "hostform-powerdns-"));
  const [dnsPort, apiPort] = [await freePort(), await freePort()];
  writeConfig(folder, dnsPort, apiPort);
  let child = await startServer(folder);
  const agent = new Agent();
  const ask = (method: string, path: string, body?: Buffer | string) =>
    forward(`http://127.0.0.1:${apiPort}${path}`, {
      method: method as "GET",
      dispatcher: agent,
      headers: { "x-api-key": key, "content-type": "application/json", accept: "application/json" },
      body: body === undefined || body.length === 0 ? null : body,
    });
  let writes: string[] = [];
  let nth = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    const { method = "", url = "" } = request;
    const isWrite = method !== "GET";
    if (isWrite) writes.push(`${method} ${body.toString()}`);
    const own = isWrite ? (nth += 1) : nth;
    if (isWrite) await server.meddle(own, "before");
    const answer = await ask(method, url, body);
    const text = await answer.body.text();
    if (isWrite) await server.meddle(own, "after");
    const type = String(answer.headers["content-type"] ?? "application/json");
    response.writeHead(request.headers["x-api-key"] === key ? answer.statusCode : 401, { "content-type": type });
    response.end(text);
  };
  const proxy = await startHttpsServer((request, response) => {
    // The server is down: a proxy of this kind closes the connection.
    serve(request, response).catch(() => response.destroy());
  });
  writeFileSync(join(folder, "ca.pem"), proxy.ca);
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "close");
    child.kill("SIGKILL");
    await ended;
  };
  const contract = join(folder, "contract.yaml");
  const base = "{ nameservers: [ns1.host.example., ns2.host.example.] }";
  writeFileSync(
    contract,
    `extends: powerdns\nname: own\nkinds: { dns_zone: { operations: { create: { base: ${base} } } } }\n`,
  );
  const server: PowerDns = {
    folder,
    flags: ["--base-url", proxy.baseUrl.href, "--ca-file", join(folder, "ca.pem"), "--contract", contract],
    env: { HOSTFORM_API_KEY: key },
    dns: `127.0.0.1:${dnsPort}`,
    writes: () => {
      const all = writes;
      writes = [];
      nth = 0;
      return all;
    },
    byHand: async (method, path, body) => {
      const answer = await ask(
        method,
        `/api/v1/servers/localhost${path}`,
        body === undefined ? undefined : JSON.stringify(body),
      );
      const text = await answer.body.text();
      if (answer.statusCode > 299) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
      return text === "" ? undefined : JSON.parse(text);
    },
    meddle: async () => undefined,
    kill,
    restart: async () => {
      await kill();
      child = await startServer(folder);
    },
    countAnswers: (name, type) => countAnswers(dnsPort, name, type),
    close: async () => {
      await proxy.close();
      await kill();
      await agent.close();
      rmSync(folder, { recursive: true });
    },
  };
  return server;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("A free port has no number");
  return address.port;
}

function writeConfig(folder: string, dnsPort: number, apiPort: number): void {
  const file = join(folder, "pdns.db");
  const database = new Database(file);
  database.exec(readFileSync(schema, "utf8"));
  database.close();
  const settings = {
    launch: "gsqlite3",
    "gsqlite3-database": file,
    "gsqlite3-dnssec": "yes",
    "local-address": "127.0.0.1",
    "local-port": dnsPort,
    "socket-dir": folder,
    webserver: "yes",
    "webserver-address": "127.0.0.1",
    "webserver-port": apiPort,
    "webserver-allow-from": "127.0.0.1",
    api: "yes",
    "api-key": key,
    // A zone is found by the request after its creation, and a record that changes is answered at once.
    "zone-cache-refresh-interval": 0,
    "cache-ttl": 0,
    "negquery-cache-ttl": 0,
    "query-cache-ttl": 0,
    "expand-alias": "yes",
    resolver: `127.0.0.1:${dnsPort}`,
    "security-poll-suffix": "",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, "pdns.conf"), lines.join(""));
}

/** Starts the program in the foreground, and returns it when it answers. */
async function startServer(folder: string): Promise<ChildProcess> {
  const args = [`--config-dir=${folder}`, "--daemon=no", "--guardian=no", "--disable-syslog"];
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => reject(new Error(`pdns_server ended with ${status}:\n${said.join("\n")}`)));
    createInterface(child.stderr).on("line", (line) => {
      said.push(line);
      if (line.includes("Done launching threads")) resolve();
    });
  });
  return child;
}

/** Sends one query (RFC 1035, 4.1) and returns ANCOUNT of its answer. */
async function countAnswers(port: number, name: string, type: number): Promise<number> {
  const header = Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  const labels = name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  const query = Buffer.concat([header, ...labels, Buffer.from([0, 0, type, 0, 1])]);
  const socket = createSocket("udp4");
  try {
    socket.send(query, port, "127.0.0.1");
    const [answer] = (await once(socket, "message")) as [Buffer];
    return answer.readUInt16BE(6);
  } finally {
    socket.close();
  }
}
