import { beforeAll, describe, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { checkEvents, eventsOf, exits, runInProcess } from "../support/run-hostform.ts";

const day = 86_400_000;
const account = accountForFile({
  seed: {
    service: [{ domain: "shop.example", hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" }],
    domain: [
      { name: "near.example", status: "active", expires_at: new Date(Date.now() + 10 * day).toISOString() },
      { name: "moving.example", status: "pending", expires_at: null },
    ],
    mailbox: [{ address: "info@near.example", quota_mb: 1024, usage_mb: 512 }],
  },
});
let manifest: string;

beforeAll(async () => {
  manifest = account.write("m.yaml", "version: 1\nname: status\ndomains: { near.example: {} }\n");
});

describe("status", () => {
  test("shows the whole account: state, days to expiry, use against quota", async () => {
    const { stdout } = exits(0, await account.hostform(["status"]));
    expect(stdout).toMatch(/domain\/near\.example +active +in 9 days/u);
    expect(stdout).toMatch(/domain\/moving\.example +pending .*registrar/u);
    expect(stdout).toMatch(/mailbox\/info@near\.example .*512 of 1024 MB \(50 %\)/u);
    expect(stdout).toContain("service/shop.example");
    expect(stdout).toMatch(/\d+ resources: \d+ ready, 1 pending, 0 failed\./u);
  });

  test("asks for each list once", async () => {
    const { stderr } = exits(0, await runInProcess(account, ["status", "--debug"]));
    const asked = stderr.match(/GET \S+/gu) ?? [];
    expect(asked.length).toBeGreaterThan(5);
    expect(asked).toEqual([...new Set(asked)]);
  });

  test("prints Markdown, what expires first on top, with --format markdown", async () => {
    const { status, stdout } = await runInProcess(
      account,
      "status --format markdown --fail-on expiring:30d".split(" "),
    );
    expect(status).toBe(2);
    const [heading = "", blank, fence, ...lines] = stdout.trimEnd().split("\n");
    expect(heading).toMatch(/^### Hostform: \d+ resources: \d+ ready, 1 pending, 0 failed$/u);
    expect([blank, fence, lines.at(-1)]).toEqual(["", "```text", "```"]);
    const first = lines.findIndex((line) => line.startsWith("RESOURCE"));
    expect(lines[first + 1]).toMatch(/^domain\/near\.example +active +in 9 days/u);
    expect(lines.slice(0, first).join("\n")).toContain("Target: account at https://");
    const both = await runInProcess(account, ["status", "--format", "markdown", "--json"]);
    expect(exits(3, both).stdout).toContain("--json and --format markdown");
  });

  test("shows what a manifest declares, or what is asked for by address", async () => {
    expect((await runInProcess(account, ["status", "-f", manifest])).stdout).toMatch(
      /^domain\/near\.example.*\n\n1 resource: /mu,
    );
    const { stdout } = await runInProcess(account, ["status", "domain/*"]);
    expect(stdout).toContain("moving.example");
    expect(stdout).not.toContain("mailbox/");
  });

  test("prints one event a resource with --json", async () => {
    const events = eventsOf(await runInProcess(account, ["status", "--json", "mailbox/*"]));
    expect(checkEvents(events)).toEqual([]);
    expect(events[1]).toMatchObject({ type: "target", name: "account" });
    expect(events[2]).toMatchObject({
      type: "status",
      address: "mailbox/info@near.example",
      state: "ready",
      usedMb: 512,
      limitMb: 1024,
    });
  });

  test.each([
    ["pending", 2],
    ["failed", 0],
    ["expiring:30d", 2],
    ["expiring:5d", 0],
    ["failed,expiring:30d", 2],
    ["broken", 3],
    ["missing", 3],
    ["", 3],
    ["failed,", 3],
  ])("--fail-on '%s' exits %i", async (condition, exit) => {
    expect((await runInProcess(account, ["status", "--fail-on", condition])).status).toBe(exit);
  });

  test.each([40, 80])("fits on %i columns, and says the same there", async (width) => {
    const rows = async (env: Record<string, string>) =>
      /^domain\/[^]*?(?=\n\n)/mu.exec((await runInProcess(account, ["status"], env)).stdout)?.[0] ?? "";
    const narrow = await rows({ COLUMNS: String(width) });
    expect(narrow.split("\n").filter((line) => line.length > width && line.trim().includes(" "))).toEqual([]);
    expect(narrow.split(/\s+/u)).toEqual((await rows({})).split(/\s+/u));
  });

  test("of a kind's name alone says how all of the kind are named", async () => {
    const { stdout } = await runInProcess(account, ["status", "mailbox"]);
    expect(stdout).toContain("Nothing matches mailbox: write 'mailbox/*'.");
  });

  describe("of a manifest", () => {
    const declaring = (text: string) => account.write("missing.yaml", `version: 1\nname: status\n${text}`);
    const half = "domains: { near.example: }\nmail: { near.example: { mailboxes: { info: , sales: } } }\n";

    test("lists what is declared and not there, and counts it", async () => {
      const { stdout } = exits(0, await runInProcess(account, ["status", "-f", declaring(half)]));
      expect(stdout).toMatch(/mailbox\/sales@near\.example .*declared, but does not exist/u);
      expect(stdout).toContain("3 resources: 2 ready, 0 pending, 0 failed, 1 missing.");
    });

    test("--fail-on missing exits 2 where something is, and 0 where not", async () => {
      const failOn = ["status", "--fail-on", "missing", "-f"];
      expect((await runInProcess(account, [...failOn, declaring(half)])).status).toBe(2);
      expect((await runInProcess(account, [...failOn, manifest])).status).toBe(0);
    });

    test("does not miss what is meant not to be there", async () => {
      const path = declaring("dns: { near.example: { dnssec: { enabled: false } } }\n");
      const { stdout } = await runInProcess(account, ["status", "-f", path]);
      expect(stdout).toContain("dns_zone/near.example");
      expect(stdout).not.toContain("dnssec/near.example");
    });

    test("prints events that are as the schema says", async () => {
      const events = eventsOf(await runInProcess(account, ["status", "--json", "-f", declaring(half)]));
      expect(checkEvents(events)).toEqual([]);
      expect(events).toContainEqual(
        expect.objectContaining({ address: "mailbox/sales@near.example", state: "missing" }),
      );
    });
  });

  test("says that nothing matches", async () => {
    const { stdout } = exits(0, await runInProcess(account, ["status", "mailbox/nobody@*"]));
    expect(stdout).toContain("Nothing matches mailbox/nobody@*.");
    const events = eventsOf(await runInProcess(account, ["status", "--json", "mailbox/nobody@*"]));
    expect(checkEvents(events)).toEqual([]);
    expect(events).toContainEqual(expect.objectContaining({ type: "no_match", pattern: "mailbox/nobody@*" }));
  });

  test("refuses a kind that there is not, and suggests one", async () => {
    expect(exits(3, await runInProcess(account, ["status", "mailbx/*"])).stderr).toContain("did you mean mailbox/*?");
  });

  test("makes no writes", async () => {
    expect(await account.writes()).toEqual([]);
  });
});
