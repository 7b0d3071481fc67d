import { join } from "node:path";
import { expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { commandsOf } from "../support/account-commands.ts";
import { eventsOf, runInProcess } from "../support/run-hostform.ts";

/** A value that is made of a secret and of what only the server knows. */
const account = accountForFile();
const { done } = commandsOf(() => account, { TOKEN: "some-token-123" });

const text = (schedule: string) => `version: 1
name: late
services: { a.example: { plan: WEB-M, datacenter: MAD1 } }
databases: { a.example: { databases: { shop: { engine: mariadb } } } }
crons: { a.example: { jobs: { dump: { schedule: "${schedule}", command: "dump \${env:TOKEN} \${ref:database/a.example/shop.host}" } } } }
`;

test("a value with a secret and a reference is compared with the live one, in a manifest and in a saved plan", async () => {
  const path = account.write("late.yaml", text("0 3 * * *"));
  const plan = join(account.folder, "plan.json");
  const addresses = async (env: Record<string, string> = {}) =>
    eventsOf(await runInProcess(account, ["plan", "-f", path, "--json"], { TOKEN: "some-token-123", ...env })).flatMap(
      ({ type, address, changes }) =>
        type === "planned"
          ? [`${String(address)} ${(changes as { path: string }[]).map((each) => each.path).join()}`]
          : [],
    );
  await done(["apply", "-f", path, "--auto-approve"]);
  expect(await addresses()).toEqual([]);
  expect(await addresses({ TOKEN: "another-token" })).toEqual(["cron/a.example/dump command"]);
  account.write("late.yaml", text("0 5 * * *"));
  expect(await addresses()).toEqual(["cron/a.example/dump schedule"]);
  await done(["plan", "-f", path, "--out", plan]);
  await done(["apply", plan]);
  expect(await addresses()).toEqual([]);
});

test("such a value is not sent where its variable is not set, and that is said before", async () => {
  const path = account.write("unset.yaml", text("0 7 * * *"));
  const planned = await runInProcess(account, ["plan", "-f", path], { TOKEN: "" });
  expect(planned.stderr).toContain("the variable TOKEN is set, but empty");
  expect((await runInProcess(account, ["apply", "-f", path, "--auto-approve"], { TOKEN: "" })).status).toBe(3);
});
