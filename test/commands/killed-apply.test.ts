import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { answerJson } from "../support/https-server.ts";
import { liveRecords, recordsPath } from "../support/live-records.ts";
import { checkEvents, eventsOf, exits, type Ran } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { sealedLines } from "../support/sealed-lines.ts";
import { journaledApplies } from "./journaled-applies.ts";

/** What an apply writes down before it sends, and what the next one makes of it (DESIGN.md section 3), over HTTPS. */
const applies = journaledApplies();
const { account, work, writes, zoneName, manifest, records } = applies;
const { apply, applyHere, applyWith, killedAt, own, journal, lines, age, posts } = applies;

describe("an apply that was killed", () => {
  test("after a creation was done: the next one finds it, and makes nothing twice", async () => {
    const file = records("a: { A: 192.0.2.1 }, b: { A: 192.0.2.2 }, c: { A: 192.0.2.3 }");
    const killed = await killedAt(file, /records$/u, true);
    expect(killed.status).toBe(null);
    expect(lines().map(({ type, operation }) => operation ?? type)).toEqual(["begin", "create", "outcome", "create"]);
    expect(own(".lock").length, "a dead process has left its lock").toBe(1);
    expect(statSync(join(work.folder, ".hostform")).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(work.folder, ".hostform/.gitignore"), "utf8")).toBe("*\n");

    const again = exits(0, await apply(file));
    expect(again.stdout).toMatch(
      /create dns_record\/\S+\/a\/A \(192\.0\.2\.1\) was in flight when the last apply \(by \S+, since \S+Z\) was interrupted: it is done/u,
    );
    expect(again.stdout).toContain("Applied: 2 added");
    expect(posts().length).toBe(3);
    expect(readdirSync(join(work.folder, ".hostform"))).toEqual([".gitignore"]);
  });

  test.runIf(size.whole)("before a creation arrived: it is planned again, and sent with the key of then", async () => {
    const file = records("a: { A: 192.0.2.1 }");
    await killedAt(file, /records$/u, false);
    age();
    const again = exits(0, await apply(file, ["--json"]));
    expect(eventsOf(again).find(({ type }) => type === "in_flight")).toMatchObject({
      fate: "not_done",
      address: `dns_record/${zoneName()}/a/A`,
    });
    expect(checkEvents(eventsOf(again))).toEqual([]);
    const [first, second] = posts();
    expect(second?.key).toBe(first?.key);
    expect(first?.key).toMatch(/^[\w-]{36}$/u);
  });

  test("after a creation was done, whose object somebody then deleted: it is made again, under another key", async () => {
    const file = records("a: { A: 192.0.2.1 }");
    await killedAt(file, /records$/u, true);
    age();
    for (const { id, name } of await liveRecords(account, zoneName()))
      if (name === "a") await account.byHand("DELETE", `${await recordsPath(account, zoneName())}/${id}`);
    const clock = virtualClock();
    const repeated = exits(5, await applyHere(file, [], {}, clock));
    expect(repeated.stdout + repeated.stderr).toContain("so apply again to create it under another key");
    const again = exits(0, await applyHere(file, [], {}, clock));
    expect(again.stdout).toContain("Applied: 1 added");
    expect((await liveRecords(account, zoneName())).filter(({ name }) => name === "a").length).toBe(1);
    const [first, second, third] = posts();
    expect(second?.key).toBe(first?.key);
    expect(third?.key).not.toBe(first?.key);
    expect(posts().length).toBe(3);
    expect(own(".journal")).toEqual([]);
  });

  test("has written no secret: neither the key nor a password nor a value that comes from the environment", async () => {
    const file = manifest(
      `domains: { ${zoneName()}: }\nmail: { ${zoneName()}: { mailboxes: { info: { password: "\${env:PW}" } } } }\n` +
        `dns: { ${zoneName()}: { records: { t: { TXT: ["\${env:TOKEN}", "\${env:OTHER}"] } } } }`,
    );
    const env = { PW: "a-mailbox-password", TOKEN: "a-token-of-the-environment", OTHER: "another-token-of-it" };
    const seen: string[] = [];
    await applyWith(
      file,
      async ({ method, path, pass, response }, kill) => {
        if (method !== "GET") seen.push(readFileSync(journal(), "utf8"));
        if (method === "GET" || !path.endsWith("/records") || posts().length < 2) return;
        await pass();
        kill("SIGKILL");
        response.destroy();
      },
      { env, flags: ["--parallelism", "1"] },
    );
    work.handle = ({ method }) => {
      if (method !== "GET") seen.push(readFileSync(journal(), "utf8"));
    };
    const again = exits(0, await apply(file, ["--json"], env));
    expect(eventsOf(again).find(({ type }) => type === "in_flight")).toMatchObject({
      address: `dns_record/${zoneName()}/t/TXT`,
      fate: "done",
    });
    expect(posts().length).toBe(2);
    const text = seen.join("");
    expect(text).toContain('"address":"mailbox/');
    for (const secret of Object.values({ ...account.env, ...env })) expect(text).not.toContain(secret);
  });
});

