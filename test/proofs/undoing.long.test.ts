import { execFileSync } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { commandsOf, consentsTo } from "../support/account-commands.ts";
import { accountForFile } from "../support/account.ts";
import {
  account as drawnAccount,
  lasting,
  liveAt,
  manifestText,
  nameOf,
  type Sections,
} from "../support/draw-account.ts";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf, exits } from "../support/run-hostform.ts";
import { accountRuns, size } from "./size.ts";

/**
 * Whatever an apply has made of whatever was there, also one that failed half-way, its undo brings back all that it does not list, with
 * what was ours; and the same apply after the undo ends as it did.
 */
const prefix = "u9";
const [plain, prefixed] = [accountForFile(), accountForFile({ namePrefix: prefix })];
let account = plain;
beforeAll(async () => {
  for (account of [plain, prefixed]) git("init", "--quiet", "--initial-branch", "main");
});

const { run, done } = commandsOf(() => account, { PW: "some-password-1" });

function git(...args: string[]): void {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  execFileSync("git", [...identity, ...args], { cwd: account.folder, stdio: "ignore" });
}

/** Keeps the manifest, so that an undo can find where the secrets of what it makes again come from. */
function commit(): void {
  git("add", "--all", "*.yaml");
  git("commit", "--quiet", "--allow-empty", "--message", "change");
}

interface Inventory {
  readonly addresses: readonly string[];
  readonly prevent_destroy: readonly string[];
}
interface CannotUndo {
  readonly address: string;
  readonly reason: string;
}

/** Values that name other resources of the same manifest. */
interface References {
  readonly aliasToMailbox: boolean;
  /** Whether an alias takes the address of the mailbox. */
  readonly aliasInstead: boolean;
  readonly catchAll: boolean;
  /** Whether a record has the text of the domain's DKIM. */
  readonly dkimText: boolean;
}

/** Some resources of the second manifest are kept from being destroyed. */
interface Trial {
  /** Whether the server puts a prefix before the names of databases and FTP accounts. */
  readonly isPrefixed: boolean;
  /** Whether the second manifest is applied by a saved plan. */
  readonly isSaved: boolean;
  readonly first: Sections;
  readonly second: Sections;
  readonly refers: readonly [References, References];
  readonly kept: boolean;
  readonly certificate: boolean;
  /** The server refuses as many writes of the second apply as `count`, after the first `after`. */
  readonly refused: { readonly after: number; readonly count: number } | undefined;
}

const references: fc.Arbitrary<References> = fc.record({
  aliasToMailbox: fc.boolean(),
  aliasInstead: fc.boolean(),
  catchAll: fc.boolean(),
  dkimText: fc.boolean(),
});

const trial: fc.Arbitrary<Trial> = fc
  .record({
    isPrefixed: fc.boolean(),
    isSaved: fc.boolean(),
    first: drawnAccount,
    second: fc.option(drawnAccount, { nil: undefined, freq: 3 }),
    moves: fc.boolean(),
    refers: fc.tuple(references, references),
    kept: fc.boolean(),
    certificate: fc.boolean(),
    refused: fc.option(fc.record({ after: fc.nat({ max: 12 }), count: fc.constantFrom(1, 99) }), { nil: undefined }),
  })
  // One in three changes only what other things refer to.
  .map(({ second, moves, ...drawn }) => ({ ...drawn, second: second ?? withOtherTargets(drawn.first, moves) }));

type Json = Record<string, unknown>;

/** The same account in which the databases, and the service where it `moves`, are to be created again. */
function withOtherTargets(sections: Sections, moves: boolean): Sections {
  const copy = structuredClone(sections) as Record<string, Record<string, Json>>;
  const service = copy["services"]?.["NAME"];
  if (service && moves) service["datacenter"] = service["datacenter"] === "MAD1" ? "BCN1" : "MAD1";
  const { databases = {} } = (copy["databases"]?.["NAME"] ?? {}) as { databases?: Record<string, Json> };
  for (const body of Object.values(databases)) {
    body["engine"] = body["engine"] === "mariadb" ? "postgresql" : "mariadb";
    delete body["charset"];
    delete body["collation"];
  }
  return copy;
}

