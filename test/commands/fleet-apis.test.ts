import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { unknownLimit } from "../../src/api/bucket.ts";
import { size } from "../proofs/size.ts";
import { openAccount } from "../support/account.ts";
import { fleetForTest, namesOf, shopManifest } from "../support/fleet.ts";
import { exits } from "../support/run-hostform.ts";

test.runIf(size.whole)(
  "an API that pauses for an hour does not hold up the accounts of another, though its accounts have each place of a worker",
  async () => {
    const other = await openAccount({});
    onTestFinished(other.close);
    const entry = `  - { folders: other, base_url: "${other.baseUrl}", ca_file: other.pem, key: "\${env:OTHER}" }\n`;
    const shops = await fleetForTest(namesOf(3), { settings: entry });
    const { database, folder, api, env } = shops;
    writeFileSync(join(folder, "other.pem"), readFileSync(join(other.folder, "ca.pem")));
    shops.write("../other", shopManifest("other"));
    Object.assign(env, { OTHER: other.env["HOSTFORM_API_KEY"] });
    expect((await shops.fleet(["run", "--auto-approve"])).status).toBe(0);
    const bucket = { ...unknownLimit(Date.now()), pausedUntil: Date.now() + 3_600_000 };
    await database.query("UPDATE hostform.pace SET bucket = $2 WHERE host = $1", [new URL(api.baseUrl).origin, bucket]);
    const stop = new AbortController();
    const onInterrupt = (handler: () => void) => stop.signal.addEventListener("abort", handler);
    const sleep = (milliseconds: number, signal?: AbortSignal) =>
      pause(Math.min(milliseconds, 100), undefined, { ...(signal && { signal }) }).catch(() => undefined);
    const held = shops.fleet(["plan", "--only", "accounts/*"], { onInterrupt, sleep });
    const worker = shops.fleet(["worker", "--concurrency", "2"], { onInterrupt, sleep });
    while ((await database.query("SELECT 1 FROM hostform.lease WHERE job IS NOT NULL")).length < 2) await pause(50);
    expect(exits(0, await shops.fleet(["plan", "--only", "other"], { sleep })).stdout).toContain("1 clean");
    const running = "SELECT account FROM hostform.run_account WHERE state = 'running'";
    expect(await database.query(running)).toHaveLength(2);
    stop.abort();
    await Promise.all([held, worker]);
  },
);
