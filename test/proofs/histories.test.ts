import { execFileSync } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { commandsOf, consentsTo } from "../support/account-commands.ts";
import { accountForFile } from "../support/account.ts";
import { liveAt, nameOf } from "../support/draw-account.ts";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf, type Ran } from "../support/run-hostform.ts";
import { accountRuns } from "./size.ts";

/**
 * Whatever was committed, applied and changed by hand before: an apply leads to what the manifest says and deletes nothing but what it,
 * the inventory or an exclusive collection names; drift is what was changed since, and taking it back leads to what was applied.
 */
const prefix = "u9";
const [plain, prefixed] = [accountForFile(), accountForFile({ namePrefix: prefix })];
let account = plain;
beforeAll(() => {
  for (account of [plain, prefixed]) git("init", "--quiet", "--initial-branch", "main");
});
const { run } = commandsOf(() => account);

function git(...args: string[]): void {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  execFileSync("git", [...identity, ...args], { cwd: account.folder, stdio: "ignore" });
}

/** The collections of one domain name, with the addresses of what is in them. */
const collections = {
  records: (zone: string, item: string) => `dns_record/${zone}/${item}/TXT`,
  aliases: (domain: string, item: string) => `mail_alias/${item}@${domain}`,
  databases: (service: string, item: string) => `database/${service}/${item}`,
} as const;
type Collection = keyof typeof collections;
const items = ["a", "b", "c"] as const;

/** What a manifest says of one item: a number is a value. Of an item of which nothing is said it is undefined. */
type Said = number | "delete" | "forget" | "ignore" | undefined;
interface Block {
  readonly isExclusive: boolean;
  readonly said: readonly Said[];
}
type Manifest = Readonly<Record<Collection, Block>>;

/** Changed by hand: gone where it was there and the number is 0, else with that value. */
interface ByHand {
  readonly collection: Collection;
  readonly item: number;
  readonly value: number;
}

interface Turn {
  /** A manifest that is committed, if any; it waits where what differs is taken back first. */
  readonly commit: Manifest | undefined;
  readonly byHand: readonly ByHand[];
  readonly takesBack: boolean;
}

const said: fc.Arbitrary<Said> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(1, 2) },
  { weight: 3, arbitrary: fc.constantFrom<Said[]>("delete", "forget", "ignore", undefined) },
);
const block: fc.Arbitrary<Block> = fc.record({ isExclusive: fc.boolean(), said: fc.tuple(said, said, said) });
const manifest: fc.Arbitrary<Manifest> = fc.record({ records: block, aliases: block, databases: block });
const byHand = fc.record({
  collection: fc.constantFrom<Collection[]>("records", "aliases", "databases"),
  item: fc.nat(2),
  value: fc.constantFrom(0, 0, 3),
});
const turn: fc.Arbitrary<Turn> = fc.record({
  commit: fc.option(manifest, { nil: undefined, freq: 3 }),
  byHand: fc.array(byHand, { maxLength: 3 }),
  takesBack: fc.boolean(),
});
const history = fc.record({
  isPrefixed: fc.boolean(),
  first: manifest,
  turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
});

/** The manifest as a file. The service, the zone and the domain stay. */
function textOf(given: Manifest, name: string): string {
  const bodies: Record<Collection, (value: number) => unknown> = {
    records: (value) => ({ TXT: `v${value}` }),
    aliases: (value) => ({ destinations: [`v${value}@b.test`] }),
    databases: () => ({ engine: "mariadb" }),
  };
  const blockOf = (collection: Collection) => {
    const { isExclusive, said: all } = given[collection];
    const named = items.flatMap((item, index) => {
      const value = all[index];
      return typeof value === "number" ? [[item, bodies[collection](value)] as const] : [];
    });
    const ignored = items.filter((_, index) => all[index] === "ignore");
    return {
      ...(isExclusive && { exclusive: true }),
      ...(ignored.length > 0 && { ignore: ignored }),
      [collection]: Object.fromEntries(named),
    };
  };
  const removed = (Object.keys(collections) as Collection[]).flatMap((collection) =>
    items.flatMap((item, index) => {
      const action = given[collection].said[index];
      return action === "delete" || action === "forget"
        ? [{ address: collections[collection](name, item), action }]
        : [];
    }),
  );
  const sections = {
    services: { [name]: { plan: "WEB-M", datacenter: "MAD1" } },
    dns: { [name]: blockOf("records") },
    mail: { [name]: blockOf("aliases") },
    databases: { [name]: blockOf("databases") },
  };
  return JSON.stringify({ version: 1, name: `h-${name.replaceAll(".", "-")}`, ...sections, removed }, undefined, 1);
}

