// Prints how long hostform takes against the least that the same machine needs for the same work. Nothing passes or fails here.
import { spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeSeed, makeZones, writeManifests } from "./made-zones.mjs";
import { timePlan } from "./plan-alone.mjs";
import { cli, startService } from "./service.mjs";

const floors = fileURLToPath(new URL("floors.mjs", import.meta.url));
const parallelism = ["--parallelism", "10"];

/** `--quick` shows in seconds that each row can be measured; its figures say little. */
const isQuick = process.argv.includes("--quick");
const counts = isQuick ? { small: 200, large: 1_000, applied: 200 } : { small: 10_000, large: 100_000, applied: 5_000 };

const folder = mkdtempSync(join(tmpdir(), "hostform-bench-"));
console.log(`node ${process.version}, ${availableParallelism()} cores; milliseconds, the best of a few runs\n`);
console.log(row("", "hostform", "floor", "ratio"));
try {
  starting();
  const [small, large] = [counts.small, counts.large].map(prepare);
  validating(large);
  validatingWrong(large);
  await planning(small);
  await planning(large);
  await planningNew(small, large);
  await applying(prepare(counts.applied));
  await planningAlone(small, large);
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
  const manifest = join(folder, "five-lines.yaml");
  writeFileSync(manifest, "version: 1\nname: bench\ndns:\n  example.com:\n    records: { www: { A: 192.0.2.10 } }\n");
  const floor = best(10, ["-e", "0"]);
  report("--version, against node -e 0", best(10, [cli, "--version"]), floor);
  report("validate 5 lines, against node -e 0", best(10, [cli, "validate", "-f", manifest]), floor);
}

function validating({ manifests, words }) {
  const floor = best(3, [floors, "parse", manifests]);
  report(
    `validate ${words} records in 20 files, against yaml alone`,
    best(3, [cli, "validate", "-f", manifests]),
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
    return best(3, [cli, "validate", "-f", manifest], {}, status);
  };
  const right = time("right", "A: 192.0.2.1", 0);
  report(
    `validate ${words} names in one map, against yaml alone`,
    right,
    best(3, [floors, "parse", join(folder, "right")]),
  );
  report(`validate ${words} wrong values, against right ones`, time("values", "A: 192.0.2.300", 3), right);
  report(`validate ${words} unknown keys, against right ones`, time("keys", "AAA: 192.0.2.1", 3), right);
}

async function planning({ manifests, words, zones }) {
  await withService(makeSeed(zones), ({ env, flags }) => {
    const floor = best(3, [floors, "get"], env);
    const args = [cli, "plan", "-f", manifests, "--detailed-exitcode", ...flags, ...parallelism];
    report(`plan ${words} unchanged records, against GETs alone`, best(3, args, env), floor);
  });
}

async function planningNew(small, large) {
  const timeOf = ({ manifests }) =>
    withService(undefined, ({ env, flags }) => best(2, [cli, "plan", "-f", manifests, ...flags, ...parallelism], env));
  const [less, more] = [await timeOf(small), await timeOf(large)];
  report(`plan ${large.words} new records, against ${small.words}`, more, less);
}

async function applying({ count, manifests, words }) {
  const floor = await bestOfFresh(({ env }) => best(1, [floors, "post", String(count)], env));
  const time = await bestOfFresh(({ env, flags }) =>
    best(1, [cli, "apply", "-f", manifests, "--auto-approve", ...flags, ...parallelism], env),
  );
  report(`apply ${words} new records, against POSTs alone`, time, floor);
}

async function planningAlone(small, large) {
  const [less, more] = [
    await timePlan(small.manifests, small.zones, 5),
    await timePlan(large.manifests, large.zones, 5),
  ];
  report(`comparing alone, ${large.words} records, against ${small.words}`, more, less);
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

/** The shortest of some runs of node, in ms. Throws when one fails. */
function best(times, args, env = {}, expected = 0) {
  const durations = Array.from({ length: isQuick ? 1 : times }, () => {
    const started = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, {
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    if (status !== expected) throw new Error(`node ${args.join(" ")} ended with ${status}: ${String(stderr)}`);
    return performance.now() - started;
  });
  return Math.min(...durations);
}

function report(what, time, floor) {
  console.log(row(what, time.toFixed(0), floor.toFixed(0), (time / floor).toFixed(1)));
}

function row(what, ...cells) {
  return what.padEnd(58) + cells.map((cell) => cell.padStart(10)).join("");
}
