import { rmSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exits } from "../support/run-hostform.ts";
import { forDraws } from "../support/for-draws.ts";
import type { Interfere } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { listed, liveRecords } from "../support/live-records.ts";
import { size } from "../proofs/size.ts";
import { breaks, hangUp, isPost, mailbox, unknownOutcomes, type Break } from "./unknown-outcomes.ts";

const { account, front, contract, fresh, journal, apply, made, breakFirst } = unknownOutcomes();

describe("a creation whose outcome is unknown", () => {
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
    test.each(size.every(9, Object.entries(breaks).slice(0, 3)))("(%s) is never sent again", async (_break, how) => {
      const domain = fresh();
      let posts = 0;
      breakFirst((request) => isPost(path)(request) && (posts += 1) > 0, "before", how, 99);
      const flags = name === "a certificate" ? [] : ["--allow-purchase", address(domain)];
      const ran = exits(5, await apply(`${manifest(domain)}\n`, flags));
      expect(posts).toBe(1);
      expect(ran.said).toContain("so it is not sent again. Plan again to see whether it exists now");
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
});

/** What must never be made twice: how it is declared and asked for, and how it is made where the first request was heard after all. */
const once = {
  "a purchase": {
    path: "/v2026/domains",
    manifest: (domain: string) => `domains: { ${domain}: { register: true } }\n`,
    address: (domain: string) => `domain/${domain}`,
    body: async (domain: string) => ({ name: domain, register: true }),
    because: "it costs money, so it is not sent again",
  },
  "a certificate": {
    path: "/v2026/ssl/certificates",
    manifest: (domain: string) =>
      `services: { ${domain}: { plan: WEB-M, datacenter: MAD1 } }\ncertificates: { ${domain}: [{ domains: [${domain}] }] }\n`,
    address: (domain: string) => `certificate/${domain}/managed`,
    body: async (domain: string) => {
      const services = await listed<{ id: string; domain: string }>(account, "/v2026/services");
      const service_id = services.find((service) => service.domain === domain)?.id;
      return { service_id, domains: [domain], type: "managed" };
    },
    because: "a second one would stand beside the first, so it is not sent again",
  },
};
const answers: Readonly<Record<string, Break>> = {
  "the connection breaks": hangUp,
  "status 502 comes": (response) => answerJson(response, 502, {}),
  "status 201 comes, and nothing else": (response) => response.writeHead(201).end(),
  "status 202 comes, and no job": (response) => answerJson(response, 202, {}),
};

describe.each(Object.entries(once))("%s whose outcome the next apply does not see either", (_name, what) => {
  const contracts = { "without idempotency keys": () => ["--contract", contract()], "with them": () => [] };
  const cases = Object.entries(answers).flatMap(([when, how]) =>
    Object.entries(contracts).map(([keys, flags]) => ({ when, how, keys, flags })),
  );

  test.each(size.every(9, cases))(
    "($when, $keys) is not sent again until someone has looked",
    async ({ how, flags }) => {
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
      expect(exits(5, await again()).said).toContain(what.because);
      expect(keys.size).toBe(1);
      const sent = keys.size;
      const stopped = exits(6, await again());
      expect(stopped.said).toContain(`create ${what.address(domain)} had no clear answer`);
      expect(stopped.said).toContain(`apply again after: rm ${journal()}`);
      expect(keys.size).toBe(sent);
      expect((await account.byHand("POST", what.path, await what.body(domain))).status).toBeLessThan(300);
      const found = exits(0, await again());
      expect(found.stdout).toContain("it is done");
      expect(keys.size).toBe(sent);
    },
  );
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

test("whatever happens to the answers, nothing is made twice, and what is said to be done is there", async () => {
  const fault = fc.constantFrom("none", "before", "after", "before 500", "after 502", "busy", "too many");
  await forDraws(10, fc.array(fault, { minLength: 1, maxLength: 12 }), async (faults) => {
    const domain = fresh();
    const left = [...faults];
    const unpredictable: Interfere = async (request, response, pass) => {
      const next = request.method === "POST" ? left.shift() : undefined;
      if (next === undefined || next === "none") return false;
      if (next.startsWith("after")) await pass();
      if (next.endsWith("500")) answerJson(response, 500, { message: "oops" });
      else if (next.endsWith("502")) answerJson(response, 502, { message: "oops" });
      else if (next === "busy") answerJson(response, 503, { message: "busy" });
      else if (next === "too many") answerJson(response, 429, { message: "slower" });
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
    exits(0, await apply(manifest));
    const mine = (await listed(account, "/v2026/dns/zones")).filter(({ name }) => name === domain);
    expect(mine).toHaveLength(1);
    const found = (await liveRecords(account, domain)).filter(({ type }) => type === "A");
    const keys = found.map(({ name, content }) => `${name} ${content}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect([0, 5]).toContain(ran.status);
    expect(keys).toHaveLength(6);
    expect(ran.said).not.toContain("A bug in Hostform");
    if (mine[0]) await account.byHand("DELETE", `/v2026/dns/zones/${mine[0].id}`);
  });
});
