import { join } from "node:path";
import { expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { listed } from "../support/live-records.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";

/** A server that lists names in upper case: an undo, which was made before what it deletes, finds that all the same. */
const account = accountForFile({ spelling: "upper" });

test("what a plan makes is deleted by its undo, however the server spells its names", async () => {
  const undo = join(account.folder, "undo.json");
  const run = (...args: string[]) => runInProcess(account, args, { PW: "some-password-1" });
  const services = (more: string) => `services: { a.example: { plan: WEB-M, datacenter: MAD1 }${more} }\n`;
  const write = (text: string) => account.write("m.yaml", `version: 1\nname: upper\n${text}`);
  exits(0, await run("apply", "-f", write(services("")), "--auto-approve"));
  const path = write(`${services(", b.example: { plan: WEB-M, datacenter: MAD1 }")}
dns: { b.example: { records: { www: { A: 192.0.2.1 } } } }
databases: { a.example: { databases: { shop: { engine: mariadb } }, users: { web: { password: "\${env:PW}", grants: { shop: all } } } } }`);
  exits(0, await run("plan", "-f", path, "--undo-out", undo));
  exits(0, await run("apply", "-f", path, "--auto-approve"));
  const going = [
    "service/b.example",
    "dns_zone/b.example",
    "database/a.example/shop",
    "database_user/a.example/web@localhost",
  ];
  exits(0, await run("apply", undo, ...going.flatMap((address) => ["--allow-delete", address])));
  const names = await listed<{ domain: string }>(account, "/v2026/services");
  expect(names.map(({ domain }) => domain)).toEqual(["A.EXAMPLE"]);
  expect(await listed(account, "/v2026/dns/zones")).toEqual([]);
});
