// Prints how long hostform takes against the least that the same machine needs for the same work, and writes the same to dist/bench.json.
// Nothing passes or fails here. README.md says how each floor is measured.
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeSeed, makeZones, writeManifests, zoneCount } from "./made-zones.mjs";
import { best, peakMemory, runOnce } from "./measure.mjs";
import { timePlan } from "./plan-alone.mjs";
import { cli, startService } from "./service.mjs";
import { newTable } from "./table.mjs";

const floors = fileURLToPath(new URL("floors.mjs", import.meta.url));
const parallelism = ["--parallelism", "10"];

/** `--quick` shows in seconds that each row can be measured; its figures say little. */
const isQuick = process.argv.includes("--quick");
const counts = isQuick
  ? { smallest: 100, small: 200, large: 1_000, applied: 200 }
  : { smallest: 1_000, small: 10_000, large: 100_000, applied: 10_000 };
const runs = (times) => (isQuick ? 1 : times);

const folder = mkdtempSync(join(tmpdir(), "hostform-bench-"));
const table = newTable(
  `node ${process.version}, ${availableParallelism()} cores; milliseconds, the best of a few runs`,
);
try {
  starting();
  const [smallest, small, large] = [counts.smallest, counts.small, counts.large].map(prepare);
  validating(large);
  validatingWrong(large);
  for (const size of [smallest, small, large]) await planning(size);
  await planningNew(small, large);
  await applying(prepare(counts.applied));
  await planningAlone(small, large);
  table.write(fileURLToPath(new URL("../../dist/bench.json", import.meta.url)), { quick: isQuick });
} finally {
  rmSync(folder, { recursive: true });
}

function prepare(count) {
  const zones = makeZones(count);
  const manifests = join(folder, String(count));
  writeManifests(manifests, zones);
  return { count, zones, manifests, words: count.toLocaleString("en") };
}

function starting() {
  const manifest = join(folder, "thirty-lines.yaml");
  const lines = Array.from({ length: 25 }, (_, n) => `      www${n}: { A: 192.0.2.${n} }\n`).join("");
  writeFileSync(manifest, `version: 1\nname: bench\ndns:\n  example.com:\n    records:\n${lines}`);
  const floor = best(runs(10), ["-e", "0"]);
  const time = (...args) => best(runs(10), [cli, ...args]);
  table.add("--version, against node -e 0", time("--version"), floor, 1.5);
  table.add("--help, against node -e 0", time("--help"), floor, 2);
  table.add("validate 30 lines, against node -e 0", time("validate", "-f", manifest), floor, 3);
}

function validating({ manifests, words }) {
  const floor = best(runs(3), [floors, "parse", manifests]);
  table.add(
    `validate ${words} records in 20 files, against yaml alone`,
    best(runs(3), [cli, "validate", "-f", manifests]),
    floor,
  );
}

/** Every record has a mistake: of a kind's, and of the schema's. */
function validatingWrong({ count, words }) {
  const time = (name, record, status) => {
    const own = join(folder, name);
    mkdirSync(own);
    const manifest = join(own, "m.yaml");
    const lines = Array.from({ length: count }, (_, index) => `      host${index}: { ${record} }\n`);
    writeFileSync(manifest, `version: 1\nname: bench\ndns:\n  example.com:\n    records:\n${lines.join("")}`);
    return best(runs(3), [cli, "validate", "-f", manifest], {}, status);
  };
  const right = time("right", "A: 192.0.2.1", 0);
  table.add(
    `validate ${words} names in one map, against yaml alone`,
    right,
    best(runs(3), [floors, "parse", join(folder, "right")]),
  );
  table.add(`validate ${words} wrong values, against right ones`, time("values", "A: 192.0.2.300", 3), right);
  table.add(`validate ${words} unknown keys, against right ones`, time("keys", "AAA: 192.0.2.1", 3), right);
}

async function planning({ count, manifests, words, zones }) {
  await withService(makeSeed(zones), ({ env, flags }) => {
    const times = runs(count > 50_000 ? 2 : 3);
    const args = [cli, "plan", "-f", manifests, "--detailed-exitcode", ...flags, ...parallelism];
    const time = best(times, args, env);
    const what = `plan ${words} unchanged records`;
    table.add(`${what}, against yaml and GETs`, time, best(times, [floors, "plan", manifests], env), 1.5);
    table.add(`${what}, against yaml alone`, time, best(times, [floors, "parse", manifests]), 1.4);
    table.add(`${what}, reads, against pages`, readsOf([...args, "--json"], env), pagesOf(zones), 1);
    if (count === counts.large) table.add(`${what}, MB, against 245 MB`, peakMemory(args, env), 245, 300 / 245);
  });
}

/** Requests of a plan, as it says itself. */
function readsOf(args, env) {
  const events = runOnce(args, env)
    .stdout.trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return events.find(({ type }) => type === "plan").reads;
}

/** Pages of the list of zones, and of the records of each. */
function pagesOf(zones) {
  const lists = [zoneCount, ...zones.map(({ records }) => records.length)];
  return lists.reduce((sum, count) => sum + Math.ceil(count / 100), 0);
}

async function planningNew(small, large) {
  const timeOf = ({ manifests }) =>
    withService(undefined, ({ env, flags }) =>
      best(runs(2), [cli, "plan", "-f", manifests, ...flags, ...parallelism], env),
    );
  const [less, more] = [await timeOf(small), await timeOf(large)];
  table.add(`plan ${large.words} new records, against ${small.words}`, more, less);
}

async function applying({ count, manifests, words }) {
  const floor = await bestOfFresh(({ env }) => best(1, [floors, "post", String(count)], env));
  const time = await bestOfFresh(({ env, flags }) =>
    best(1, [cli, "apply", "-f", manifests, "--auto-approve", ...flags, ...parallelism], env),
  );
  table.add(`apply ${words} new records, against POSTs alone`, time, floor, 1.5);
}

async function planningAlone(small, large) {
  const [less, more] = [
    await timePlan(small.manifests, small.zones, 5),
    await timePlan(large.manifests, large.zones, 5),
  ];
  // A growth exponent of 1.1.
  const most = (large.count / small.count) ** 1.1;
  table.add(`comparing alone, ${large.words} records, against ${small.words}`, more, less, most);
}

async function bestOfFresh(time) {
  const times = [];
  for (let run = 0; run < (isQuick ? 1 : 3); run += 1) times.push(await withService(undefined, time));
  return Math.min(...times);
}

async function withService(seed, use) {
  const own = mkdtempSync(join(folder, "service-"));
  mkdirSync(own, { recursive: true });
  const { baseUrl, caFile, key, stop } = await startService(own, seed);
  try {
    const env = { HOSTFORM_API_KEY: key, BASE_URL: baseUrl, CA_FILE: caFile, API_KEY: key };
    return await use({ env, flags: ["--base-url", baseUrl, "--ca-file", caFile] });
  } finally {
    await stop();
  }
}