/** The values of what is live, by address. A database has the value 0. */
type Values = Readonly<Record<string, number>>;

const inOrder = (entries: Iterable<readonly [string, number]>): Values =>
  Object.fromEntries([...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)));

function liveValues(number: number): Values {
  const name = nameOf(number);
  const found = [...liveAt(account, number).values()].flatMap((item): (readonly [string, number])[] => {
    const text = JSON.stringify(item);
    const value = Number(/\bv(\d)\b/u.exec(text)?.[1] ?? 0);
    if (item["type"] === "TXT" && item["managed"] !== true)
      return [[collections.records(name, String(item["name"])), value]];
    if (Array.isArray(item["destinations"])) return [[String(`mail_alias/${String(item["address"])}`), value]];
    if (item["engine"] !== undefined)
      return [[collections.databases(name, String(item["name"]).replace(`${prefix}_`, "")), 0]];
    return [];
  });
  return inOrder(found);
}

const valueIn = (collection: Collection, value: number) => (collection === "databases" ? 0 : value);

/** Each item with its address and what a manifest says of it. */
const each = (given: Manifest, name: string) =>
  (Object.keys(collections) as Collection[]).flatMap((collection) =>
    items.map((item, index) => ({
      address: collections[collection](name, item),
      says: given[collection].said[index],
      isExclusive: given[collection].isExclusive,
      value: (value: number) => valueIn(collection, value),
    })),
  );

/** Returns what is live once a manifest is applied, and what is ours then. */
function applied(given: Manifest, name: string, live: Values, ours: ReadonlySet<string>) {
  const all = each(given, name);
  const values = all.flatMap(({ address, says, isExclusive, value }): (readonly [string, number])[] => {
    if (typeof says === "number") return [[address, value(says)]];
    const isGone = says === "delete" || (says === undefined && (isExclusive || ours.has(address)));
    const is = live[address];
    return is === undefined || isGone ? [] : [[address, is]];
  });
  const there = new Set(values.map(([address]) => address));
  const stay = all.filter(
    ({ address, says }) => typeof says === "number" || (ours.has(address) && says !== "forget" && there.has(address)),
  );
  return { live: inOrder(values), ours: new Set(stay.map(({ address }) => address)) };
}

/** Whether a declared database that is not ours may be one that is there, which only a person knows. */
const mayBeOthers = (given: Manifest, name: string, live: Values, ours: ReadonlySet<string>) =>
  each(given, name).some(
    ({ address, says }) =>
      address.startsWith("database/") && typeof says === "number" && address in live && !ours.has(address),
  );

/**
 * Returns what has drifted from a manifest that was applied, and what is live once that is taken back. What the manifest that waits says as
 * it is live has been accepted.
 */
function drifted(last: Manifest, waiting: Manifest, name: string, live: Values) {
  const found: string[] = [];
  const declaredNow = new Map(each(waiting, name).map(({ address, says }) => [address, says]));
  const values = each(last, name).flatMap(({ address, says, isExclusive, value }): (readonly [string, number])[] => {
    const is = live[address];
    const now = declaredNow.get(address);
    const then = typeof says === "number" ? value(says) : undefined;
    const isAccepted = is === undefined ? typeof now !== "number" : typeof now === "number" && value(now) === is;
    const mayAppear = isExclusive && says !== "forget" && says !== "ignore";
    const isDrift = is !== then && !isAccepted && (then !== undefined || mayAppear);
    if (isDrift) found.push(`${is === undefined ? "gone" : then === undefined ? "appeared" : "differs"} ${address}`);
    const end = isDrift ? then : is;
    return end === undefined ? [] : [[address, end]];
  });
  return { found: found.toSorted(), live: inOrder(values) };
}

