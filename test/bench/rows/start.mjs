import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { best } from "../measure.mjs";
import { cli, withService } from "../service.mjs";
import { atMost, noMoreThan } from "../table.mjs";

const floors = new URL("../floors.mjs", import.meta.url).pathname;

/** Measures what a user waits for when almost nothing is to be done. */
export async function measureStart({ add, folder, runs }) {
  const manifest = join(folder, "thirty-lines.yaml");
  const lines = Array.from({ length: 25 }, (_, n) => `      www${n}: { A: 192.0.2.${n} }\n`).join("");
  writeFileSync(manifest, `version: 1\nname: bench\ndns:\n  example.com:\n    records:\n${lines}`);
  const times = runs(15);
  const nothing = best(times, ["-e", "0"]);
  const row = (what, args, limit) => {
    const { cpu, wall } = best(times, [cli, ...args]);
    add({
      what,
      unit: "ms CPU",
      ours: cpu,
      floor: nothing.cpu,
      target: atMost(limit),
      wall_ratio: wall / nothing.wall,
    });
  };
  row("--version, against node -e 0", ["--version"], 3);
  row("--help, against node -e 0", ["--help"], 3);
  row("validate 30 lines, against node -e 0", ["validate", "-f", manifest], 3);
  await measureSmallPlan({ add, folder, times, nothing });
}

const services = `version: 1
name: bench
services:
  bakery.example: { plan: WEB-M, datacenter: MAD1 }
`;

const twelve = `version: 1
name: bench
dns:
  bakery.example:
    records:
      "@": { A: 192.0.2.10, AAAA: 2001:db8::10, MX: { priority: 10, value: mx1.host.test. }, TXT: v=spf1 mx -all }
      www: { CNAME: bakery.example. }
      shop: { A: [192.0.2.11, 192.0.2.12] }
      sip: { A: 192.0.2.13 }
      mail: { A: 192.0.2.14 }
      ftp: { A: 192.0.2.15 }
      blog: { A: 192.0.2.16 }
      stage: { A: 192.0.2.17 }
`;

/** Measures plans of an unchanged service, and of twelve unchanged resources. */
function measureSmallPlan({ add, folder, times, nothing }) {
  return withService({ folder }, ({ env, flags, calls, own }) => {
    const options = { cwd: own };
    const inService = (name, text) => {
      const file = join(own, name);
      writeFileSync(file, text);
      const args = ["-f", file, ...flags, "--inventory", `${file}.inventory`];
      best(1, [cli, "apply", ...args, "--auto-approve", "--allow-purchase", "service/bakery.example"], env, options);
      const before = calls().length;
      best(1, [cli, "plan", ...args, "--detailed-exitcode"], env, options);
      const paths = join(own, `${name}.paths`);
      const made = calls().slice(before);
      writeFileSync(paths, JSON.stringify(made.map(({ path }) => path)));
      return {
        ours: best(times, [cli, "plan", ...args, "--detailed-exitcode"], env, options),
        floor: best(times, [floors, "paths", paths], env),
      };
    };
    const { ours, floor } = inService("service.yaml", services);
    const what = "plan one unchanged service, against the same GETs";
    const ratios = { wall_ratio: ours.wall / floor.wall };
    add({ what, unit: "ms CPU", ours: ours.cpu, floor: floor.cpu, target: atMost(1.6), ...ratios });
    const { ours: small } = inService("twelve.yaml", twelve);
    const memory = "peak memory, plan 12 resources, beside node -e 0";
    add({ what: memory, unit: "MB", ours: small.peak, floor: nothing.peak, target: noMoreThan(90, "MB") });
  });
}
