import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";

/** The folder with servers that stand in for vendors' APIs. It lies beside the project, and is not a part of it. */
export const standIns = fileURLToPath(new URL("../../../shared/vendors", import.meta.url));
export const areThere = existsSync(standIns);

/** A server that stands in for a vendor's API, strict: it refuses body fields that the vendor's description does not name. */
export interface StandIn {
  readonly folder: string;
  readonly baseUrl: string;
  readonly env: Readonly<Record<string, string>>;
  readonly write: (name: string, text: string) => string;
  /** Sends a request by hand, as someone else would. */
  readonly byHand: (method: string, path: string, body?: unknown) => Promise<unknown>;
  /** The requests since the last look. */
  readonly log: () => Promise<
    readonly { method: string; path: string; status: number; body?: unknown; answer?: unknown }[]
  >;
  readonly close: () => Promise<void>;
}

/** The certificates of all stand-ins, which are made once. */
let keys: ReturnType<typeof makeKeys> | undefined;

function makeKeys(folder: string): readonly (readonly [file: string, bytes: Buffer])[] {
  const made = spawnSync("sh", ["make.sh"], { cwd: folder, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`The certificate was not made: ${made.stderr}`);
  return readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))] as const);
}

export async function startStandIn(
  name: string,
  { key, headers }: { readonly key: string; readonly headers: Record<string, string> },
): Promise<StandIn> {
  const folder = mkdtempSync(join(tmpdir(), "hostform-vendor-"));
  cpSync(standIns, folder, { recursive: true });
  keys ??= makeKeys(join(folder, "tls"));
  for (const [file, bytes] of keys) writeFileSync(join(folder, "tls", file), bytes);
  const child = spawn(process.execPath, [join(folder, "mocks", `${name}.mjs`), "--strict"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const base = await new Promise<string>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => reject(new Error(`${name} ended with ${status}`)));
    child.stdout
      .setEncoding("utf8")
      .once("data", (line: string) => resolve((JSON.parse(line) as { base: string }).base));
  });
  const caFile = join(folder, "tls/ca.pem");
  writeFileSync(join(folder, "ca.pem"), readFileSync(caFile));
  const agent = new Agent({ connect: { ca: readFileSync(caFile, "utf8") } });
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await request(base + path, {
      method: method as "GET",
      dispatcher: agent,
      headers: { ...headers, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode > 299) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  return {
    folder,
    baseUrl: base,
    env: { HOSTFORM_API_KEY: key },
    write: (file, text) => {
      const path = join(folder, file);
      writeFileSync(path, text);
      return path;
    },
    byHand: send,
    log: async () => (await send("GET", "/__log")) as Awaited<ReturnType<StandIn["log"]>>,
    close: async () => {
      child.kill();
      await ended;
      await agent.close();
      rmSync(folder, { recursive: true });
    },
  };
}
