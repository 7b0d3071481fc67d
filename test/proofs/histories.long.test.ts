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

/** The third record is that of a wildcard, whose address is also a pattern. */
const recordName = (item: string) => (item === "c" ? "*" : item);

/** The collections of one domain name, with the addresses of what is in them. */
const collections = {
  records: (zone: string, item: string) => `dns_record/${zone}/${recordName(item)}/TXT`,
  aliases: (domain: string, item: string) => `mail_alias/${item}@${domain}`,
  databases: (service: string, item: string) => `database/${service}/${item}`,
} as const;
type Collection = keyof typeof collections;
const items = ["a", "b", "c"] as const;

/** The word of a manifest on one item: a number is a value; undefined where it says nothing. */
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
  /** All of the manifest is applied, or one item alone, or all but that one; or the drift is taken back, or written into the manifest. */
  readonly how: "all" | "only" | "except" | "back" | "accept";
  /** Whether it is planned into a file first, and the file is applied. */
  readonly isSaved: boolean;
  readonly part: Pick<ByHand, "collection" | "item">;
}

const said: fc.Arbitrary<Said> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(1, 2) },
  { weight: 3, arbitrary: fc.constantFrom<Said[]>("delete", "forget", "ignore", undefined) },
);
const block: fc.Arbitrary<Block> = fc.record({ isExclusive: fc.boolean(), said: fc.tuple(said, said, said) });
/** To ignore the wildcard would be to ignore all records. */
const withoutPattern = ({ isExclusive, said: [a, b, c] }: Block): Block => ({
  isExclusive,
  said: [a, b, c === "ignore" ? undefined : c],
});
const manifest: fc.Arbitrary<Manifest> = fc.record({
  records: block.map(withoutPattern),
  aliases: block,
  databases: block,
});
const part = { collection: fc.constantFrom<Collection[]>("records", "aliases", "databases"), item: fc.nat(2) };
const byHand = fc.record({
  ...part,
  value: fc.constantFrom(0, 0, 3),
});
const turn: fc.Arbitrary<Turn> = fc.record({
  commit: fc.option(manifest, { nil: undefined, freq: 3 }),
  byHand: fc.array(byHand, { maxLength: 3 }),
  how: fc.constantFrom<Turn["how"][]>("all", "all", "only", "except", "back", "back", "accept"),
  isSaved: fc.boolean(),
  part: fc.record(part),
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
      const key = collection === "records" ? recordName(item) : item;
      return typeof value === "number" ? [[key, bodies[collection](value)] as const] : [];
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
    if (Array.isArray(item["destinations"])) return [[`mail_alias/${String(item["address"])}`, value]];
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
      collection,
      index,
      address: collections[collection](name, item),
      says: given[collection].said[index],
      isExclusive: given[collection].isExclusive,
      value: (value: number) => valueIn(collection, value),
    })),
  );

type Item = ReturnType<typeof each>[number];

/** Returns what is live once a manifest is applied, all of it or a part, and what is ours then. */
function applied(
  given: Manifest,
  name: string,
  { live, ours }: { readonly live: Values; readonly ours: ReadonlySet<string> },
  isMeant: (address: string) => boolean,
) {
  const all = each(given, name);
  const values = all.flatMap(({ address, says, isExclusive, value }): (readonly [string, number])[] => {
    if (!isMeant(address)) return live[address] === undefined ? [] : [[address, live[address]]];
    if (typeof says === "number") return [[address, value(says)]];
    // No entry names an object that has a longer name on the server and is not ours.
    const isUnknown = account === prefixed && address.startsWith("database/") && !ours.has(address);
    const isNamed = says === "delete" && !isUnknown;
    const isGone =
      isNamed ||
      ((says === "delete" || says === undefined) && isExclusive) ||
      (says === undefined && ours.has(address));
    const is = live[address];
    return is === undefined || isGone ? [] : [[address, is]];
  });
  const there = new Set(values.map(([address]) => address));
  const stay = all.filter(({ address, says }) =>
    isMeant(address)
      ? typeof says === "number" || (ours.has(address) && says !== "forget" && there.has(address))
      : ours.has(address),
  );
  return { live: inOrder(values), ours: new Set(stay.map(({ address }) => address)) };
}

