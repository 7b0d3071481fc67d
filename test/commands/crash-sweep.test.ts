import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { crashSweep } from "../../src/engine/rehearsal/crash-sweep.ts";
import { openSandbox } from "../../src/engine/rehearsal/sandbox.ts";
import { readDesired } from "../../src/manifest/read/desired.ts";
import { parseManifest } from "../../src/manifest/load.ts";
import { everything, nothingAllowed, nothingOwned } from "../../src/model/plan-input.ts";
import { openAccount } from "../support/account.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { runInProcess } from "../support/run-hostform.ts";
import { rehearsalOf, writes } from "./rehearsal-events.ts";

describe("a crash sweep", () => {
  test.runIf(size.whole)("of one customer of the example holds", async () => {
    const account = await openAccount();
    const agency = fileURLToPath(new URL("../../examples/agency", import.meta.url));
    const args = ["rehearse", "-f", agency, "--only", "*florist.example*", "--crash-sweep", "--json"];
    const ran = await runInProcess(account, [...args, "--inventory", join(account.folder, "inventory.json")]);
    expect(rehearsalOf(ran)).toMatchObject({ held: true, findings: [] });
    expect(Number(rehearsalOf(ran)["cuts"])).toBeGreaterThan(20);
    expect(await writes(account)).toEqual([]);
    await account.close();
  });

  test("finds what is made twice and what is never done, where a recovery does not look at what is live", async () => {
    const { tree } = parseManifest([{ file: "shop.yaml", text: shop }]);
    if (!tree) throw new Error("no plan");
    const readSecret = () => ({ missing: "there is none" });
    const input = {
      contract: builtIn,
      desired: readDesired(tree, readSecret).desired,
      live: { resources: new Map(), collections: new Map(), reads: 0 },
      now: Date.now(),
      target: { name: "shop", baseUrl: "https://real.example/", contract: "v2026", emulator: false },
      consent: nothingAllowed,
      ownership: nothingOwned,
      selection: everything,
    };
    const world = { now: Date.now, random: Math.random, newId: randomUUID, sleep: async () => undefined };
    const stage = await openSandbox({ input, owned: [], readSecret, parallelism: 4, namePrefix: "" }, world);
    const first = await stage.plan();
    const { cuts, findings } = await crashSweep({ ...stage, planAgain: async () => first }, first, 0, {
      every: () => () => undefined,
      emit: () => undefined,
    });
    await stage.close();
    expect(cuts).toBe(4);
    expect(findings.map(({ summary }) => summary)).toEqual([
      "The plan did not reach its end after a crash before POST /v2026/services",
      "The plan did not reach its end after a crash after call 1, POST /v2026/services",
      "The plan did not reach its end after a crash after call 2, POST /v2026/ssl/certificates",
      "The plan did not reach its end without a crash, with one call at a time",
    ]);
    expect(findings[2]?.details).toContain("made twice: POST /v2026/ssl/certificates");
    expect(findings[2]?.details).toContain("still planned: create service/shop.example");
  });

  const shop = `version: 1
name: shop
services: { shop.example: { plan: S, datacenter: X } }
certificates: { shop.example: [{ domains: [shop.example] }] }
`;
});
