import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { pairs, vendors, type Vendor } from "./pairs.ts";
import { areThere, startStandIn, type StandIn } from "./stand-in.ts";

const head = "version: 1\nname: vendor\npolicy: { max_deletes: 100% }\n";
const examined = vendors.filter(({ name }) => size.doctorVendors.includes(name));

describe.skipIf(!areThere).each(examined.map((vendor) => [vendor.name, vendor] as const))(
  "the doctor of %s",
  (name, vendor) => {
    let standIn: StandIn;
    let flags: readonly string[];
    beforeAll(async () => {
      standIn = await startStandIn(name, vendor);
      flags = ["--base-url", standIn.baseUrl, "--ca-file", join(standIn.folder, "ca.pem")];
      await fill(vendor);
    });
    afterAll(() => standIn.close());

    async function fill({ own }: Vendor) {
      const file = join(standIn.folder, "own.yaml");
      if (own !== undefined) writeFileSync(file, `extends: ${name}\n${own}\n`);
      for (const { made, env, kind } of pairs.filter(({ vendor: other, adapter }) => other === name && !adapter)) {
        const manifest = standIn.write("site.yaml", head + made);
        const args = ["apply", "-f", manifest, "--auto-approve", "--contract", own === undefined ? name : file];
        const ran = await runInProcess(
          { flags, env: standIn.env },
          [...args, "--inventory", join(standIn.folder, `${kind}.json`)],
          env,
        );
        expect(ran.status, ran.stdout + ran.stderr).toBe(0);
      }
    }

    test("refutes nothing of its contract, with GETs alone", async () => {
      await standIn.log();
      const ran = exits(0, await runInProcess({ flags, env: standIn.env }, ["doctor", "--contract", name]));
      expect(ran.stdout).not.toContain("refuted:");
      expect((await standIn.log()).filter(({ method }) => method !== "GET")).toEqual([]);
    });
  },
);
