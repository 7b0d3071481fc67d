import { join } from "node:path";
import { expect, test } from "vitest";
import { workshopForFile } from "../state/repositories.ts";
import { accountForFile } from "../support/account.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";

/** Consent that is committed. */
const shop = workshopForFile();
const account = accountForFile({
  seed: {
    domain: [{ name: "a.example", status: "active", expires_at: null }],
    mailbox: [{ address: "old@a.example" }],
  },
});

const address = "mailbox/old@a.example";
const declared = "version: 1\nname: shop\ndomains: { a.example: {} }\n";
const removing = `${declared}removed: [{ address: ${address}, action: delete }]\n`;
const apply = (clone: string) =>
  runInProcess(account, ["apply", "-f", join(clone, "manifest.yaml"), "--auto-approve"], shop.env);
test("deletes once, in the first apply that has the entry, and asks for the flag when the object exists again", async () => {
  const clone = shop.clone(shop.makeRemote());
  shop.commit(clone, "manifest.yaml", declared);
  expect((await apply(clone)).status).toBe(0);
  shop.commit(clone, "manifest.yaml", removing);
  const deleted = exits(0, await apply(clone));
  expect(deleted.printed).toContain("1 destroyed");
  await account.create("/mail/accounts", { address: "old@a.example", password: "correct horse battery" });
  const again = exits(6, await apply(clone));
  expect(again.printed).toContain("exists again");
  expect(again.printed).toContain(`--allow-delete ${address}`);
});
