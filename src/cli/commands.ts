import type { CommandModule } from "yargs";
import { commandTable } from "./command-options.ts";
import { onManifest } from "./find-manifest.ts";
import { inForms, printing } from "./printing.ts";
import { modulesOf, type MakeHandler } from "./shared-options.ts";

/** Returns the commands in the order of the help. `run` makes the handler of each; `kindNames` are the kinds that `import --kind` takes. */
export const commands = (run: MakeHandler, kindNames: readonly string[]): CommandModule[] =>
  modulesOf(commandTable(run, kindNames), {
    "init [folder]": run(printing(async () => (await import("../engine/init.ts")).initialise)),
    validate: onManifest(run)(
      inForms("validate", async () => (await import("../engine/validate.ts")).validateManifest),
    ),
    render: onManifest(run, { beside: true })(
      printing(async () => (await import("../engine/render.ts")).renderManifest),
    ),
    plan: onManifest(run)(async () => (await import("./commands/plan.ts")).plan),
    "apply [plan]": (options) =>
      options.plan === undefined
        ? onManifest(run)(async () => (await import("./commands/apply.ts")).apply)(options)
        : run(async () => (await import("./commands/apply.ts")).applyFile)({ ...options, plan: options.plan }),
    rehearse: onManifest(run)(async () => (await import("./commands/rehearse.ts")).rehearse),
    "show <plan>": run(inForms("plan", async () => (await import("../engine/show.ts")).showSavedPlan)),
    drift: onManifest(run)(inForms("drift", async () => (await import("../engine/drift.ts")).showDrift)),
    verify: onManifest(run)(printing(async () => (await import("../engine/verify.ts")).verifyManifest)),
    "why <address>": onManifest(run)(printing(async () => (await import("../engine/why.ts")).explainResource)),
    "status [address..]": onManifest(run, { optional: true })(
      async () => (await import("./commands/status.ts")).status,
    ),
    inventory: onManifest(run)(async () => (await import("./commands/inventory.ts")).inventory),
    snapshot: onManifest(run, { optional: true })(async () => (await import("./commands/snapshot.ts")).snapshot),
    "import [folder]": run(async () => (await import("./commands/import.ts")).importAccount),
    "export [zone]": onManifest(run, { beside: true })(
      printing(async () => (await import("../engine/export.ts")).exportZone),
    ),
    contract: () => undefined,
    doctor: run(printing(async () => (await import("../engine/doctor.ts")).probeApi)),
    emulator: run(async () => (await import("./commands/emulator.ts")).emulator),
    fleet: () => undefined,
    "mcp [folder]": run(async () => (await import("./commands/mcp.ts")).mcp),
    "completion <shell>": run(async () => (await import("./commands/completion.ts")).completion),
  });
