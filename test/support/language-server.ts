import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";

/** The part of a document, with lines and characters from 0. */
interface Position {
  readonly line: number;
  readonly character: number;
}

/** A mistake as the server tells it. */
export interface EditorMistake {
  readonly range: { readonly start: Position };
  readonly message: string;
}

/** What a completion offers, and what it writes into the document. */
export interface Offer {
  readonly label: string;
  readonly insertText: string;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

const require = createRequire(import.meta.url);
const program = require.resolve("yaml-language-server/bin/yaml-language-server");
/** What an editor sets; the catalogue of schemas would come from the network. */
const settings = { yaml: { completion: true, hover: true, validate: true, schemaStore: { enable: false } } };

/** Starts the language server of YAML, as editors do. `folder`: the address of the folder in which the documents are said to lie. */
export async function startLanguageServer(folder: URL) {
  const child = spawn(process.execPath, [program, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map<number | string, (message: Message) => void>();
  let count = 0;

  const send = (message: Message) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const answerTo = (key: number | string) => new Promise<Message>((resolve) => waiting.set(key, resolve));
  async function request<Result>(method: string, params: unknown): Promise<Result> {
    count += 1;
    const answer = answerTo(count);
    send({ id: count, method, params });
    const { result, error } = await answer;
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result as Result;
  }
  function take(message: Message): void {
    if (message.method === undefined) waiting.get(message.id ?? 0)?.(message);
    else if (message.method === "textDocument/publishDiagnostics") {
      waiting.get((message.params as { uri: string }).uri)?.(message);
    } else if (message.id !== undefined) {
      const { items = [] } = message.params as { items?: readonly { section: string }[] };
      send({ id: message.id, result: items.map(({ section }) => (section === "yaml" ? settings.yaml : {})) });
    }
  }

  let unread = Buffer.alloc(0);
  child.stdout.on("data", (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    for (;;) {
      const begin = unread.indexOf("\r\n\r\n") + 4;
      const length = Number(/Content-Length: (\d+)/u.exec(unread.toString("latin1", 0, begin))?.[1]);
      if (begin < 4 || unread.length < begin + length) return;
      const message = JSON.parse(unread.toString("utf8", begin, begin + length)) as Message;
      unread = unread.subarray(begin + length);
      take(message);
    }
  });

  const completionItem = { snippetSupport: true };
  const capabilities = { workspace: { configuration: true }, textDocument: { completion: { completionItem } } };
  await request("initialize", { processId: process.pid, rootUri: null, workspaceFolders: null, capabilities });
  send({ method: "initialized", params: {} });

  /** Opens a document, and returns its address. */
  function open(text: string): string {
    count += 1;
    const uri = new URL(`${count}.yaml`, folder).href;
    send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "yaml", version: 1, text } } });
    return uri;
  }
  const at = (uri: string, position: Position) => ({ textDocument: { uri }, position });

  return {
    open,
    /** Returns what is wrong with a text. */
    async mistakesIn(text: string): Promise<readonly EditorMistake[]> {
      const { params } = await answerTo(open(text));
      return (params as { diagnostics: readonly EditorMistake[] }).diagnostics;
    },
    /** Returns what is offered at the end of a text. */
    async offersAfter(text: string): Promise<readonly Offer[]> {
      const lines = text.split("\n");
      const end = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
      return (await request<{ items: readonly Offer[] }>("textDocument/completion", at(open(text), end))).items;
    },
    /** Returns the text that is shown at a place. */
    async hoverAt(uri: string, position: Position): Promise<string> {
      const shown = await request<{ contents: { value: string } } | null>("textDocument/hover", at(uri, position));
      return shown?.contents.value ?? "";
    },
    async close(): Promise<void> {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}
