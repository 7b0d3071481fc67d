// Plans a manifest, applies it if nothing is deleted, and prints what was done. Run: node examples/library/apply.mjs
import { fileURLToPath } from "node:url";
import { apply, plan } from "hostform";

const say = (line) => process.stdout.write(`${line}\n`);

const target = {
  manifests: [fileURLToPath(new URL("site.yaml", import.meta.url))],
  // A real account has a baseUrl, and its key in HOSTFORM_API_KEY.
  emulator: true,
};

const planned = await plan(target);
for (const { severity, summary } of planned.diagnostics) say(`${severity}: ${summary}`);
for (const step of planned.plan?.steps ?? []) say(`planned: ${step.id}`);

const applied = await apply({
  ...target,
  approve: ({ steps }) => steps.every(({ action }) => action !== "delete"),
  onEvent: (event) => {
    if (event.type === "step_end") say(`${event.outcome.is}: ${event.step.id}`);
  },
});
say(`ended: ${applied.ending}, ${applied.report?.requests.writes ?? 0} writes`);
