import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { commandsOf, consentsTo } from "../support/account-commands.ts";
import { accountForFile } from "../support/account.ts";
import { account as drawnAccount, manifestText, nameOf, type Sections } from "../support/draw-account.ts";
import { forDraws } from "../support/for-draws.ts";
import { exits, type Ran } from "../support/run-hostform.ts";
import { openReader } from "./read-account.ts";
import { accountRuns, size } from "./size.ts";

/** Whatever a customer has: the flags that a refused plan prints, pasted once, are all that an apply needs. */
const account = accountForFile();

const { run, done } = commandsOf(() => account, { PW: "some-password-1" });

interface Customer {
  readonly first: Sections;
  readonly hasCertificate: boolean;
  /** Kinds of objects that somebody makes by hand, so that no manifest names them. */
  readonly byHand: readonly ("cron" | "mailbox")[];
  /** Sections whose resources set `prevent_destroy`. */
  readonly kept: readonly string[];
  /** The domain stays, by itself: attached to no service, with its mail. */
  readonly leavesDomain: boolean;
  /** Flags that a user guesses. */
  readonly guess: number | undefined;
}

const customer: fc.Arbitrary<Customer> = fc
  .record({
    first: drawnAccount.filter((sections) => Object.keys(sections).length > 0),
    hasCertificate: fc.boolean(),
    byHand: fc.subarray(["cron", "mailbox"] as const, { maxLength: 1 }),
    kept: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      fc.subarray(["services", "domains", "crons", "databases"]),
    ),
    leavesDomain: fc.boolean(),
    guess: fc.option(fc.integer({ min: 1, max: 14 })),
  })
  .map(({ guess, ...drawn }) => ({ ...drawn, guess: guess ?? undefined }));

type Json = Record<string, unknown>;

function firstManifest({ first, hasCertificate, kept }: Customer): Sections {
  const sections = structuredClone(first) as Record<string, Json>;
  if (hasCertificate && sections["services"]) sections["certificates"] = { NAME: [{ domains: ["NAME"] }] };
  for (const section of kept) {
    const at = sections[section]?.["NAME"] as Json | undefined;
    const blocks = section === "crons" ? at?.["jobs"] : section === "databases" ? at?.["databases"] : at && { at };
    for (const block of Object.values((blocks ?? {}) as Record<string, Json>))
      block["lifecycle"] = { prevent_destroy: true };
  }
  return sections;
}

function secondManifest(drawn: Customer): Sections {
  const { domains, mail } = structuredClone(drawn.first) as Record<string, Json>;
  const isLeft = drawn.leavesDomain && (domains ?? mail) !== undefined;
  return isLeft ? { domains: { NAME: { service: null } }, ...(mail && { mail }) } : {};
}

async function makeByHand({ byHand }: Customer, number: number): Promise<void> {
  const reader = openReader(account);
  const service = reader.read()["service"]?.find(({ domain }) => domain === nameOf(number));
  reader.close();
  if (!service) return;
  const cron = { service_id: service["id"], name: "by hand", schedule: "0 3 * * *", command: "x" };
  if (byHand.includes("cron")) await account.byHand("POST", "/v2026/crons", cron);
  const mailbox = { address: `hand@${nameOf(number)}`, password: "some-password-1" };
  if (byHand.includes("mailbox")) await account.byHand("POST", "/v2026/mail/mailboxes", mailbox);
}

