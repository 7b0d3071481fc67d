import type { IncomingMessage, ServerResponse } from "node:http";
import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { openFront, type Answered, type Front, type Interfere } from "../support/front.ts";
import { runInProcess } from "../support/in-process.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { size } from "../proofs/size.ts";

/** Writes whose answer does not tell whether they were carried out, on a service that knows no idempotency key unless a test says so. */
let account: Account;
let front: Front;
let contract: string;
let putBack: () => void;
let count = 0;

beforeAll(async () => {
  account = await openAccount();
  front = await openFront(account);
  contract = account.write(
    "contract.yaml",
    "contract: 1\nname: plain\nextends: v2026\nrequest: { idempotency: null }\n",
  );
  putBack = account.mirror.keep();
});
afterEach(() => {
  // An account that grows would be read whole by each of the tests after.
  putBack();
  front.interfere(() => false);
  rmSync(journal(), { force: true });
});
afterAll(async () => {
  await front.close();
  await account.close();
});

const fresh = () => `name-${(count += 1)}.example`;
const journal = () => join(account.folder, "unknown.journal");
const apply = async (manifest: string, flags: readonly string[] = ["--contract", contract]) => {
  const file = account.write("m.yaml", `version: 1\nname: unknown\n${manifest}`);
  const ran = await runInProcess(
    { flags: front.flags, env: account.env },
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
const mailbox = (domain: string, more = "") =>
  `domains: { ${domain}: {} }\nmail: { ${domain}: { mailboxes: { info: { quota: 1 GiB, password: "\${env:PASSWORD}"${more} } } } }\n`;

const answer = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
const isPost = (path: string) => (request: IncomingMessage) =>
  request.method === "POST" && request.url?.startsWith(path) === true;

type Break = (response: ServerResponse) => void;
const hangUp: Break = (response) => response.socket?.destroy();
const breaks: Readonly<Record<string, Break>> = {
  "the connection breaks": hangUp,
  "half an answer comes": (response) =>
    response.writeHead(201, { "content-length": "500" }).write('{"da', () => hangUp(response)),
  "status 500 comes": (response) => answer(response, 500, { message: "oops" }),
  "status 502 comes, with a page": (response) =>
    response.writeHead(502, { "content-type": "text/html" }).end("<html><title>Bad Gateway</title></html>"),
  "status 503 comes": (response) => answer(response, 503, { message: "busy" }, { "retry-after": "3" }),
  "a page comes with status 200": (response) => response.end("<html>"),
};

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

describe.each(Object.entries(breaks))("a creation after which %s", (_name, how) => {
  test("is found to be done, and not sent again", async () => {
    const [domain, before] = [fresh(), await made("/v2026/mail/accounts")];
    breakFirst(isPost("/v2026/mail/accounts"), "after", how);
    const ran = await apply(mailbox(domain));
    expect(ran.status, ran.said).toBe(0);
    expect(ran.stdout).toContain(`created  mailbox/info@${domain}`);
    expect((await made("/v2026/mail/accounts")) - before).toBe(1);
  });

  test("is not found, not sent again, and made by the next apply", async () => {
    const [domain, before] = [fresh(), await made("/v2026/mail/accounts")];
    breakFirst(isPost("/v2026/mail/accounts"), "before", how);
    const ran = await apply(mailbox(domain));
    expect(ran.status, ran.said).toBe(5);
    expect(ran.said).toContain(
      `a search for mailbox/info@${domain} found nothing so far; another attempt could create it twice`,
    );
    expect((await made("/v2026/mail/accounts")) - before).toBe(0);
    const next = await apply(mailbox(domain));
    expect(next.status, next.said).toBe(0);
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
      answer(response, 200, { data: [], meta: { total: 0, current_page: 1, per_page: 100 } });
      return true;
    });
    const ran = await apply(mailbox(domain));
    expect(ran.status).toBe(0);
    expect(stale).toBe(0);
    expect((await made("/v2026/mail/accounts")) - before).toBe(1);
  });

  test("is sent once, and told with what was looked for", async () => {
    const domain = fresh();
    let sent = 0;
    breakFirst(
      isPost("/v2026/mail/accounts"),
      "before",
      (response) => {
        sent += 1;
        hangUp(response);
      },
      99,
    );
    const ran = await apply(mailbox(domain));
    expect(ran.status).toBe(5);
    expect(sent).toBe(1);
    expect(ran.said).toMatch(/POST \/v2026\/mail\/accounts: unknown outcome .*no answer came back/u);
    expect(ran.said).toContain(`a search for mailbox/info@${domain} found nothing so far`);
    expect(ran.said).toContain("it is not retried; the next apply looks for it first. Plan again");
    expect(ran.said).not.toContain("A bug in Hostform");
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
    const ran = await apply(mailbox(domain));
    expect(ran.status).toBe(5);
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
      answer(response, 200, { data: [{ id: `m${read}` }], meta: { total: 1 + read } });
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
    const ran = await apply(mailbox(domain));
    expect(ran.status).toBe(5);
    expect(ran.said).toContain(`a search for mailbox/info@${domain} failed`);
  });

  test("of a certificate is not sent again: a second would stand beside the first", async () => {
    const domain = fresh();
    const manifest = `services: { ${domain}: { plan: WEB-M, datacenter: MAD1 } }\ncertificates: { ${domain}: [{ domains: [${domain}] }] }\n`;
    const before = await made("/v2026/ssl/certificates");
    breakFirst(isPost("/v2026/ssl/certificates"), "before", hangUp);
    const failed = await apply(manifest);
    expect(failed.status).toBe(5);
    expect(failed.said).toContain("a second one would stand beside the first, so it is not sent again");
    rmSync(journal());
    breakFirst(isPost("/v2026/ssl/certificates"), "after", hangUp);
    const found = await apply(manifest);
    expect(found.status, found.said).toBe(0);
    expect((await made("/v2026/ssl/certificates")) - before).toBe(1);
  });

  test("of what costs money is not sent again", async () => {
    const domain = fresh();
    breakFirst(isPost("/v2026/domains"), "before", hangUp);
    const flags = ["--contract", contract, "--allow-purchase", `domain/${domain}`];
    const ran = await apply(`domains: { ${domain}: { register: true } }\n`, flags);
    expect(ran.status).toBe(5);
    expect(ran.said).toContain("it costs money, so it is not sent again");
    expect(
      (await account.operations()).filter(({ path, method }) => path === "/v2026/domains" && method === "POST"),
    ).not.toContainEqual(expect.objectContaining({ status: 202 }));
  });

  /** With the built-in contract, whose idempotency key no vendor has promised. */
  describe.each<[string, string, (domain: string) => string, (domain: string) => string]>([
    [
      "a registration",
      "/v2026/domains",
      (domain) => `domains: { ${domain}: { register: true } }`,
      (d) => `domain/${d}`,
    ],
    [
      "a transfer",
      "/v2026/domains",
      (domain) => `domains: { ${domain}: { transfer: { auth_code: "\${env:PASSWORD}" } } }`,
      (domain) => `domain/${domain}`,
    ],
    [
      "a service that registers its domain",
      "/v2026/services",
      (domain) => `services: { ${domain}: { plan: WEB-M, datacenter: MAD1, register: true } }`,
      (domain) => `service/${domain}`,
    ],
    [
      "a certificate",
      "/v2026/ssl/certificates",
      (domain) =>
        `services: { ${domain}: { plan: WEB-M, datacenter: MAD1 } }\ncertificates: { ${domain}: [{ domains: [${domain}] }] }`,
      (domain) => `certificate/${domain}/managed`,
    ],
  ])("of %s with an idempotency key", (name, path, manifest, address) => {
    test.each(Object.entries(breaks).slice(0, 3))("(%s) is never sent again", async (_break, how) => {
      const domain = fresh();
      let posts = 0;
      breakFirst((request) => isPost(path)(request) && (posts += 1) > 0, "before", how, 99);
      const flags = name === "a certificate" ? [] : ["--allow-purchase", address(domain)];
      const ran = await apply(`${manifest(domain)}\n`, flags);
      expect(posts).toBe(1);
      expect(ran.said).toContain("so it is not sent again. Plan again to see whether it exists now");
      expect(ran.status).toBe(5);
    });

    test("is done where it is found by its name", async () => {
      const [domain, before] = [fresh(), await made(path)];
      breakFirst(isPost(path), "after", hangUp, 99);
      const flags = name === "a certificate" ? [] : ["--allow-purchase", address(domain)];
      const ran = await apply(`${manifest(domain)}\n`, flags);
      expect(ran.stdout).toContain(`created  ${address(domain)}`);
      expect((await made(path)) - before).toBe(1);
      expect([0, 8], ran.said).toContain(ran.status);
    });
  });

  test("of one record among several is told by its content", async () => {
    const domain = fresh();
    const before = await made("/v2026/dns/zones/");
    breakFirst(isPost("/v2026/dns/zones/"), "after", hangUp, 2);
    const ran = await apply(`dns: { ${domain}: { records: { www: { A: [192.0.2.1, 192.0.2.2, 192.0.2.3] } } } }\n`);
    expect(ran.status, ran.said).toBe(0);
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
    const ran = await apply(mailbox(domain), []);
    expect(ran.status, ran.said).toBe(0);
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
    ["apply", "-f", file, "--auto-approve", "--contract", contract],
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
    "200 and no object": (_answered, response) => answer(response, 200, { message: "accepted" }),
    "202 and no job": (_answered, response) => answer(response, 202, { message: "accepted" }),
    "202 and a job at another origin": (_answered, response) =>
      answer(response, 202, { message: "accepted" }, { location: "https://elsewhere.test/jobs/1" }),
    "no content": (_answered, response) => response.writeHead(204).end(),
    "an object without an id": (_answered, response) => answer(response, 201, { data: { address: "x" } }),
    "a list of one": ({ text }, response) =>
      answer(response, 201, { data: [(JSON.parse(text) as { data: unknown }).data] }),
  };

  test.each(Object.entries(accepted))("(%s) is found by its key", async (_name, answerWith) => {
    const [domain, before] = [fresh(), await made("/v2026/mail/accounts")];
    front.interfere(async (request, response, pass) => {
      if (!isPost("/v2026/mail/accounts")(request)) return false;
      answerWith(await pass(), response);
      return true;
    });
    const ran = await apply(mailbox(domain));
    expect(ran.status, ran.said).toBe(0);
    expect((await made("/v2026/mail/accounts")) - before).toBe(1);
  });

  test("and never appears fails when the wait is over, and is not sent again", async () => {
    let posts = 0;
    front.interfere((request, response) => {
      if (!isPost("/v2026/mail/accounts")(request)) return false;
      posts += 1;
      answer(response, 202, { message: "accepted" });
      return true;
    });
    const domain = fresh();
    const ran = await apply(mailbox(domain), ["--contract", contract, "--wait-timeout", "20"]);
    expect(ran.status).toBe(5);
    expect(ran.said).toContain(`no mailbox/info@${domain} has appeared within 20 s`);
    expect(posts).toBe(1);
  });
});

/** What must never be made twice: how it is declared and asked for, and how it is made where the first request was heard after all. */
const once = {
  "a purchase": {
    path: "/v2026/domains",
    manifest: (domain: string) => `domains: { ${domain}: { register: true } }\n`,
    address: (domain: string) => `domain/${domain}`,
    body: async (domain: string) => ({ name: domain, register: true }),
  },
  "a certificate": {
    path: "/v2026/ssl/certificates",
    manifest: (domain: string) =>
      `services: { ${domain}: { plan: WEB-M, datacenter: MAD1 } }\ncertificates: { ${domain}: [{ domains: [${domain}] }] }\n`,
    address: (domain: string) => `certificate/${domain}/managed`,
    body: async (domain: string) => {
      const { body } = await account.byHand("GET", "/v2026/services?per_page=100");
      const services = body["data"] as { id: string; domain: string }[];
      const service_id = services.find((service) => service.domain === domain)?.id;
      return { service_id, domains: [domain], type: "managed" };
    },
  },
};
const answers: Readonly<Record<string, Break>> = {
  "the connection breaks": hangUp,
  "status 502 comes": (response) => answer(response, 502, {}),
  "status 201 comes, and nothing else": (response) => response.writeHead(201).end(),
  "status 202 comes, and no job": (response) => answer(response, 202, {}),
};

describe.each(Object.entries(once))("%s whose outcome the next apply does not see either", (_name, what) => {
  const contracts = { "without idempotency keys": () => ["--contract", contract], "with them": () => [] };
  const cases = Object.entries(answers).flatMap(([when, how]) =>
    Object.entries(contracts).map(([keys, flags]) => ({ when, how, keys, flags })),
  );

  test.each(cases)("($when, $keys) is not sent again until someone has looked", async ({ how, flags }) => {
    const domain = fresh();
    const consent = what.path === "/v2026/domains" ? ["--allow-purchase", `domain/${domain}`] : [];
    const again = () => apply(what.manifest(domain), [...flags(), ...consent, "--wait-timeout", "20"]);
    const keys = new Set<unknown>();
    front.interfere((request, response) => {
      if (!isPost(what.path)(request)) return false;
      keys.add(request.headers["idempotency-key"] ?? `none ${keys.size}`);
      how(response);
      return true;
    });
    expect((await again()).status).toBe(5);
    expect(keys.size).toBe(1);
    const sent = keys.size;
    const stopped = await again();
    expect(stopped.said).toContain(`create ${what.address(domain)} had no clear answer`);
    expect(stopped.said).toContain(`remove ${journal()} and apply again`);
    expect(stopped.status).toBe(6);
    expect(keys.size).toBe(sent);
    expect((await account.byHand("POST", what.path, await what.body(domain))).status).toBeLessThan(300);
    const found = await again();
    expect(found.stdout).toContain("it is done");
    expect(found.status, found.said).toBe(0);
    expect(keys.size).toBe(sent);
  });
});

test("a creation whose answer shows nothing is sent with the same key by the next apply", async () => {
  const keys: unknown[] = [];
  front.interfere((request, response) => {
    if (!isPost("/v2026/mail/accounts")(request)) return false;
    keys.push(request.headers["idempotency-key"]);
    if (keys.length > 1) return false;
    response.writeHead(201).end();
    return true;
  });
  const manifest = mailbox(fresh());
  expect((await apply(manifest, ["--wait-timeout", "20"])).status).toBe(5);
  expect((await apply(manifest, [])).status).toBe(0);
  expect(keys[0]).toMatch(/^[\w-]{36}$/u);
  expect(keys).toEqual([keys[0], keys[0]]);
});

describe("a change whose outcome is unknown", () => {
  test.each(Object.entries(breaks).slice(0, 3))("(%s) is repeated, and meets itself", async (_name, how) => {
    const domain = fresh();
    expect((await apply(mailbox(domain))).status).toBe(0);
    breakFirst(({ method }) => method === "PUT", "after", how);
    const ran = await apply(mailbox(domain).replace("1 GiB", "2 GiB"));
    expect(ran.status, ran.said).toBe(0);
    expect(ran.stdout).toContain(`updated  mailbox/info@${domain}`);
  });

  test("and that sends a secret too is sent once more, since a secret is never told", async () => {
    const domain = fresh();
    expect((await apply(mailbox(domain))).status).toBe(0);
    breakFirst(({ method }) => method === "PUT", "after", hangUp);
    const flags = ["--contract", contract, "--rotate", `mailbox/info@${domain}`];
    const ran = await apply(mailbox(domain).replace("1 GiB", "3 GiB"), flags);
    expect(ran.status, ran.said).toBe(0);
  });

  test("of a deletion is done where there is nothing left", async () => {
    const domain = fresh();
    const records = (text: string) => `dns: { ${domain}: { records: { www: { A: [${text}] } } } }\n`;
    expect((await apply(records("192.0.2.1, 192.0.2.2"))).status).toBe(0);
    breakFirst(({ method }) => method === "DELETE", "after", hangUp);
    expect((await apply(records("192.0.2.1"))).status).toBe(0);
  });
});

describe("what the server answers later, or otherwise", () => {
  test("an object that cannot be read yet is read again", async () => {
    const domain = fresh();
    let missing = 3;
    front.interfere((request, response) => {
      if (request.method !== "GET" || !/^\/v2026\/services\/[^?]+$/u.test(request.url ?? "") || missing === 0)
        return false;
      missing -= 1;
      answer(response, 404, { message: "no such service", code: "not_found" });
      return true;
    });
    const settings = "settings: { backups: true }";
    const ran = await apply(`services: { ${domain}: { plan: WEB-M, datacenter: MAD1, ${settings} } }\n`);
    expect(ran.status, ran.said).toBe(0);
    expect(missing).toBe(0);
  });

  test("later steps use the id that an update has changed", async () => {
    const domain = fresh();
    expect((await apply(`dns: { ${domain}: { ttl: 3600, records: {} } }\n`)).status).toBe(0);
    const { body } = await account.byHand("GET", "/v2026/dns/zones");
    const zones = body["data"] as { id: string; name: string }[];
    const id = zones.find(({ name }) => name === domain)?.id ?? "";
    let moved = false;
    front.interfere(async (request, response, pass) => {
      const url = request.url ?? "";
      if (moved && url.includes(id)) {
        answer(response, 404, { message: "no such zone", code: "not_found" });
        return true;
      }
      const { status, headers, text } = await pass(url.replace("moved-id", id));
      moved ||= request.method === "PUT";
      response.writeHead(status, headers).end(moved ? text.replaceAll(id, "moved-id") : text);
      return true;
    });
    const manifest = `dns: { ${domain}: { ttl: 7200, records: { www: { A: 192.0.2.1 } } } }\n`;
    const ran = await apply(manifest, ["--contract", contract, "--parallelism", "1"]);
    expect(ran.status, ran.said).toBe(0);
  });
});

test("whatever happens to the answers, nothing is made twice, and what is said to be done is there", async () => {
  const fault = fc.constantFrom("none", "before", "after", "before 500", "after 502", "busy", "too many");
  await fc.assert(
    fc.asyncProperty(fc.array(fault, { minLength: 1, maxLength: 12 }), async (faults) => {
      const domain = fresh();
      const left = [...faults];
      const unpredictable: Interfere = async (request, response, pass) => {
        const next = request.method === "POST" ? left.shift() : undefined;
        if (next === undefined || next === "none") return false;
        if (next.startsWith("after")) await pass();
        if (next.endsWith("500")) answer(response, 500, { message: "oops" });
        else if (next.endsWith("502")) answer(response, 502, { message: "oops" });
        else if (next === "busy") answer(response, 503, { message: "busy" });
        else if (next === "too many") answer(response, 429, { message: "slower" });
        else hangUp(response);
        return true;
      };
      front.interfere(unpredictable);
      rmSync(journal(), { force: true });
      const names = ["a", "b", "c"];
      const records = names.map((name) => `${name}: { A: [192.0.2.1, 192.0.2.2] }`).join(", ");
      const manifest = `dns: { ${domain}: { records: { ${records} } } }\n`;
      const ran = await apply(manifest);
      front.interfere(() => false);
      const next = await apply(manifest);
      expect(next.status, next.said).toBe(0);
      const zones = (await account.byHand("GET", "/v2026/dns/zones?per_page=100&page=1")).body["data"] as Zone[];
      const mine = zones.filter(({ name }) => name === domain);
      expect(mine).toHaveLength(1);
      const listed = mine[0]
        ? await account.byHand("GET", `/v2026/dns/zones/${mine[0].id}/records?per_page=100`)
        : undefined;
      const found = ((listed?.body["data"] ?? []) as Zone[]).filter(({ type }) => type === "A");
      const keys = found.map(({ name, content }) => `${name} ${content}`);
      expect(new Set(keys).size).toBe(keys.length);
      expect([0, 5]).toContain(ran.status);
      expect(keys).toHaveLength(6);
      expect(ran.said).not.toContain("A bug in Hostform");
      if (mine[0]) await account.byHand("DELETE", `/v2026/dns/zones/${mine[0].id}`);
    }),
    { numRuns: size.draws(10) },
  );
});

interface Zone {
  readonly id: string;
  readonly name: string;
  readonly type?: string;
  readonly content?: string;
}
