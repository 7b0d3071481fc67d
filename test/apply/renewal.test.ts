import type { IncomingMessage, ServerResponse } from "node:http";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { forDraws } from "../support/for-draws.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { answerJson, startHttpsServer } from "../support/https-server.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { refusalStatuses } from "../support/refusal-statuses.ts";
import { folderForFile } from "../support/temporary-folder.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { size } from "../proofs/size.ts";
import fc from "fast-check";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A server with one domain whose renewals go wrong in a way that each test says: what a registrar's API does on a bad day. */
const server = openedForFile(() =>
  startHttpsServer((request: IncomingMessage, response: ServerResponse) => {
    if (request.method === "GET") onRead();
    const domain = { id: "d1", name: "example.com", service_id: null, status: "active", expires_at: expiresAt };
    if (request.method === "POST") {
      renewals += 1;
      renew(response);
    } else if (request.url === "/v2026/jobs/j1") {
      const status = (jobs.length > 1 ? jobs.shift() : jobs[0]) ?? "";
      onJob(status);
      answerJson(response, 200, { data: { status, error: { message: "no money left" } } });
    } else if (request.url?.startsWith("/v2026/domains/d1")) answerJson(response, 200, { data: domain });
    else if (request.url?.startsWith("/v2026/domains"))
      answerJson(response, 200, { data: [domain], meta: { total: 1 } });
    else answerJson(response, 200, { data: [], meta: { total: 0 } });
  }),
);
const folder = folderForFile();
let expiresAt: string;
let renewals: number;
let renew: (response: ServerResponse) => void;
let onRead: () => void;
/** What a job says each time that it is asked, the last for good. */
let jobs: string[];
let onJob: (status: string) => void;

const soon = () => new Date(Date.now() + 5 * 86_400_000).toISOString();
const later = () => new Date(Date.now() + 370 * 86_400_000).toISOString();

beforeAll(async () => {
  writeFileSync(join(folder, "ca.pem"), server.ca);
  writeFileSync(join(folder, "m.yaml"), "version: 1\nname: renewal\ndomains: { example.com: { renew_before: 30d } }\n");
});
beforeEach(() => {
  expiresAt = soon();
  renewals = 0;
  onRead = () => undefined;
  onJob = () => undefined;
});

const apply = (...more: readonly string[]) =>
  runInProcess(
    { flags: ["--base-url", server.baseUrl.href, "--ca-file", join(folder, "ca.pem")], env: { HOSTFORM_API_KEY: "k" } },
    [
      "apply",
      "-f",
      join(folder, "m.yaml"),
      "--auto-approve",
      "--settle",
      "0",
      "--allow-purchase",
      "domain/example.com",
      ...more,
    ],
    {},
    virtualClock(),
  );

describe("a renewal whose answer is lost", () => {
  test("is not sent again, and is known to be done by its new expiry", async () => {
    renew = (response) => {
      expiresAt = later();
      response.socket?.destroy();
    };
    const { stdout } = exits(0, await apply());
    expect(stdout).toContain("renewed  domain/example.com");
    expect(renewals).toBe(1);
  });

  test("is read again where reads lag behind", async () => {
    let reads = 0;
    renew = (response) => {
      onRead = () => {
        reads += 1;
        if (reads === 4) expiresAt = later();
      };
      response.socket?.destroy();
    };
    const { stdout } = exits(0, await apply());
    expect(stdout).toContain("renewed  domain/example.com");
    expect(renewals).toBe(1);
  });

  test("and was not done is said so, and is still not sent again", async () => {
    renew = (response) => response.socket?.destroy();
    const { stdout } = exits(5, await apply());
    expect(stdout).toContain("expires_at is unchanged");
    expect(renewals).toBe(1);
  });
});

