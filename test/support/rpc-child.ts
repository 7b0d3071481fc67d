import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A message of JSON-RPC 2.0. */
export interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A process that answers JSON-RPC on its standard input and output, each message on a line. */
export interface RpcChild {
  /** Sends a request, and returns the message that answers it. */
  readonly ask: (method: string, params?: unknown) => Promise<Message>;
  readonly tell: (method: string, params?: unknown) => void;
  /** Writes any bytes, as a broken client may. */
  readonly write: (text: string) => void;
  /** What it has printed so far on both streams. */
  readonly printed: () => string;
  /** Its exit status, once it has ended. */
  readonly ended: Promise<number | null>;
  /** Closes its input, and returns its exit status. */
  readonly end: () => Promise<number | null>;
}

export function startRpc(
  args: readonly string[],
  { cwd, env = {} }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): RpcChild {
  const child = spawn(process.execPath, [...args], { cwd, env: { PATH: process.env["PATH"] ?? "", ...env } });
  const answers = new Map<number, (message: Message) => void>();
  let ids = 0;
  let printed = "";
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const write = (text: string) => child.stdin.write(text);
  const send = (message: object) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  child.stdin.on("error", () => undefined);
  child.stderr.on("data", (part: Buffer) => (printed += part.toString()));
  createInterface({ input: child.stdout }).on("line", (line) => {
    printed += `${line}\n`;
    const message = JSON.parse(line) as Message;
    answers.get(message.id ?? -1)?.(message);
  });
  return {
    ask: (method, params = {}) => {
      ids += 1;
      const id = ids;
      return new Promise((resolve, reject) => {
        answers.set(id, resolve);
        void ended.then((status) =>
          reject(new Error(`It ended with ${status} before it answered ${method}: ${printed}`)),
        );
        send({ id, method, params });
      });
    },
    tell: (method, params = {}) => send({ method, params }),
    write,
    printed: () => printed,
    ended,
    end: () => {
      child.stdin.end();
      return ended;
    },
  };
}
