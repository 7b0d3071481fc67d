import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { Contract } from "../../src/model/contract.ts";
import type { Json } from "../../src/model/json.ts";
import { confirmedIn, drawMutations, judgeMutations, refutedIn } from "../doctor/judge-mutations.ts";
import { wordsOf } from "../doctor/words.ts";
import { size } from "../proofs/size.ts";
import { runInProcess } from "../support/in-process.ts";
import { pairs, vendors, type Vendor } from "./pairs.ts";
import { areThere, startStandIn, type StandIn } from "./stand-in.ts";

const head = "version: 1\nname: vendor\npolicy: { max_deletes: 100% }\n";
const examined = vendors.filter(({ name }) => size.doctorVendors.includes(name));

describe.skipIf(!areThere).each(examined.map((vendor) => [vendor.name, vendor] as const))(
  "the doctor of %s",
  (name, vendor) => {
    let standIn: StandIn;
    let flags: readonly string[];
    let contract: Contract;
    beforeAll(async () => {
      standIn = await startStandIn(name, vendor);
      flags = ["--base-url", standIn.baseUrl, "--ca-file", join(standIn.folder, "ca.pem")];
      contract = (await loadContract(name)).contract as Contract;
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

    const doctor = (file: string) =>
      runInProcess({ flags, env: standIn.env }, ["doctor", "--json", "--contract", file]);

    test("refutes nothing of its contract, and names a wrong entry of it", { timeout: size.timeout }, async () => {
      await standIn.log();
      const ran = await doctor(name);
      expect(refutedIn(ran), ran.stdout).toEqual([]);
      expect(ran.status, ran.stderr).toBe(0);
      const asked = await standIn.log();
      expect(asked.length).toBeLessThanOrEqual(50);
      expect(asked.filter(({ method }) => method !== "GET")).toEqual([]);
      const words = await wordsOf({ flags, env: standIn.env, folder: standIn.folder }, contract, ["--contract", name]);
      const drawn = drawMutations(contract, { confirmed: confirmedIn(ran), words }, size.doctorMutations / 3, 3);
      const { missed, examined } = await judgeMutations(contract, drawn, (mutated: Json) =>
        doctor(standIn.write("contract.yaml", stringify(mutated))),
      );
      expect(missed.length / examined, missed.join("\n")).toBeLessThanOrEqual(0.1);
    });
  },
);
