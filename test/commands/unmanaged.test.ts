import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { checkEvents, eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";

const record = (zone: string, name: string, content: string, type = "A") => ({ zone, name, type, content });
const account = accountForFile({
  seed: {
    service: [
      { domain: "a.example", hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" },
      { domain: "b.example", hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" },
    ],
    domain: [{ name: "a.example" }, { name: "b.example" }],
    dns_zone: [{ name: "a.example" }, { name: "b.example" }],
    dns_record: [
      record("a.example", "www", "192.0.2.1"),
      record("a.example", "old", "192.0.2.2"),
      record("a.example", "_acme-challenge", '"x"', "TXT"),
      record("b.example", "shop", "192.0.2.3"),
      record("b.example", "shop", "192.0.2.4"),
      record("b.example", "note", '"a text"', "TXT"),
    ],
    mailbox: [{ address: "info@b.example", quota_mb: 1024 }],
    cron: [
      { name: "sync", service: "b.example", schedule: "0 3 * * *", command: "curl https://me:hunter2@host.test/run" },
    ],
  },
});
let manifest: string;

beforeAll(async () => {
  manifest = account.write(
    "m.yaml",
    'version: 1\nname: part\ndns: { a.example: { ignore: ["_acme-challenge*"], records: { www: { A: 192.0.2.1 } } } }\n',
  );
});
afterEach(() => account.endFaults());

const refuse = (path: string) => account.inject({ match: { method: "GET", path }, fault: { status: 403 } });
const mailboxes = "/v2026/mail/accounts";
const records = "/v2026/dns/zones/{zone_id}/records";

describe("plan", () => {
  test("counts the live resources that the manifest does not name, in the lists that it reads", async () => {
    const { stdout } = exits(0, await runInProcess(account, ["plan", "-f", manifest]));
    expect(stdout).toMatch(/^Not managed: 2 live resources in the lists read \(.*\):$/mu);
    expect(stdout).toContain("  dns_record/a.example: 1 (old/A)\n  dns_zone: 1 (b.example)\n");
    const events = eventsOf(await runInProcess(account, ["plan", "--json", "-f", manifest]));
    expect(checkEvents(events)).toEqual([]);
    expect(events.find(({ type }) => type === "plan")).toMatchObject({ unmanaged: 2 });
  });

  test("says nothing of them where there are none", async () => {
    const zone = "{ ignore: ['*'], records: { www: { A: 192.0.2.1 } } }";
    const path = account.write("all.yaml", `version: 1\nname: all\ndns: { ignore: [b.example], a.example: ${zone} }\n`);
    expect((await runInProcess(account, ["plan", "-f", path])).stdout).not.toContain("Not managed");
  });

  test("names no count that is not known", async () => {
    await refuse(records);
    const { stdout } = exits(6, await runInProcess(account, ["plan", "-f", manifest], {}, virtualClock()));
    expect(stdout).toContain("Not managed: at least 1 live resource in");
  });
});

describe("plan --show-unmanaged", () => {
  const show = (...more: string[]) =>
    runInProcess(account, ["plan", "--show-unmanaged", "-f", manifest, ...more], {}, virtualClock());

  test("names them in the whole account, with their values and without secrets", async () => {
    const { stdout } = exits(0, await show());
    expect(stdout).toContain("dns_record/a.example: 1\n  dns_record/a.example/old/A   192.0.2.2\n");
    expect(stdout).toMatch(/^ {2}dns_record\/b\.example\/shop\/A +192\.0\.2\.3, 192\.0\.2\.4$/mu);
    expect(stdout).toMatch(/^ {2}mailbox\/info@b\.example +.*quota_mb 1024/mu);
    expect(stdout).toMatch(/^ {2}cron\/b\.example\/.* command \(sensitive\)/mu);
    expect(stdout).toContain("service: 2\n");
    expect(stdout).not.toMatch(/hunter2|_acme-challenge|a\.example\/www|mail_settings|dnssec|managed by/u);
    expect(stdout.match(/Not managed/gu)).toHaveLength(1);
  });

  test("prints events that are as the schema says, and the same plan", async () => {
    const events = eventsOf(await show("--json"));
    expect(checkEvents(events)).toEqual([]);
    expect(events).toContainEqual({
      type: "unmanaged_resource",
      collection: "dns_record/b.example",
      address: "dns_record/b.example/shop/A",
      values: ["192.0.2.3", "192.0.2.4"].map((value) => ({ path: "value", value: { is: "value", value } })),
    });
    const planned = eventsOf(await runInProcess(account, ["plan", "--json", "-f", manifest]));
    expect(events.filter(({ type }) => type !== "unmanaged_resource")).toEqual(planned);
  });

  test("says which list could not be read whole, and exits 6", async () => {
    await refuse(mailboxes);
    const { stdout } = exits(6, await show());
    expect(stdout).toMatch(/^Not managed: at least \d+ live resources/mu);
    expect(stdout).toMatch(/^Incomplete list: mailbox\/b\.example: .*403/mu);
  });

  test("says that the manifest names everything, of an account that was imported", async () => {
    const folder = `${account.folder}/imported`;
    exits(0, await runInProcess(account, ["import", folder]));
    const { stdout } = exits(0, await runInProcess(account, ["plan", "--show-unmanaged", "-f", folder]));
    expect(stdout).toContain("Not managed: nothing. The manifest names every live resource");
  });
});

describe("status with a pattern", () => {
  const status = (...args: string[]) => runInProcess(account, ["status", ...args], {}, virtualClock());
  const rows = (stdout: string) => stdout.match(/^\w+\/\S+/gmu);

  test("shows every live resource that it names, also of a kind without a state", async () => {
    const { stdout } = await status("dns_record/b.example/*");
    expect(rows(stdout)).toEqual([
      "dns_record/b.example/@/NS",
      "dns_record/b.example/@/SOA",
      "dns_record/b.example/note/TXT",
      "dns_record/b.example/shop/A",
    ]);
    expect(stdout).not.toContain("not in the manifest");
  });

  test("marks those that the manifest does not declare, and reads lists that it does not touch", async () => {
    const { stdout } = await status("-f", manifest, "dns_record/*/A", "mailbox/*");
    expect(rows(stdout)).toEqual([
      "dns_record/a.example/old/A",
      "dns_record/a.example/www/A",
      "dns_record/b.example/shop/A",
      "mailbox/info@b.example",
    ]);
    expect(stdout.match(/^.*not in the manifest$/gmu)?.map((line) => line.split(" ")[0])).toEqual([
      "dns_record/a.example/old/A",
      "dns_record/b.example/shop/A",
      "mailbox/info@b.example",
    ]);
    expect(stdout).toContain("0 failed; 3 not in the manifest.");
    const events = eventsOf(await status("--json", "-f", manifest, "dns_record/a.example/*"));
    expect(checkEvents(events)).toEqual([]);
    const undeclared = events.map(({ address, undeclared: by }) => [address, by]);
    expect(undeclared).toContainEqual(["dns_record/a.example/old/A", "unmanaged"]);
    expect(undeclared).toContainEqual(["dns_record/a.example/@/NS", "platform"]);
  });

  test("reads only the lists that may hold it", async () => {
    const before = (await account.operations()).length;
    await status("dns_record/b.example/shop/A");
    const read = (await account.operations()).slice(before).map(({ path }) => path);
    expect(read.filter((path) => path.includes("/records"))).toHaveLength(1);
    expect(read.filter((path) => path.includes("/mail/"))).toEqual([]);
  });

  test("says which list could not be read whole, and exits 6", async () => {
    await refuse(mailboxes);
    const { status: exit, stdout } = await status("-f", manifest, "mailbox/*");
    expect(stdout).toMatch(/^Incomplete list: mailbox\/b\.example: /mu);
    expect(exit).toBe(6);
  });

  test("without one shows what the manifest declares", async () => {
    expect(rows((await status("-f", manifest)).stdout)).toEqual(["dns_zone/a.example"]);
  });
});
