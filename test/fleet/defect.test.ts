import { expect, onTestFinished, test } from "vitest";
import { nodeHost } from "../../src/engine/session/node-host.ts";
import type { Fleet } from "../../src/fleet/model.ts";
import { startRun } from "../../src/fleet/start-run.ts";
import { runWorker } from "../../src/fleet/work/worker.ts";
import type { FleetEvent } from "../../src/fleet/events.ts";
import { connect } from "../../src/postgres/connection.ts";
import { openQueue } from "../../src/postgres/queue.ts";
import { namesOf, openFleet } from "../support/fleet.ts";
import { readFleet } from "../../src/fleet/file/read-fleet.ts";

const workerOptions = { concurrency: 2, parallelism: 1, allowFile: [], execFile: undefined };

test("a database that is away is named once by a worker, and again the next time", async () => {
  const shops = await openFleet(namesOf(1));
  onTestFinished(shops.close);
  const away = await connect({ connectionString: "postgres://me:secret@127.0.0.1:1/none" });
  onTestFinished(away.close);
  const queue = await openQueue(shops.database);
  const events: FleetEvent[] = [];
  const stop = new AbortController();
  const isAway = [true, true, true, false, true, true, false];
  const store = {
    queue,
    get database() {
      return isAway[0] === true ? away : shops.database;
    },
  };
  const sleep = () => {
    isAway.shift();
    if (isAway.length === 0) stop.abort();
    return Promise.resolve();
  };
  const fleet = await readFleet(shops.folder);
  const world = { env: {}, mask: String, by: "w1", warn: () => undefined, onDefect: () => undefined };
  const emit = (event: FleetEvent) => void events.push(event);
  await runWorker(store, { ...workerOptions, fleet }, { ...nodeHost(), ...world, sleep, emit, signal: stop.signal });
  expect(events.map(({ type }) => type)).toEqual(["database_lost", "database_lost"]);
});

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
    { ...workerOptions, fleet: broken },
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
