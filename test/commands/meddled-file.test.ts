import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/run-hostform.ts";
import { savedPlans, zone } from "./saved-plan-account.ts";

/** Changes that somebody makes to an account between `plan --out FILE` and `apply FILE`: proofs/meddled-plans.test.ts draws more of it. */
const { account, files, run, done, find, recordsOf, change } = savedPlans();
const yes = "--auto-approve";

interface Planned {
  readonly type: string;
  readonly calls?: readonly { readonly method: string; readonly path: string }[];
}

/** Returns the calls that `show FILE` lists, as `POST /v2026/dns/zones/{zone_id}/records`. */
async function shownCalls(plan: string): Promise<string[]> {
  const { stdout } = await runInProcess({ ...account, flags: [] }, ["show", plan, "--json"]);
  const events = stdout.trim().split("\n");
  const planned = events.map((line) => JSON.parse(line) as Planned).filter(({ type }) => type === "planned");
  return planned.flatMap(({ calls = [] }) => calls.map(({ method, path }) => `${method} ${path}`));
}

const isCallOf = (shown: string, sent: string) =>
  new RegExp(`^${shown.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u").test(sent);

describe("between plan --out and apply of the file", () => {
  const record = (name: string, content: string) => ({ name, type: "A", content, ttl: 3600 });
  const www = { path: "content", old: "192.0.2.1" };

  test.each<[what: string, how: (records: string) => Promise<unknown>, status: number, says: RegExp]>([
    ["nobody does anything", async () => undefined, 0, /./u],
    ["somebody adds another object", (at) => account.byHand("POST", `/v2026${at}`, record("x", "192.0.2.9")), 0, /./u],
    [
      "somebody adds the created object",
      (at) => account.byHand("POST", `/v2026${at}`, record("a", "192.0.2.2")),
      0,
      /./u,
    ],
    [
      "somebody adds another one in its place",
      (at) => account.byHand("POST", `/v2026${at}`, record("a", "192.0.2.9")),
      6,
      /192\.0\.2\.9/u,
    ],
    [
      "somebody changes the changed object",
      (at) => change(at, www.path, www.old, { content: "192.0.2.8" }),
      6,
      /192\.0\.2\.8/u,
    ],
    [
      "somebody deletes the changed object",
      async (at) => account.byHand("DELETE", `/v2026${at}/${String((await find(at, www.path, www.old))["id"])}`),
      6,
      /has moved since the plan was made: it is gone/u,
    ],
  ])("%s: each write has a line in show, and what has gone is refused", async (_what, meddle, status, says) => {
    const { manifest, plan, name, write } = files(zone(`www: { A: ${www.old} }`));
    await done(["apply", "-f", manifest, yes]);
    write(zone("www: { A: 192.0.2.3 }, a: { A: 192.0.2.2 }")(name));
    await done(["plan", "-f", manifest, "--out", plan]);
    const free = await shownCalls(plan);
    expect(free).toHaveLength(2);
    await meddle(await recordsOf(name));
    const { length: before } = await account.writes();
    const ran = await run(["apply", plan, yes]);
    expect(ran.status, ran.stdout + ran.stderr).toBe(status);
    expect(ran.stdout + ran.stderr).toMatch(says);
    const writes = (await account.writes()).slice(before);
    for (const { method, path } of writes) {
      const index = free.findIndex((shown) => isCallOf(shown, `${method} ${path}`));
      expect(index, `${method} ${path}`).toBeGreaterThanOrEqual(0);
      free.splice(index, 1);
    }
    if (status === 6) expect(writes).toEqual([]);
  });
});
