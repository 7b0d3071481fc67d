import type { IncomingMessage, ServerResponse } from "node:http";
import { answerJson, startHttpsServer } from "../support/https-server.ts";

export interface Entry {
  readonly id: number;
  body: string;
  state: string;
  readonly by: string;
}

/** A forge that keeps the comments of one pull request and the issues of one repository. */
export interface ScriptedForge {
  readonly baseUrl: string;
  /** The authority that signed its certificate, as PEM. */
  readonly ca: string;
  readonly comments: Entry[];
  readonly issues: Entry[];
  readonly close: () => Promise<void>;
}

export const forgeToken = "forge-token";
const bot = "github-actions[bot]";

/** Returns what the owner of the token has written. */
export const ours = (all: readonly Entry[]): readonly Entry[] => all.filter(({ by }) => by === bot);

/** An entry that bears a mark of Hostform and was written by another user. */
export const strangers = (mark: string): Entry => ({
  id: 1,
  body: `<!-- hostform:${mark} -->`,
  state: "open",
  by: "stranger",
});

/** Starts a forge with the API of GitHub and Forgejo, and below /gitlab with that of GitLab. */
export async function startForge(): Promise<ScriptedForge> {
  const [comments, issues]: [Entry[], Entry[]] = [[], []];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = (chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {}) as Record<string, string>;
    const { pathname, searchParams } = new URL(request.url ?? "", "https://forge.example");
    const isGitLab = pathname.startsWith("/gitlab");
    const reply = (value: unknown, status = 200) => {
      answerJson(response, status, value);
    };
    const token = isGitLab ? request.headers["private-token"] : request.headers.authorization?.replace("token ", "");
    if (token !== forgeToken) return reply({ message: "401 Unauthorized" }, 401);
    if (pathname.endsWith("/user")) return reply({ id: bot });
    const shown = ({ id, body: text, state, by }: Entry) =>
      isGitLab
        ? { id, iid: id, body: text, description: text, state, author: { id: by } }
        : { id, number: id, body: text, state, user: { login: by } };
    const list = /(?:notes|comments)(?:\/\d+)?$/u.test(pathname) ? comments : issues;
    const id = Number(/\/(\d+)$/u.exec(pathname)?.[1] ?? 0);
    const text = body["body"] ?? body["description"];
    if (request.method === "GET")
      return reply(searchParams.get("page") === "1" ? list.filter(({ state }) => state === "open").map(shown) : []);
    if (request.method === "POST") {
      const made = { id: list.length + 1, body: text ?? "", state: "open", by: bot };
      list.push(made);
      return reply(shown(made), 201);
    }
    const found = list.find((each) => each.id === id);
    if (!found) return reply({ message: "404" }, 404);
    if (text !== undefined) found.body = text;
    if (body["state"] === "closed" || body["state_event"] === "close") found.state = "closed";
    return reply(shown(found));
  };
  const { baseUrl, ca, close } = await startHttpsServer((request, response) => void answer(request, response));
  return { baseUrl: baseUrl.href, ca, comments, issues, close };
}
