import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { unknownLimit } from "../../src/api/bucket.ts";
import { size } from "../proofs/size.ts";
import { eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import {
  fleetForTest,
  hashIn,
  interruptedAtOnce,
  namesOf,
  runIn,
  shopManifest,
  startWorker,
  withWorker,
  type TestFleet,
} from "../support/fleet.ts";
import { liveRecords, recordsPath } from "../support/live-records.ts";
import { newDatabaseUrl } from "../support/postgres.ts";
import { folderForTest } from "../support/temporary-folder.ts";

/** The world of a command that is interrupted after so many milliseconds of its own clock, which each of its waits moves. */
function interruptedAfter(limit: number, first = async () => {}): Parameters<TestFleet["fleet"]>[1] {
  let time = 0;
  let end = () => {};
  return {
    now: () => time,
    sleep: async (milliseconds) => {
      if (time === 0) await first();
      time += milliseconds;
      if (time > limit) end();
    },
    onInterrupt: (handler) => void (end = handler),
  };
}

describe("the plans of a run of plans", () => {
  test("are applied by their hash, and nothing else is", async () => {
    const { fleet } = await withWorker(namesOf(2));
    const planned = exits(2, await fleet(["plan"]));
    expect(planned.stdout).not.toContain("waits for approval");
    expect(exits(3, await fleet(["apply", "--approve", `sha256:${"0".repeat(32)}`])).stderr).toContain("no_such_plan");
    const applied = await fleet(["apply", "--approve", hashIn(planned.stdout)]);
    expect(exits(0, applied).stdout).toContain("Applied: 2 accounts: 2 applied");
    expect(applied.stdout).not.toContain("approve");
    expect((await fleet(["plan"])).stdout).toMatch(/2 clean\nNo changes\.\n$/u);
  });

  test("are not applied any more, approved or not, once somebody has cancelled their run", async () => {
    const { fleet } = await withWorker(namesOf(1));
    const planned = await fleet(["plan"]);
    const [run, hash] = [runIn(planned.stdout), hashIn(planned.stdout)];
    await fleet(["approve", run, "--hash", hash]);
    expect((await fleet(["cancel", run])).stdout).toBe(`Run ${run} is cancelled.\n`);
    expect(exits(3, await fleet(["approve", run, "--hash", hash])).stderr).toContain("is cancelled");
    expect((await fleet(["status"])).stdout).not.toContain(run);
    expect(exits(3, await fleet(["apply", "--approve", hash])).stderr).toContain("no_such_plan");
    expect(exits(6, await fleet(["apply"])).stdout).toContain("waits for approval");
  });

  test.runIf(size.whole)("are applied without a hash once somebody has approved them, and only once", async () => {
    const { fleet } = await withWorker(namesOf(2));
    const planned = await fleet(["plan"]);
    const approved = await fleet(["approve", runIn(planned.stdout), "--hash", hashIn(planned.stdout)]);
    expect(approved.stdout).toContain("hostform fleet apply");
    expect((await fleet(["apply"])).stdout).toContain("Applied: 2 accounts: 2 applied");
    expect((await fleet(["apply"])).stdout).toMatch(/2 clean\nNo changes\.\n$/u);
  });

  test.runIf(size.whole)("name an account that was added after they were approved", async () => {
    const { fleet, write } = await withWorker(namesOf(1));
    const planned = await fleet(["plan"]);
    write("later", "version: 1\nname: later\n");
    const applied = exits(6, await fleet(["apply", "--approve", hashIn(planned.stdout)]));
    expect(applied.stdout).toMatch(/left out +accounts\/later +the run that was approved did not plan it/u);
  });

  test("wait in an apply for their hash, which its next call may give", async () => {
    const { fleet } = await withWorker(namesOf(1));
    const waiting = await fleet(["apply"]);
    expect(exits(6, waiting).stdout).toContain("Planned: 1 account: 1 changed");
    expect((await fleet(["apply", "--approve", hashIn(waiting.stdout)])).stdout).toContain("1 applied");
  });

  test.runIf(size.whole)(
    "are not applied by a command that asks for other accounts or waves than the run that waits",
    async () => {
      const { fleet, api } = await withWorker(namesOf(2));
      const waiting = await fleet(["apply"]);
      const hash = hashIn(waiting.stdout);
      for (const flags of [
        ["--only", "accounts/shop-001"],
        ["--wave", "1,rest"],
        ["--surprise", "1"],
        ["--auto-approve"],
      ]) {
        const { status, stderr } = await fleet(["apply", "--approve", hash, ...flags]);
        expect([status, stderr], flags.join(" ")).toEqual([
          3,
          expect.stringContaining(`Run ${runIn(waiting.stdout)} `),
        ]);
      }
      expect(await api.writes()).toEqual([]);
      expect((await fleet(["apply", "--approve", hash])).stdout).toContain("2 applied");
    },
  );
});

describe("a run that is gone on with", () => {
  test.runIf(size.whole).each(["plan", "apply"])(
    "is begun anew where a manifest or an account is another: %s",
    async (command) => {
      const opened = await fleetForTest(namesOf(2));
      const { fleet, write, database } = opened;
      expect((await fleet([command], interruptedAtOnce())).status).toBe(130);
      write("shop-001", shopManifest("shop-001", "192.0.2.77"));
      write("shop-003", shopManifest("shop-003"));
      const worker = startWorker(opened);
      const again = await fleet([command]);
      await worker.end();
      expect(again.stdout).toContain("192.0.2.77");
      expect(again.stdout).toContain("3 changed");
      const states = await database.query<{ state: string }>("SELECT state FROM hostform.run ORDER BY created");
      expect(states[0]).toEqual({ state: "cancelled" });
    },
  );

  test("gives up an account that fleet.yaml does not have any more", async () => {
    // The worker goes by the clock of this machine.
    const inThreeDays = new Date(Date.now() + 3 * 86_400_000);
    const [, day] = /^(\w+),/u.exec(inThreeDays.toUTCString().toLowerCase()) ?? [];
    const { fleet, write, folder } = await withWorker(namesOf(2), {
      settings: `    window: { days: [${day}], time_zone: UTC }\n`,
    });
    const flags = ["apply", "--auto-approve"];
    write("shop-001", "version: 1\nname: shop-001\n");
    expect((await fleet(flags)).stdout).toContain("1 clean");
    rmSync(join(folder, "accounts", "shop-002"), { recursive: true });
    const again = await fleet(flags);
    expect(again.stdout).toMatch(/cancelled +accounts\/shop-002 .*fleet\.yaml does not have it any more/u);
  });
});

test("a run without questions that its plans stopped goes on with --continue alone, without what fleet.yaml has no more", async () => {
  const { fleet, write, folder } = await withWorker(namesOf(3));
  write("shop-001", "version: 1\nname: shop-001\ndns: 7\n");
  expect((await fleet(["apply", "--auto-approve", "--stop-at", "0%"])).stdout).toContain("1 failed, 2 changed");
  rmSync(join(folder, "accounts", "shop-002"), { recursive: true });
  const { stdout } = await fleet(["apply", "--continue"]);
  expect(stdout).toMatch(/cancelled +accounts\/shop-002 .*fleet\.yaml does not have it any more/u);
  expect(stdout).toContain("Applied: 3 accounts: 1 failed, 1 cancelled, 1 applied");
});

test("an account whose resources exist already is taken over by its first apply, which sends nothing", async () => {
  const { fleet, api, write } = await withWorker(namesOf(1));
  const { id } = await api.create("/dns/zones", { name: "shop-001.example" });
  await api.create(`/dns/zones/${id}/records`, { name: "www", type: "A", content: "192.0.2.1" });
  expect(exits(0, await fleet(["plan"])).stdout).toContain("takes over what exists");
  const writes = async () => (await api.writes()).length;
  expect((await fleet(["apply", "--auto-approve"])).stdout).toContain("1 applied");
  expect(await writes()).toBe(0);
  expect((await fleet(["plan"])).stdout).toContain("No changes.");
  write("shop-001", "version: 1\nname: shop-001\ndns: { shop-001.example: { records: {} } }\n");
  expect(exits(2, await fleet(["plan"])).stdout).toContain("- dns_record/shop-001.example/www/A");
  expect(exits(6, await fleet(["apply", "--surprise", "0"])).stdout).toMatch(/left out .*it would delete 1, more/u);
});

describe("a command of a fleet that cannot do what it is asked for says what to do", () => {
  const unreachable = "postgres://u:secret-word@127.0.0.1:1/none";

  test("without fleet.yaml, and without a database that answers", async () => {
    const folder = folderForTest();
    const run = (args: string[], url = unreachable) =>
      runInProcess({ flags: [], env: { HOSTFORM_DATABASE_URL: url } }, ["fleet", ...args]);
    expect(exits(3, await run(["plan", "-f", folder])).stderr).toContain("fleet.yaml");
    writeFileSync(join(folder, "fleet.yaml"), "version: 1\nname: x\naccounts: []\n");
    expect((await run(["plan", "-f", folder])).stderr).toContain("accounts");
    for (const args of [["migrate"], ["migrate", "--json"]]) {
      const away = await run(args);
      expect([away.status, away.stdout + away.stderr]).toEqual([4, expect.stringContaining("127.0.0.1:1")]);
      expect(away.stdout + away.stderr).toContain("HOSTFORM_DATABASE_URL");
      expect(away.stdout + away.stderr).not.toMatch(/secret-word|bug in Hostform/u);
    }
  });

  test("with a database that has no tables until they are made", async () => {
    const url = await newDatabaseUrl("empty");
    const { fleet } = await openFor(url);
    expect(exits(3, await fleet(["status"])).stderr).toContain("hostform fleet migrate");
    const env = { HOSTFORM_DATABASE_URL: url };
    const made = exits(0, await runInProcess({ flags: [], env }, ["fleet", "migrate", "--json"]));
    expect(eventsOf(made)).toMatchObject([{ type: "version" }, { type: "database_migrated" }]);
    expect((await fleet(["status"])).status).toBe(0);
  });

  test("on runs that are not there, have ended, or have no plans", async () => {
    const { fleet } = await withWorker(namesOf(1));
    const refused = async (args: string[], ...words: string[]) => {
      const { status, stderr } = await fleet(args);
      expect([args.join(" "), status]).toEqual([args.join(" "), 3]);
      for (const word of words) expect(stderr).toContain(word);
    };
    const hash = `sha256:${"a".repeat(32)}`;
    await refused(["approve", "abc", "--hash", hash], "abc", "fleet status");
    await refused(["cancel", "abc"], "abc", "fleet status");
    await refused(["history", "nobody"], "nobody", "fleet status");
    await refused(
      ["apply", "--wave", "0,rest", "--stop-at", "x", "--surprise", "y"],
      "--wave",
      "--stop-at",
      "--surprise",
    );
    await refused(["plan", "--only", "nobody"], "--only nobody");
    await refused(["apply", "--surprise", "few"], "--surprise: expected a number of deletions, found few");
    await refused(["apply", "--continue"], "--continue", "is stopped");
    for (const command of ["approve", "cancel", "history"])
      await refused([command], `hostform fleet ${command} needs an argument`, "hostform fleet status");
    for (const count of ["0", "x", "129"])
      await refused(
        ["worker", "--concurrency", count],
        "--concurrency",
        "a whole number from 1 to 128",
        "leave it out",
      );
    const drift = await fleet(["drift"]);
    await refused(["approve", runIn(drift.stdout), "--hash", hash], "drift");
    expect((await fleet(["cancel", runIn(drift.stdout)])).stdout).toContain("nothing to cancel");
    const planned = await fleet(["plan"]);
    await refused(["approve", runIn(planned.stdout), "--hash", hash], hashIn(planned.stdout), hash);
    const waiting = await fleet(["apply"]);
    await fleet(["cancel", runIn(waiting.stdout)]);
    await refused(["approve", runIn(waiting.stdout), "--hash", hashIn(waiting.stdout)], "cancelled", "fleet apply");
  });

  test("where the database goes away for a moment, and goes on", async () => {
    const { fleet, database } = await fleetForTest(namesOf(1));
    let looks = 0;
    let end = () => {};
    const waits =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let cut: Promise<void> | undefined;
    const cutWhoWaits = () =>
      new Promise<void>((locked) => {
        cut = database.transaction(async ({ query }) => {
          await query("LOCK TABLE hostform.run");
          locked();
          while ((await query(waits)).length === 0);
        });
      });
    const planned = await fleet(["plan"], {
      sleep: async () => {
        looks += 1;
        if (looks === 1) await cutWhoWaits();
        if (looks === 4) end();
      },
      onInterrupt: (handler) => void (end = handler),
    });
    await cut;
    expect(exits(130, planned).stdout).toMatch(/^The database is away/mu);
    expect(planned.stdout.match(/The database is away/gu)).toHaveLength(1);
  });

  test("where no worker takes jobs, within 15 seconds of its clock", async () => {
    const { fleet } = await fleetForTest(namesOf(2));
    const planned = exits(130, await fleet(["plan"], interruptedAfter(20_000)));
    expect(planned.stdout).toContain("2 jobs wait, and no worker takes them. Start one: `hostform fleet worker`");
  });
});

test.each(["apply", "run"])(
  "a fleet %s that is interrupted says that its run goes on, and approves nothing",
  async (command) => {
    const { fleet, api, database } = await fleetForTest(namesOf(1));
    const cut = await fleet([command, "--auto-approve"], interruptedAtOnce());
    expect(exits(130, cut).stdout).toMatch(
      /^Interrupted: 1 account: .*\nRun (\w{8}) has not ended: [^]*`hostform fleet cancel \1`\n$/mu,
    );
    expect(await database.query("SELECT state FROM hostform.run_account")).toEqual([{ state: "queued" }]);
    expect(await api.writes()).toEqual([]);
  },
);

test("jobs that somebody deleted are queued again by the command that follows their run", async () => {
  const { fleet, database } = await fleetForTest(namesOf(3));
  const meddle = async () => {
    await database.query("DELETE FROM hostform_queue.job WHERE data->>'account' <> 'accounts/shop-001'");
    // Its worker was killed, and a sweep found no job.
    await database.query("UPDATE hostform.run_account SET state = 'running' WHERE account = 'accounts/shop-002'");
  };
  const planned = await fleet(["plan"], interruptedAfter(40_000, meddle));
  expect(planned.stdout).toContain("3 jobs wait, and no worker takes them");
  expect(planned.stdout).toContain("Interrupted: 3 accounts: 3 queued");
  const jobs = "SELECT data->>'account' AS account, data->>'kind' AS kind FROM hostform_queue.job ORDER BY 1";
  expect(await database.query(jobs)).toEqual(namesOf(3).map((name) => ({ account: `accounts/${name}`, kind: "plan" })));
});

test("a command that follows a run says once that an API asked for a pause", async () => {
  const { fleet, database } = await fleetForTest(namesOf(1));
  const pause = async () => {
    const [{ now } = { now: 0 }] = await database.query<{ now: number }>(
      "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now",
    );
    for (const [host, seconds] of [
      ["https://slow.example", 40],
      ["https://fast.example", 1],
    ] as const)
      await database.query("INSERT INTO hostform.pace VALUES ($1, $2)", [
        host,
        JSON.stringify({ ...unknownLimit(now), pausedUntil: now + seconds * 1000 }),
      ]);
  };
  const planned = await fleet(["plan"], interruptedAfter(5_000, pause));
  expect(planned.stdout.match(/.*asked for a pause.*/gu)).toEqual([
    expect.stringMatching(
      /^https:\/\/slow\.example asked for a pause: nothing is sent to it for (?:40|3\d) seconds\.$/u,
    ),
  ]);
});

test("what others changed is named by a check for drift, and marked in the plan that takes it back", async () => {
  const { fleet, api, folder } = await withWorker(namesOf(1));
  const git = ["-C", folder, "-c", "user.name=anna", "-c", "user.email=anna@a.example"];
  for (const args of [
    ["init", "-q"],
    ["add", "."],
    ["commit", "-qm", "the first"],
  ])
    execFileSync("git", [...git, ...args]);
  await fleet(["apply", "--auto-approve"]);
  const www = (await liveRecords(api)).find(({ type }) => type === "A");
  await api.byHand("DELETE", `${await recordsPath(api)}/${www?.id}`);
  expect((await fleet(["drift"])).stdout).toMatch(
    /drifted +accounts\/shop-001 +dns_record\/shop-001\.example\/www\/A is gone/u,
  );
  const planned = await fleet(["plan"]);
  expect(planned.stdout).toMatch(/\+ dns_record\/shop-001\.example\/www\/A .*\[drift\]/u);
});

test("who approved a run first stays the one who did", async () => {
  const { fleet, database } = await withWorker(namesOf(1));
  const planned = await fleet(["plan"]);
  const args = ["approve", runIn(planned.stdout), "--hash", hashIn(planned.stdout)];
  for (const user of ["anna", "bert"])
    await fleet(args, { runner: { user, host: "desk", pid: 1, processMark: () => "" } });
  expect(await database.query("SELECT approved_by FROM hostform.run")).toEqual([{ approved_by: "anna@desk" }]);
});

test("an account that fails while it is planned is named once by an apply that goes on to the end", async () => {
  const { fleet, write, folder } = await withWorker(namesOf(3));
  write("shop-002", "version: 1\nname: shop-002\ndns: 7\n");
  writeFileSync(join(folder, "accounts/shop-003/hosting.yaml"), Buffer.from("name: café", "latin1"));
  const applied = await fleet(["apply", "--auto-approve"]);
  expect(applied.stdout).toContain("Applied: 3 accounts: 2 failed, 1 applied");
  expect(applied.stdout.match(/failed +accounts\/shop-002/gu)).toHaveLength(1);
  expect(applied.stdout).toMatch(/failed +accounts\/shop-003 +accounts\/shop-003\/hosting\.yaml is not UTF-8/u);
});

test("an account is named also where the database took seconds to write down what became of it", async () => {
  const { fleet, write, database } = await withWorker(namesOf(2));
  write("shop-002", "version: 1\nname: shop-002\ndns: 7\n");
  const late = "BEGIN NEW.updated := clock_timestamp() - interval '5 s'; RETURN NEW; END";
  await database.query(
    `CREATE OR REPLACE FUNCTION hostform.note_update() RETURNS trigger LANGUAGE plpgsql AS $$${late}$$`,
  );
  expect((await fleet(["plan"])).stdout).toMatch(/failed +accounts\/shop-002/u);
});

test.runIf(size.whole)("each line of --json is an event, the first one with the version", async () => {
  const { fleet } = await withWorker(namesOf(1));
  for (const args of [["plan"], ["apply", "--auto-approve"], ["status"], ["history", "accounts/shop-001"], ["drift"]])
    expect(eventsOf(await fleet([...args, "--json"]))[0], args.join(" ")).toMatchObject({ type: "version" });
});

/** A fleet of one account with another database. */
async function openFor(url: string) {
  const opened = await fleetForTest(namesOf(1));
  return {
    ...opened,
    fleet: (args: readonly string[]) =>
      runInProcess({ flags: [], env: { ...opened.env, HOSTFORM_DATABASE_URL: url } }, [
        "fleet",
        ...args,
        "-f",
        opened.folder,
      ]),
  };
}