function referring(sections: Sections, refers: References): Sections {
  const copy = structuredClone(sections) as Record<string, Record<string, Json>>;
  const mail = copy["mail"]?.["NAME"] as undefined | Record<"mailboxes" | "aliases" | "settings", Record<string, Json>>;
  if (!mail) return copy;
  if (refers.aliasInstead && mail.mailboxes["info"]) {
    mail.mailboxes = {};
    mail.aliases["info"] = { destinations: ["a@b.test"] };
  }
  if (refers.aliasToMailbox && mail.aliases["sales"]) mail.aliases["sales"]["destinations"] = ["info@NAME"];
  const settings: Json = { ...mail.settings, ...(refers.catchAll && { catch_all: "info@NAME" }) };
  const zone = copy["dns"]?.["NAME"];
  if (!refers.dkimText || !zone) return refers.catchAll ? { ...copy, mail: { NAME: { ...mail, settings } } } : copy;
  // oxlint-disable-next-line no-template-curly-in-string -- Hostform's own.
  const text = { TXT: "${ref:mail_settings/NAME.dkim.record}" };
  zone["records"] = { ...(zone["records"] as Json), dkim: text };
  return { ...copy, mail: { NAME: { ...mail, settings: { dkim: { enabled: true }, ...settings } } } };
}
function secondManifest({ second, kept, certificate }: Trial): Sections {
  const sections = structuredClone(second) as Record<string, Json>;
  if (certificate && sections["services"]) sections["certificates"] = { NAME: [{ domains: ["NAME"] }] };
  const { databases = {} } = (sections["databases"]?.["NAME"] ?? {}) as { databases?: Record<string, Json> };
  if (kept) for (const body of Object.values(databases)) body["lifecycle"] = { prevent_destroy: true };
  return sections;
}

/** Reasons that an undo gives for what a person must know of a resource that it does bring back. */
const broughtBack = /^(?:it comes back empty|its former \w+ is secret|it is attached again|what a person has carried)/u;

/** Whether an undo lists what a key of the live state is of as not brought back, or what it belongs to. */
function isListed(key: string, name: string, cannot: readonly CannotUndo[]): boolean {
  const address = addressAt(key, name);
  const listed = new Set(cannot.flatMap((each) => (broughtBack.test(each.reason) ? [] : [each.address])));
  const holders = [`service/${name}`, `domain/${name}`];
  return (
    listed.has(address) ||
    // What the server makes along with a service, a domain or a zone that stays, stays.
    (holders.some((each) => listed.has(each)) && (address.startsWith("mail_settings/") || isPrimary(address))) ||
    (holders.concat(`mail_settings/${name}`, `dns_zone/${name}`).some((each) => listed.has(each)) &&
      address.endsWith("/sel._domainkey/TXT")) ||
    (listed.has(`dns_zone/${name}`) && address.endsWith("/@/NS"))
  );
}

const isPrimary = (address: string) => /^ftp_account\/.*\/n\d+_example$/u.test(address);

/** The address of what has a key of the live state, where the service is of that name. */
function addressAt(key: string, name: string): string {
  const [kind = "", ...names] = key.split(" ");
  const parts = names.map((part) => (part.startsWith(`${prefix}_`) ? part.slice(prefix.length + 1) : part));
  if (kind === "dns_record") return [kind, ...parts.slice(0, 3)].join("/");
  if (kind === "database_user") return `${kind}/${name}/${parts.join("@")}`;
  return [kind, ...(["ftp_account", "database", "cron"].includes(kind) ? [name] : []), ...parts].join("/");
}

const differing = (one: Record<string, unknown>, other: Record<string, unknown>) =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((key) => !isDeepStrictEqual(one[key], other[key]));

const isAlikeBut = (field: string, one: unknown, other: unknown) =>
  isDeepStrictEqual({ ...(one as Json), [field]: null }, { ...(other as Json), [field]: null });

const none: References = { aliasToMailbox: false, aliasInstead: false, catchAll: false, dkimText: false };
/** The signing of a zone that is declared to be off goes with its zone, is declared no more, or is switched on. */
const signing = (dns: Sections): [Trial] => [
  {
    isPrefixed: false,
    isSaved: false,
    first: { domains: { NAME: {} }, dns: { NAME: { dnssec: { enabled: false } } } },
    second: { domains: { NAME: {} }, ...dns },
    refers: [none, none],
    kept: false,
    certificate: false,
    refused: undefined,
  },
];
const databases = (declared: Json, user: Json): Sections => ({
  services: { NAME: { plan: "WEB-M", datacenter: "MAD1" } },
  databases: { NAME: { databases: declared, users: { web: { password: "${env:PW}", ...user } } } },
});
/** Of two databases of a user whose grants are declared no more, one goes for good and the other is created again. */
const letGo: [Trial] = [
  {
    isPrefixed: true,
    isSaved: true,
    first: databases(
      { one: { engine: "mariadb" }, two: { engine: "mariadb" } },
      { grants: { one: "all", two: "all" } },
    ),
    second: databases({ one: { engine: "mysql" } }, {}),
    refers: [none, none],
    kept: false,
    certificate: false,
    refused: undefined,
  },
];
const examples = [
  letGo,
  signing({}),
  ...size.every(3, [signing({ dns: { NAME: {} } }), signing({ dns: { NAME: { dnssec: { enabled: true } } } })]),
];

