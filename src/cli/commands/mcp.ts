import { realpathSync, statSync } from "node:fs";
import { chdir, stdin } from "node:process";
import { McpServer, type CallToolResult, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Ending } from "../../engine/session/host.ts";
import { orElse } from "../../lib/or-undefined.ts";
import { exitCodes } from "../../render/exit-codes.ts";
import { badArguments } from "../../engine/session/input-error.ts";
import { keepKeys } from "../../engine/session/read-key.ts";
import { version } from "../../engine/session/node-host.ts";
import { explain } from "../endings.ts";
import type { Io } from "../io.ts";
import { maskingIo } from "../masking-io.ts";
import { realPath } from "../../lib/inside.ts";
import { harmless } from "../../lib/shorten.ts";
import { confineTo } from "../mcp/confine.ts";
import { maxAnswer, tools, type Answer, type Call, type RunnerOptions, type Work } from "../mcp/tools.ts";

/** Bytes of one message of a client. */
const maxMessage = 1024 * 1024;

/** Calls that wait for their turn; a call beyond them is refused. */
const maxWaiting = 20;

/** Variables with which a runner names files. */
const pathVariables = [
  "HOSTFORM_KEY_FILE",
  "HOSTFORM_CA_FILE",
  "HOSTFORM_CONTRACT",
  "HOSTFORM_EXEC_FILE",
  "HOSTFORM_FILE",
  "NODE_EXTRA_CA_CERTS",
];

/** Serves tools that only read to a model, over standard input and output, until the input ends. */
export async function mcp(
  { folder = ".", ...runner }: RunnerOptions & { readonly folder?: string },
  io: Io,
): Promise<Ending> {
  // All paths of the command line are of that folder, as with git -C.
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw badArguments(`${folder} is not a folder`, "name the folder that holds the manifests");
  const top = realpathSync(folder);
  chdir(top);
  const { keyFile, caFile, contract, execFile, inventory, emulatorData: data, ...more } = runner;
  const own = [keyFile, caFile, contract, execFile, ...withNeighbours(inventory, [".lease"])];
  const ofService = withNeighbours(data, [".key", ".ca.pem", ".cert.pem", ".key.pem"]);
  const lists = [...(more.file ?? []), ...more.allowFile, ...(more.varFile ?? [])];
  confineTo(top, [...pathVariables.map((name) => io.env[name]), ...own, ...ofService, ...lists]);
  const answer = answering(top, runner, io);
  const makeServer = () => {
    const server = new McpServer({ name: "hostform", version: version() });
    for (const register of tools) register(server, answer);
    return server;
  };
  const transport = new StdioServerTransport(stdin, undefined, { maxBufferSize: maxMessage });
  const onerror = ({ message }: Error) => {
    // Mistakes of form are a list in JSON.
    const reason = message.startsWith("[") ? "it is not JSON-RPC 2.0" : harmless(message);
    io.writeError(`A message of the client cannot be read: ${reason}\n`);
  };
  serveStdio(makeServer, { transport, onerror });
  answerBeforeClosing(transport);
  const { onclose: closeServer } = transport;
  await new Promise<void>((resolve) => {
    const onclose = () => {
      closeServer?.();
      resolve();
    };
    Object.assign(transport, { onclose });
  });
  const { readableEnded } = stdin;
  // A client that goes on writing would keep the process.
  stdin.destroy();
  // Else a message was too long, or nobody reads the answers.
  return readableEnded ? "done" : "wrong_input";
}

/** Returns a file, and what Hostform keeps beside it. */
const withNeighbours = (path: string | undefined, endings: readonly string[]) =>
  path === undefined ? [] : [path, ...endings.map((ending) => `${realPath(path)}${ending}`)];

/** Keeps a transport open after the end of its input until each call has its answer; a call that the client cancels gets none. */
function answerBeforeClosing(transport: StdioServerTransport): void {
  const open = new Set<unknown>();
  const { onmessage } = transport;
  const [close, send] = [transport.close.bind(transport), transport.send.bind(transport)];
  const closeOnceAnswered = async () => {
    if (open.size === 0 || !stdin.readableEnded) await close();
  };
  const settle = async (id: unknown) => {
    if (open.delete(id) && stdin.readableEnded) await closeOnceAnswered();
  };
  Object.assign(transport, {
    close: closeOnceAnswered,
    onmessage: (message: JSONRPCMessage) => {
      if ("id" in message && "method" in message && message.method === "tools/call") open.add(message.id);
      if ("method" in message && message.method === "notifications/cancelled")
        void settle(message.params?.["requestId"]);
      onmessage?.(message);
    },
    send: async (message: JSONRPCMessage) => {
      try {
        await send(message);
      } finally {
        await settle("id" in message ? message.id : undefined);
      }
    },
  });
}

/** Returns a function that runs calls one after the other, each with secrets of its own, and cuts their answers. */
function answering(folder: string, runner: RunnerOptions, io: Io): Answer {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (work, stop, json) => {
    if (waiting >= maxWaiting) return textOf("Too many calls wait for their turn: wait for an answer first.", true);
    waiting += 1;
    const turn = last.then(() => runCall(work, { folder, runner, io: { ...io, stop } }, json));
    last = turn.catch(() => undefined).finally(() => (waiting -= 1));
    return turn;
  };
}

async function runCall(work: Work, { folder, runner, io }: Call, json: boolean): ReturnType<Answer> {
  let text = "";
  let length = 0;
  const keep = (part: string) => {
    length += part.length;
    text += part.slice(0, Math.max(0, maxAnswer - text.length));
  };
  // Commands of a CI job post their end, and add to its summary.
  const { HOSTFORM_NOTIFY_URL: _url, GITHUB_ACTIONS: _isJob, ...env } = io.env;
  const own = maskingIo({
    ...io,
    env,
    write: keep,
    writeError: keep,
    readStdin: async () => Buffer.of(),
    ask: async () => undefined,
    interactive: false,
    color: false,
    width: 100,
    errorWidth: undefined,
    columnsToErase: undefined,
    readsOnly: true,
  });
  keepKeys(runner.keyFile === undefined ? [] : [runner.keyFile], own);
  const explained = (error: unknown) => explain(error, { json, all: false }, own);
  const ending = await orElse(() => work({ folder, runner, io: own }), explained);
  const cut =
    length > text.length ? `\n… and ${length - text.length} more characters: ask for less, such as with only.` : "";
  const isError = ["wrong_input", "api_unavailable", "unexpected"].includes(ending);
  return textOf(`${text}${cut}\nExit code ${exitCodes[ending]} (${ending})`, isError);
}

const textOf = (text: string, isError: boolean): CallToolResult => ({ content: [{ type: "text", text }], isError });
