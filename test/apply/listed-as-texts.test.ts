import { expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { listed, recordsPath } from "../support/live-records.ts";
import { eventsOf, exits, runInProcess } from "../support/run-hostform.ts";

/** A service that lists numbers and switches as texts, and does not take them so where something is made. */
const account = accountForFile({ spelling: "booleans-as-strings,numbers-as-strings" });
const write = (name: string, text: string) => account.write(`${name}.yaml`, `version: 1\nname: ${name}\n${text}`);
const apply = (path: string, ...flags: string[]) =>
  runInProcess(account, ["apply", "-f", path, "--auto-approve", "--json", ...flags]);

test("a record that was deleted for one that is refused is put back", async () => {
  const file = (record: string, more = "") =>
    write("refused", `dns: { refused.example: { records: { a: { A: 192.0.2.9 }, www: ${record} } } }\n${more}`);
  exits(0, await apply(file("{ A: 192.0.2.1 }")));
  const rule = { match: { method: "POST" }, count: 1, fault: { status: 422 } };
  await account.byHand("POST", "/_emulator/faults", { faults: [rule] });
  const removed = "removed: [{ address: dns_record/refused.example/www/A, action: delete }]";
  const ran = await apply(file("{ CNAME: example.net. }", removed));
  expect(ran.status).toBe(5);
  expect(eventsOf(ran)).toContainEqual(expect.objectContaining({ type: "put_back" }));
  expect(await listed(account, await recordsPath(account, "refused.example"))).toContainEqual(
    expect.objectContaining({ name: "www", type: "A", content: "192.0.2.1" }),
  );
});

test("what is made again with its service keeps its numbers and switches", async () => {
  const file = (datacenter: string) =>
    write(
      "moved",
      `services: { moved.example: { plan: WEB-M, datacenter: ${datacenter} } }
crons: { moved.example: { jobs: { nightly: { schedule: "0 3 * * *", command: a.sh } } } }`,
    );
  exits(0, await apply(file("MAD1")));
  exits(0, await apply(file("BCN1"), "--allow-delete", "service/moved.example"));
  const [job] = await listed<Record<string, unknown>>(account, "/v2026/crons");
  expect(job).toMatchObject({ name: "nightly", enabled: "true", timeout_s: "3600" });
});
