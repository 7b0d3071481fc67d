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
      mailbox: [{ address: "a@example.com" }],
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

const removal = "removed: [{ address: mailbox/a@example.com, action: delete }]";

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
  const consent = ["--allow-delete", "mailbox/a@example.com"];
  const { saved, manifest } = await planOf(removal, ...consent);
  expect((await run("apply", "-f", manifest, "--approve", saved.hash)).status).toBe(6);
  const applied = await run("apply", "-f", manifest, ...consent, "--approve", saved.hash);
  expect(applied.status, applied.stdout + applied.stderr).toBe(0);
});
