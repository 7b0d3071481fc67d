import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { runInProcess } from "../support/in-process.ts";
import type { SavedPlan } from "../../src/model/saved-plan.ts";
import { planHash } from "../../src/plan/saved/plan-hash.ts";

/** Saved plans that someone has altered, over HTTPS. Whoever can alter a file can make its own hash fit. */
let account: Account;
beforeAll(async () => {
  account = await openAccount({
    seed: {
      service: [{ domain: "example.com", hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" }],
      domain: [{ name: "example.com", status: "active", expires_at: null }],
      mailbox: [{ address: "a@example.com" }, { address: "b@example.com" }],
    },
  });
});
afterAll(() => account.close());

const run = (...args: string[]) => runInProcess(account, args, { PW: "correct horse battery" });
const writes = async () => (await account.operations()).filter(({ method }) => method !== "GET").length;

let count = 0;
/** The plan of a manifest, as it is saved. */
async function planOf(manifest: string, ...flags: string[]): Promise<{ saved: SavedPlan; manifest: string }> {
  count += 1;
  const file = account.write(`${count}.yaml`, `version: 1\nname: hostile\n${manifest}`);
  const path = join(account.folder, `${count}.json`);
  const { status, stdout, stderr } = await run("plan", "-f", file, "--out", path, ...flags);
  expect([0, 6], stdout + stderr).toContain(status);
  return { saved: JSON.parse(readFileSync(path, "utf8")) as SavedPlan, manifest: file };
}

/** The plan in a file, with a hash that fits it. */
function fileOf(saved: SavedPlan): string {
  const path = join(account.folder, "altered.json");
  writeFileSync(path, JSON.stringify({ ...saved, hash: planHash(saved) }));
  return path;
}

const removalOf = (name: string) => `removed: [{ address: mailbox/${name}@example.com, action: delete }]`;
const removal = removalOf("a");

test("a consent that was put into the file is not what was approved", async () => {
  const { saved } = await planOf(removal);
  const deletes = saved.steps.map(({ address }) => address);
  const path = fileOf({ ...saved, consent: { ...saved.consent, deletes } });
  const before = await writes();
  const { status, stderr } = await run("apply", path, "--approve", saved.hash);
  expect(stderr).toContain("approved was");
  expect(status).toBe(6);
  expect(await writes()).toBe(before);
});

test("a consent that the plan was made with stands for itself: its manifest is approved by the same hash", async () => {
  const consent = ["--allow-delete", "mailbox/b@example.com"];
  const { saved, manifest } = await planOf(removalOf("b"), ...consent);
  expect((await run("apply", "-f", manifest, "--approve", saved.hash)).status).toBe(6);
  const applied = await run("apply", "-f", manifest, ...consent, "--approve", saved.hash);
  expect(applied.status, applied.stdout + applied.stderr).toBe(0);
});

/** The file is refused as broken, whatever is done with it, and nothing is changed. */
async function isBroken(altered: SavedPlan, expected: RegExp): Promise<void> {
  const path = fileOf(altered);
  const before = await writes();
  const shown = await runInProcess({ ...account, flags: [] }, ["show", path]);
  for (const { status, stderr } of [shown, await run("apply", path, "--approve", planHash(altered))]) {
    expect(stderr).toMatch(expected);
    expect(status).toBe(3);
  }
  expect(await writes()).toBe(before);
}

const jobs = (text: string) => `services: { example.com: }\ncrons: { example.com: { jobs: { ${text} } } }`;
const creation = jobs('x: { schedule: "@daily", command: "echo hello" }');
const alterSteps = (saved: SavedPlan, change: Partial<SavedPlan["steps"][number]>): SavedPlan => ({
  ...saved,
  steps: saved.steps.map((step) => ({ ...step, ...change })),
});
const update = { action: "update", changes: [], reason: "schedule differs from the manifest" } as const;

test.each<readonly [string, string, (saved: SavedPlan) => SavedPlan, RegExp]>([
  ["a deletion that is shown as an update", removal, (saved) => alterSteps(saved, update), /is to update mailbox/u],
  [
    "one that is called so, too",
    removal,
    (saved) => alterSteps(saved, { ...update, id: `update ${saved.steps[0]?.address}` }),
    /is to update mailbox\/a@example\.com, and removes it/u,
  ],
  [
    "a deletion without its removal",
    removal,
    (saved) => ({ ...saved, removals: [] }),
    /is to delete .* and does not remove it/u,
  ],
  ["half a replacement", removal, (saved) => alterSteps(saved, { replaces: true }), /one half of the replacement/u],
  ["a removal without a step", removal, (saved) => ({ ...saved, steps: [] }), /no step of it is for mailbox/u],
  [
    "a creation without its resource",
    creation,
    (saved) => ({ ...saved, resources: [] }),
    /is to create cron.* and does not declare it/u,
  ],
  ["a resource without a step", creation, (saved) => ({ ...saved, steps: [] }), /no step of it is for cron/u],
  [
    "what is declared and removed",
    creation,
    (saved) => ({ ...saved, removals: saved.resources.map(({ address }) => ({ address })) }),
    /is to create cron.* and removes it/u,
  ],
])("is no plan: %s", async (_what, manifest, alter, expected) => {
  await isBroken(alter((await planOf(manifest)).saved), expected);
});
