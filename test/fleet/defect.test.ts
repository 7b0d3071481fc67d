import { expect, onTestFinished, test } from "vitest";
import { nodeHost } from "../../src/engine/session/node-host.ts";
import type { Fleet } from "../../src/fleet/model.ts";
import { startRun } from "../../src/fleet/start-run.ts";
import { runWorker } from "../../src/fleet/work/worker.ts";
import { openQueue } from "../../src/postgres/queue.ts";
import { namesOf, openFleet } from "../support/fleet.ts";
import { readFleet } from "../../src/fleet/file/read-fleet.ts";

test("a defect fails its accounts, is printed once, and does not end the worker", async () => {
  const shops = await openFleet(namesOf(2));
  onTestFinished(shops.close);
  const { database } = shops;
  const store = { database, queue: await openQueue(database) };
  const fleet = await readFleet(shops.folder);
  const options = { waves: [], allowDelete: [], allowPurchase: [] };
  const request = { kind: "plan", selection: { group: [], owner: [], only: [] }, options } as const;
  const host = nodeHost();
  const { run: id } = await startRun(store, fleet, request, { newId: host.newId, by: "me" });
  const defects: unknown[] = [];
  const stop = new AbortController();
  const broken: Fleet = { ...fleet, file: "/none/fleet.yaml" };
  const worker = runWorker(
    store,
    { fleet: broken, concurrency: 2, parallelism: 1, allowFile: [], execFile: undefined },
    {
      ...host,
      env: Object.defineProperty({}, "HOSTFORM_BASE_URL", {
        enumerable: true,
        get: () => {
          throw new TypeError("a defect");
        },
      }),
      mask: String,
      by: "w1",
      emit: () => undefined,
      warn: () => undefined,
      onDefect: (error) => void defects.push(error),
      signal: stop.signal,
    },
  );
  const failed = () => database.query("SELECT why FROM hostform.run_account WHERE run = $1 AND state = 'failed'", [id]);
  while ((await failed()).length < 2);
  stop.abort();
  await worker;
  const why = "a defect of Hostform; its worker printed it";
  expect(await failed()).toEqual([{ why }, { why }]);
  expect(defects).toMatchObject([{ message: "a defect" }]);
});
