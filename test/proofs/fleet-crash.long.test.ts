import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { openFleetStage, sumsIn, type FleetStage, type WorkerProcess } from "../support/fleet-stage.ts";
import { forDraws } from "../support/for-draws.ts";
import { bystanders, declaredBy, identityOf, itemsOf, manifestsOf } from "./fleet-accounts.ts";
import { eventsOf } from "../support/run-hostform.ts";
import { size } from "./size.ts";

const { accounts, kills, restarts, seeds } = size.fleetCrash;

/** Services: of each second one, nothing is refused for having the name of another thing. */
const services = [{ seed: bystanders }, { seed: bystanders, lax: true }];

/** The accounts of each service, by name. */
const manifests = manifestsOf(services.length, accounts);

/** What happens at the write of this number of all that come: a worker is killed, or the database is. */
interface Blow {
  readonly at: number;
  readonly on: "worker" | "machine" | "database";
  /** Which of the workers. */
  readonly nth: number;
}

/** Strikes while writes are held up. Returns the names of the workers that have ended, as they end. */
function strike(stage: FleetStage, blows: readonly Blow[]): { readonly ended: string[]; readonly begin: () => void } {
  const machines = ["a", "b"];
  const workers = new Map<string, WorkerProcess>();
  const ended: string[] = [];
  const end = (machine: string) => {
    const worker = workers.get(machine);
    worker?.signal("SIGKILL");
    if (worker) ended.push(worker.name);
  };
  const begin = (machine: string) => workers.set(machine, stage.startWorker(machine));
  let writes = 0;
  for (const front of stage.fronts)
    front.interfere(async ({ method }, response, pass) => {
      if (method === "GET") return false;
      writes += 1;
      const blow = blows.find(({ at }) => at === writes);
      if (!blow) return false;
      const machine = machines[blow.nth % machines.length] ?? "";
      if (blow.on === "database") {
        await stage.restartDatabase();
        return false;
      }
      end(machine);
      // What was sent before arrives all the same.
      await pass();
      response.destroy();
      if (blow.on === "machine") stage.checkOut(machine);
      begin(machine);
      return true;
    });
  return {
    ended,
    begin: () => {
      for (const machine of machines) {
        stage.checkOut(machine);
        begin(machine);
      }
    },
  };
}

const writesOfAll = 6 * accounts;
const drawn = fc
  .uniqueArray(fc.integer({ min: 1, max: Math.floor(0.9 * writesOfAll) }), {
    minLength: kills + restarts,
    maxLength: kills + restarts,
  })
  .chain((places) =>
    fc.record({
      blows: fc.constant(
        places.map((at, index): Blow => {
          const on = index < restarts ? "database" : index === restarts ? "machine" : "worker";
          return { at, on, nth: at + index };
        }),
      ),
    }),
  );

test("a fleet whose workers, whose machine and whose database are killed loses, doubles and touches nothing", () =>
  forDraws({ numRuns: seeds, endOnFailure: true }, drawn, async ({ blows }) => {
    const stage = await openFleetStage(services, manifests);
    onTestFinished(stage.close);
    const before = stage.services.map(itemsOf);
    const { ended, begin } = strike(stage, blows);
    begin();
    const apply = () => stage.fleet(["apply", "--auto-approve", "--json"], () => stage.passTime(ended));
    const applied = await apply();
    const failed = eventsOf(applied).filter(({ type, state }) => type === "account_ended" && state === "failed");
    for (const { why } of failed) expect(why).toContain("5 workers ended without a word");
    const { length } = failed;
    const most = { applied: accounts - length, ...(length > 0 && { failed: length }) };
    expect(sumsIn(applied), applied.stdout).toEqual(most);
    if (length > 0) expect(sumsIn(await apply())).toEqual({ applied: length, clean: accounts - length });
    expect(ended).toHaveLength(kills);
    const after = stage.services.map(itemsOf);
    for (const [nth, items] of after.entries()) {
      const others = new Set(before[nth]?.map(({ id }) => id));
      expect(items.filter(({ id }) => others.has(id))).toEqual(before[nth]);
      const ours = items.filter(({ id }) => !others.has(id)).map(identityOf);
      expect(ours.toSorted()).toEqual(
        Object.keys(manifests[nth] ?? {})
          .flatMap((name) => declaredBy(name))
          .toSorted(),
      );
    }
    const planned = await stage.fleet(["plan", "--json"], () => stage.passTime(ended));
    expect(sumsIn(planned), planned.stdout).toEqual({ clean: accounts });
    for (const service of stage.services) {
      const conflicts = (await service.operations()).filter(({ status }) => status === 409);
      expect(conflicts).toEqual([]);
    }
  }));