/** Whether a declared database that is not ours may be one that is there, which only a person knows. */
const mayBeOthers = (
  given: Manifest,
  name: string,
  { live, ours }: { readonly live: Values; readonly ours: ReadonlySet<string> },
  isMeant: (address: string) => boolean,
) =>
  each(given, name).some(
    ({ address, says }) =>
      isMeant(address) &&
      address.startsWith("database/") &&
      typeof says === "number" &&
      address in live &&
      !ours.has(address),
  );

/** An apply of a manifest, or of a part of it. */
interface Apply {
  readonly manifest: Manifest;
  readonly isMeant: (address: string) => boolean;
}

/** Returns what each manifest that was applied, the newest first, has declared, with what was left out of it as it was declared before. */
function declaredBy(applies: readonly Apply[], name: string): readonly Manifest[] {
  const manifests = [...new Set(applies.map((each) => each.manifest))];
  return manifests.reduceRight<readonly Manifest[]>((older, given) => {
    const isMeant = (address: string) => applies.some((each) => each.manifest === given && each.isMeant(address));
    const before = older[0];
    const own = each(given, name).map(({ collection, index, address, says }) => {
      const then = before?.[collection].said[index];
      const isKept = before !== undefined && !isMeant(address);
      const said = isKept ? (typeof then === "number" ? then : typeof says === "number" ? undefined : says) : says;
      return { collection, said };
    });
    const blockOf = (collection: Collection): Block => ({
      isExclusive: given[collection].isExclusive,
      said: own.filter((item) => item.collection === collection).map((item) => item.said),
    });
    return [{ records: blockOf("records"), aliases: blockOf("aliases"), databases: blockOf("databases") }, ...older];
  }, []);
}

/**
 * Returns what has drifted, and what is live once that is taken back. What the manifest that waits says as it is live has been accepted.
 * @param last the manifests that were applied, the newest first, back to the last of which all was applied: what differs from each has drifted.
 */
function drifted([newest, ...others]: readonly Manifest[], waiting: Manifest, name: string, live: Values) {
  const now = new Map(each(waiting, name).map((item) => [item.address, item]));
  const differs = ({ address, says, isExclusive, value }: Item) => {
    const is = live[address];
    const then = typeof says === "number" ? value(says) : undefined;
    const mayAppear = isExclusive && says !== "forget" && says !== "ignore";
    return is !== then && (then !== undefined || mayAppear);
  };
  const accepted = ({ address, value }: Item) => {
    const says = now.get(address)?.says;
    return typeof says === "number" ? live[address] === value(says) : live[address] === undefined;
  };
  const rest = others.map((other) => new Map(each(other, name).map((item) => [item.address, differs(item)])));
  const found = (newest ? each(newest, name) : []).filter(
    (item) => differs(item) && !accepted(item) && rest.every((all) => all.get(item.address) === true),
  );
  const end = new Map(Object.entries(live));
  for (const { address, says, value } of found)
    if (typeof says === "number") end.set(address, value(says));
    else end.delete(address);
  const words = found.map(({ address, says }) => {
    const word = live[address] === undefined ? "gone" : typeof says === "number" ? "differs" : "appeared";
    return `${word} ${address}`;
  });
  return { found, words: words.toSorted(), live: inOrder(end) };
}

