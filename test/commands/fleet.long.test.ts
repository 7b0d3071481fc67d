import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventsOf, exits } from "../support/run-hostform.ts";
import { size } from "../proofs/size.ts";
import { openFront } from "../support/front.ts";
import { fleetForTest, hashIn, namesOf, runIn, shopManifest, startWorker } from "../support/fleet.ts";

describe("a fleet", () => {
  test("is planned, approved by one hash, applied, and has no changes then", async () => {
    const { fleet, api } = await fleetForTest(namesOf(3));
    const planned = exits(6, await fleet(["run"]));
    expect(planned.stdout).toContain("3 accounts: accounts/shop-001, accounts/shop-002, accounts/shop-003");
    const writes = async () => (await api.writes()).length;
    expect(await writes()).toBe(0);
    const id = runIn(planned.stdout);
    expect((await fleet(["approve", id, "--hash", `sha256:${"0".repeat(64)}`])).status).toBe(3);
    expect((await fleet(["approve", id, "--hash", hashIn(planned.stdout)])).stdout).toMatch(/is approved\./u);
    const approved = eventsOf(exits(0, await fleet(["approve", id, "--hash", hashIn(planned.stdout), "--json"])));
    expect(approved.at(-1)).toMatchObject({ type: "run_approved", run: id, kind: "apply", state: "applying" });
    const applied = await fleet(["run"]);
    expect([applied.stdout, applied.status]).toEqual([expect.stringContaining("3 applied"), 0]);
    expect(await writes()).toBe(6);
    const again = await fleet(["run", "--json"]);
    expect(eventsOf(again).at(-1)).toMatchObject({ type: "run_ended", sums: { clean: 3 }, ending: "done" });
    expect(await writes()).toBe(6);
  });

  test("stops at an account that is unlike its approved plan, writes nothing of the next wave, and goes on with --continue", async () => {
    const { fleet, api } = await fleetForTest(namesOf(6));
    const waves = ["--wave", "accounts/shop-001+accounts/shop-002,rest", "--stop-at", "50%"];
    const planned = await fleet(["run", ...waves]);
    await fleet(["approve", runIn(planned.stdout), "--hash", hashIn(planned.stdout)]);
    const { id } = await api.create("/dns/zones", { name: "shop-001.example" });
    await api.create(`/dns/zones/${id}/records`, { name: "www", type: "A", content: "198.51.100.1", ttl: 300 });
    const stopped = await fleet(["run", ...waves]);
    expect(stopped.stdout).toMatch(/moved +accounts\/shop-001/u);
    expect([stopped.stdout, stopped.status]).toEqual([expect.stringContaining("is stopped"), 6]);
    const zonesOf = async () =>
      (await api.operations()).filter(({ method, path }) => method === "POST" && path.endsWith("/zones")).length;
    expect(await zonesOf()).toBe(1);
    for (const flags of [
      ["--only", "accounts/shop-003"],
      ["--wave", "rest"],
      ["--auto-approve"],
      ["--approve", `sha256:${"0".repeat(32)}`],
    ]) {
      const other = await fleet(["run", "--continue", ...flags]);
      expect([other.status, other.stderr], flags.join(" ")).toEqual([3, expect.stringContaining("other flags")]);
    }
    expect(await zonesOf()).toBe(1);
    // The message names the command without the flags of the run.
    const finished = await fleet(["run", "--continue"]);
    expect(finished.stdout).toContain("1 moved, 5 applied");
    expect(await zonesOf()).toBe(5);
  });

  test.runIf(size.whole)("names all accounts of a run in its history, and what waits in its status", async () => {
    const { fleet } = await fleetForTest(namesOf(2));
    await fleet(["run"]);
    expect((await fleet(["status"])).stdout).toMatch(/waits for approval: 2 accounts/u);
    expect((await fleet(["cancel", "00000000"])).status).toBe(3);
    const [run] = eventsOf(await fleet(["status", "--json"])).filter(({ type }) => type === "open_run");
    const cancelled = eventsOf(exits(0, await fleet(["cancel", String(run?.["run"]), "--json"])));
    expect(cancelled.at(-1)).toMatchObject({ type: "run_cancelled", run: run?.["run"], state: "cancelled" });
    expect((await fleet(["history", "accounts/shop-001"])).stdout).toMatch(/^cancelled .* apply /mu);
  });

  test("refuses the second of two accounts whose manifests have one name, and deletes nothing of the first", async () => {
    const { fleet, write, api } = await fleetForTest(namesOf(2));
    expect((await fleet(["run", "--auto-approve", "--only", "accounts/shop-001"])).status).toBe(0);
    write("shop-002", shopManifest("shop-001").replaceAll("shop-001.example", "other.example"));
    const run = await fleet("run --auto-approve --allow-delete dns_zone/*=9 --allow-delete dns_record/*=9".split(" "));
    expect(run.stdout).toMatch(/failed +accounts\/shop-002 .* have the name and the API of test\/accounts\/shop-001/u);
    expect(run.stdout).toContain("1 failed, 1 clean");
    expect((await api.operations()).filter(({ method }) => method === "DELETE")).toEqual([]);
  });
});

