import { existsSync, rmSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forDraws } from "../support/for-draws.ts";
import { answerJson } from "../support/https-server.ts";
import { checkEvents, eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { journaledApplies } from "./journaled-applies.ts";
import { size } from "../proofs/size.ts";

/** What an apply writes down before it sends, and what the next one makes of it (DESIGN.md section 3), over HTTPS. */
const { account, front, work, writes, zoneName, manifest, records, posts, file, begin, intent, leave, resume } =
  journaledApplies();

describe("an apply that was cut off", () => {
  test("while it made what is declared no more: it is looked for all the same", async () => {
    const name = `other.${zoneName()}`;
    await account.create("/dns/zones", { name });
    leave(begin(), intent({ address: `dns_zone/${name}` }));
    const { stdout } = exits(0, await resume(records("a: { A: 192.0.2.1 }")));
    expect(stdout).toContain(
      `create dns_zone/${name} was in flight when the last apply (by ann@desk, since 2026-01-01T00:00:00Z) was interrupted: it is done`,
    );
    expect(existsSync(file())).toBe(false);
  });

  test("in an update that is declared no more: it is not said to be done", async () => {
    const before = records("a: { A: 192.0.2.1 }");
    expect((await resume(before)).status).toBe(0);
    const address = `dns_record/${zoneName()}/a/A`;
    leave(begin(), intent({ operation: "update", address, identity: undefined }));
    const { stdout } = exits(0, await resume(before));
    expect(stdout).toMatch(/update dns_record\/\S+ was in flight .* was interrupted: nothing is left to do/u);
    expect(stdout).toContain("No changes");
  });

  test("in a creation that shows late: it is read again before it is planned anew", async () => {
    const manifestFile = records("a: { A: 192.0.2.1 }");
    expect((await resume(manifestFile)).status).toBe(0);
    const address = `dns_record/${zoneName()}/a/A`;
    leave(begin(), intent({ address, identity: "192.0.2.1", at: new Date().toISOString() }));
    let lists = 0;
    work.handle = ({ method, path, response }) => {
      if (method !== "GET" || !path.includes("/records") || (lists += 1) > 1) return;
      const empty = { data: [], meta: { total: 0, page: 1, per_page: 100 } };
      answerJson(response, 200, empty);
    };
    const again = exits(0, await resume(manifestFile, "--json"));
    expect(eventsOf(again).filter(({ type }) => type === "waiting")).toMatchObject([
      { message: expect.stringMatching(/^Waiting up to \d+ s/u) },
    ]);
    expect(eventsOf(again).find(({ type }) => type === "in_flight")).toMatchObject({ fate: "done", address });
    expect(checkEvents(eventsOf(again))).toEqual([]);
    expect(posts().length).toBe(1);
  });

  test("at any time by its journal: recovery waits at most as long as a list may lag, and no less for others", async () => {
    const digits = fc.integer({ min: 0, max: 99 }).map((number) => String(number).padStart(2, "0"));
    const anyTime = fc
      .tuple(fc.integer({ min: 0, max: 9999 }), digits, digits, digits, digits, digits)
      .map(([year, ...rest]) => {
        const [month, day, hour, minute, second] = rest;
        return `${String(year).padStart(4, "0")}-${month}-${day}T${hour}:${minute}:${second}Z`;
      });
    const near = fc
      .integer({ min: -10 * 86_400_000, max: 10 * 86_400_000 })
      .map((offset) => new Date(Date.now() + offset).toISOString());
    const manifestFile = records("a: { A: 192.0.2.1 }, b: { A: 192.0.2.2 }");
    expect((await resume(manifestFile)).status).toBe(0);
    const address = (name: string) => `dns_record/${zoneName()}/${name}/A`;
    await forDraws(
      { numRuns: size.draws(64), examples: [["9999-12-31T23:59:59Z"], ["0000-00-00T99:99:99Z"]] },
      fc.oneof(anyTime, near),
      async (at) => {
        const clock = virtualClock();
        const sent = new Date(clock.now()).toISOString();
        // Neither shows in the first lists; nothing is known of the time of one, and the other was just sent.
        leave(
          begin(),
          intent({ address: address("a"), identity: "192.0.2.1", at }),
          intent({ n: 2, address: address("b"), identity: "192.0.2.2", at: sent }),
        );
        const began = clock.now();
        work.handle = ({ method, path, response }) => {
          if (method !== "GET" || !path.includes("/records") || clock.now() - began >= 9000) return;
          const empty = { data: [], meta: { total: 0, page: 1, per_page: 100 } };
          answerJson(response, 200, empty);
        };
        writes.length = 0;
        const ran = await runInProcess(
          { flags: ["--auto-approve", "--journal", file(), ...front.flags], env: account.env },
          ["apply", "-f", manifestFile],
          {},
          clock,
        );
        work.handle = undefined;
        expect(ran.status, ran.stdout + ran.stderr).toBe(0);
        expect(writes).toEqual([]);
        const waited = clock.waits.reduce((sum, each) => sum + each, 0);
        expect(waited).toBeGreaterThanOrEqual(9000);
        expect(waited).toBeLessThanOrEqual(10_000);
      },
    );
  });

  test("in a renewal that does not show: nothing is sent until someone has looked", async () => {
    const manifestFile = manifest(`domains: { ${zoneName()}: }`);
    expect((await resume(manifestFile)).status).toBe(0);
    const before = { field: "expires_at", value: "2999-01-01T00:00:00Z" };
    leave(begin(), intent({ address: `domain/${zoneName()}`, operation: "renew", before }));
    manifest(`domains: { ${zoneName()}: , more.${zoneName()}: }`);
    writes.length = 0;
    const stopped = exits(6, await resume(manifestFile));
    expect(stopped.stderr).toMatch(
      /renew domain\/\S+ was in flight .* its outcome is unknown: its expires_at is still/u,
    );
    expect(stopped.stderr).toContain(`apply again after: rm ${file()}`);
    expect(writes).toEqual([]);
    rmSync(file());
    expect((await resume(manifestFile)).status).toBe(0);
    expect(writes.length).toBe(1);
  });
});
