import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { manifest, ownedRepository } from "./owned-repository.ts";

const { account, repository, git, commit, begin, run, apply, applied, records, makeByHand, deleteByHand } =
  ownedRepository();

describe("what was applied and is declared no more", () => {
  test("is deleted, and what stood there before is left alone", async () => {
    await makeByHand("theirs");
    commit(manifest("a", "b"));
    await applied();
    commit(manifest("a"));
    const planned = await run("plan");
    expect(planned.stdout).toContain("- dns_record/example.com/b/TXT");
    expect(planned.stdout).toContain("this change");
    await applied();
    expect(await records()).toEqual(["a", "theirs"]);
  });

  test.runIf(size.rareHistories)("is deleted though the manifest has moved, been renamed and been split", async () => {
    await begin(manifest("a", "b", "c"));
    mkdirSync(join(repository.folder, "sites"));
    renameSync(join(repository.folder, "hosting.yaml"), join(repository.folder, "sites", "one.yaml"));
    writeFileSync(
      join(repository.folder, "sites", "two.yaml"),
      "dns: { example.com: { records: { b: { TXT: here } } } }\n",
    );
    commit(manifest("a"), "sites/one.yaml");
    const args = ["apply", "-f", join(repository.folder, "sites"), "--auto-approve", "--settle", "0"];
    exits(0, await runInProcess(account, args));
    expect(await records()).toEqual(["a", "b"]);
  });

  test("stays where two commits came in one push, and only the second was applied", async () => {
    await makeByHand("b");
    commit(manifest("a", "b"));
    commit(manifest("a"));
    await applied();
    expect(await records()).toEqual(["a", "b"]);
  });

  test("is deleted where the apply that made it failed in part", async () => {
    // The name is another service's, which no reading of the first one's accounts can show.
    const domains = ["first.example", "second.example"];
    const { fill } = account.mirror;
    fill({
      service: domains.map((domain) => ({ domain, hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1" })),
      ftp_account: [{ service: "second.example", username: "deploy", home: "/" }],
    });
    const wrong = `services: { first.example: {} }
ftp: { first.example: { accounts: { deploy: { home: /www, password: "\${env:PW}" } } } }
`;
    commit(manifest("a", "b") + wrong);
    const args = ["apply", "-f", join(repository.folder, "hosting.yaml"), "--auto-approve"];
    exits(5, await runInProcess(account, args, { PW: "battery staple" }));
    commit(manifest("a"));
    await applied();
    expect(await records()).toEqual(["a"]);
  });

  test.runIf(size.rareHistories)("is deleted where a branch added it, dropped it, and was merged", async () => {
    await begin(manifest("a"));
    git("checkout", "--quiet", "-b", "topic");
    commit(manifest("a", "b"));
    await applied();
    commit(manifest("a"));
    git("checkout", "--quiet", "main");
    git("merge", "--quiet", "--no-ff", "--message", "merge", "topic");
    await applied();
    expect(await records()).toEqual(["a"]);
  });

  test("is forgotten, not deleted, where removed: says so", async () => {
    await begin(manifest("a", "b"));
    commit(`${manifest("a")}removed: [{ address: dns_record/example.com/b/TXT, action: forget }]\n`);
    await applied();
    commit(manifest("a"));
    await applied();
    expect(await records()).toEqual(["a", "b"]);
  });

  test.runIf(size.rareHistories)("is not what was created again by hand after it had gone", async () => {
    await begin(manifest("a", "b"));
    await deleteByHand("b");
    commit(manifest("a"));
    await applied();
    await makeByHand("b");
    await applied();
    expect(await records()).toEqual(["a", "b"]);
  });
});

describe("what someone else has made", () => {
  test("is not ours after an apply that was to change it and could not", async () => {
    await makeByHand("theirs");
    const key = await account.keyFor({ dns: "read" });
    commit(manifest("a"));
    await applied();
    commit(manifest("a", "theirs"));
    const args = ["apply", "-f", join(repository.folder, "hosting.yaml"), "--auto-approve"];
    expect((await runInProcess(account, args, { HOSTFORM_API_KEY: key })).status).toBe(5);
    commit(manifest("a"));
    await applied();
    expect(await records()).toEqual(["a", "theirs"]);
  });

  test("is not deleted by a second manifest of the same name that does not declare it", async () => {
    await begin(manifest("a", "b"));
    commit(manifest("c"), "other.yaml");
    const ran = await runInProcess(account, ["apply", "-f", join(repository.folder, "other.yaml"), "--auto-approve"]);
    expect(ran.status).toBe(6);
    expect(ran.stdout).toContain("hosting.yaml was part of the last apply, and this run was not given it; ");
    expect(await records()).toEqual(["a", "b"]);
  });
});

describe("an older state of the repository", () => {
  test.each(
    size.every(6, [
      ["an old job that runs again", (old: string) => git("checkout", "--quiet", "--detach", old)],
      ["a force-push", (old: string) => git("reset", "--quiet", "--hard", old)],
    ]),
  )("deletes nothing: %s", async (_, goBack) => {
    const old = commit(manifest("a"));
    await applied();
    commit(manifest("a", "b"));
    await applied();
    goBack(old);
    expect(exits(6, await apply()).stdout).toContain("--rollback");
    expect(await records()).toEqual(["a", "b"]);
    await applied("--rollback");
    expect(await records()).toEqual(["a"]);
  });
});

test.runIf(size.whole)("a run about some addresses leaves the others in the inventory", async () => {
  await begin(manifest("a", "b", "c"));
  commit(manifest("a"));
  await applied("--only", "dns_record/example.com/b/TXT");
  expect(await records()).toEqual(["a", "c"]);
  await applied();
  expect(await records()).toEqual(["a"]);
});

test("two targets in one repository know nothing of each other", async () => {
  await begin(manifest("a", "b"));
  commit(manifest("c").replace("name: shop", "name: other"));
  await applied();
  expect(await records()).toEqual(["a", "b", "c"]);
});
