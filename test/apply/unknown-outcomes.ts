import type { IncomingMessage, ServerResponse } from "node:http";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll } from "vitest";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/**
 * Writes whose answer does not tell whether they were carried out, on a service that knows no idempotency key unless a test says so.
 * For all tests of a file, which share an account and a front that breaks its answers.
 */
export function unknownOutcomes() {
  const account = accountForFile();
  const front = frontForFile(account);
  let putBack: () => void;
  let count = 0;

  /** The contract of a service that knows no idempotency key. */
  const contract = () => join(account.folder, "contract.yaml");
  beforeAll(() => {
    account.write("contract.yaml", "contract: 1\nname: plain\nextends: v2026\nrequest: { idempotency: null }\n");
    putBack = account.mirror.keep();
  });
  afterEach(() => {
    // An account that grows would be read whole by each of the tests after.
    putBack();
    front.interfere(() => false);
    rmSync(journal(), { force: true });
  });

  const fresh = () => `name-${(count += 1)}.example`;
  const journal = () => join(account.folder, "unknown.journal");
  const apply = async (manifest: string, flags: readonly string[] = ["--contract", contract()]) => {
    const file = account.write("m.yaml", `version: 1\nname: unknown\n${manifest}`);
    const ran = await runInProcess(
      front,
      ["apply", "-f", file, "--auto-approve", "--journal", journal(), ...flags],
      { PASSWORD: "correct horse battery" },
      virtualClock(),
    );
    return { ...ran, said: ran.stdout + ran.stderr };
  };
  /** How often the service has made something under a path, as its own log has it. */
  const made = async (path: string) =>
    (await account.operations()).filter(
      (operation) => operation.method === "POST" && operation.status < 300 && operation.path.startsWith(path),
    ).length;

  /** Breaks the first answers to what matches: after the service has done it, or before it hears of it. */
  function breakFirst(matches: (request: IncomingMessage) => boolean, when: "before" | "after", how: Break, times = 1) {
    let left = times;
    front.interfere(async (request, response, pass) => {
      if (!matches(request) || left === 0) return false;
      left -= 1;
      if (when === "after") await pass();
      how(response);
      return true;
    });
  }

  return { account, front, contract, fresh, journal, apply, made, breakFirst };
}

export const mailbox = (domain: string, more = "") =>
  `domains: { ${domain}: {} }\nmail: { ${domain}: { mailboxes: { info: { quota: 1 GiB, password: "\${env:PASSWORD}"${more} } } } }\n`;

export const isPost = (path: string) => (request: IncomingMessage) =>
  request.method === "POST" && request.url?.startsWith(path) === true;

export type Break = (response: ServerResponse) => void;

export const hangUp: Break = (response) => response.socket?.destroy();

export const breaks: Readonly<Record<string, Break>> = {
  "the connection breaks": hangUp,
  "half an answer comes": (response) =>
    response.writeHead(201, { "content-length": "500" }).write('{"da', () => hangUp(response)),
  "status 500 comes": (response) => answerJson(response, 500, { message: "oops" }),
  "status 502 comes, with a page": (response) =>
    response.writeHead(502, { "content-type": "text/html" }).end("<html><title>Bad Gateway</title></html>"),
  "status 503 comes": (response) => answerJson(response, 503, { message: "busy" }, { "retry-after": "3" }),
  "a page comes with status 200": (response) => response.end("<html>"),
};
