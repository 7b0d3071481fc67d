import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wholeAccount, samples, type Samples } from "../kinds/samples.ts";
import type { Account } from "../support/account.ts";
import { startWorkMeter, type WorkMeter } from "../support/count-work.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { shapeForTest } from "../support/shaped-scenario.ts";
import { size } from "./size.ts";

/**
 * No command does work for each pair of resources: of an account with four times as many, each block of the program runs at most so many
 * times as often. For each pair it would run sixteen times as often; sorting takes five and a half times as long.
 */
const mostGrowth = 12;

/** Two of equal rank meet more often, the more there are. */
const isComparator = / by[A-Z]/u;

/** The lines that a journal writes at once depend on time; and of one set it compares two ids for each pair of values. */
const isSpared = /: journal\//u;

type Sections = Record<string, unknown>;

let meter: WorkMeter;

beforeAll(async () => {
  meter = await startWorkMeter();
});
afterAll(() => meter.stop());

const named = (sections: unknown, number: number): Sections =>
  JSON.parse(
    JSON.stringify(sections)
      .replaceAll(/\bNAME\b/gu, `n${number}.example`)
      .replaceAll("SHORT", String(number)),
  ) as Sections;

/** Puts the sections of several manifests into one, key by key. */
function joined(all: readonly Sections[]): Sections {
  const whole: Sections = {};
  for (const each of all)
    for (const [key, value] of Object.entries(each)) {
      const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
      whole[key] = isMap ? joined([(whole[key] ?? {}) as Sections, value as Sections]) : value;
    }
  return whole;
}

/** A whole account at each of so many names. */
const atManyNames = (count: number): Sections =>
  joined(Array.from({ length: count }, (_, number) => named(wholeAccount(), number)));

/** One account with so many resources in each of its lists: the fourth part of a sample's path is its name there. */
function inEachList(count: number): Sections {
  const all = Object.values(samples).flatMap(({ path, body }) => {
    const [, , , name] = path;
    return typeof name !== "string"
      ? []
      : Array.from({ length: count }, (_, number) =>
          path
            .with(3, name.replace(/^[a-z]+/u, `$&${number}`))
            .reduceRight<Sections>((inner, part) => ({ [part]: inner }), body),
        );
  });
  return named(joined([wholeAccount(), ...all]), 1);
}

/** A service, and a zone with four times so many records. */
const inOneZone = (count: number): Sections => {
  const { service, dns_record: record } = samples as Record<string, Samples>;
  const names = Array.from({ length: 4 * count }, (_, number) => [`www${number}`, { TXT: record?.body }]);
  return named({ services: { NAME: service?.body }, dns: { NAME: { records: Object.fromEntries(names) } } }, 1);
};

/** A service, and one record set with four times so many values. */
function inOneSet(count: number): Sections {
  const values = Array.from({ length: 4 * count }, (_, number) => ({ value: `one ${number}` }));
  return { ...inOneZone(1), dns: { "n1.example": { records: { www: { TXT: { values } } } } } };
}

const manifest = (sections: Sections) => JSON.stringify({ version: 1, name: "work", ...sections }, undefined, 1);

/** The same with each service at another place, so that all that belongs to one is made anew. */
const moved = ({ services, ...sections }: Sections): Sections => ({
  ...sections,
  services: Object.fromEntries(
    Object.keys(services as object).map((name) => [name, { plan: "WEB-M", datacenter: "BCN1" }]),
  ),
});

/** Its zones with other contents of records, as somebody may have changed them by hand. */
const changed = ({ dns }: Sections): Sections =>
  JSON.parse(JSON.stringify({ dns }).replaceAll('"value":"one', '"value":"another')) as Sections;

type Zones = Record<string, { readonly records: object }>;

/** The same without every second record of each zone. */
function halved({ dns, ...sections }: Sections): Sections {
  const half = ({ records }: Zones[string]) =>
    Object.fromEntries(Object.entries(records).filter((_, index) => index % 2 === 0));
  const zones = Object.entries(dns as Zones).map(([name, zone]) => [name, { ...zone, records: half(zone) }]);
  return { ...sections, dns: Object.fromEntries(zones) as Zones };
}

const recordsOf = ({ dns }: Sections): string[] =>
  Object.entries(dns as Zones).flatMap(([zone, { records }]) =>
    Object.keys(records).map((name) => `dns_record/${zone}/${name}/TXT`),
  );

