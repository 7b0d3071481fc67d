import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { openFront, type Answered } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { breaks, hangUp, isPost, mailbox, unknownOutcomes } from "./unknown-outcomes.ts";
import { size } from "../proofs/size.ts";

const { account, front, contract, fresh, apply, made, breakFirst } = unknownOutcomes();

describe.each(size.every(6, Object.entries(breaks)))("a creation after which %s", (_name, how) => {
  test("is found to be done, and not sent again", async () => {
    const [domain, before] = [fresh(), await made("/v2026/mail/accounts")];
    breakFirst(isPost("/v2026/mail/accounts"), "after", how);
    const ran = exits(0, await apply(mailbox(domain)));
    expect(ran.stdout).toContain(`created  mailbox/info@${domain}`);
    expect((await made("/v2026/mail/accounts")) - before).toBe(1);
  });

  test("is not found, not sent again, and made by the next apply", async () => {
    const [domain, before] = [fresh(), await made("/v2026/mail/accounts")];
    breakFirst(isPost("/v2026/mail/accounts"), "before", how);
    const ran = exits(5, await apply(mailbox(domain)));
    expect(ran.said).toMatch(/POST \/v2026\/mail\/accounts: unknown outcome /u);
    expect(ran.said).toContain("a search for it found nothing so far; another attempt could create it twice");
    expect(ran.said).toContain("it is not retried; the next apply looks for it first. Plan again");
    expect(ran.said).not.toContain("A bug in Hostform");
    expect((await made("/v2026/mail/accounts")) - before).toBe(0);
    const next = exits(0, await apply(mailbox(domain)));
    expect(next.said).toContain(`create mailbox/info@${domain} had no clear answer`);
    expect((await made("/v2026/mail/accounts")) - before).toBe(1);
  });
});

describe("a creation whose outcome is unknown", () => {
  test("is looked for again where reads lag behind", async () => {
    const domain = fresh();
    const before = await made("/v2026/mail/accounts");
    let stale = 4;
    let broken = false;
    front.interfere(async (request, response, pass) => {
      if (isPost("/v2026/mail/accounts")(request) && !broken) {
        broken = true;
        await pass();
        hangUp(response);
        return true;
      }
      const isList = request.method === "GET" && request.url?.startsWith("/v2026/mail/accounts?") === true;
      if (!isList || !broken || stale === 0) return false;
      stale -= 1;
      answerJson(response, 200, { data: [], meta: { total: 0, current_page: 1, per_page: 100 } });
      return true;
    });
    exits(0, await apply(mailbox(domain)));
    expect(stale).toBe(0);
    expect((await made("/v2026/mail/accounts")) - before).toBe(1);
  });

  test("is not taken for what someone else made meanwhile, which is not made twice either", async () => {
    const domain = fresh();
    front.interfere(async (request, response) => {
      if (!isPost("/v2026/mail/accounts")(request)) return false;
      await account.byHand("POST", "/v2026/mail/accounts", {
        address: `info@${domain}`,
        password: "someone else's",
        quota_mb: 7,
      });
      hangUp(response);
      return true;
    });
    const ran = exits(5, await apply(mailbox(domain)));
    expect(ran.said).toContain("found an object that did not exist before, but quota_mb is 7 there and 1024 here");
  });

  test.each([
    ["for a while is read again until it stands still", 4, 0],
    ["all the time is given up", Number.POSITIVE_INFINITY, 5],
  ])("in a list that changes %s", async (_what, changes, status) => {
    const domain = fresh();
    let broken = false;
    let read = 0;
    front.interfere(async (request, response, pass) => {
      if (isPost("/v2026/mail/accounts")(request) && !broken) {
        broken = true;
        await pass();
        hangUp(response);
        return true;
      }
      if (!broken || read >= changes || request.url?.startsWith("/v2026/mail/accounts?") !== true) return false;
      read += 1;
      // One more whenever a page is read.
      answerJson(response, 200, { data: [{ id: `m${read}` }], meta: { total: 1 + read } });
      return true;
    });
    const ran = await apply(mailbox(domain));
    expect(ran.status, ran.said).toBe(status);
    if (status !== 0) expect(ran.said).toContain("the list changed while it was read)");
    expect(ran.said).toMatch(/ \d+ polls?\./u);
  });

  test("says so where it cannot be read back", async () => {
    const domain = fresh();
    let broken = false;
    front.interfere((request, response) => {
      broken ||= isPost("/v2026/mail/accounts")(request);
      if (broken) hangUp(response);
      return broken;
    });
    const ran = exits(5, await apply(mailbox(domain)));
    expect(ran.said).toContain("a search for it failed");
  });

  test("of one record among several is recognised by its content", async () => {
    const domain = fresh();
    const before = await made("/v2026/dns/zones/");
    breakFirst(isPost("/v2026/dns/zones/"), "after", hangUp, 2);
    exits(0, await apply(`dns: { ${domain}: { records: { www: { A: [192.0.2.1, 192.0.2.2, 192.0.2.3] } } } }\n`));
    expect((await made("/v2026/dns/zones/")) - before).toBe(3);
  });

  test("with an idempotency key is sent again with it; a refusal of the repeat does not hide that the first was done", async () => {
    const domain = fresh();
    let posts = 0;
    front.interfere(async (request, response, pass) => {
      if (!isPost("/v2026/mail/accounts")(request)) return false;
      posts += 1;
      // A server that does not keep its word: the key is gone, so that the second meets the first.
      request.headers["idempotency-key"] = `other-${posts}-${domain}`;
      if (posts > 1) return false;
      await pass();
      hangUp(response);
      return true;
    });
    exits(0, await apply(mailbox(domain), []));
    expect(posts).toBe(2);
  });
});