/** Deletes, changes or makes something as a person does in the panel. */
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
    records: { name: recordName(item), type: "TXT", content: `v${value}`, ttl: 3600 },
    aliases: { address: `${item}@${name}`, destinations: [`v${value}@b.test`], keep_copy: false },
    databases: { service_id: live.get(`service ${name}`)?.["id"], name: item, engine: "mariadb" },
  }[collection];
  const isIt = (other: Readonly<Record<string, unknown>>) =>
    collection === "records"
      ? other["type"] === "TXT" && other["name"] === recordName(item)
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
  forDraws({ numRuns: accountRuns, endOnFailure: true }, history, async ({ isPrefixed, first, turns }) => {
    number += 1;
    account = isPrefixed ? prefixed : plain;
    const name = nameOf(number);
    const file = `h${number}.yaml`;
    const path = join(account.folder, file);
    let waiting = first;
    const commit = (given: Manifest) => {
      waiting = given;
      account.write(file, textOf(given, name));
      git("add", file);
      git("commit", "--quiet", "--allow-empty", "--message", "change");
    };
    const carryOut = async (isSaved: boolean, ...flags: string[]): Promise<Ran> => {
      const plan = join(account.folder, "plan.json");
      const how = isSaved ? ["plan", "--out", plan] : ["apply", "--auto-approve", "--settle", "0"];
      const args = [...how, "-f", path, "--json", ...flags];
      let ran = await run(args);
      for (let more = consentsTo(ran); ran.status === 6 && more.length > 0; more = consentsTo(ran)) {
        args.push(...more);
        ran = await run(args);
      }
      return isSaved && ran.status === 0 ? run(["apply", plan, "--settle", "0", "--json"]) : ran;
    };
    let applies: readonly Apply[] = [];
    let ours: ReadonlySet<string> = new Set();
    /** False where it is refused, since nobody knows what a database is. */
    const apply = async (flags: readonly string[], isMeant: (address: string) => boolean, isSaved = false) => {
      const before = { live: liveValues(number), ours };
      const after = applied(waiting, name, before, isMeant);
      const ran = await carryOut(isSaved, ...flags);
      if (isPrefixed && mayBeOthers(waiting, name, before, isMeant)) {
        expect([ran.status, liveValues(number)]).toEqual([6, before.live]);
        return false;
      }
      expect(ran.status, saidBy(ran)).toBe(0);
      expect(liveValues(number)).toEqual(after.live);
      ours = after.ours;
      const whole = applied(waiting, name, before, () => true).live;
      // Where nothing was to be done, nothing is left out.
      const isDone = (address: string) => isMeant(address) || whole[address] === before.live[address];
      applies = [{ manifest: waiting, isMeant: isDone }, ...(flags.length === 0 ? [] : applies)];
      const again = await run(["plan", "-f", path, "--detailed-exitcode", ...flags]);
      expect(again.status, saidBy(again)).toBe(0);
      return true;
    };
    const expectDrift = async (expected: readonly string[]) => {
      const ran = await run(["drift", "-f", path, "--json"]);
      const found = eventsOf(ran).flatMap(({ type, drift, address }) =>
        type === "drifted" ? [`${String(drift)} ${String(address).replace(`/${prefix}_`, "/")}`] : [],
      );
      expect([found.toSorted(), ran.status], saidBy(ran)).toEqual([expected, expected.length > 0 ? 2 : 0]);
    };
    const driftNow = () => drifted(declaredBy(applies, name), waiting, name, liveValues(number));
    commit(first);
    await apply([], () => true);
    await expectDrift([]);
    for (const { commit: next, byHand: changes, how, isSaved, part: meant } of turns) {
      for (const each of changes) await change(each, number);
      if (next) commit(next);
      const { found, words, live } = driftNow();
      await expectDrift(words);
      const one = collections[meant.collection](name, items[meant.item] ?? "a");
      // A resource that is neither declared nor live cannot be named.
      const isNamed = typeof waiting[meant.collection].said[meant.item] === "number";
      const isPart = how === "only" || how === "except";
      const matches = (address: string) => (one.includes("*") ? address.startsWith("dns_record/") : address === one);
      if ((how === "all" || (isPart && !isNamed)) && !(await apply([], () => true, isSaved))) return;
      if (isNamed && how === "only" && !(await apply(["--only", one], matches, isSaved))) return;
      if (isNamed && how === "except" && !(await apply(["--except", one], (each) => !matches(each), isSaved))) return;
      if (how === "back") {
        const ran = await carryOut(isSaved, "--only-drift");
        expect(ran.status, saidBy(ran)).toBe(0);
        expect(liveValues(number)).toEqual(live);
      }
      if (how === "accept" && applies.length === 1 && applies[0]?.manifest === waiting) {
        const taken = structuredClone(waiting) as Record<Collection, { isExclusive: boolean; said: Said[] }>;
        for (const { address, says, collection, index } of found) {
          if (typeof says !== "number") continue;
          const ran = await run(["drift", "-f", path, "--accept", address]);
          expect(ran.status, saidBy(ran)).toBe(0);
          taken[collection].said[index] = liveValues(number)[address] === undefined ? undefined : 3;
        }
        git("commit", "--quiet", "--allow-empty", "--all", "--message", "accept");
        waiting = taken;
      }
      await expectDrift(driftNow().words);
    }
  }));