describe("what a killed apply has deleted for a successor stays away where another checkout has since", () => {
  /** Kills an apply between the deletion and the successor, applies `now` without its journal, then with it. */
  async function resumedLate(now: string): Promise<Ran> {
    const flags = (path: string) => [
      "--inventory",
      join(work.folder, "ours.json"),
      "--journal",
      join(work.folder, path),
    ];
    const run = (file: string, path: string) => apply(file, flags(path), {}, () => undefined);
    expect((await run(records("a: { A: 192.0.2.1 }, b: { A: 192.0.2.2 }"), "first")).status).toBe(0);
    const killed = await applyWith(
      records("a: { CNAME: x.example. }, b: { A: 192.0.2.2 }"),
      ({ method, response }, kill) => {
        if (method !== "POST") return;
        kill("SIGKILL");
        response.destroy();
      },
      { flags: flags("here") },
    );
    expect(killed.status).toBe(null);
    age(join(work.folder, "here"));
    const file = records(now);
    expect((await run(file, "there")).status).toBe(0);
    writes.length = 0;
    const last = exits(0, await run(file, "here"));
    expect(writes).toEqual([]);
    return last;
  }

  test.runIf(size.whole)("dropped its name, and its former identity is reported", async () => {
    const { stdout } = await resumedLate("b: { A: 192.0.2.2 }");
    expect(stdout).toContain(`dns_record/${zoneName()}/a/A was deleted for`);
    expect(stdout).toContain("192.0.2.1");
  });

  test.runIf(size.whole)("declared other values", async () => {
    const { stdout } = await resumedLate("a: { A: 192.0.2.9 }, b: { A: 192.0.2.2 }");
    expect(stdout).toContain("No changes");
  });
});

test("a journal that was cut after a purchase buys nothing again, wherever it was cut", async () => {
  const names = ["one", "two"].map((name) => `${name}.${zoneName()}`);
  const file = manifest(`domains: { ${names.map((name) => `${name}: { register: true }`).join(", ")} }`);
  const inventory = join(work.folder, "ours.json");
  const flags = ["--inventory", inventory, ...names.flatMap((name) => ["--allow-purchase", `domain/${name}`])];
  let seen = 0;
  await applyWith(
    file,
    async ({ method, pass, response }, kill) => {
      if (method === "GET" || (seen += 1) < 2) return;
      await pass();
      kill("SIGKILL");
      response.destroy();
    },
    { flags: [...flags, "--parallelism", "1"] },
  );
  const path = journal();
  const records = lines();
  const left = readFileSync(inventory, "utf8");
  expect(records.filter(({ once }) => once === true).length).toBe(2);
  const first = records.findIndex(({ type }) => type === "intent");
  const last = records.findLastIndex(({ type }) => type === "intent");
  for (let kept = 1; kept <= last; kept += 1) {
    writeFileSync(path, sealedLines(records.slice(0, kept)));
    writeFileSync(inventory, left);
    // Nothing is live, as behind a list that lags: only what is remembered keeps it from being bought again.
    work.handle = ({ method, path: asked, response }) => {
      if (method !== "GET" || !asked.startsWith("/v2026/domains")) return;
      const empty = { data: [], meta: { total: 0, current_page: 1, per_page: 100 } };
      answerJson(response, 200, empty);
    };
    writes.length = 0;
    const again = await applyHere(file, ["--settle", "0", ...flags], {}, virtualClock());
    work.handle = undefined;
    expect(again.status, `${kept} lines\n${again.stdout}${again.stderr}`).toBe(6);
    expect(again.stdout + again.stderr).toMatch(
      kept <= first ? /is incomplete: it records 0 of 2/u : /no list shows it|no list shows its effect/u,
    );
    expect(writes).toEqual([]);
  }
});
