import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { rmSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { type Answered, frontForFile } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { listed } from "../support/live-records.ts";
import { checkEvents, eventsOf, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { size } from "../proofs/size.ts";

/** A server that makes an object under another name than it was asked for: the next apply must not make a second one. */
const clock = virtualClock();
const account = accountForFile({ lax: true }, clock.now);
const front = frontForFile(account);
beforeAll(async () => {
  const file = account.write(
    "plain.yaml",
    "contract: 1\nname: plain\nextends: v2026\nrequest: { idempotency: null }\n",
  );
  contracts["without idempotency keys"] = ["--contract", file];
});
afterEach(() => front.interfere(() => false));

const contracts: Record<string, string[]> = { "without idempotency keys": [], "with them": [] };
const slug = (name: string) => name.toLowerCase().replaceAll(" ", "-");
const names: [contract: string, how: string, wanted: string, rename: (name: string) => string, isNamed: boolean][] = [];
for (const contract of Object.keys(contracts))
  names.push(
    [contract, "as a slug", "Nightly Backup", slug, true],
    [contract, "as a slug, which only a list shows", "Weekly Backup", slug, false],
    [contract, "in another normal form", "cafe\u0301", (name) => name.normalize("NFC"), true],
  );

describe.each(size.every(12, names))(
  "%s, an object that the server names %s",
  (contract, _how, wanted, rename, isNamed) => {
    const place = names.findIndex((each) => each[0] === contract && each[2] === wanted);
    const domain = `n${place}.example`;
    const journal = () => join(account.folder, `${domain}.journal`);
    const manifest = (name: string) => `version: 1
name: renamed
services: { ${domain}: { plan: WEB-M, datacenter: MAD1 } }
crons: { ${domain}: { jobs: { ${JSON.stringify(name)}: { schedule: "0 3 * * *", command: "true" } } } }
`;
    const run = async (name: string, ...flags: readonly string[]) => {
      const file = account.write("m.yaml", manifest(name));
      const fixed = ["-f", file, "--auto-approve", "--journal", journal(), "--allow-purchase", `service/${domain}`];
      const ran = await runInProcess(front, ["apply", ...fixed, ...flags, ...(contracts[contract] ?? [])], {}, clock);
      const lines = (ran.stdout + ran.stderr).split("\n");
      return { ...ran, said: lines.filter((line) => !line.includes('"step_running"')).join("\n") };
    };
    const apply = async (name: string, ...flags: readonly string[]) => {
      const ran = await run(name, "--json", ...flags);
      expect(checkEvents(eventsOf(ran))).toEqual([]);
      return ran;
    };
    const crons = async () => {
      const all = await listed<{ id: string; domain: string }>(account, "/v2026/services");
      return listed(account, `/v2026/crons?service_id=${all.find((each) => each.domain === domain)?.id}`);
    };

    const renamed = async (
      request: IncomingMessage,
      response: ServerResponse,
      pass: () => Promise<Answered>,
      body: string,
    ) => {
      if (request.method !== "POST" || request.url !== "/v2026/crons") return false;
      const { status, text } = await pass();
      const made = (JSON.parse(text) as { data: { id: string } }).data;
      const name = rename((JSON.parse(body) as { name: string }).name);
      await account.byHand("PUT", `/v2026/crons/${made.id}`, { ...made, name });
      const data = isNamed ? { ...made, name } : { id: made.id };
      return answerJson(response, status, { data });
    };

    test("is not made again, and is taken over once the manifest has that name", async () => {
      front.interfere(renamed);
      const first = await run(wanted);
      expect([first.status, first.said]).toEqual([5, expect.stringContaining("the server accepted it")]);
      if (isNamed)
        expect(first.said.replaceAll(/\s+/gu, " ")).toMatch(/To go on, declare cron\/.* by the name that the server/u);
      expect(await crons()).toMatchObject([{ name: rename(wanted) }]);

      for (const flags of [[], ["--except", "cron/*"]]) {
        const began = clock.now();
        const again = await apply(wanted, ...flags);
        expect([again.status, again.said]).toEqual([6, expect.stringContaining("under another name: cron/")]);
        const [told] = eventsOf(again).filter(({ code }) => code === "made_under_other_name");
        expect(told?.["hint"]).toMatch(/write that name into the manifest/u);
        expect(clock.now() - began).toBeLessThan(1000);
        expect(await crons()).toHaveLength(1);
      }

      const last = await apply(rename(wanted));
      expect([last.status, last.said]).toEqual([0, expect.any(String)]);
      expect(await crons()).toMatchObject([{ name: rename(wanted) }]);
      expect((await apply(rename(wanted))).status).toBe(0);
    });

    test("is made again once someone has removed it", async () => {
      for (const { id } of await crons()) await account.byHand("DELETE", `/v2026/crons/${id}`);
      rmSync(journal(), { force: true });
      front.interfere(renamed);
      expect((await apply(wanted)).status).toBe(5);
      const [made] = await crons();
      await account.byHand("DELETE", `/v2026/crons/${made?.id}`);
      front.interfere(() => false);
      let again = await apply(wanted);
      // Under the key of then, the server gives the answer of then again: only the apply after that knows that nothing came of it.
      if (again.status === 7) again = await apply(wanted);
      expect([again.status, again.said]).toEqual([0, expect.any(String)]);
      expect(await crons()).toMatchObject([{ name: wanted }]);
    });
  },
);