let number = 0;
test("an apply, its undo and the apply again end as the apply did", () =>
  forDraws({ numRuns: accountRuns, endOnFailure: true, examples }, trial, async (drawn) => {
    number += 1;
    account = drawn.isPrefixed ? prefixed : plain;
    const [refersFirst, refersThen] = drawn.refers;
    const path = account.write(`m${number}.yaml`, manifestText(referring(drawn.first, refersFirst), number));
    commit();
    const [undo, saved, inventoryFile] = ["undo", "saved", "inventory"].map((word) =>
      join(account.folder, `${word}${number}.json`),
    ) as [string, string, string];
    const inventory = ["--inventory", inventoryFile];
    const ours = () => JSON.parse(readFileSync(inventoryFile, "utf8")) as Inventory;
    const state = () => lasting(liveAt(account, number));
    await done(["apply", "-f", path, "--auto-approve", ...inventory]);
    const [before, oursBefore] = [state(), ours()];

    account.write(`m${number}.yaml`, manifestText(referring(secondManifest(drawn), refersThen), number));
    commit();
    const allowed = consentsTo(await run(["plan", "-f", path, "--json", ...inventory]));
    const outs = ["--undo-out", undo, "--out", saved];
    const planned = await run(["plan", "-f", path, ...outs, ...inventory, ...allowed]);
    // What the API cannot do at all has no undo either.
    if (planned.status !== 0) return;
    const { refused } = drawn;
    if (refused)
      await account.inject(
        ...["POST", "PUT", "DELETE"].map((method) => ({ match: { method }, ...refused, fault: { status: 403 } })),
      );
    const applied = await run([
      "apply",
      ...(drawn.isSaved ? [saved] : ["-f", path, "--auto-approve", ...allowed]),
      ...inventory,
    ]);
    await account.endFaults();
    expect([0, refused ? 5 : 0], applied.stdout + applied.stderr).toContain(applied.status);
    const [between, oursBetween] = [state(), ours()];

    const asked = await run(["apply", undo, "--json", "--auto-approve", ...inventory]);
    const undone = await run(["apply", undo, "--json", "--auto-approve", ...inventory, ...consentsTo(asked)]);
    // What it was to change is gone: then it changes nothing at all.
    if (refused && eventsOf(undone).some(({ code }) => code === "moved")) {
      expect([undone.status, differing(between, state())]).toEqual([6, []]);
      return;
    }
    exits(0, undone);
    // With what the file lists, and what it finds gone.
    const cannot = eventsOf(asked).filter(({ type }) => type === "cannot_undo") as unknown as CannotUndo[];
    const unlisted = differing(before, state()).filter((key) => !isListed(key, nameOf(number), cannot));
    expect(unlisted.map((key) => [key, before[key], state()[key], cannot])).toEqual([]);
    const told = new Set(cannot.map(({ address }) => address));
    const owned = (of: Inventory) => of.addresses.filter((address) => !told.has(address));
    expect(owned(ours())).toEqual(owned(oursBefore));

    if (refused) return;
    const again = await run(["plan", "-f", path, "--json", ...inventory]);
    // A user that came anew with its service let go of a grant that nobody declares; now it keeps that, and the database with it.
    if (told.has(`service/${nameOf(number)}`) && eventsOf(again).some(({ code }) => code === "has_children")) return;
    await done(["apply", "-f", path, "--auto-approve", ...inventory, ...consentsTo(again)]);
    // What only the replacement of a holder resets, which stays replaced, is reset no second time.
    const end = state();
    const others = differing(between, end)
      .filter((key) => !isListed(key, nameOf(number), cannot))
      // A database that came anew with its service lost a collation that nobody declares; now it is changed in place.
      .filter((key) => !told.has(`service/${nameOf(number)}`) || !isAlikeBut("collation", between[key], end[key]));
    expect(others.map((key) => [key, between[key], end[key]])).toEqual([]);
    expect(ours().addresses).toEqual(oursBetween.addresses);
    expect(ours().prevent_destroy).toEqual(oursBetween.prevent_destroy);
  }));
