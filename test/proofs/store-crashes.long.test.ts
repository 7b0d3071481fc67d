import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  apply,
  fileStores,
  gitStores,
  postgresStores,
  type ApplyResult,
  type OpenStores,
  type Stores,
} from "../../src/index.ts";
import { connect } from "../../src/postgres/connection.ts";
import { openAccount, type Account } from "../support/account.ts";
import { aMinuteLater, crashingStores, type StoreCrash } from "../support/crashing-stores.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { newDatabaseUrl } from "../support/postgres.ts";
import { likeness, openReader } from "./read-account.ts";
import { size } from "./size.ts";

/** The conformance suite of all stores of a place together: applies by the library, of which one crashes at an operation of a store. */
const account = openedForFile<Account>(async () => {
  // It makes a second object of one name, where others refuse it: what is made twice shows.
  const opened = await openAccount({ lax: true });
  execFileSync("git", ["init", "--quiet"], { cwd: opened.folder });
  return opened;
});

interface Place {
  readonly open: () => Promise<OpenStores>;
  /** Lets the lease of a process that has ended run out. */
  readonly age: () => Promise<void>;
}

const nothing = async () => undefined;
const places: readonly (readonly [string, () => Promise<Place>])[] = [
  ["a folder", async () => ({ open: () => fileStores(join(account.folder, "state")), age: nothing })],
  ["a git repository", async () => ({ open: () => gitStores(account.folder), age: nothing })],
  [
    "a database",
    async () => {
      const url = await newDatabaseUrl();
      const age = async () => {
        const database = await connect({ connectionString: url });
        await database.query("UPDATE hostform.lease SET until = clock_timestamp() - interval '1 s'");
        await database.close();
      };
      return { open: () => postgresStores({ url }), age };
    },
  ],
];

let trials = 0;
/** An account's manifests, one after the other: something is added, changed and dropped, also an address that mail is sent to. */
function newTrial() {
  trials += 1;
  const name = `trial${trials}`;
  const zone = `${name}.example`;
  const head = `version: 1\nname: ${name}\ndomains: { ${zone}: {} }\n`;
  const first = `${head}dns: { ${zone}: { records: { a: { A: 192.0.2.1 }, gone: { A: 192.0.2.2 } } } }\nmail: { ${zone}: { aliases: { old: { destinations: [x@example.net] } } } }\n`;
  const second = `${head}dns: { ${zone}: { records: { a: { A: 192.0.2.3 }, new: { A: 192.0.2.4 } } } }\nmail: { ${zone}: { aliases: { sales: { destinations: [y@example.net] } } } }\n`;
  return { name, zone, manifests: [first, second] as const };
}

const applied = (text: string, stores: Stores): Promise<ApplyResult> =>
  apply({
    manifests: [account.write("site.yaml", text)],
    baseUrl: account.baseUrl,
    caFile: join(account.folder, "ca.pem"),
    env: { ...account.env, PATH: process.env["PATH"] },
    stores,
    parallelism: 1,
    settle: 5,
    lockTimeout: 0,
    approve: () => true,
  });

/** Objects of a zone that nobody declares. */
async function makeBystanders(zone: string): Promise<void> {
  const reader = openReader(account);
  const found = reader.read()["dns_zone"]?.find(({ name }) => name === zone);
  reader.close();
  const record = { name: "byhand", type: "A", content: "192.0.2.99", ttl: 3600 };
  const made = await account.byHand("POST", `/v2026/dns/zones/${String(found?.["id"])}/records`, record);
  expect(made.status).toBe(201);
  await account.byHand("POST", "/v2026/mail/aliases", { address: `byhand@${zone}`, destinations: ["z@example.net"] });
}

type Trial = ReturnType<typeof newTrial>;

/** The objects of a trial in the account. */
function itemsOf({ name, zone }: Trial): readonly string[] {
  const reader = openReader(account);
  const items = Object.values(likeness(reader.read())).flat();
  reader.close();
  const ours = items.filter((item) => item.includes(zone)).map((item) => item.replaceAll(name, "trial"));
  return ours.map((item) => item.replace(/p=MII[\w+/=]*/u, "p={key}")).toSorted();
}

/** The objects of a trial in the account, and in its inventory, in words that are the same for all trials. */
async function leftOf(trial: Trial, { open }: Place, target: string) {
  const stores = await open();
  const { inventory, notices } = (await stores.inventory?.(target).load()) ?? {};
  await stores.close();
  const { lastApply: _lastApply, ...kept } = inventory ?? {};
  const sets = Object.entries(kept).map(([key, value]) => [
    key,
    value instanceof Set ? [...value].map(String).toSorted() : value,
  ]);
  const left = { items: itemsOf(trial), inventory: sets, notices };
  return JSON.parse(JSON.stringify(left).replaceAll(trial.name, "trial")) as typeof left;
}

