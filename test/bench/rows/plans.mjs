import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changeOnePercent, makeSeed, makeZones, writeManifests } from "../made-zones.mjs";
import { best, runOnce } from "../measure.mjs";
import { cli, withService } from "../service.mjs";
import { atMost, exactly, noMoreThan } from "../table.mjs";

const floors = new URL("../floors.mjs", import.meta.url).pathname;

/** Measures plans of so many unchanged and 1 %-changed records. */
export async function measurePlans({ add, folder, runs }, count, hasMemory) {
  const zones = makeZones(count);
  const words = count.toLocaleString("en");
  const manifests = { unchanged: join(folder, `${count}`), "1 %-changed": join(folder, `${count}-changed`) };
  writeManifests(manifests.unchanged, zones);
  writeManifests(manifests["1 %-changed"], changeOnePercent(zones));
  const times = runs(count > 50_000 ? 1 : 4);
  const parsing = best(times, [floors, "parse", manifests.unchanged]);
  await withService({ folder, seed: makeSeed(zones) }, (service) => {
    const parsingAndReading = best(times, [floors, "plan", manifests.unchanged], service.env);
    for (const [state, manifest] of Object.entries(manifests)) {
      const status = state === "unchanged" ? 0 : 2;
      const planning = best(
        times,
        [cli, "plan", "-f", manifest, "--detailed-exitcode", ...service.flags],
        service.env,
        {
          status,
        },
      );
      const row = (floor, name, limit) =>
        add({
          what: `plan ${words} ${state} records, against ${name}`,
          unit: "ms",
          ours: planning.wall,
          floor: floor.wall,
          target: atMost(limit),
          cpu_ratio: planning.cpu / floor.cpu,
        });
      row(parsingAndReading, "yaml and GETs", 1.5);
      row(parsing, "yaml alone", 1.4);
      if (state === "unchanged") {
        countReads(add, service, manifest, words);
        const what = `peak memory, plan ${words} unchanged records`;
        if (hasMemory) add({ what, unit: "MB", ours: planning.peak, floor: 245, target: noMoreThan(300, "MB") });
      }
    }
  });
}

/** Compares the GETs that the service has logged with the pages that the touched lists have. */
function countReads(add, { flags, env, calls }, manifest, words) {
  const since = calls().length;
  runOnce([cli, "plan", "-f", manifest, ...flags], env);
  const ours = calls().slice(since).length;
  const before = calls().length;
  runOnce([floors, "get"], env);
  const floor = calls().length - before;
  const what = `reads, plan ${words} unchanged records, against all pages`;
  add({ what, unit: "GETs", ours, floor, target: exactly(1) });
}

/** Measures validation: of right manifests against yaml, and of wrong values against right ones. */
export function measureValidation({ add, folder, runs }, count) {
  const words = count.toLocaleString("en");
  const time = (name, record, status) => {
    const own = join(folder, name);
    mkdirSync(own);
    const lines = Array.from({ length: count }, (_, index) => `      host${index}: { ${record} }\n`);
    writeFileSync(
      join(own, "m.yaml"),
      `version: 1\nname: bench\ndns:\n  example.com:\n    records:\n${lines.join("")}`,
    );
    return best(runs(2), [cli, "validate", "-f", own], {}, { status }).wall;
  };
  const right = time("right", "A: 192.0.2.1", 0);
  const parsing = best(runs(2), [floors, "parse", join(folder, "right")]).wall;
  add({ what: `validate ${words} names in one map, against yaml alone`, unit: "ms", ours: right, floor: parsing });
  const row = (what, ours) => add({ what, unit: "ms", ours, floor: right });
  row(`validate ${words} wrong values, against right ones`, time("values", "A: 192.0.2.300", 3));
  row(`validate ${words} unknown keys, against right ones`, time("keys", "AAA: 192.0.2.1", 3));
}
