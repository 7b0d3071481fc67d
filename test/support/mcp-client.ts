import { cli } from "./run-hostform.ts";
import { startRpc, type RpcChild } from "./rpc-child.ts";

/** What a tool answers. */
export interface Answered {
  readonly text: string;
  readonly isError: boolean;
}

export interface McpClient extends RpcChild {
  /** Calls a tool. A refusal of the protocol is an answer, too. */
  readonly call: (tool: string, input?: unknown) => Promise<Answered>;
}

/** Starts `hostform mcp` with the arguments, and opens the protocol. `node`: arguments of Node. */
export async function startMcp(
  args: readonly string[],
  options: { cwd?: string; env?: Readonly<Record<string, string>>; node?: readonly string[] } = {},
): Promise<McpClient> {
  const child = startRpc([...(options.node ?? []), cli, "mcp", ...args], options);
  await child.ask("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  child.tell("notifications/initialized");
  return {
    ...child,
    call: async (name, input = {}) => {
      const { result, error } = await child.ask("tools/call", { name, arguments: input });
      if (error) return { text: error.message, isError: true };
      const { content, isError = false } = result as { content: { text: string }[]; isError?: boolean };
      return { text: content.map(({ text }) => text).join("\n"), isError };
    },
  };
}
