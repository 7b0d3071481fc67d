import { makeSeed, makeZones } from "../made-zones.mjs";
import { connected } from "../connect.mjs";
import { withBareService, withService } from "../service.mjs";
import { atLeast } from "../table.mjs";

const stored = 2_000;
const batch = { posts: 500, gets: 500 };

/** Measures requests a second of the embedded service, and of the same store and server without validation: the best batch of each. */
export async function measureService({ add, folder, runs }) {
  const seed = makeSeed(makeZones(stored));
  const measured = { ours: { posts: 0, gets: 0 }, floor: { posts: 0, gets: 0 } };
  // One after the other again and again, so that both meet the same moments of the machine.
  await withService({ folder, seed }, (ours) =>
    withBareService({ folder, seed }, async (floor) => {
      for (let round = 0; round < runs(12); round += 1)
        for (const [name, { env }] of Object.entries({ ours, floor })) {
          const rates = await measureBatch(env, round);
          for (const sort of ["posts", "gets"]) measured[name][sort] = Math.max(measured[name][sort], rates[sort]);
        }
    }),
  );
  const row = (what, sort) =>
    add({
      what: `embedded service, ${what}, against none of its validation`,
      unit: "calls/s",
      ours: measured.ours[sort],
      floor: measured.floor[sort],
      target: atLeast(0.6),
    });
  row("POST of a record", "posts");
  row("GET of a page of 100", "gets");
}

async function measureBatch(env, round) {
  Object.assign(process.env, env);
  const rates = {};
  await connected(async (send) => {
    const { data } = await send("GET", "/v2026/dns/zones?page=1&per_page=100");
    const path = `/v2026/dns/zones/${data[0].id}/records`;
    const body = (n) => ({
      name: `new${round}-${n}`,
      type: "A",
      content: "192.0.2.1",
      ttl: 3600,
      priority: null,
      disabled: false,
    });
    rates.gets = await rateOf(batch.gets, () => send("GET", `${path}?page=1&per_page=100`));
    rates.posts = await rateOf(batch.posts, (n) => send("POST", path, { body: body(n) }));
  });
  return rates;
}

async function rateOf(count, send) {
  const started = performance.now();
  await Promise.all(Array.from({ length: count }, (_, n) => send(n)));
  return (1000 * count) / (performance.now() - started);
}