test("a creation is found under the longer name that the server has given it", async () => {
  const prefixing = await openAccount({ namePrefix: "u123" });
  const before = await openFront(prefixing);
  let broken = false;
  before.interfere(async (request, response, pass) => {
    if (!isPost("/v2026/databases")(request) || broken) return false;
    broken = true;
    await pass();
    hangUp(response);
    return true;
  });
  const file = prefixing.write(
    "m.yaml",
    "version: 1\nname: prefixed\nservices: { example.com: { plan: WEB-M, datacenter: MAD1 } }\ndatabases: { example.com: { databases: { shop: { engine: mariadb } } } }\n",
  );
  const ran = await runInProcess(
    { flags: before.flags, env: prefixing.env },
    ["apply", "-f", file, "--auto-approve", "--contract", contract()],
    {},
    virtualClock(),
  );
  const posts = (await prefixing.operations()).filter(
    ({ method, path }) => method === "POST" && path === "/v2026/databases",
  );
  await before.close();
  await prefixing.close();
  expect(ran.status, ran.stdout).toBe(0);
  expect(posts).toHaveLength(1);
});

describe("a creation that is accepted without an object", () => {
  const accepted: Readonly<Record<string, (answered: Answered, response: ServerResponse) => void>> = {
    "200 and no object": (_answered, response) => answerJson(response, 200, { message: "accepted" }),
    "202 and no job": (_answered, response) => answerJson(response, 202, { message: "accepted" }),
    "202 and a job at another origin": (_answered, response) =>
      answerJson(response, 202, { message: "accepted" }, { location: "https://elsewhere.test/jobs/1" }),
    "no content": (_answered, response) => response.writeHead(204).end(),
    "an object without an id": (_answered, response) => answerJson(response, 201, { data: { address: "x" } }),
    "a list of one": ({ text }, response) =>
      answerJson(response, 201, { data: [(JSON.parse(text) as { data: unknown }).data] }),
  };

  test.each(size.every(6, Object.entries(accepted)))("(%s) is found by its key", async (_name, answerWith) => {
    const [domain, before] = [fresh(), await made("/v2026/mail/accounts")];
    front.interfere(async (request, response, pass) => {
      if (!isPost("/v2026/mail/accounts")(request)) return false;
      answerWith(await pass(), response);
      return true;
    });
    exits(0, await apply(mailbox(domain)));
    expect((await made("/v2026/mail/accounts")) - before).toBe(1);
  });

  test("and never appears fails when the wait is over, and is not sent again", async () => {
    let posts = 0;
    front.interfere((request, response) => {
      if (!isPost("/v2026/mail/accounts")(request)) return false;
      posts += 1;
      answerJson(response, 202, { message: "accepted" });
      return true;
    });
    const domain = fresh();
    const ran = exits(5, await apply(mailbox(domain), ["--contract", contract(), "--wait-timeout", "20"]));
    expect(ran.said).toContain("no object has appeared at this address within 20 s");
    expect(posts).toBe(1);
  });
});