/** The flags of the one recipe that a refused plan prints, as a shell takes them apart. */
function recipeIn({ stdout }: Ran): string[] {
  // A line that ends with a backslash goes on in the next one.
  const whole = /^ {2}to (?:allow all|apply the rest): ((?:.* \\\n)*.*)$/mu.exec(stdout);
  const text = (whole ?? /^ {6}to allow it: ((?:.* \\\n)*.*)$/mu.exec(stdout))?.[1] ?? "";
  return [...text.matchAll(/'([^']*)'|([^\s\\]+)/gu)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

/** Everything at once, and what somebody guesses who counts the steps of the plan. */
const butcher: Sections = {
  services: { NAME: { plan: "WEB-M", datacenter: "MAD1" } },
  domains: { NAME: { service: "NAME" } },
  dns: { NAME: { dnssec: { enabled: true }, records: { www: { A: "192.0.2.1" } } } },
  mail: { NAME: { mailboxes: { info: { password: "${env:PW}" } } } },
  crons: { NAME: { jobs: { nightly: { schedule: "0 3 * * *", command: "x" } } } },
};
const whole = { first: butcher, byHand: [], kept: [], leavesDomain: false };
const examples: [Customer][] = [[{ ...whole, hasCertificate: true, guess: 8 }]];

let number = 0;
test.runIf(size.whole)("a refused plan prints all flags that an apply of it needs, once", () =>
  forDraws({ numRuns: accountRuns, endOnFailure: true, examples }, customer, async (drawn) => {
    number += 1;
    const path = account.write(`m${number}.yaml`, manifestText(firstManifest(drawn), number));
    const inventory = ["--inventory", join(account.folder, `inventory${number}.json`)];
    await done(["apply", "-f", path, "--auto-approve", ...inventory]);
    await makeByHand(drawn, number);
    account.write(`m${number}.yaml`, manifestText(secondManifest(drawn), number));
    const guessed = drawn.guess === undefined ? [] : ["--allow-delete", `${nameOf(number)}=${drawn.guess}`];
    const planned = await run(["plan", "-f", path, ...inventory, ...guessed]);
    if (planned.status !== 6) {
      expect(planned.status, planned.stdout + planned.stderr).toBe(0);
      return;
    }
    const recipe = recipeIn(planned);
    const said = `${planned.stdout}\n${recipe.join(" ")}`;
    if (recipe.length === 0) {
      const refused = Number(/^Refused: (\d+)/mu.exec(planned.stdout)?.[1]);
      expect(planned.stdout.split("no flag allows it"), said).toHaveLength(refused + 1);
      return;
    }
    const again = await run(["apply", "-f", path, "--auto-approve", ...inventory, ...guessed, ...recipe]);
    expect(again.status, `${said}\n${again.stdout}${again.stderr}`).toBe(0);
    // What is left was left out: no flag allows it, or it waits for something that none does.
    const rest = await run(["plan", "-f", path, "--json", ...inventory]);
    const asked = consentsTo(rest).filter((each) => each !== "--allow-delete" && !recipe.includes(each));
    expect(asked, `${said}\n${rest.stdout}`).toEqual([]);
    const mayStay = drawn.hasCertificate || drawn.byHand.length + drawn.kept.length > 0;
    if (!mayStay) expect(rest.status, `${said}\n${rest.stdout}`).toBe(0);
  }),
);

const manyZones = fc.record({ count: fc.integer({ min: 24, max: 32 }), length: fc.integer({ min: 48, max: 60 }) });

test.runIf(size.whole)("a recipe of more than 4,000 characters is printed whole, as text and as JSON, and works", () =>
  forDraws({ numRuns: size.draws(1), endOnFailure: true }, manyZones, async ({ count, length }) => {
    number += 1;
    const long = `${"z".repeat(length)}.`.repeat(3);
    const names = Array.from({ length: count }, (_, index) => `z${index}.${long}${nameOf(number)}`);
    const zones = names.map((name) => `${name}: { records: { www: { A: 192.0.2.1 } } }`).join(", ");
    const manifest = (rest: string) => account.write(`m${number}.yaml`, `version: 1\nname: m${number}\n${rest}`);
    const path = manifest(`dns: { ${zones} }\n`);
    const inventory = ["--inventory", join(account.folder, `inventory${number}.json`)];
    await done(["apply", "-f", path, "--auto-approve", ...inventory]);
    manifest("dns: {}\n");
    const [planned, events] = [
      await run(["plan", "-f", path, ...inventory]),
      await run(["plan", "-f", path, "--json", ...inventory]),
    ];
    const recipe = recipeIn(planned);
    expect([planned.status, events.status], planned.stdout + planned.stderr).toEqual([6, 6]);
    expect(recipe.join(" ").length, planned.stdout).toBeGreaterThan(4000);
    for (const flags of [consentsTo(events), recipe]) {
      exits(0, await run(["plan", "-f", path, ...inventory, ...flags]));
    }
    await done(["apply", "-f", path, "--auto-approve", ...inventory, ...recipe]);
    expect((await done(["plan", "-f", path, ...inventory])).stdout).toContain("No changes");
  }),
);
