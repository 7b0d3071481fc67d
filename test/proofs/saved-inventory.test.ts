import { copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { commandsOf, consentsTo } from "../support/account-commands.ts";
import { accountForFile } from "../support/account.ts";
import { account as drawnAccount, lasting, liveAt, manifestText, type Sections } from "../support/draw-account.ts";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf } from "../support/run-hostform.ts";
import { accountRuns } from "./size.ts";

/** A manifest applied from a saved plan ends as the manifest applied directly: in the same live state and the same inventory. */
const account = accountForFile();

const { run, done } = commandsOf(() => account, { PW: "some-password-1", WORD: "one-secret-word" });

/** How the second manifest is marked beyond what it declares. */
interface Marks {
  readonly preventDestroy: boolean;
  readonly exclusive: boolean;
  readonly secretCommand: boolean;
  /** Whether what it declares no more is given up instead of deleted. */
  readonly forgets: boolean;
  /** Whether it deletes by name what is not there. */
  readonly removesNothing: boolean;
}

interface Trial {
  readonly first: Sections;
  readonly second: Sections;
  /** Whether the first manifest was applied with the inventory; else all of it is there and nobody's. */
  readonly isOurs: boolean;
  readonly before: Marks;
  readonly after: Marks;
}

const marks: fc.Arbitrary<Marks> = fc.record({
  preventDestroy: fc.boolean(),
  exclusive: fc.boolean(),
  secretCommand: fc.boolean(),
  forgets: fc.boolean(),
  removesNothing: fc.boolean(),
});

const trial: fc.Arbitrary<Trial> = fc
  .record({
    first: drawnAccount,
    second: fc.option(drawnAccount, { nil: undefined, freq: 2 }),
    isOurs: fc.boolean(),
    before: marks,
    after: marks,
  })
  // One in two declares what is there already.
  .map(({ second, ...drawn }) => ({ ...drawn, second: second ?? drawn.first }));

type Json = Record<string, unknown>;

function marked(sections: Sections, { preventDestroy, exclusive, secretCommand }: Marks): Sections {
  const copy = structuredClone(sections) as Record<string, Record<string, Json>>;
  const bodies = (section: string, list: string) =>
    Object.values((copy[section]?.["NAME"]?.[list] ?? {}) as Record<string, Json>);
  if (preventDestroy)
    for (const body of [...bodies("databases", "databases"), ...bodies("mail", "aliases")])
      body["lifecycle"] = { prevent_destroy: true };
  // oxlint-disable-next-line no-template-curly-in-string -- Hostform's own.
  if (secretCommand) for (const body of bodies("crons", "jobs")) body["command"] = "${env:WORD}";
  for (const section of ["dns", "crons", "mail"]) {
    const body = copy[section]?.["NAME"];
    if (exclusive && body) body["exclusive"] = true;
  }
  return copy;
}

const gone = [{ address: "dns_record/NAME/gone/TXT", action: "delete" }];

const inventoryOf = (path: string): Json => {
  const { addresses, prevent_destroy, exclusive, secret_fields, removed, dropped } = existsSync(path)
    ? (JSON.parse(readFileSync(path, "utf8")) as Json)
    : {};
  return { addresses, prevent_destroy, exclusive, secret_fields, removed, dropped };
};

let number = 0;
test("a saved plan that is applied leaves what its manifest leaves, live and in the inventory", () =>
  forDraws({ numRuns: accountRuns, endOnFailure: true }, trial, holds));

async function holds({ first, second, isOurs, before, after }: Trial): Promise<void> {
  number += 1;
  const [file, copy, inventory] = ["plan", "copy", "inventory"].map((word) =>
    join(account.folder, `${word}${number}.json`),
  ) as [string, string, string];
  const entriesOf = ({ removesNothing }: Marks): readonly Json[] => (removesNothing ? gone : []);
  const [former, entries] = [entriesOf(before), entriesOf(after)];
  const path = account.write(`m${number}.yaml`, manifestText({ ...marked(first, before), removed: former }, number));
  const flags = ["-f", path, "--inventory", inventory];
  await done(["apply", "-f", path, "--auto-approve", ...(isOurs ? ["--inventory", inventory] : [])]);
  const old = (inventoryOf(inventory)["addresses"] ?? []) as string[];
  const sections = marked(second, after);
  account.write(`m${number}.yaml`, manifestText({ ...sections, removed: entries }, number));
  if (after.forgets && isOurs) {
    const planned = eventsOf(await run(["plan", "--json", ...flags]));
    const going = planned.flatMap(({ type, action, replaces, address }) =>
      type === "planned" && action === "delete" && replaces !== true && old.includes(String(address)) ? [address] : [],
    );
    const removed = going.map((address) => ({ address, action: "forget" }));
    account.write(`m${number}.yaml`, manifestText({ ...sections, removed: [...entries, ...removed] }, number));
  }
  const consents = consentsTo(await run(["plan", "--json", ...flags]));
  if ((await run(["plan", ...flags, ...consents])).status !== 0) return;
  const putBack = account.mirror.keep();
  if (existsSync(inventory)) copyFileSync(inventory, copy);
  await done(["apply", "--auto-approve", ...flags, ...consents]);
  const directly = [lasting(liveAt(account, number)), inventoryOf(inventory)];

  putBack();
  rmSync(inventory, { force: true });
  if (existsSync(copy)) copyFileSync(copy, inventory);
  await done(["plan", "--out", file, ...flags, ...consents]);
  await done(["apply", file, "--auto-approve", "--inventory", inventory]);
  expect([lasting(liveAt(account, number)), inventoryOf(inventory)]).toEqual(directly);
}
