import { spawn, type ChildProcess } from "node:child_process";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import dnsPacket from "dns-packet";

const program = "/usr/sbin/nsd";

/** Why the real name server cannot be started; undefined if it can. */
export const missing = existsSync(program) ? undefined : "nsd is absent: apt-get install nsd";

/** The texts of zones by their names. */
export type Zones = Readonly<Record<string, string>>;

export interface NameServer {
  /** As `--resolver` takes it. */
  readonly place: string;
  readonly stop: () => Promise<void>;
}

/** Starts nsd on a free port of loopback, or on a given one, with its files in a folder of its own. */
export async function startNsd(zones: Zones, given?: number): Promise<NameServer & { readonly port: number }> {
  const folder = mkdtempSync(join(tmpdir(), "hostform-nsd-"));
  const port = given ?? (await freePort());
  const own = ["zonelistfile", "cookie-secret-file", "xfrdir", "zonesdir"].map((name) => {
    const isFolder = name.endsWith("dir");
    return `  ${name}: "${isFolder ? folder : join(folder, name)}"`;
  });
  const none = ["username", "chroot", "database", "pidfile", "xfrdfile"].map((name) => `  ${name}: ""`);
  const blocks = Object.entries(zones).map(([name, text], index) => {
    writeFileSync(join(folder, `zone-${index}`), text);
    return `zone:\n  name: "${name}"\n  zonefile: "zone-${index}"`;
  });
  const server = ["server:", `  ip-address: 127.0.0.1@${port}`, "  server-count: 1", "  verbosity: 1", ...own, ...none];
  const text = [...server, "remote-control:", "  control-enable: no", ...blocks].join("\n");
  writeFileSync(join(folder, "nsd.conf"), `${text}\n`);
  const child = spawn(program, ["-d", "-c", join(folder, "nsd.conf")], { stdio: ["ignore", "ignore", "pipe"] });
  const stop = async () => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  await started(child).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { place: `127.0.0.1:${port}`, port, stop };
}

async function started(child: ChildProcess): Promise<void> {
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => reject(new Error(`nsd ended with ${status}:\n${said.join("\n")}`)));
    if (child.stderr)
      createInterface(child.stderr).on("line", (line) => {
        said.push(line);
        if (line.includes("nsd started")) resolve();
      });
  });
  // nsd goes on although it cannot read a zone.
  const wrong = said.filter((line) => line.includes("error"));
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, "close");
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A question as a server of a test sees it. */
export interface Asked {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly isTcp: boolean;
}

/** Returns the datagrams that answer a question, or the bytes that go over the connection. */
export type Respond = (asked: Asked) => readonly Buffer[];

/** Starts a server that answers as a test says, over UDP and TCP on one free port. */
export async function startServer(respond: Respond, address = "127.0.0.1", given?: number): Promise<NameServer> {
  const tcp = createServer((connection) => {
    connection.on("error", () => undefined);
    connection.once("data", (bytes) => {
      for (const each of respond(read(bytes.subarray(2), true))) connection.write(each);
      connection.end();
    });
  }).listen(given ?? 0, address);
  await once(tcp, "listening");
  const { port } = tcp.address() as AddressInfo;
  const udp: Socket = createSocket("udp4");
  udp.on("message", (bytes, from) => {
    for (const each of respond(read(bytes, false))) udp.send(each, from.port, from.address);
  });
  udp.bind(port, address);
  await once(udp, "listening");
  const stop = async () => {
    udp.close();
    tcp.close();
    await once(tcp, "close");
  };
  return { place: `${address}:${port}`, stop };
}

function read(bytes: Buffer, isTcp: boolean): Asked {
  const { id = 0, questions: [question] = [] } = dnsPacket.decode(bytes);
  return { id, name: question?.name ?? "", type: question?.type ?? "", isTcp };
}