/** Runs commands from an empty account on, and returns how often each block ran. */
async function measure(account: Account, sections: Sections): Promise<ReadonlyMap<string, number>> {
  const place = (file: string) => join(account.folder, file);
  const declared = account.write("declared.json", manifest(sections));
  const inMotion = account.write("moved.json", manifest(moved(sections)));
  const byHand = account.write("by-hand.json", manifest(changed(sections)));
  const half = account.write("half.json", manifest(halved(sections)));
  const isHalved = recordsOf(halved(sections)).length < recordsOf(sections).length;
  const none = account.write("none.json", manifest({}));
  const ours = ["--inventory", place("inventory")];
  const forms = (name: string) => ["--html", place(`${name}.html`), "--markdown", place(`${name}.md`)];
  const saved = ["--out", place("plan.json"), "--undo-out", place("undo.json")];
  const secrets = { FIRST_PASSWORD: "some-password-1", PW: "some-password-2" };
  const commands: readonly (readonly [status: number, args: readonly string[]])[] = [
    [0, ["plan", "-f", declared, ...ours, ...forms("created"), ...saved, "--full"]],
    [0, ["show", place("plan.json")]],
    [0, ["apply", "-f", declared, ...ours, "--auto-approve"]],
    [0, ["plan", "-f", declared, ...ours, "--show-ignored", "--show-unmanaged"]],
    [6, ["plan", "-f", inMotion, ...ours, ...forms("moved")]],
    [6, ["plan", "-f", none, ...ours, ...forms("undeclared")]],
    [0, ["why", "-f", declared, ...ours, "service/n1.example"]],
    [0, ["drift", "-f", declared, ...ours]],
    [0, ["status", "-f", declared]],
    [0, ["snapshot", "--out", place("live.json")]],
    [0, ["apply", "-f", byHand, "--inventory", place("another"), "--auto-approve"]],
    [2, ["drift", "-f", declared, ...ours, ...forms("drift")]],
    [0, ["plan", "-f", declared, ...ours, "--only-drift", ...saved]],
    [0, ["plan", "-f", declared, ...ours, ...recordsOf(sections).flatMap((each) => ["--only", each])]],
    [isHalved ? 6 : 0, ["plan", "-f", half, ...ours]],
  ];
  const sums = new Map<string, number>();
  for (const [index, [status, args]] of size.every(2, commands).entries()) {
    const isOffline = args[0] === "show";
    const target = isOffline ? { flags: [], env: {} } : account;
    const counts = await meter.countBlocks(async () => exits(status, await runInProcess(target, args, secrets)));
    for (const [block, count] of counts) sums.set(`command ${index}, ${args[0]}: ${block}`, count);
  }
  return sums;
}

/** Returns the blocks that run more than so many times as often where there is four times as much. */
async function blocksOfPairs(measured: (count: number) => Promise<ReadonlyMap<string, number>>): Promise<string[]> {
  const before = await measured(few);
  const after = await measured(many);
  return [...after].flatMap(([block, count]) => {
    const was = before.get(block) ?? 0;
    return !isComparator.test(block) && !isSpared.test(block) && was >= 10 * few && count > mostGrowth * was
      ? [`${block}: ${was}, then ${count} times`]
      : [];
  });
}

/** On APIs of record sets a set is compared with itself, which takes a second from 4,000 values on: the most that DNS can answer with. */
const oneSet = { what: "one large set", by: "its own API", make: inOneSet, shape: undefined };
const accounts = { "many names": atManyNames, "many in each list": inEachList, "many in one zone": inOneZone };
const services = {
  "its own API": undefined,
  "an API that lists all domains together": "nested",
  "an API of record sets": "sets",
} as const;
const { few, many } = size.works;

test.each(
  size.every(
    6,
    Object.entries(accounts)
      .flatMap(([what, make]) => Object.entries(services).map(([by, shape]) => ({ what, by, make, shape })))
      .concat(oneSet),
  ),
)(
  "no block of the program runs for each pair of resources of an account with $what, on $by",
  async ({ make, shape }) => {
    const measured = async (count: number) => measure(await shapeForTest(shape, { namePrefix: "u1" }), make(count));
    expect(await blocksOfPairs(measured)).toEqual([]);
  },
  600_000,
);

test("no block of a plan runs for each pair of tasks that have no names and whose commands hold another secret by now", async () => {
  const measured = async (count: number) => {
    const account = await shapeForTest("hostinger");
    const names = Array.from({ length: count }, (_, number) => `n${number}.example`);
    const each = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]));
    const services = each({ plan: "4711", datacenter: "uk" });
    const crons = each({ jobs: { nightly: { schedule: "0 3 * * *", command: "php run.php ${env:TOKEN}" } } });
    const declared = account.write("tasks.json", manifest({ services, crons }));
    const given = ["-f", declared, "--inventory", join(account.folder, "inventory")];
    const run = async (args: readonly string[], token: string) =>
      exits(0, await runInProcess(account, [...args, ...given], { TOKEN: token }));
    await run(["apply", "--auto-approve"], "the-token-of-then");
    return meter.countBlocks(() => run(["plan"], "another-token"));
  };
  expect(await blocksOfPairs(measured)).toEqual([]);
}, 600_000);
