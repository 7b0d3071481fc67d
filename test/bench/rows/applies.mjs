import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { changeHalf, emptyHalf, makeSeed, makeZones, writeManifests } from "../made-zones.mjs";
import { least, runOnce } from "../measure.mjs";
import { cli, withService } from "../service.mjs";
import { atMost, noMoreThan } from "../table.mjs";

const [floors, aloneSource, alone] = ["floors.mjs", "apply-alone.mjs", "../../dist/bench/apply-alone.js"].map((file) =>
  fileURLToPath(new URL(`../${file}`, import.meta.url)),
);

/** Measures creations, updates and deletions of records in zones that exist, each after the other in one service. */
export async function measureApplies({ add, folder, runs }, count) {
  const zones = makeZones(count);
  const stages = stagesOf(folder, count, zones);
  const seed = makeSeed(zones, false);
  await bundleAlone();
  const inSequence = async (run) => {
    const all = [];
    for (let time = 0; time < runs(2); time += 1)
      all.push(await withService({ folder, seed }, (service) => stages.map((stage) => counted(service, stage, run))));
    return stages.map((_, index) => ({ ...least(all.map((each) => each[index])), calls: all[0][index].calls }));
  };
  const floor = await inSequence(({ env }, { name }) => runOnce([floors, name, String(count)], env));
  const ways = {
    "without the journal": [await inSequence(applyAlone), 1.25],
    "with the journal": [await inSequence(applyByProgram), 1.5],
  };
  for (const [index, { words }] of stages.entries())
    for (const [way, [measured, limit]] of Object.entries(ways)) {
      const [ours, base] = [measured[index], floor[index]];
      const more = { cpu_ratio: ours.cpu / base.cpu, calls: ours.calls, floor_calls: base.calls };
      const what = `apply ${words} ${way}, against the same calls`;
      add({ what, unit: "ms", ours: ours.wall, floor: base.wall, target: atMost(limit), ...more });
    }
}

/** Bundles `apply-alone.mjs` into one file, as the program is: loading three hundred modules would count as applying. */
const bundleAlone = () =>
  build({
    input: aloneSource,
    platform: "node",
    external: /^(?:ajv|ajv-formats|croner|undici|yaml)(?:\/|$)/u,
    logLevel: "warn",
    output: { file: alone, format: "es", minify: true },
  });

function counted(service, stage, run) {
  const before = service.calls().length;
  const measured = run(service, stage);
  return { ...measured, calls: service.calls().length - before };
}

/** Returns the three manifests, each the next after the one before. */
function stagesOf(folder, count, zones) {
  const half = (count / 2).toLocaleString("en");
  const changed = changeHalf(zones);
  const stage = (name, words, made) => {
    const manifests = join(folder, `apply-${name}`);
    writeManifests(manifests, made);
    return { name, words, manifests };
  };
  const create = stage("create", `${count.toLocaleString("en")} creations`, zones);
  const update = stage("update", `${half} updates`, changed);
  const remove = stage("delete", `${half} deletions`, emptyHalf(changed));
  const owned = join(folder, "owned.json");
  const sets = zones.map(setsIn);
  writeFileSync(owned, JSON.stringify([...zones.map(({ name }) => `dns_zone/${name}`), ...sets.flat()]));
  return [create, update, { ...remove, owned, deletions: sets.slice(zones.length / 2).flat().length }];
}

/** Returns the addresses of the record sets of a zone. */
const setsIn = ({ name: zone, records }) => [
  ...new Set(records.map(({ name, type }) => `dns_record/${zone}/${name}/${type}`)),
];

const applyAlone = ({ env }, { manifests, owned }) =>
  runOnce([alone, manifests, ...(owned === undefined ? [] : [owned])], env);

function applyByProgram({ env, flags, own }, { manifests, deletions }) {
  const cwd = join(own, "work");
  mkdirSync(cwd, { recursive: true });
  const allowed = deletions === undefined ? [] : ["--allow-delete", `dns_record/*=${deletions}`];
  const options = ["--auto-approve", "--inventory", join(own, "inventory.json"), ...allowed];
  return runOnce([cli, "apply", "-f", manifests, ...options, ...flags], env, { cwd });
}

/** Measures the memory of a large apply. */
export async function measureLargeApply({ add, folder }, count) {
  const zones = makeZones(count);
  const manifests = join(folder, "apply-large");
  writeManifests(manifests, zones);
  await withService({ folder, seed: makeSeed(zones, false) }, (service) => {
    const { peak, wall } = applyByProgram(service, { manifests });
    const what = `peak memory, apply ${count.toLocaleString("en")} creations`;
    add({ what, unit: "MB", ours: peak, target: noMoreThan(500, "MB"), milliseconds: wall });
  });
}
