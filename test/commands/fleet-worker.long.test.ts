import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { size } from "../proofs/size.ts";
import { startHttpsServer } from "../support/https-server.ts";
import { eventsOf, exits, runHostform, runInProcess } from "../support/run-hostform.ts";
import {
  fleetForTest,
  interruptedAtOnce,
  namesOf,
  shopManifest,
  startWorker,
  type TestFleet,
} from "../support/fleet.ts";
import { changeRecord } from "../support/live-records.ts";

/** Asks the database until it returns a row. */
async function until({ database }: TestFleet, query: string): Promise<void> {
  while ((await database.query(query)).length === 0);
}

describe("a worker", () => {
  test("gives back what it has begun when it is to end, and another one does it", async () => {
    const shops = await fleetForTest(namesOf(4));
    const planned = shops.fleet(["plan"]);
    const first = startWorker(shops);
    await until(shops, "SELECT 1 FROM hostform.lease WHERE job IS NOT NULL");
    expect((await first.end()).status).toBe(0);
    const held = "SELECT target FROM hostform.lease WHERE job IS NOT NULL";
    const running = "SELECT account FROM hostform.run_account WHERE state = 'running'";
    const active = "SELECT id FROM hostform_queue.job WHERE state = 'active'";
    for (const query of [held, running, active]) expect(await shops.database.query(query)).toEqual([]);
    const second = startWorker(shops);
    expect((await planned).stdout).toContain("4 changed");
    expect((await second.end()).status).toBe(0);
  });

  test.runIf(size.whole)(
    "whose checkout is another gives its jobs back with the reason, once, and takes them once it has the same",
    async () => {
      const shops = await fleetForTest(namesOf(2));
      const copy = join(shops.folder, "..", "copy");
      cpSync(shops.folder, copy, { recursive: true });
      writeFileSync(join(copy, "accounts", "shop-001", "hosting.yaml"), shopManifest("shop-001", "192.0.2.9"));
      let hear = () => {};
      const heard = new Promise<void>((resolve) => (hear = resolve));
      const world = { flags: [], env: shops.env };
      const planned = runInProcess(world, ["fleet", "plan", "--json", "-f", shops.folder], {}, {}, (stdout) => {
        if (stdout.includes('"job_returned"')) hear();
      });
      const other = startWorker(
        {
          fleet: (args, world) =>
            runInProcess({ flags: [], env: shops.env }, ["fleet", ...args, "-f", copy], {}, world),
        },
        "--json",
      );
      await until(shops, "SELECT 1 FROM hostform.run_account WHERE state = 'queued' AND why IS NOT NULL");
      await until(shops, "SELECT 1 FROM hostform.run_account WHERE state = 'changed'");
      const [{ why } = { why: "" }] = await shops.database.query<{ why: string }>(
        "SELECT why FROM hostform.run_account WHERE why IS NOT NULL",
      );
      expect(why).toMatch(/^.+: the manifests of accounts\/shop-001 are others in its checkout$/u);
      await heard;
      writeFileSync(join(copy, "accounts", "shop-001", "hosting.yaml"), shopManifest("shop-001"));
      await shops.database.query("UPDATE hostform_queue.job SET start_after = now()");
      const said = eventsOf(await planned);
      expect(said.filter(({ type }) => type === "job_returned")).toMatchObject([{ account: "accounts/shop-001", why }]);
      expect(said.at(-1)).toMatchObject({ type: "run_ended", sums: { changed: 2 } });
      const returned = eventsOf(await other.end()).filter(({ type }) => type === "job_returned");
      expect(returned).toMatchObject([{ account: "accounts/shop-001" }]);
      rmSync(copy, { recursive: true });
    },
  );

  test("that lost the database gives its job back once it is there again, and its death is not counted", async () => {
    const shops = await fleetForTest(namesOf(1));
    const planned = shops.fleet(["plan"]);
    let worker: ReturnType<typeof startWorker> | undefined;
    await shops.database.transaction(async ({ query }) => {
      const cut = async (statement: string) => {
        const waiting = "datname = current_database() AND wait_event_type = 'Lock' AND query ~ $1";
        const cutThem = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${waiting}`;
        // A transaction sees the statements of its first look only.
        while ((await shops.database.query(cutThem, [statement])).length === 0);
      };
      await query("LOCK TABLE hostform.target");
      worker = startWorker(shops);
      // It waits for its inventory; then it cannot give the job back either.
      const waits =
        "SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE datname = current_database() AND relation = 'hostform.target'::regclass AND NOT granted";
      while ((await query(waits)).length === 0);
      await query("LOCK TABLE hostform.lease");
      await cut("hostform.target");
      await cut("DELETE FROM hostform.lease WHERE target = .1 AND job");
    });
    await until(shops, "SELECT 1 FROM hostform_queue.job WHERE state = 'created'");
    await shops.database.query("UPDATE hostform_queue.job SET start_after = now()");
    expect((await planned).stdout).toContain("1 changed");
    expect(await shops.database.query("SELECT attempts FROM hostform.run_account")).toEqual([{ attempts: 1 }]);
    await worker?.end();
  });

  test("sees accounts and settings that come while it runs, and says of a file that it cannot read what it does", async () => {
    const shops = await fleetForTest(namesOf(1));
    const file = join(shops.folder, "fleet.yaml");
    const worker = startWorker(shops);
    expect((await shops.fleet(["plan"])).stdout).toContain("1 changed");
    shops.write("shop-002", shopManifest("shop-002"));
    expect((await shops.fleet(["plan", "--only", "accounts/shop-002"])).stdout).toContain("1 changed");
    const text = `version: 1\nname: test\ndefaults: { base_url: "${shops.api.baseUrl}", ca_file: ca.pem, owner: us }\naccounts:\n`;
    writeFileSync(file, `${text}  - { folder: accounts/shop-001, name: one }\n`);
    expect((await shops.fleet(["plan"])).stdout).toContain("1 changed");
    writeFileSync(file, text);
    expect((await shops.fleet(["plan"])).status).toBe(3);
    writeFileSync(file, `${text}  - { folder: accounts/shop-002, name: two }\n`);
    expect((await shops.fleet(["plan"])).stdout).toContain("1 changed");
    const { status, stderr } = await worker.end();
    expect([status, stderr.replaceAll(/\n +/gu, " ")]).toEqual([0, expect.not.stringContaining("bug")]);
  });

  test("leaves no account running of a run that was cancelled as it took the job", async () => {
    const shops = await fleetForTest(namesOf(1));
    await shops.fleet(["plan"], interruptedAtOnce());
    // The state between two looks: what the cancelled run had given back is not withdrawn yet.
    await shops.database.query("UPDATE hostform.run SET state = 'cancelled', dirty = false");
    const worker = startWorker(shops);
    await until(shops, "SELECT 1 FROM hostform.run_account WHERE state = 'cancelled'");
    await worker.end();
    expect(await shops.database.query("SELECT 1 FROM hostform_queue.job")).toEqual([]);
  });

  test("applies no plan in the place of an approved one that somebody deleted", async () => {
    const shops = await fleetForTest(namesOf(1));
    const worker = startWorker(shops);
    const waiting = await shops.fleet(["apply"]);
    const hash = /sha256:[0-9a-f]{32}/u.exec(waiting.stdout)?.[0] ?? "";
    await shops.database.query("UPDATE hostform.run_account SET plan = NULL");
    const applied = await shops.fleet(["apply", "--approve", hash]);
    await worker.end();
    expect(applied.stdout).toContain("1 failed");
    expect(await shops.api.writes()).toEqual([]);
  });

  test("takes an account over from its former name once nobody works on it under that any more", async () => {
    const shops = await fleetForTest(namesOf(1));
    const worker = startWorker(shops);
    expect((await shops.fleet(["apply", "--auto-approve"])).stdout).toContain("1 applied");
    const lease =
      "INSERT INTO hostform.lease (target, until, job) VALUES ('test/accounts/shop-001', now() + interval '1 h', gen_random_uuid())";
    await shops.database.query(lease);
    const file = join(shops.folder, "fleet.yaml");
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace("folders: accounts/*", "folder: accounts/shop-001\n    name: one"),
    );
    const during = await shops.fleet(["plan"]);
    await shops.database.query("DELETE FROM hostform.lease");
    const after = await shops.fleet(["plan"]);
    await worker.end();
    expect(during.stdout).toMatch(/failed +one .*test\/accounts\/shop-001/u);
    expect(after.stdout).toContain("1 clean");
  });

  test("refuses a time and a URL that it cannot take", async () => {
    const shops = await fleetForTest(namesOf(1));
    const wrong = await shops.fleet(["worker", "--drift", "6h"]);
    expect(exits(3, wrong).stderr).toContain("expected every= with a time from 5m to 30d, found 6h");
    expect((await shops.fleet(["worker", "--notify-url", "http://hook.example/"])).status).toBe(3);
  });
});

test.runIf(size.whole)("a watch posts new drift only, and nothing that is in a manifest", async () => {
  const posted: string[] = [];
  const hook = await startHttpsServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      posted.push(text);
      response.writeHead(204).end();
    });
  });
  onTestFinished(hook.close);
  const shops = await fleetForTest(namesOf(2));
  expect((await shops.fleet(["run", "--auto-approve"])).stdout).toContain("2 applied");
  const ca = join(shops.folder, "hook.pem");
  writeFileSync(ca, hook.ca);
  const change = (content: string) => changeRecord(shops.api, ({ type }) => type === "A", content, "shop-001.example");
  /** A worker that looks around, and then checks each account. */
  const look = async () => {
    const checked = shops.fleet(["drift"]);
    const args = ["fleet", "worker", "-f", shops.folder, "--drift", "every=30d"];
    const env = {
      ...shops.env,
      NODE_EXTRA_CA_CERTS: ca,
      HOSTFORM_NOTIFY_URL: new URL("/T0K3N-of-the-hook", hook.baseUrl).href,
    };
    let end: (signal: NodeJS.Signals) => void = () => undefined;
    const worker = runHostform(args, { env, onStart: (kill) => (end = kill) });
    const { stdout } = await checked;
    end("SIGTERM");
    expect(await worker).toMatchObject({ status: 0, stderr: "" });
    return stdout;
  };
  await change("198.51.100.7");
  expect(await look()).toMatch(/drifted +accounts\/shop-001/u);
  expect(posted).toEqual([]);
  await look();
  expect(posted).toHaveLength(1);
  await change("198.51.100.8");
  await look();
  expect(posted).toHaveLength(1);
  await look();
  expect(posted.map((text) => JSON.parse(text) as unknown)).toMatchObject([
    { command: "drift", ending: "changes", counts: { drifted_accounts: 1 } },
    { command: "drift", ending: "changes", counts: { drifted_accounts: 1 } },
  ]);
  expect(posted.join("\n")).not.toMatch(/shop|198\.51|example|T0K3N/u);
  expect((await shops.fleet(["status"])).stdout).toMatch(/drifted +accounts\/shop-001 .*since 20/u);
});