async function runOf({ open }: Place, text: string, wrap: (stores: Stores) => Stores = (stores) => stores) {
  const stores = await open();
  try {
    return await applied(text, wrap(stores)).then(
      ({ ending, diagnostics, report }) => ({ ending, said: JSON.stringify([diagnostics, report?.outcomes]) }),
      (error: Error) => ({ ending: "thrown", said: String(error.stack) }),
    );
  } finally {
    await stores.close();
  }
}

/** Applies a manifest, changes it, and applies it twice: first by a process that crashes. */
async function tried(place: Place, crash?: StoreCrash) {
  const trial = newTrial();
  const [first, second] = trial.manifests;
  let target = "";
  const made = await runOf(place, first, (stores) => ({
    ...stores,
    inventory: (key) => (stores.inventory as NonNullable<typeof stores.inventory>)((target = key)),
  }));
  expect(made.ending, made.said).toBe("done");
  await makeBystanders(trial.zone);
  let operations: readonly string[] = [];
  const crashed = await runOf(place, second, (stores) => {
    const crashing = crashingStores(stores, crash);
    ({ operations } = crashing);
    return crashing.stores;
  });
  await place.age();
  const ended = crash ? await runOf(place, second, aMinuteLater) : crashed;
  return { operations, crashed, ended, left: await leftOf(trial, place, target) };
}

describe.each(places)("with stores in %s", (_where, openPlace) => {
  test("an apply that crashes at any operation of a store ends, when it is called again, as if it had not", async () => {
    const place = await openPlace();
    const expected = await tried(place);
    expect(expected.ended.ending).toBe("done");
    const { operations } = expected;
    const crashes = operations.flatMap((name, index) =>
      (["before", "after"] as const).flatMap((when) =>
        (["process", "answer"] as const).map((loses) => ({ name, crash: { at: index + 1, when, loses } })),
      ),
    );
    for (const { name, crash } of size.every(150, crashes.toReversed())) {
      const found = await tried(place, crash);
      const what = `${name} ${JSON.stringify(crash)}: ${found.crashed.ending}, ${found.crashed.said}; then ${found.ended.said}`;
      expect([found.ended.ending, found.left], what).toEqual(["done", expected.left]);
    }
  });
});

/** A folder is put back by hand, or from a copy, and then in part. */
test.runIf(size.whole)(
  "an apply whose inventory and journal are from different times makes nothing twice, and deletes nothing of others",
  async () => {
    const folder = join(account.folder, "state");
    const place: Place = { open: () => fileStores(folder), age: nothing };
    const { operations, left: expected } = await tried(place);
    // What no inventory knows to be ours stays, and a zone counts its writes.
    const comparable = (items: readonly string[]) =>
      items
        .filter((item) => !/"192\.0\.2\.2"|"old@|"type":"SOA"/u.test(item))
        .map((item) => item.replace(/"serial":\d+/u, "{serial}"));
    for (const at of size.every(30, [...operations.keys()].toReversed()))
      for (const older of ["inventory", "journal"]) {
        const trial = newTrial();
        const [first, second] = trial.manifests;
        expect((await runOf(place, first)).ending).toBe("done");
        await makeBystanders(trial.zone);
        const crash = { at: at + 1, when: "after", loses: "process" } as const;
        await runOf(place, second, (stores) => crashingStores(stores, crash).stores);
        const files = readdirSync(folder).filter((name) => name.startsWith(`${trial.name}-`));
        const [journal] = files.filter((name) => name.endsWith(".journal")).map((name) => join(folder, name));
        const text = journal === undefined ? "" : readFileSync(journal);
        if (older === "inventory")
          for (const name of files.filter((each) => each.endsWith(".json"))) rmSync(join(folder, name));
        else expect((await runOf(place, second, aMinuteLater)).ending).toBe("done");
        if (journal !== undefined) writeFileSync(journal, text, { mode: 0o600 });
        const ended = await runOf(place, second, aMinuteLater);
        const what = `${operations[at]}, older ${older}: ${ended.said}`;
        expect(ended.ending, what).toBe("done");
        expect(comparable(itemsOf(trial)), what).toEqual(comparable(expected.items));
      }
  },
);
