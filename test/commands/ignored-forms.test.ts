import { expect, test } from "vitest";
import { checkEvents, eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { shapeForTest } from "../support/shaped-scenario.ts";

const manifest = `version: 1
name: forms
services: { example.com: { plan: WEB-M, datacenter: MAD1 } }
dns:
  example.com:
    records:
      "@": { TXT: "v=spf1 -all", MX: { priority: 10, value: MX1.example.net. } }
      a: { TXT: '"one" "two"', AAAA: "2001:DB8:0::1" }
mail: { example.com: { mailboxes: { info: { password: "\${env:PW}", quota: 2 GiB } } } }
`;

/** The two forms of a value, where they differ. */
test.each([
  [
    "that stores plain text",
    "bare",
    {
      "dns_record/example.com/@/MX content": ["MX1.example.net.", "mx1.example.net."],
      "dns_record/example.com/a/TXT content": ['"one" "two"', "onetwo"],
      "dns_record/example.com/a/AAAA content": ["2001:DB8:0::1", "2001:db8::1"],
      "mailbox/info@example.com quota_mb": ["2 GiB", 2048],
    },
  ],
  [
    "that has other words and units, and quotes text",
    "nested",
    {
      "dns_record/example.com/@/TXT content": ["v=spf1 -all", '"v=spf1 -all"'],
      "dns_record/example.com/@/MX content": ["MX1.example.net.", "mx1.example.net"],
      "dns_record/example.com/a/TXT content": ['"one" "two"', '"onetwo"'],
      "dns_record/example.com/a/AAAA content": ["2001:DB8:0::1", "2001:db8::1"],
      "mailbox/info@example.com quota_mb": ["2 GiB", String(2048 * 1024 * 1024)],
    },
  ],
])("a plan shows the value of a service %s as it stands there, and the manifest's", async (_, shape, expected) => {
  const account = await shapeForTest(shape);
  const file = account.write("m.yaml", manifest);
  const run = (...args: string[]) => runInProcess(account, args, { PW: "correct horse battery" });
  exits(0, await run("apply", "--auto-approve", "-f", file));
  const events = eventsOf(await run("plan", "--show-ignored", "--json", "-f", file));
  expect(checkEvents(events)).toEqual([]);
  const forms = events
    .filter(({ type }) => type === "ignored_spelling")
    .map(({ address, path, written, live }) => [`${String(address)} ${String(path)}`, [written, live]]);
  expect(Object.fromEntries(forms)).toEqual(expected);
});
