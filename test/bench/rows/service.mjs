import { connected } from "../connect.mjs";
import { makeSeed, makeZones } from "../made-zones.mjs";
import { withBareService, withService } from "../service.mjs";
import { atLeast } from "../table.mjs";

const stored = 2_000;
const inBatch = 500;

/** Measures the calls that a second of CPU answers: by the embedded service, and by the same store and server without validation. */
export async function measureService({ add, folder, runs }) {
  const seed = makeSeed(makeZones(stored));
  const most = { ours: { posts: 0, gets: 0 }, floor: { posts: 0, gets: 0 } };
  // In turn again and again, so that both meet the same moments of the machine.
  await withService({ folder, seed }, (ours) =>
    withBareService({ folder, seed }, async (floor) => {
      for (let round = 0; round < runs(12); round += 1)
        for (const [name, service] of Object.entries({ ours, floor })) {
          const rates = await measureBatch(service, round);
          for (const sort of ["posts", "gets"]) most[name][sort] = Math.max(most[name][sort], rates[sort]);
        }
    }),
  );
  const row = (what, sort) =>
    add({
      what: `embedded service, ${what}, against no validation`,
      unit: "per CPU s",
      ours: most.ours[sort],
      floor: most.floor[sort],
      target: atLeast(0.6),
    });
  row("POST of a record", "posts");
  row("GET of a page of 100", "gets");
}

async function measureBatch({ env, cpu }, round) {
  Object.assign(process.env, env);
  const rates = {};
  const rateOf = async (send) => {
    const before = await cpu();
    await Promise.all(Array.from({ length: inBatch }, (_, n) => send(n)));
    return (1e6 * inBatch) / ((await cpu()) - before);
  };
  await connected(async (send) => {
    const { data } = await send("GET", "/v2026/dns/zones?page=1&per_page=100");
    const path = `/v2026/dns/zones/${data[0].id}/records`;
    const rest = { type: "A", content: "192.0.2.1", ttl: 3600, priority: null, disabled: false };
    rates.gets = await rateOf(() => send("GET", `${path}?page=1&per_page=100`));
    rates.posts = await rateOf((n) => send("POST", path, { body: { name: `new${round}-${n}`, ...rest } }));
  });
  return rates;
}
