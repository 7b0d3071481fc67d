import { expect, test } from "vitest";
import { readOwnership } from "../../src/engine/session/ownership.ts";
import { nothingOutside } from "../../src/manifest/templates/bind-variables.ts";
import { applied, workshopForFile } from "./repositories.ts";
import { join } from "node:path";
import type { Host } from "../../src/engine/session/host.ts";
import { size } from "../proofs/size.ts";

/** The commit of the last apply, as a branch sees it that does not contain it. */
const shop = workshopForFile();

const manifest = (...names: string[]) => `version: 1
name: agency
services: { example.com: }
crons: { example.com: { jobs: { ${names.map((name) => `${name}: { schedule: "0 3 * * *", command: x }`).join(", ")} } } }
`;

async function readAt(clone: string) {
  const store = await shop.open(clone);
  const io = { env: {}, now: () => 0 } as unknown as Host;
  const files = [join(clone, "manifest.yaml")];
  const { missed } = (await readOwnership(store, { files, partial: false, outside: nothingOutside }, io)).ownership;
  const jobs = (desired: NonNullable<typeof missed>["there"]) =>
    desired && [...desired.resources.keys()].filter((address) => address.startsWith("cron/")).map((a) => a.slice(17));
  return missed && { ...missed, there: jobs(missed.there), base: jobs(missed.base) };
}

test("is fetched, compared with the last commit of both, and named with its branch once it is here", async () => {
  const remote = shop.makeRemote();
  const clone = shop.clone(remote);
  shop.commit(clone, "manifest.yaml", manifest("both"));
  shop.git(clone, "push", "--quiet", "origin", "HEAD:main");
  const branch = shop.clone(remote);
  shop.git(branch, "checkout", "--quiet", "-b", "mine");
  shop.commit(branch, "manifest.yaml", manifest("both", "mine"));
  const commit = shop.commit(clone, "manifest.yaml", manifest("both", "theirs"));
  shop.git(clone, "push", "--quiet", "origin", "HEAD:main");
  await applied(await shop.open(clone), "any");
  const known = { commit, by: "alice@desk", time: "2026-06-01T12:00:00.000Z", isCertain: true };
  const declared = { there: ["both", "theirs"], base: ["both"] };
  expect(await readAt(branch)).toEqual({ ...known, ...declared, isHere: false });
  // Nothing of it stays in the clone.
  expect(() => shop.git(branch, "cat-file", "-e", commit)).toThrow("Command failed");
  shop.git(branch, "fetch", "--quiet");
  expect(await readAt(branch)).toEqual({ ...known, ...declared, isHere: true, branch: "main" });
  shop.git(branch, "merge", "--quiet", "--strategy=ours", "--no-edit", "origin/main");
  expect(await readAt(branch)).toBeUndefined();
});

test.runIf(size.whole)("without the remote, or with a history of its own, it cannot be compared", async () => {
  const remote = shop.makeRemote();
  const clone = shop.clone(remote);
  const commit = shop.commit(clone, "manifest.yaml", manifest("theirs"));
  await applied(await shop.open(clone), "any");
  const other = shop.clone(remote);
  // The commit was applied, and never pushed.
  expect(await readAt(other)).toMatchObject({ commit, isHere: false, there: undefined, base: undefined });
  shop.git(clone, "checkout", "--quiet", "--orphan", "alone");
  shop.commit(clone, "manifest.yaml", manifest("alone"));
  expect(await readAt(clone)).toMatchObject({ commit, isHere: true, there: ["theirs"], base: undefined });
});
