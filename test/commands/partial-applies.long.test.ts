import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { exits, runHostform, runInProcess } from "../support/run-hostform.ts";
import { manifest, ownedRepository } from "./owned-repository.ts";
import { size } from "../proofs/size.ts";

const { account, repository, git, commit, run, apply, applied, records, deleteByHand } = ownedRepository();

test.runIf(size.whole)("a part that is rolled back does not roll back the rest", async () => {
  const old = commit(manifest("a"));
  await applied();
  commit(manifest("a", "b"));
  await applied();
  git("checkout", "--quiet", "--detach", old);
  await applied("--only", "dns_record/example.com/a/TXT", "--rollback");
  expect((await apply()).status).toBe(6);
  expect(await records()).toEqual(["a", "b"]);
});

test("a saved plan leaves behind which manifest it was made from, so that later plans tell drift from changes", async () => {
  const file = join(repository.folder, "plan.json");
  commit(manifest("a"));
  exits(0, await run("plan", "--out", file));
  exits(0, await runInProcess(account, ["apply", file, "--auto-approve", "--settle", "0"]));
  await deleteByHand("a");
  expect((await run("plan")).stdout).toContain("[drift]");
});

test("a resource that a partial apply did not create is not drift in the next plan", async () => {
  commit(manifest("a", "b"));
  const fault = { match: { method: "POST" }, count: 1, fault: { status: 403 } };
  await account.inject(fault);
  expect((await apply()).status).toBe(5);
  const { stdout } = await run("plan");
  expect(stdout).toMatch(/\+ [^\n]*\s+\[not made by the last apply\]/u);
  expect(stdout).not.toContain("[drift]");
});

test("records of one name that an apply made in part are not drift, in the next plan and in a check for drift", async () => {
  commit("version: 1\nname: shop\ndns: { example.com: { records: { a: { TXT: [x, y, z] } } } }\n");
  const match = { method: "POST", path: "/v2026/dns/zones/{zone_id}/records" };
  await account.inject({ match, after: 1, count: 1, fault: { status: 403 } });
  expect((await apply()).status).toBe(5);
  expect(await records()).toEqual(["a"]);
  expect((await run("plan")).stdout).toMatch(/~ [^\n]*\s+\[not made by the last apply\]/u);
  expect(exits(0, await run("drift")).stdout).toContain("No drift");
  await applied();
});

test.runIf(size.whole)(
  "a change that an apply did not carry out is not drift in the next plans, until one does",
  async () => {
    commit(manifest("a"));
    await applied();
    // A broken connection is tried again for seconds.
    for (const fault of size.every(9, [{ status: 422 }, { reset: "before" }, { status: 403 }])) {
      commit(manifest("a").replace("here", `another-${JSON.stringify(fault).length}`));
      await account.inject({ match: { method: "PUT" }, count: 9, fault });
      expect([4, 5]).toContain((await apply()).status);
      for (let times = 0; times < 2; times += 1) {
        const { stdout } = await run("plan");
        expect(stdout).toMatch(/~ [^\n]*\s+\[not made by the last apply\]/u);
        expect(stdout).not.toContain("[drift]");
      }
    }
  },
);

describe("a file of the manifest that is not given is missed", () => {
  const other = () => join(repository.folder, "other.yaml");
  beforeEach(async () => {
    commit(manifest("b"), "other.yaml");
    commit(manifest("a"));
    await applied("-f", other());
    commit(manifest("a", "c"));
  });
  /** Nothing of the other file goes, until all of the manifest has been applied without it. */
  async function expectMissed() {
    const refused = exits(6, await apply());
    expect(refused.stdout).toContain("other.yaml was part of the last apply, and this run was not given it");
    expect(await records()).toContain("b");
  }

  test("after a run about some addresses", async () => {
    expect((await apply("--only", "dns_record/example.com/c/TXT")).status).toBe(0);
    await expectMissed();
  });

  test.runIf(size.rareHistories)("after a saved plan of some addresses", async () => {
    const plan = join(repository.folder, "plan.json");
    expect((await run("plan", "--out", plan, "--only", "dns_record/example.com/c/TXT")).status).toBe(0);
    expect((await runInProcess(account, ["apply", plan])).status).toBe(0);
    await expectMissed();
  });

  test.runIf(size.rareHistories)("after an undo", async () => {
    const undo = join(repository.folder, "undo.json");
    expect((await run("plan", "-f", other(), "--undo-out", undo)).status).toBe(0);
    await applied("-f", other());
    expect((await runInProcess(account, ["apply", undo])).status).toBe(0);
    await expectMissed();
  });

  test.runIf(size.rareHistories)("after a manifest from standard input", async () => {
    const text = `version: 1\nname: shop\ndns: { example.com: { records: { a: { TXT: here }, b: { TXT: here }, c: { TXT: here } } } }\n`;
    const piped = ["apply", "-f", "-", "--auto-approve", ...account.flags];
    const ran = await runHostform(piped, { cwd: repository.folder, env: account.env, stdin: text });
    expect(ran.status, ran.stdout + ran.stderr).toBe(0);
    await expectMissed();
  });

  test.runIf(size.rareHistories)(
    "and not after all of it was applied again, which labels changes again, too",
    async () => {
      await applied("--only", "dns_record/example.com/c/TXT");
      await applied("-f", other());
      commit(manifest("a", "c", "d"));
      expect((await run("plan", "-f", other())).stdout).toContain("[this change]");
    },
  );
});