test.runIf(size.whole)(
  "a fleet whose name is another says that its accounts belong to the former one, and changes nothing",
  async () => {
    const { fleet, folder, api } = await fleetForTest(namesOf(1));
    await fleet(["run", "--auto-approve"]);
    const file = join(folder, "fleet.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("name: test", "name: renamed"));
    const writes = async () => (await api.writes()).length;
    const before = await writes();
    const run = await fleet(["run", "--auto-approve"]);
    expect(run.stdout).toMatch(
      /failed +accounts\/shop-001 .* of the fleet test: .* give it the name test again in fleet\.yaml/u,
    );
    expect(await writes()).toBe(before);
  },
);

test("a folder that the board cannot be written to is a mistake that says why", async () => {
  const { fleet, folder } = await fleetForTest(namesOf(1));
  const taken = join(folder, "taken");
  mkdirSync(taken);
  writeFileSync(join(taken, "index.html"), "somebody else's");
  for (const [place, why] of [
    [taken, "is there, and Hostform did not write it"],
    [join(folder, "fleet.yaml"), "something has that name already"],
  ] as const) {
    const { status, stderr } = await fleet(["status", "--html", place]);
    expect([status, stderr], place).toEqual([3, expect.stringContaining(why)]);
    expect(stderr).not.toContain("bug");
  }
  expect(readFileSync(join(taken, "index.html"), "utf8")).toBe("somebody else's");
});

test.each(["{", "{}"])(
  "a plan that somebody has altered to %s is named by a board, and by a run that waits, with what replaces it",
  async (text) => {
    const { fleet, folder, database } = await fleetForTest(namesOf(1));
    await fleet(["run"]);
    await database.query("UPDATE hostform.run_account SET shown = $1", [text]);
    const { status, stderr } = await fleet(["status", "--html", join(folder, "board")]);
    expect([status, stderr]).toEqual([
      3,
      expect.stringMatching(/accounts\/shop-001 cannot be shown: .*\n.*fleet plan --only/u),
    ]);
    const again = await fleet(["run"]);
    expect(exits(3, again).stderr).toMatch(/the plans of run \w+ cannot be shown: .*\n.*hostform fleet plan;/u);
  },
);

test("an account whose key the API refuses says so, with the request and what to do", async () => {
  const { fleet } = await fleetForTest(namesOf(1), { key: "not-the-key-of-it" });
  const run = await fleet(["run"]);
  expect(run.stdout).toMatch(
    /failed +accounts\/shop-001 .*the API refused the key of the account \(GET .*: 401 .*\); check key: in fleet\.yaml/u,
  );
  expect([run.stdout.includes("not-the-key"), run.status]).toEqual([false, 4]);
});

test.runIf(size.whole)("an account with a list that is not whole says which one, and why", async () => {
  const { fleet, api } = await fleetForTest(namesOf(1));
  expect((await fleet(["run", "--auto-approve"])).status).toBe(0);
  await api.inject({ match: { method: "GET", path: "/v2026/dns/zones" }, fault: { short_total: 1 } });
  const run = await fleet(["run"]);
  expect(run.stdout).toMatch(/refused +accounts\/shop-001 .*dns_zone.*the server counts/u);
});

test.runIf(size.whole)(
  "an API that answers 500 fails its account and blocks what needs it, others go on, and the next run does the rest",
  async () => {
    const { fleet, folder, api } = await fleetForTest(namesOf(3));
    const front = await openFront(api);
    onTestFinished(front.close);
    const file = join(folder, "fleet.yaml");
    const head = readFileSync(file, "utf8").replace(/ {2}- folders.*$/su, "");
    const accounts = [
      `{ folder: accounts/shop-001, name: a, base_url: "${front.baseUrl}", ca_file: "${join(api.folder, "front.pem")}", key: "\${file:key}" }`,
      "{ folder: accounts/shop-002, name: b, needs: [a] }",
      "{ folder: accounts/shop-003, name: c }",
    ];
    writeFileSync(file, head + accounts.map((account) => `  - ${account}\n`).join(""));
    writeFileSync(join(folder, "key"), api.env["HOSTFORM_API_KEY"] ?? "", { mode: 0o600 });
    front.interfere(({ method }, response) => method !== "GET" && response.writeHead(500).end("oops").writableEnded);
    const world = { sleep: (milliseconds: number) => wait(Math.min(milliseconds, 20)) };
    const failed = await fleet(["run", "--auto-approve", "--wave", "c,1,rest"], world);
    expect(failed.stdout).toMatch(/failed +a .*500[^]*blocked +b .*it needs a, which was not applied/u);
    expect([failed.stdout, failed.status]).toEqual([expect.stringContaining("1 failed, 1 blocked, 1 applied"), 5]);
    front.interfere(() => false);
    const again = await fleet(["run", "--auto-approve"], world);
    expect([again.stdout, again.status]).toEqual([expect.stringContaining("2 applied, 1 clean"), 0]);
  },
);

describe("a person who runs a fleet for the first time", () => {
  test.runIf(size.whole)("sees that an account without an apply has not drifted, and is as before", async () => {
    const { fleet, write } = await fleetForTest(namesOf(1));
    const worker = startWorker({ fleet });
    expect(await fleet(["apply", "--auto-approve"])).toMatchObject({ status: 0, stderr: "" });
    write("shop-002", shopManifest("shop-002"));
    const checked = await fleet(["drift"]);
    const board = await fleet(["status"]);
    const { stdout } = await worker.end();
    expect(exits(0, checked).stdout).toContain("2 accounts: 2 clean");
    expect(board.stdout).toMatch(/^never applied +accounts\/shop-002/u);
    expect(stdout).toMatch(/^A worker of the fleet test waits for jobs/u);
  });

  test("reads where the mistake of a manifest stands", async () => {
    const { fleet, write } = await fleetForTest(namesOf(1));
    write("shop-001", shopManifest("shop-001", "192.0.2.1", "use: [{ template: none, with: {} }]\n"));
    expect((await fleet(["run"])).stdout).toMatch(
      /^failed +accounts\/shop-001\s+accounts\/shop-001\/hosting\.yaml:7: /mu,
    );
  });

  test("reads what to do next", async () => {
    const { fleet, folder } = await fleetForTest(namesOf(1));
    const planned = await fleet(["run"]);
    const [id, hash] = [runIn(planned.stdout), hashIn(planned.stdout)];
    expect((await fleet(["approve", id])).stderr).toContain("--hash HASH");
    expect((await fleet(["approve", id, "--hash", hash])).stdout).toMatch(/is approved\. Workers apply its plans/u);
    await fleet(["run"]);
    const late = await fleet(["approve", id, "--hash", hash]);
    expect([late.status, late.stdout]).toEqual([0, `Run ${id} had ended: there is nothing to approve.\n`]);
    expect((await fleet(["status", "--html", join(folder, "board")])).stdout).toContain("index.html");
  });
});
