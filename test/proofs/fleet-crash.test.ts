import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { openFleetStage, sumsIn, type FleetStage, type WorkerProcess } from "../support/fleet-stage.ts";
import type { Account } from "../support/account.ts";
import { openReader, type Item } from "./read-account.ts";
import { size } from "./size.ts";

const { accounts, kills, restarts, seeds } = size.fleetCrash;

/** Services: of each second one, nothing is refused for having the name of another thing. */
const services = [{}, { lax: true }];

const manifestOf = (name: string) => `version: 1
name: ${name}
dns:
  ${name}.example:
    records:
      www: { A: 192.0.2.1 }
      mail: { A: 192.0.2.2 }
      txt: { TXT: hello }
mail:
  ${name}.example:
    aliases:
      sales: { destinations: [team@example.net] }
domains:
  ${name}.example: {}
`;

/** The accounts of each service, by name. */
const manifests = services.map((_, nth) =>
  Object.fromEntries(
    Array.from({ length: Math.ceil(accounts / services.length) }, (_each, index) => {
      const name = `shop-${nth}-${index + 1}`;
      return [name, manifestOf(name)];
    }),
  ),
);

/** What nobody declares. */
async function makeBystanders({ services: all }: FleetStage): Promise<void> {
  for (const { byHand } of all) {
    const { body } = await byHand("POST", "/v2026/dns/zones", { name: "bystander.example" });
    const { id } = body["data"] as { id: string };
    await byHand("POST", `/v2026/dns/zones/${id}/records`, {
      name: "www",
      type: "A",
      content: "192.0.2.99",
      ttl: 3600,
    });
    await byHand("POST", "/v2026/mail/aliases", { address: "x@bystander.example", destinations: ["y@example.net"] });
  }
}

/** What a service holds; what it makes by itself stays out. */
function itemsOf(service: Account): readonly Item[] {
  const reader = openReader(service);
  const all = Object.entries(reader.read()).flatMap(([kind, items]) => items.map((item) => ({ kind, ...item })));
  reader.close();
  return all.filter((item: Item) => item["managed"] !== true && item["kind"] !== "mail_settings");
}

const identityOf = (item: Item) =>
  ["kind", "zone", "name", "type", "content", "address"]
    .flatMap((key) => (typeof item[key] === "string" ? item[key] : []))
    .join(" ");

const declared = (name: string) => [
  `dns_zone ${name}.example`,
  ...["www A 192.0.2.1", "mail A 192.0.2.2", 'txt TXT "hello"'].map((record) => `dns_record ${name}.example ${record}`),
  `domain ${name}.example`,
  `mail_alias sales@${name}.example`,
];

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

test(
  "a fleet whose workers, whose machine and whose database are killed loses, doubles and touches nothing",
  async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async ({ blows }) => {
        const stage = await openFleetStage(services, manifests);
        onTestFinished(stage.close);
        await makeBystanders(stage);
        const before = stage.services.map(itemsOf);
        const { ended, begin } = strike(stage, blows);
        begin();
        const applied = await stage.fleet(["apply", "--auto-approve", "--json"], () => stage.passTime(ended));
        expect(sumsIn(applied), applied.stdout).toEqual({ applied: accounts });
        expect(ended).toHaveLength(kills);
        const after = stage.services.map(itemsOf);
        for (const [nth, items] of after.entries()) {
          const others = new Set(before[nth]?.map(({ id }) => id));
          expect(items.filter(({ id }) => others.has(id))).toEqual(before[nth]);
          const ours = items.filter(({ id }) => !others.has(id)).map(identityOf);
          expect(ours.toSorted()).toEqual(
            Object.keys(manifests[nth] ?? {})
              .flatMap(declared)
              .toSorted(),
          );
        }
        const planned = await stage.fleet(["plan", "--json"], () => stage.passTime(ended));
        expect(sumsIn(planned), planned.stdout).toEqual({ clean: accounts });
        for (const service of stage.services) {
          const conflicts = (await service.operations()).filter(({ status }) => status === 409);
          expect(conflicts).toEqual([]);
        }
      }),
      { numRuns: seeds, endOnFailure: true },
    );
  },
  size.timeout,
);