describe("a renewal that the server accepts", () => {
  const journal = () => ["--journal", join(folder, "j.ndjson")];
  const accept: Readonly<Record<string, (response: ServerResponse) => void>> = {
    "with 200": (response) =>
      answerJson(response, 200, { data: { id: "d1", name: "example.com", expires_at: later() } }),
    "with 202": (response) => answerJson(response, 202, {}),
  };

  test.each(size.every(6, Object.entries(accept)))(
    "%s, and that does not show: it is paid for once, however often",
    async (_, how) => {
      renew = how;
      const first = exits(5, await apply(...journal()));
      expect(first.stdout).toContain("the server accepted it; expires_at is unchanged");
      const second = exits(6, await apply(...journal()));
      expect(second.stderr).toContain("renew domain/example.com had no clear answer");
      expect(renewals).toBe(1);
      expiresAt = later();
      const third = exits(0, await apply(...journal()));
      expect(third.stdout).toMatch(/renew domain\/example\.com .*: it is done/u);
      expect(renewals).toBe(1);
    },
  );

  test("is done when its job is, and the new expiry shows", async () => {
    jobs = ["pending", "done"];
    renew = (response) => answerJson(response, 202, {}, { location: "/v2026/jobs/j1" });
    onJob = (status) => {
      if (status === "done") expiresAt = later();
    };
    const { status, stdout } = await apply(...journal());
    expect(stdout).toContain("renewed  domain/example.com");
    expect(status).toBe(0);
    expect(existsSync(join(folder, "j.ndjson"))).toBe(false);
  });

  test("and gives up, as its job says, was not done, and may be asked for again", async () => {
    jobs = ["failed"];
    renew = (response) => answerJson(response, 202, {}, { location: "/v2026/jobs/j1" });
    const failed = exits(5, await apply(...journal()));
    expect(failed.stdout).toContain("no money left");
    renew = (response) => {
      expiresAt = later();
      answerJson(response, 200, {});
    };
    expect((await apply(...journal())).status).toBe(0);
    expect(renewals).toBe(2);
  });
});

test("a renewal that the server refuses is reported with the server's words", async () => {
  renew = (response) => answerJson(response, 422, { message: "no money left", code: "quota_exceeded" });
  const { stdout } = exits(5, await apply());
  expect(stdout).toContain("422 quota_exceeded: no money left");
  expect(renewals).toBe(1);
});

test("a renewal that is answered with any status is paid for once, and asked for again only where it was surely not done", async () => {
  const journal = join(folder, "any.ndjson");
  const statuses = fc.oneof(
    fc.constantFrom(200, 202, 204, 206, 207, 302, 308, 404, 408, 409, 412, 423, 425, 429, 460, 499, 500, 503, 504),
    fc.integer({ min: 200, max: 999 }),
  );
  const drawn = fc.record({ status: statuses, isDone: fc.boolean(), isLasting: fc.boolean(), shows: fc.boolean() });
  await forDraws(60, drawn, async ({ status, isDone, isLasting, shows }) => {
    rmSync(journal, { force: true });
    [expiresAt, renewals, jobs] = [soon(), 0, []];
    let paid = 0;
    const proves = refusalStatuses.includes(status);
    renew = (response) => {
      const isAnswered = isLasting || renewals === 1;
      const isPaid = isAnswered ? !proves && isDone : true;
      if (isPaid) paid += 1;
      if (isPaid && (shows || !isAnswered)) expiresAt = later();
      if (!isAnswered) answerJson(response, 200, {});
      else if ([204, 205, 304].includes(status)) response.writeHead(status).end();
      else answerJson(response, status, { message: "from a gateway" });
    };
    const first = await apply("--journal", journal);
    const said = first.stdout + first.stderr;
    expect(said).not.toMatch(/This is a bug/u);
    if (first.stdout.includes("renewed  domain/example.com")) expect(paid, said).toBe(1);
    const second = await apply("--journal", journal);
    expect(paid, `${said}${second.stdout}${second.stderr}`).toBeLessThan(2);
    if (proves) return;
    expect(renewals, said).toBe(1);
    expect(second.status, second.stdout + second.stderr).toBe(isDone && shows ? 0 : 6);
  });
});
