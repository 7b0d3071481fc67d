import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { runInProcess } from "../support/in-process.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/** How long an apply waits for a server that takes its time: as long as it says, and no shorter. */
const clock = virtualClock();
let account: Account;
let count = 0;

beforeAll(async () => {
  account = await openAccount({ asyncMs: 4_900 }, clock.now);
});
afterEach(() => account.byHand("DELETE", "/_emulator/faults"));
afterAll(() => account.close());

const fresh = () => `name-${(count += 1)}.example`;
const apply = async (manifest: string, ...flags: string[]) => {
  const file = account.write("m.yaml", `version: 1\nname: patience\n${manifest}`);
  return runInProcess(account, ["apply", "-f", file, "--auto-approve", ...flags], {}, clock);
};
const service = (domain: string) => `services: { ${domain}: { plan: WEB-M, datacenter: MAD1 } }\n`;

describe.each<[string, (domain: string) => string, RegExp]>([
  ["an object that is pending", service, /service\/\S+ is still pending after 4 s/u],
  [
    "a job that runs",
    (domain) => `${service(domain)}databases: { ${domain}: { databases: { shop: { engine: mariadb } } } }\n`,
    /the job is still \w+ after 4 s/u,
  ],
])("%s", (_name, manifest, told) => {
  test("is waited for until the time is over, and looked at once more at its end", async () => {
    const text = manifest(fresh());
    const ran = await apply(text, "--wait-timeout", "5");
    expect(ran.status, ran.stdout).toBe(0);
  });

  test("is told to be so after that time, not before", async () => {
    const domain = fresh();
    // What the other needs is there already, so that the clock tells of one alone.
    if (manifest !== service) expect((await apply(service(domain))).status).toBe(0);
    const started = clock.now();
    const ran = await apply(manifest(domain), "--wait-timeout", "4");
    expect(ran.stdout).toMatch(told);
    expect(clock.now() - started).toBe(4_000);
    expect(ran.status).toBe(5);
  });
});
