import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hashIn, interruptedAtOnce, namesOf, runIn, shopManifest, withWorker } from "../support/fleet.ts";
import { changeRecord, liveRecords, type LiveRecord } from "../support/live-records.ts";
import { exits } from "../support/run-hostform.ts";

/** The command that a text tells to copy, without `hostform fleet`. */
const commandIn = (text: string) => /`hostform fleet (apply [^`]*)`/u.exec(text)?.[1]?.split(" ") ?? [];

/** Two accounts, each of a group of its own. */
const withGroups = () =>
  withWorker(namesOf(2), {
    settings: "    except: [accounts/shop-002]\n    group: a\n  - { folder: accounts/shop-002, group: b }\n",
  });

test("a choice of accounts that contradicts itself is a mistake, as one that names nobody is", async () => {
  const { fleet } = await withGroups();
  for (const command of ["plan", "drift", "apply", "status"]) {
    const { status, stderr } = await fleet([command, "--group", "a", "--only", "accounts/shop-002"]);
    const words = expect.stringContaining(
      "--group a --only accounts/shop-002: no account of the fleet has all of that",
    );
    expect([command, status, stderr]).toEqual([command, 3, words]);
  }
});

describe("the plans of a group", () => {
  test("are applied by the command that their run prints, and no other account is", async () => {
    const { fleet } = await withGroups();
    const planned = await fleet(["plan", "--group", "a"]);
    const applied = await fleet(commandIn(planned.stdout));
    expect(exits(0, applied).stdout).toContain("Applied: 1 account: 1 applied");
  });

  test("are applied by the command that their approval prints, also after an apply of other accounts", async () => {
    const { fleet } = await withGroups();
    const approvals: string[] = [];
    for (const group of ["a", "b"]) {
      const { stdout } = await fleet(["plan", "--group", group]);
      approvals.push((await fleet(["approve", runIn(stdout), "--hash", hashIn(stdout)])).stdout);
    }
    expect((await fleet(commandIn(approvals[1] ?? ""))).stdout).toContain("Applied: 1 account: 1 applied");
    const applied = await fleet(["apply", "--group", "a"]);
    expect(exits(0, applied).stdout).toContain("Applied: 1 account: 1 applied");
  });
});

test("approved plans that an apply takes are named, with what is newer by now", async () => {
  const { fleet, write, api } = await withWorker(namesOf(1));
  const planned = await fleet(["plan"]);
  const run = runIn(planned.stdout);
  await fleet(["approve", run, "--hash", hashIn(planned.stdout)]);
  write("shop-001", shopManifest("shop-001", "192.0.2.2"));
  const applied = await fleet(["apply"]);
  expect(applied.stdout).toMatch(new RegExp(`apply of 1 account, by the plans of run ${run} of \\S+ \\S+ UTC$`, "mu"));
  expect(applied.stdout).toContain("The manifests of 1 account are others by now (accounts/shop-001)");
  expect((await liveRecords(api)).find(({ type }) => type === "A")?.content).toBe("192.0.2.1");
  const next = await fleet(["plan"]);
  await fleet(["approve", runIn(next.stdout), "--hash", hashIn(next.stdout)]);
  const last = await fleet(["apply"]);
  expect([last.stdout.includes("by the plans of run"), last.stdout.includes("others by now")]).toEqual([true, false]);
});

describe("an apply that is called again with its flags", () => {
  test("says how it ended where workers have ended it, and sends nothing", async () => {
    const { fleet, api } = await withWorker(namesOf(1));
    const waiting = await fleet(["apply"]);
    const again = ["apply", "--approve", hashIn(waiting.stdout)];
    for (const _ of ["first", "second"]) expect(exits(0, await fleet(again)).stdout).toContain("1 applied");
    const writes = await api.writes();
    expect(writes.map(({ method }) => method)).toEqual(["POST", "POST"]);
  });

  test("applies the same plans again where they were made anew since", async () => {
    const { fleet, api, write } = await withWorker(namesOf(1));
    await fleet(["apply", "--auto-approve"]);
    const isAddress = ({ type }: LiveRecord) => type === "A";
    const before = (await liveRecords(api)).find(isAddress);
    write("shop-001", shopManifest("shop-001", "192.0.2.2"));
    const hashes = new Set<string>();
    for (const _ of ["first", "second"]) {
      const hash = hashIn((await fleet(["plan"])).stdout);
      hashes.add(hash);
      expect((await fleet(["apply", "--approve", hash])).status).toBe(0);
      expect((await liveRecords(api)).find(isAddress)?.content).toBe("192.0.2.2");
      await changeRecord(api, isAddress, before?.content ?? "");
    }
    expect(hashes.size).toBe(1);
  });

  test("does without an account that fleet.yaml has no more, and does not count it", async () => {
    const { fleet, folder } = await withWorker(namesOf(2));
    const waiting = await fleet(["apply"]);
    rmSync(join(folder, "accounts", "shop-002"), { recursive: true });
    const applied = await fleet(["apply", "--approve", hashIn(waiting.stdout)]);
    expect(exits(0, applied).stdout).toContain("1 applied");
  });
});

describe("plans of which an apply has taken a part", () => {
  test("are applied by their hash to an account that fleet.yaml did not have at the time", async () => {
    const { fleet, folder, api, write } = await withWorker(namesOf(2));
    const hash = hashIn((await fleet(["plan"])).stdout);
    rmSync(join(folder, "accounts", "shop-002"), { recursive: true });
    expect(exits(0, await fleet(["apply", "--approve", hash])).stdout).toContain("1 applied");
    write("shop-002", shopManifest("shop-002"));
    expect(exits(0, await fleet(["apply", "--approve", hash])).stdout).toContain("2 applied");
    // A zone and a record of each account.
    expect(await api.writes()).toHaveLength(4);
  });

  test.each(["approve", "cancel"])(
    "may be given to the command %s, which the status of the rest leads to",
    async (command) => {
      const { fleet } = await withWorker(namesOf(2));
      const { stdout } = await fleet(["plan"]);
      const [run, hash] = [runIn(stdout), hashIn(stdout)];
      await fleet(["apply", "--only", "accounts/shop-001", "--approve", hash]);
      expect((await fleet(["status"])).stdout).toContain(`hostform fleet approve ${run} --hash`);
      const changed = await fleet([command, run, ...(command === "approve" ? ["--hash", hash] : [])]);
      expect([changed.status, changed.stdout]).toEqual([0, expect.not.stringContaining("had ended")]);
      expect((await fleet(["status"])).stdout).not.toContain("waiting for approval");
      if (command === "approve") expect((await fleet(commandIn(changed.stdout))).stdout).toContain("2 applied");
    },
  );
});

test("an apply that was stopped, and goes on, is found again by --continue, and is not approved anew", async () => {
  const { fleet, api, write, database } = await withWorker(namesOf(3));
  await fleet(["apply", "--auto-approve"]);
  for (const name of namesOf(3)) write(name, shopManifest(name, "192.0.2.2"));
  await api.inject({ match: { method: "PUT" }, count: 1, fault: { status: 422 } });
  const flags = ["--auto-approve", "--wave", "1,1,rest", "--stop-at", "1%"];
  const stopped = await fleet(["apply", ...flags]);
  expect(stopped.stdout).toContain("is stopped");
  const run = runIn(stopped.stdout);
  const [{ hash } = { hash: "" }] = await database.query<{ hash: string }>(
    "SELECT hash FROM hostform.run WHERE id = $1",
    [run],
  );
  expect(exits(3, await fleet(["approve", run, "--hash", hash])).stderr).toContain("--continue");
  for (const name of ["shop-001", "shop-003"]) write(name, shopManifest(name, "192.0.2.3"));
  const cut = await fleet(["apply", "--continue", ...flags], interruptedAtOnce());
  // The one that failed is left out.
  expect(exits(130, cut).stdout).toContain("The manifests of 1 account are others by now (accounts/shop-003)");
  const again = await fleet(["apply", "--continue", ...flags]);
  expect(exits(5, again).stdout).toContain("2 applied");
});

test("to approve or cancel a run of plans that is over says so, and does nothing", async () => {
  const { fleet, database } = await withWorker(namesOf(1));
  const planned = await fleet(["plan"]);
  await fleet(["apply", "--approve", hashIn(planned.stdout)]);
  const clean = await fleet(["plan"]);
  const runs = () => database.query<{ id: string; hash: string }>("SELECT * FROM hostform.run ORDER BY id");
  const before = await runs();
  for (const { stdout } of [planned, clean]) {
    const run = runIn(stdout);
    const { hash = "" } = before.find(({ id }) => id === run) ?? {};
    for (const [args, nothing] of [
      [["approve", run, "--hash", hash], "approve"],
      [["cancel", run], "cancel"],
    ] as const)
      expect(await fleet(args)).toMatchObject({
        status: 0,
        stdout: `Run ${run} had ended: there is nothing to ${nothing}.\n`,
      });
  }
  expect(await runs()).toEqual(before);
});
