import { describe, expect, test } from "vitest";
import { type Account, accountForFile, openAccount } from "../support/account.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/** How long an apply waits for a server that takes its time: as long as it says, and no shorter. */
const clock = virtualClock();
const account = accountForFile({ asyncMs: 4_900 }, clock.now);
/** One where nothing is pending. */
const quick = accountForFile({}, clock.now);
let count = 0;

const fresh = () => `name-${(count += 1)}.example`;
const applyTo = (to: Account, manifest: string, ...flags: string[]) => {
  const file = to.write("m.yaml", `version: 1\nname: patience\n${manifest}`);
  return runInProcess(to, ["apply", "-f", file, "--auto-approve", ...flags], {}, clock);
};
const apply = (manifest: string, ...flags: string[]) => applyTo(account, manifest, ...flags);
const service = (domain: string) => `services: { ${domain}: { plan: WEB-M, datacenter: MAD1 } }\n`;

describe.each<[string, (domain: string) => string, RegExp]>([
  ["an object that is pending", service, /it is still pending after 4 s/u],
  [
    "a job that runs",
    (domain) => `${service(domain)}databases: { ${domain}: { databases: { shop: { engine: mariadb } } } }\n`,
    /the job is still \w+ after 4 s/u,
  ],
])("%s", (_name, manifest, told) => {
  test("is waited for until the time is over, and looked at once more at its end", async () => {
    const text = manifest(fresh());
    expect((await apply(text, "--wait-timeout", "5")).status).toBe(0);
  });

  test("is reported as pending after that time, not before", async () => {
    const domain = fresh();
    // What the other needs is there already, so that the clock tells of one alone.
    if (manifest !== service) expect((await apply(service(domain))).status).toBe(0);
    const started = clock.now();
    const ran = exits(5, await apply(manifest(domain), "--wait-timeout", "4"));
    expect(ran.stdout).toMatch(told);
    expect(clock.now() - started).toBe(4_000);
  });
});

describe("a service that an API shows in its list alone", () => {
  const name = "listed-alone.yaml";
  const flags = () => {
    const kinds = "kinds: { service: { operations: { read: null } } }";
    return ["--contract", account.write(name, `contract: 1\nname: listed-alone\nextends: v2026\n${kinds}\n`)];
  };

  test("is waited for until the list shows that it is usable", async () => {
    const started = clock.now();
    exits(0, await apply(service(fresh()), ...flags()));
    expect(clock.now() - started).toBeGreaterThanOrEqual(4_900);
  });

  test("is reported as pending where it is not usable in time", async () => {
    const ran = exits(5, await apply(service(fresh()), ...flags(), "--wait-timeout", "4"));
    expect(ran.stdout).toMatch(
      /GET \/v2026\/services: not ready: it was created \(\w+\), but: it is still pending after 4 s/u,
    );
  });

  test("is waited for no longer where somebody deletes it meanwhile", async () => {
    const started = clock.now();
    const end = clock.onSleep(async () => {
      if (clock.now() < started + 2_000) return;
      end();
      const { body } = await account.byHand("GET", "/v2026/services?per_page=100");
      const { id } = (body["data"] as { id: string }[]).at(-1) ?? {};
      await account.byHand("DELETE", `/v2026/services/${id}`);
    });
    const ran = exits(5, await apply(service(fresh()), ...flags(), "--wait-timeout", "600"));
    expect(ran.stdout).toMatch(/not found: it was created \(\w+\), but: the list does not show it/u);
    expect(clock.now() - started).toBeLessThan(40_000);
  });
});

describe("what comes along with something that was just made is read again where reads lag behind", () => {
  test.each<[string, (domain: string) => string, string]>([
    [
      "the mail settings of a domain",
      (domain) => `domains: { ${domain}: {} }\nmail: { ${domain}: { settings: { dkim: { enabled: true } } } }\n`,
      "updated  mail_settings/",
    ],
    [
      "the domain that a service registers",
      (domain) =>
        `${service(domain).replace("MAD1", "MAD1, register: true")}domains: { ${domain}: { auto_renew: false } }\n`,
      "updated  domain/",
    ],
  ])("%s", async (_name, manifest, updated) => {
    const domain = fresh();
    await quick.byHand("POST", "/_emulator/faults", { faults: [{ match: {}, fault: { stale_reads_ms: 4_500 } }] });
    const ran = exits(0, await applyTo(quick, manifest(domain), "--allow-purchase", `service/${domain}`));
    expect(ran.stdout).toContain(`${updated}${domain}`);
  });
});

test("a step that takes long is reported after 10 s, and every 10 s after that", async () => {
  const slow = await openAccount({ asyncMs: 25_000 }, clock.now);
  const domain = fresh();
  const certificate = `certificates: { ${domain}: [{ domains: [${domain}] }] }\n`;
  const ran = exits(0, await applyTo(slow, service(domain) + certificate));
  await slow.close();
  expect(ran.stdout.match(/still creating .*/gu)).toEqual([
    `still creating  service/${domain} after 10 s`,
    `still creating  service/${domain} after 20 s`,
    `still creating  certificate/${domain}/managed after 10 s`,
    `still creating  certificate/${domain}/managed after 20 s`,
  ]);
});

test("the live state is given the whole of --settle to show what was done", async () => {
  await quick.byHand("POST", "/_emulator/faults", { faults: [{ match: {}, fault: { stale_reads_ms: 7_900 } }] });
  const manifest = `dns: { ${fresh()}: { records: { www: { A: 192.0.2.1 } } } }\n`;
  expect((await applyTo(quick, manifest, "--settle", "8")).status).toBe(0);
});
