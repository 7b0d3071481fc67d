import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { manifestText, type Sections } from "../support/draw-account.ts";
import { commandsOf, consentsTo } from "../support/account-commands.ts";
import { accountForFile } from "../support/account.ts";
import { eventsOf } from "../support/run-hostform.ts";
import { size } from "./size.ts";

/**
 * Records and jobs that refer to a read-only field of a resource that is replaced get the new value in the same apply, whichever kind
 * and field it is: planning again finds nothing to do.
 */
const account = accountForFile();

const { run, done } = commandsOf(() => account, { PW: "some-password-1" });

const planned = async (manifest: string, ...args: readonly string[]) =>
  eventsOf(await run(["plan", "-f", manifest, "--json", ...args])).filter(({ type }) => type === "planned");

const consentTo = async (manifest: string) => consentsTo(await run(["plan", "-f", manifest, "--json"]));

/** An account in which the service or its database can be replaced, and what else is replaced with the service. */
const sections = (datacenter: string, engine: string, reference: string): Sections => ({
  services: { NAME: { plan: "WEB-M", datacenter }, "other.NAME": { plan: "WEB-M", datacenter: "MAD1" } },
  databases: { NAME: { databases: { shop: { engine } } } },
  ftp: { NAME: { accounts: { upSHORT: { password: "${env:PW}" } } } },
  mail: { NAME: { settings: { dkim: { enabled: true } } } },
  crons: { "other.NAME": { jobs: { nightly: { schedule: "0 3 * * *", command: `echo ${reference}` } } } },
  dns: { NAME: { records: { ref: { TXT: [`x=${reference}`, "kept"] } } } },
});

const fields = [
  ...["host", "port", "version", "status", "size_mb"].map((field) => ["engine", "database/NAME/shop", field] as const),
  ...["host", "port", "status"].map((field) => ["datacenter", "database/NAME/shop", field] as const),
  ...["status", "type", "created_at", "resources.disk_mb"].map(
    (field) => ["datacenter", "service/NAME", field] as const,
  ),
  ["datacenter", "ftp_account/NAME/upSHORT", "primary"] as const,
  ...["dkim.record", "dkim.selector"].map((field) => ["datacenter", "mail_settings/NAME", field] as const),
];

let number = 0;
describe.each(size.every(12, fields))("after a change of %s, %s.%s", (changed, address, field) => {
  test.each(size.modes(field.length % 2 === 0))(
    "is written where it is referred to; from a saved plan: %s",
    async (saved) => {
      number += 1;
      const reference = `\${ref:${address}.${field}}`;
      const path = account.write(`m${number}.yaml`, manifestText(sections("MAD1", "mariadb", reference), number));
      await done(["apply", "-f", path, "--auto-approve"]);
      const [datacenter, engine] = changed === "engine" ? ["MAD1", "postgresql"] : ["FRA1", "mariadb"];
      account.write(`m${number}.yaml`, manifestText(sections(datacenter, engine, reference), number));
      const consents = await consentTo(path);
      const steps = await planned(path, ...consents);
      const dependants = steps.filter(({ address: of }) => /^(?:cron|dns_record)\//u.test(String(of)));
      expect(dependants.map(({ action }) => action)).toEqual(["update", "update"]);
      for (const { changes } of dependants)
        expect(changes).toContainEqual(expect.objectContaining({ after: { is: "known_after_apply" } }));
      const [file, undo] = [join(account.folder, `p${number}.json`), join(account.folder, `u${number}.json`)];
      if (saved) await done(["plan", "-f", path, "--out", file, "--undo-out", undo, ...consents]);
      await done(["apply", ...(saved ? [file] : ["-f", path, ...consents]), "--auto-approve"]);
      expect(await planned(path)).toEqual([]);
    },
  );
});
