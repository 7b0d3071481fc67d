import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fleetForTest, namesOf } from "../support/fleet.ts";
import { eventsOf, exits } from "../support/run-hostform.ts";

test.each([
  [
    "a CA that is not text",
    "ca_file: ca.der",
    (folder: string) => writeFileSync(join(folder, "ca.der"), Buffer.of(0x30, 0x82)),
  ],
  ["a contract that is a folder", "contract: ./mine", (folder: string) => mkdirSync(join(folder, "mine"))],
])("%s fails the accounts that name it, and no others", async (_, setting, make) => {
  const shops = await fleetForTest(namesOf(2));
  make(shops.folder);
  shops.write("../odd", "version: 1\nname: odd\n");
  appendFileSync(join(shops.folder, "fleet.yaml"), `  - folder: odd\n    ${setting}\n`);
  const ran = await shops.fleet(["run", "--json"]);
  exits(3, ran);
  const ended = eventsOf(ran).filter(({ type }) => type === "account_ended");
  expect(Object.fromEntries(ended.map(({ account, state }) => [account, state]))).toEqual({
    "accounts/shop-001": "changed",
    "accounts/shop-002": "changed",
    odd: "failed",
  });
});