/** Deletes, changes or makes something as a person does in the panel. Returns whether that could be done. */
async function change({ collection, item: index, value }: ByHand, number: number): Promise<void> {
  const name = nameOf(number);
  const item = items[index] ?? "a";
  const live = liveAt(account, number);
  const path = {
    records: `/v2026/dns/zones/${String(live.get(`dns_zone ${name}`)?.["id"])}/records`,
    aliases: "/v2026/mail/aliases",
    databases: "/v2026/databases",
  }[collection];
  const body = {
    records: { name: item, type: "TXT", content: `v${value}`, ttl: 3600 },
    aliases: { address: `${item}@${name}`, destinations: [`v${value}@b.test`], keep_copy: false },
    databases: { service_id: live.get(`service ${name}`)?.["id"], name: item, engine: "mariadb" },
  }[collection];
  const isIt = (other: Readonly<Record<string, unknown>>) =>
    collection === "records"
      ? other["type"] === "TXT" && other["name"] === item
      : collection === "aliases"
        ? other["address"] === `${item}@${name}` && Array.isArray(other["destinations"])
        : other["engine"] !== undefined && String(other["name"]).replace(`${prefix}_`, "") === item;
  const there = [...live.values()].find(isIt);
  const method = there === undefined ? "POST" : value === 0 || collection === "databases" ? "DELETE" : "PUT";
  if (there === undefined && value === 0) return;
  const answer = await account.byHand(
    method,
    there ? `${path}/${String(there["id"])}` : path,
    method === "DELETE" ? undefined : body,
  );
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
}

const saidBy = ({ stdout, stderr }: Ran) => `${stdout}\n${stderr}`;

let number = 0;
test("an apply leads to what the manifest says, and drift to what was applied", () =>
  forDraws(
    {
      numRuns: accountRuns,
      endOnFailure: true,
    },
    history,
    async ({ isPrefixed, first, turns }) => {
      number += 1;
      account = isPrefixed ? prefixed : plain;
      const name = nameOf(number);
      const file = `h${number}.yaml`;
      const commit = (given: Manifest) => {
        account.write(file, textOf(given, name));
        git("add", file);
        git("commit", "--quiet", "--allow-empty", "--message", "change");
      };
      const path = join(account.folder, file);
      const carryOut = async (...flags: string[]): Promise<Ran> => {
        const args = ["apply", "-f", path, "--auto-approve", "--settle", "0", ...flags];
        let ran = await run([...args, "--json"]);
        let consent: string[] = [];
        for (let more = consentsTo(ran); ran.status === 6 && more.length > 0; more = consentsTo(ran)) {
          consent = [...consent, ...more];
          ran = await run([...args, "--json", ...consent]);
        }
        return ran;
      };
      let [waiting, last] = [first, first];
      commit(first);
      let state: ReturnType<typeof applied> = { live: {}, ours: new Set() };
      const apply = async () => {
        const before = liveValues(number);
        const next = applied(waiting, name, before, state.ours);
        const ran = await carryOut();
        if (isPrefixed && mayBeOthers(waiting, name, before, state.ours)) {
          expect([ran.status, liveValues(number)]).toEqual([6, before]);
          return false;
        }
        state = next;
        expect(ran.status, saidBy(ran)).toBe(0);
        expect(liveValues(number)).toEqual(state.live);
        last = waiting;
        const again = await run(["plan", "-f", path, "--detailed-exitcode"]);
        expect(again.status, saidBy(again)).toBe(0);
        return true;
      };
      const drift = async (expected: readonly string[]) => {
        const ran = await run(["drift", "-f", path, "--json"]);
        const found = eventsOf(ran).flatMap((event) =>
          event["type"] === "drifted"
            ? [`${String(event["drift"])} ${String(event["address"]).replace(`/${prefix}_`, "/")}`]
            : [],
        );
        expect([found.toSorted(), ran.status], saidBy(ran)).toEqual([expected, expected.length > 0 ? 2 : 0]);
      };
      await apply();
      await drift([]);
      for (const { commit: next, byHand: changes, takesBack } of turns) {
        for (const each of changes) await change(each, number);
        if (next) commit((waiting = next));
        if (takesBack) {
          const { found, live } = drifted(last, waiting, name, liveValues(number));
          await drift(found);
          const ran = await carryOut("--only-drift");
          expect(ran.status, saidBy(ran)).toBe(0);
          expect(liveValues(number)).toEqual(live);
          await drift([]);
        } else {
          if (!(await apply())) return;
          await drift([]);
        }
      }
    },
  ));
