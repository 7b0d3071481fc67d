import { afterEach, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { runInProcess } from "../support/in-process.ts";
import { entriesOf, refutedIn } from "./judge-mutations.ts";

let account: Account | undefined;
afterEach(() => account?.close());

const contractOf = (paging: string) => `contract: 1\nname: mine\nextends: v2026\npaging: ${paging}\n`;

/** Examines a contract on the embedded service that holds some zones and gives pages of some size. */
async function examine(perPageMax: number, zones: number, paging: string) {
  account = await openAccount({ perPageMax });
  for (let n = 0; n < zones; n += 1) await account.byHand("POST", "/v2026/dns/zones", { name: `zone-${n}.example` });
  const file = account.write("contract.yaml", contractOf(paging));
  const ran = await runInProcess(account, ["doctor", "--json", "--contract", file]);
  return { ran, most: entriesOf(ran).find(({ entry }) => entry.join(".") === "paging.max_size") };
}

test.each([
  ["more objects than a page holds", 5, 7, "{ max_size: 100 }", 5],
  ["as many objects as a page holds and one more", 5, 6, "{ max_size: 6 }", 5],
  ["fewer objects than a page holds", 100, 4, "{ max_size: 500 }", 100],
  ["more objects than a page holds, and no place of its size", 5, 7, "{ max_size: 100, actual_size: null }", 5],
])("the size of a page is refuted where the service gives less: %s", async (_, perPageMax, zones, paging, right) => {
  const { ran, most } = await examine(perPageMax, zones, paging);
  expect(most, ran.stdout).toMatchObject({ outcome: "refuted", write: { paging: { max_size: right } } });
  expect(refutedIn(ran)).toHaveLength(1);
});

test.each([
  ["that the service gives", 100, 4, "{ max_size: 100 }"],
  ["below that of the service", 100, 4, "{ max_size: 50 }"],
  ["whose pages are full", 5, 7, "{ max_size: 5 }"],
])("the size of a page %s is not refuted", async (_, perPageMax, zones, paging) => {
  const { ran, most } = await examine(perPageMax, zones, paging);
  expect(refutedIn(ran), ran.stdout).toEqual([]);
  expect(most?.outcome).toBe("confirmed");
});
