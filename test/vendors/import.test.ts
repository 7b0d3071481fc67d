import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { pairs, vendors } from "./pairs.ts";
import { areThere, startStandIn } from "./stand-in.ts";

const isWhole = process.env["HOSTFORM_VENDORS"] === "1";

/** What each stand-in has from the start, and one object of each kind that its vendor offers, become a manifest that changes nothing. */
describe.skipIf(!areThere)("an account at a vendor with a contract of its own", () => {
  test.each(vendors.filter((_, index) => isWhole || index % 2 === 0))("$name is imported whole", async (vendor) => {
    const standIn = await startStandIn(vendor.name, vendor);
    onTestFinished(standIn.close);
    const own = `extends: ${vendor.name}\nname: own\n${vendor.own ?? "{}"}\n`;
    const contract = vendor.own === undefined ? vendor.name : standIn.write("own.yaml", own);
    const flags = ["--base-url", standIn.baseUrl, "--ca-file", join(standIn.folder, "ca.pem"), "--contract", contract];
    const run = async (args: readonly string[], env: Record<string, string> = {}) => {
      const ran = await runInProcess({ flags: [], env: standIn.env }, args, env);
      return { ...ran, text: `${args.join(" ")}\n${ran.stdout}${ran.stderr}` };
    };
    for (const { made, env, kind } of pairs.filter((pair) => pair.vendor === vendor.name && !pair.adapter)) {
      const file = standIn.write("made.yaml", `version: 1\nname: made\n${made}\n`);
      const inventory = join(standIn.folder, `${kind}.json`);
      exits(0, await run(["apply", "-f", file, "--auto-approve", "--inventory", inventory, ...flags], env));
    }
    const folder = join(standIn.folder, "hosting");
    const imported = exits(0, await run(["import", folder, ...flags]));
    expect(imported.stdout).toContain("No changes");
    // The manifest knows its API by itself.
    exits(0, await run(["plan", "-f", folder, "--detailed-exitcode"]));
  });
});
