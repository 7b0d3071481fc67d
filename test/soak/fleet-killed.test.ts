import { randomInt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { bystanders, declaredBy, identityOf, itemsOf, manifestsOf } from "../proofs/fleet-accounts.ts";
import { openFleetPlace, sumsIn, type FleetPlace, type WorkerProcess } from "../support/fleet-stage.ts";
import { eventsOf, runHostform, type Ran } from "../support/run-hostform.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";

/** Smaller figures show while something is mended whether it holds. */
const wanted = Number(process.env["HOSTFORM_SOAK_ACCOUNTS"] ?? 1000);
const minutes = Number(process.env["HOSTFORM_SOAK_MINUTES"] ?? 10);
const seed = Number(process.env["HOSTFORM_SOAK_SEED"] ?? randomInt(1_000_000));

/**
 * Accounts of one service, which have one key: so many that each of its lists is one page. Where they write to longer lists while others read
 * these, plans are refused, since a list that changed while it was read may not be whole.
 */
const mostOfOne = 80;
/** Services: of each second one, nothing is refused for having the name of another thing. Each answer takes its time, so that a kill meets requests. */
const flagsOfServices = Array.from({ length: Math.max(4, Math.ceil(wanted / mostOfOne)) }, (_, nth) => [
  "--latency",
  "20",
  ...(nth % 2 === 1 ? ["--lax"] : []),
]);
/** All services have the same number. */
const accounts = flagsOfServices.length * Math.ceil(wanted / flagsOfServices.length);
const machines = ["a", "b"] as const;
const workersOfOne = 2;

/** Draws numbers from 0 to 1. */
function draws(from: number): () => number {
  let state = from;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
const draw = draws(seed);

/** Writes the figures of the proof past vitest, as they come. */
const tell = (text: string) => process.stderr.write(`${text}\n`);

/** The workers of all machines, which die at random moments from `begin` to `end`. */
function openWorkers(place: FleetPlace, timeIsOver: AbortSignal) {
  let now: { readonly machine: string; readonly worker: WorkerProcess }[] = [];
  let killing: Promise<void> = Promise.resolve();
  let over = new AbortController();
  const counts = { worker: 0, machine: 0, database: 0 };
  const start = (machine: string) => now.push({ machine, worker: place.startWorker(machine) });
  const end = async (which: typeof now, signal: NodeJS.Signals) => {
    now = now.filter((each) => !which.includes(each));
    for (const { worker } of which) worker.signal(signal);
    await Promise.all(which.map(({ worker }) => worker.ended));
  };
  const strike = async (manifests: Parameters<FleetPlace["checkOut"]>[1]) => {
    const victim = now[Math.floor(draw() * now.length)];
    const kind = draw();
    if (!victim) return;
    if (kind < 0.1) {
      counts.database += 1;
      await place.restartDatabase();
    } else if (kind < 0.15) {
      counts.machine += 1;
      await end(
        now.filter(({ machine }) => machine === victim.machine),
        "SIGKILL",
      );
      place.checkOut(victim.machine, manifests);
      for (let each = 0; each < workersOfOne; each += 1) start(victim.machine);
    } else {
      counts.worker += 1;
      await end([victim], "SIGKILL");
      start(victim.machine);
    }
  };
  return {
    counts,
    begin: (manifests: Parameters<FleetPlace["checkOut"]>[1]) => {
      over = new AbortController();
      for (const machine of machines) {
        place.checkOut(machine, manifests);
        for (let each = 0; each < workersOfOne; each += 1) start(machine);
      }
      killing = (async () => {
        for (;;) {
          await wait(2000 + draw() * 16_000, undefined, over).catch(() => undefined);
          if (over.signal.aborted || timeIsOver.aborted) return;
          await strike(manifests);
        }
      })();
    },
    /** Ends the killing; the workers go on. */
    spare: async () => {
      over.abort();
      await killing;
    },
    end: () => end(now, "SIGTERM"),
  };
}

const sumOf = (ran: Ran) => `${ran.status} ${JSON.stringify(sumsIn(ran))}`;

async function fleet({ control, env }: FleetPlace, args: readonly string[]): Promise<Ran> {
  const ran = await runHostform(["fleet", ...args, "--json", "-f", control], { env });
  tell(`fleet ${args.join(" ")}: ${sumOf(ran)}`);
  for (const event of eventsOf(ran)) {
    const isBoring =
      event["type"] !== "account_ended" || ["applied", "clean", "changed"].includes(String(event["state"]));
    if (!isBoring || event["type"] === "diagnostic" || event["type"] === "database_lost") tell(JSON.stringify(event));
  }
  if (ran.stderr !== "") tell(ran.stderr);
  return ran;
}

test("a fleet of 1,000 accounts loses, doubles and touches nothing while its workers, a machine and its database die", async () => {
  tell(`seed ${seed}, ${accounts} accounts, ${minutes} minutes`);
  const services: ServiceProcess[] = await Promise.all(flagsOfServices.map((flags) => startService(flags, bystanders)));
  for (const service of services) onTestFinished(service.close);
  const before = services.map(itemsOf);
  const place = await openFleetPlace(services, manifestsOf(services.length, accounts));
  onTestFinished(place.close);
  const timeIsOver = AbortSignal.timeout(60_000 * minutes);
  const workers = openWorkers(place, timeIsOver);
  let generation = 0;
  do {
    generation += 1;
    const manifests = manifestsOf(services.length, accounts, generation);
    place.checkOut("control", manifests);
    workers.begin(manifests);
    const applied = await fleet(place, ["apply", "--auto-approve", "--allow-delete", "dns_record/*=1"]);
    await workers.spare();
    tell(JSON.stringify(workers.counts));
    expect(sumsIn(applied)).toEqual({ applied: accounts });
    if (!timeIsOver.aborted) await workers.end();
  } while (!timeIsOver.aborted);

  const planned = await fleet(place, ["plan"]);
  expect([sumsIn(planned), planned.status]).toEqual([{ clean: accounts }, 0]);
  await workers.end();
  for (const [nth, service] of services.entries()) {
    const items = itemsOf(service);
    const others = new Set(before[nth]?.map(({ id }) => id));
    expect(items.filter(({ id }) => others.has(id))).toEqual(before[nth]);
    const ours = items.filter(({ id }) => !others.has(id)).map(identityOf);
    const names = Object.keys(manifestsOf(services.length, accounts)[nth] ?? {});
    expect(ours.toSorted()).toEqual(names.flatMap((name) => declaredBy(name, generation)).toSorted());
    const operations = await service.operations();
    const count = (method: string, from: number) =>
      operations.filter((each) => each.method === method && Math.floor(each.status / 100) === from).length;
    tell(
      `service ${nth}: ${operations.length} requests; ${["POST", "PUT", "PATCH", "DELETE"].map((method) => `${count(method, 2)} ${method}`).join(", ")}`,
    );
    expect(operations.filter(({ status }) => status === 409)).toEqual([]);
    // Everything was made once: six things each, and one more in each generation.
    expect(count("POST", 2)).toBe(names.length * (5 + generation));
    expect(count("DELETE", 2)).toBe(names.length * (generation - 1));
  }
  const [{ bytes, jobs } = { bytes: 0, jobs: 0 }] = await place.database.query<{ bytes: string; jobs: string }>(
    "SELECT pg_database_size(current_database()) AS bytes, (SELECT count(*) FROM hostform_queue.job) AS jobs",
  );
  tell(`database: ${bytes} bytes, ${jobs} jobs left, ${generation} generations`);
  expect(Number(jobs)).toBe(0);
});
