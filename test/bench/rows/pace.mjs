import { join } from "node:path";
import { makeSeed, makeZones, writeManifests } from "../made-zones.mjs";
import { runOnce } from "../measure.mjs";
import { cli, withBareService, withService } from "../service.mjs";
import { atMost, noMoreThan } from "../table.mjs";

const parallelism = 10;

function prepare(folder, name, count) {
  const zones = makeZones(count);
  const manifests = join(folder, name);
  writeManifests(manifests, zones);
  return { manifests, seed: makeSeed(zones, false) };
}

const apply = ({ env, flags, own }, manifests) =>
  runOnce([cli, "apply", "-f", manifests, "--auto-approve", "--inventory", join(own, "i.json"), ...flags], env, {
    cwd: own,
  });

/** Measures an apply over a server that takes its time: each round of ten calls costs its latency at least. */
export async function measureLatency({ add, folder }, count, latency) {
  const { manifests, seed } = prepare(folder, `latency-${count}`, count);
  await withService({ folder, seed, flags: ["--latency", String(latency)] }, (service) => {
    const { wall } = apply(service, manifests);
    const floor = roundsOf(service.calls()) * latency;
    const what = `apply ${count.toLocaleString("en")} creations at ${latency} ms latency`;
    add({ what, unit: "ms", ours: wall, floor, target: atMost(1.1) });
  });
}

/** Counts the rounds of ten calls: the zones, then their lists, then the writes, then both lists again, each after the one before. */
function roundsOf(calls) {
  const writes = calls.filter(({ method }) => method !== "GET").length;
  const lists = calls.filter(({ method, path }) => method === "GET" && path.includes("/records")).length;
  const zones = calls.length - writes - lists;
  return zones + [lists / 2, writes, lists / 2].reduce((sum, each) => sum + Math.ceil(each / parallelism), 0);
}

/** Measures an apply under the embedded service's limit, which it tells in headers. */
export async function measureToldLimit({ add, folder }, count, limit) {
  const { manifests, seed } = prepare(folder, `told-${limit}`, count);
  await withService({ folder, seed, flags: ["--rate-limit", `${limit}/min`] }, (service) => {
    const { wall } = apply(service, manifests);
    addLimitRows(add, { wall, calls: service.calls(), rate: limit / 60_000 }, `${limit}/min, told in headers`);
  });
}

/** Measures an apply under a limit of the bare service, which answers 429 beyond it and tells nothing before. */
export async function measureUntoldLimit({ add, folder }, count, limit) {
  const { manifests, seed } = prepare(folder, `untold-${count}`, count);
  await withBareService({ folder, seed, options: { limit: { calls: limit, window: 1000 } } }, (service) => {
    const { wall } = apply(service, manifests);
    addLimitRows(add, { wall, calls: service.calls(), rate: limit / 1000 }, `${limit}/s, not told`);
  });
}

function addLimitRows(add, { wall, calls, rate }, words) {
  const refused = calls.filter(({ status }) => status === 429).length;
  const floor = (calls.length - refused) / rate;
  const what = `apply under a limit of ${words}, against calls / rate`;
  add({ what, unit: "ms", ours: wall, floor, target: atMost(1.05), calls: calls.length });
  const share = (100 * refused) / calls.length;
  add({ what: `calls answered 429, limit of ${words}`, unit: "%", ours: share, target: noMoreThan(1, "%") });
}
