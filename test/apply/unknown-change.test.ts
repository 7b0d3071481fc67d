import { describe, expect, test } from "vitest";
import { breaks, hangUp, mailbox, unknownOutcomes } from "./unknown-outcomes.ts";
import { size } from "../proofs/size.ts";
import { answerJson } from "../support/https-server.ts";
import { listed } from "../support/live-records.ts";
import { exits } from "../support/run-hostform.ts";

const { account, front, contract, fresh, apply, breakFirst } = unknownOutcomes();

describe("a change whose outcome is unknown", () => {
  test.each(size.every(6, Object.entries(breaks).slice(0, 3)))(
    "(%s) is repeated, and meets itself",
    async (_name, how) => {
      const domain = fresh();
      expect((await apply(mailbox(domain))).status).toBe(0);
      breakFirst(({ method }) => method === "PUT", "after", how);
      const ran = exits(0, await apply(mailbox(domain).replace("1 GiB", "2 GiB")));
      expect(ran.stdout).toContain(`updated  mailbox/info@${domain}`);
    },
  );

  test("that also sends a secret is sent once more, since the API never returns a secret", async () => {
    const domain = fresh();
    expect((await apply(mailbox(domain))).status).toBe(0);
    breakFirst(({ method }) => method === "PUT", "after", hangUp);
    const flags = ["--contract", contract(), "--rotate", `mailbox/info@${domain}`];
    exits(0, await apply(mailbox(domain).replace("1 GiB", "3 GiB"), flags));
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
      answerJson(response, 404, { message: "no such service", code: "not_found" });
      return true;
    });
    const settings = "settings: { backups: true }";
    exits(0, await apply(`services: { ${domain}: { plan: WEB-M, datacenter: MAD1, ${settings} } }\n`));
    expect(missing).toBe(0);
  });

  test("later steps use the id that an update has changed", async () => {
    const domain = fresh();
    expect((await apply(`dns: { ${domain}: { ttl: 3600, records: {} } }\n`)).status).toBe(0);
    const id = (await listed(account, "/v2026/dns/zones")).find(({ name }) => name === domain)?.id ?? "";
    let moved = false;
    front.interfere(async (request, response, pass) => {
      const url = request.url ?? "";
      if (moved && url.includes(id)) {
        answerJson(response, 404, { message: "no such zone", code: "not_found" });
        return true;
      }
      const { status, headers, text } = await pass(url.replace("moved-id", id));
      moved ||= request.method === "PUT";
      response.writeHead(status, headers).end(moved ? text.replaceAll(id, "moved-id") : text);
      return true;
    });
    const manifest = `dns: { ${domain}: { ttl: 7200, records: { www: { A: 192.0.2.1 } } } }\n`;
    exits(0, await apply(manifest, ["--contract", contract(), "--parallelism", "1"]));
  });
});
