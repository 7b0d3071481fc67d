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
const ran = async (clone: string, command: string, ...flags: string[]) => {
  const env = { HOME: join(shop.folder, "home"), GIT_CONFIG_NOSYSTEM: "1" };
  const { status, stdout, stderr } = await runInProcess(
    account,
    [command, "-f", join(clone, "manifest.yaml"), ...flags],
    env,
  );
  return { status, said: stdout + stderr };
};
const apply = (clone: string) => ran(clone, "apply", "--auto-approve");
const create = () =>
  account.byHand("POST", "/v2026/mail/accounts", { address: "old@a.example", password: "correct horse battery" });

test("deletes once, in the first apply that has the entry, and asks for the flag when the object exists again", async () => {
  const clone = shop.clone(shop.makeRemote());
  shop.commit(clone, "manifest.yaml", declared);
  expect((await apply(clone)).status).toBe(0);
  shop.commit(clone, "manifest.yaml", removing);
  const deleted = exits(0, await apply(clone));
  expect(deleted.said).toContain("1 destroyed");
  const made = await create();
  expect(made.status, JSON.stringify(made.body)).toBeLessThan(300);
  const again = exits(6, await apply(clone));
  expect(again.said).toContain("exists again");
  expect(again.said).toContain(`--allow-delete ${address}`);
});
