import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  apply,
  fileStores,
  gitStores,
  migratePostgres,
  plan,
  postgresStores,
  type ApplyOptions,
  type InventoryStore,
  type JournalStore,
  type LeaseRegister,
  type OpenStores,
  type SharedPace,
  type Stores,
} from "../../src/index.ts";
import { openAccount, type Account } from "../support/account.ts";
import { recordsPath } from "../support/live-records.ts";
import { newDatabaseUrl } from "../support/postgres.ts";
import { size } from "../proofs/size.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let account: Account;
let url: string;
beforeAll(async () => {
  url = await newDatabaseUrl();
});
let opened: OpenStores[] = [];
beforeEach(async () => {
  account = await openAccount();
  execFileSync("git", ["init", "--quiet"], { cwd: account.folder });
});
afterEach(async () => {
  for (const stores of opened) await stores.close();
  opened = [];
  await account.close();
});

const open = async (opening: Promise<OpenStores>) => {
  const stores = await opening;
  opened.push(stores);
  return stores;
};
const kinds: readonly (readonly [string, () => Promise<OpenStores>])[] = [
  ["a folder", () => open(fileStores(join(account.folder, "state")))],
  ["a git repository", () => open(gitStores(account.folder))],
  ["a database", () => open(postgresStores({ url }))],
];

const zone = (records: string) => `version: 1\nname: stores\ndns: { a.example: { records: { ${records} } } }\n`;
const options = (stores: Stores, records: string) => ({
  manifests: [account.write("site.yaml", zone(records))],
  baseUrl: account.baseUrl,
  caFile: join(account.folder, "ca.pem"),
  env: { ...account.env, PATH: process.env["PATH"] },
  stores,
});
const applied = async (stores: Stores, records: string, more: Partial<ApplyOptions> = {}) =>
  apply({ ...options(stores, records), settle: 5, approve: () => true, checkout: account.folder, ...more });
const writes = async () => (await account.operations()).filter(({ method }) => method !== "GET");

test.runIf(size.whole)("the example keeps what it knows in a folder", async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["examples/library/stores.mjs"], {
    cwd: root,
  });
  expect(stderr).toBe("");
  expect(stdout).toBe("applied: done, 4 writes\nagain: done, 0 steps\nkept: json\nkept: lease\n");
});

describe.each(kinds)("with stores in %s", (where, openStores) => {
  test("two applies end with the same account and the same inventory as with any other", async () => {
    const stores = await openStores();
    const first = await applied(stores, "a: { A: 192.0.2.1 }, b: { A: 192.0.2.2 }");
    expect(first.ending).toBe("done");
    // What left the manifest is deleted only where the inventory has it.
    let key = "";
    const others = await openStores();
    const inventory: Stores["inventory"] = (target) => {
      key = target;
      return others.inventory?.(target) as InventoryStore;
    };
    const second = await applied({ ...others, inventory }, "a: { A: 192.0.2.3 }");
    expect([second.ending, second.plan?.steps.map(({ id }) => id).toSorted()]).toEqual([
      "done",
      ["delete dns_record/a.example/b/A", "update dns_record/a.example/a/A"],
    ]);
    const store = (await openStores()).inventory?.(key);
    const loaded = await store?.load();
    expect(loaded?.notices).toEqual([]);
    const { addresses, running, lastApply } = loaded?.inventory ?? {};
    expect([...(addresses ?? [])].toSorted()).toMatchInlineSnapshot(`
      [
        "dns_record/a.example/a/A",
        "dns_zone/a.example",
      ]
    `);
    expect([running, lastApply?.api]).toMatchObject([undefined, { contract: "v2026" }]);
    expect((await plan(options(await openStores(), "a: { A: 192.0.2.3 }"))).plan?.steps).toEqual([]);
  });

  test("a removal that was carried out does not delete what came back, and a plan says when it was", async () => {
    const stores = await openStores();
    const consent = { allowDelete: ["dns_record/a.example/b/A"] };
    const entry = `${zone("a: { A: 192.0.2.1 }")}removed: [{ address: dns_record/a.example/b/A, action: delete }]\n`;
    const removing = async () => ({
      ...options(await openStores(), "a: { A: 192.0.2.1 }"),
      manifests: [account.write("site.yaml", entry)],
      checkout: account.folder,
    });
    await applied(stores, "a: { A: 192.0.2.1 }, b: { A: 192.0.2.2 }");
    expect((await apply({ ...(await removing()), ...consent, approve: () => true })).ending).toBe("done");
    const [notice] = (await plan(await removing())).diagnostics.filter(({ code }) => code === "already_removed");
    expect(notice?.summary).toMatch(where === "a folder" ? /an earlier apply deleted it/u : /carried out at 20\d\d-/u);
    const record = { name: "b", type: "A", content: "192.0.2.9", ttl: 3600 };
    expect((await account.byHand("POST", await recordsPath(account), record)).status).toBe(201);
    const { plan: back } = await plan(await removing());
    expect(JSON.stringify(back?.refusals)).toContain("an earlier apply carried that entry out");
  });

  test.each(["its name", "another name"])(
    "no key goes to another API that a manifest of %s names by itself",
    async (of) => {
      const own = `s${new URL(account.baseUrl).port}`;
      const folder = join(account.folder, "..", "elsewhere");
      mkdirSync(folder);
      const naming = (called: string, baseUrl: string) => {
        const text = `version: 1\nname: ${called}\nprovider: { base_url: "${baseUrl}" }\ndns: { a.example: {} }\n`;
        writeFileSync(join(folder, "site.yaml"), text);
        const { baseUrl: _none, ...others } = options({}, "");
        return { ...others, manifests: [join(folder, "site.yaml")], journal: join(folder, "journal") };
      };
      const stores = await openStores();
      const known = await apply({ ...naming(own, account.baseUrl), stores, acceptTarget: true, approve: () => true });
      expect(known.ending).toBe("done");
      const strange = {
        ...naming(of === "its name" ? own : "other", `${account.baseUrl}/tenant`),
        stores: await openStores(),
      };
      const { ending, diagnostics } = await plan(strange);
      expect([ending, diagnostics.map(({ code }) => code)]).toEqual(["refused", ["unknown_api"]]);
      if (of === "its name") expect(diagnostics[0]?.summary).toContain(`was applied to ${account.baseUrl}/`);
      expect((await plan({ ...strange, acceptTarget: true })).ending).not.toBe("refused");
      expect((await plan({ ...strange, baseUrl: account.baseUrl })).ending).not.toBe("refused");
      expect((await plan({ ...naming(own, account.baseUrl), stores })).plan?.steps).toEqual([]);
    },
  );

  test("of two applies at once, one makes the changes, and the other waits or is refused", async () => {
    const stores = await openStores();
    const records = "a: { A: 192.0.2.1 }";
    const both = await Promise.all([applied(stores, records), applied(stores, records)]);
    // Those of one machine with a journal in a file keep each other out.
    expect(["done done", "done refused"]).toContain(
      both
        .map(({ ending }) => ending)
        .toSorted()
        .join(" "),
    );
    expect((await writes()).length).toBe(2);
  });
});

describe.each(size.every(3, kinds))("with stores in %s of which a part is another", (_where, openStores) => {
  test("a lease that cannot be reached keeps an apply from running, and is named", async () => {
    const stores = await openStores();
    const lease: Stores["lease"] = (target, call) => ({
      ...(stores.lease?.(target, call) as LeaseRegister),
      read: async () => ({ is: "unreachable", reason: "the network is away" }),
    });
    const { ending, diagnostics, failure } = await applied({ ...stores, lease }, "a: { A: 192.0.2.1 }");
    expect(ending).toBe("refused");
    expect(JSON.stringify([diagnostics, failure])).toContain("the network is away");
    expect(await writes()).toEqual([]);
  });

  test("a journal that takes no line lets no write out", async () => {
    const stores = await openStores();
    const journal: Stores["journal"] = (target, call) => {
      const own = stores.journal?.(target, call);
      return {
        where: "the journal elsewhere",
        read: async () => (await own?.read()) ?? { parts: () => [], draft: () => [] },
        begin: async () => ({ append: async () => "the disk is full", close: async () => undefined }),
        remove: async () => undefined,
        setAside: async () => undefined,
        listAside: async () => [],
      };
    };
    const { ending, report } = await applied({ ...stores, journal }, "a: { A: 192.0.2.1 }");
    expect(ending).not.toBe("done");
    expect(JSON.stringify(report?.outcomes)).toContain("the disk is full");
    expect(await writes()).toEqual([]);
  });

  test.each([
    ["without a reason", [], "could not be written: its store does not say why"],
    [
      "in words of its own",
      [{ severity: "warning" as const, code: "bucket", summary: "the bucket is gone" }],
      "could not be written: the bucket is gone",
    ],
  ])("an inventory that cannot be written is said, and the apply is not done: %s", async (_how, notices, reason) => {
    const stores = await openStores();
    const inventory: Stores["inventory"] = (target) => ({
      ...(stores.inventory?.(target) as InventoryStore),
      store: async () => ({ is: "failed", notices }),
    });
    const { ending, diagnostics } = await applied({ ...stores, inventory }, "a: { A: 192.0.2.1 }");
    expect(ending).toBe("failed_in_part");
    expect(diagnostics.map(({ summary }) => summary).join()).toContain(reason);
  });

  test("a slow store makes an apply wait, and it writes as long as its lease holds", async () => {
    const stores = await openStores();
    const later = async <T>(value: T) => {
      await new Promise((resolve) => setImmediate(resolve));
      return value;
    };
    const inventory: Stores["inventory"] = (target) => {
      const own = stores.inventory?.(target) as InventoryStore;
      return {
        ...own,
        load: async () => later(await own.load()),
        store: async (...given) => later(await own.store(...given)),
      };
    };
    expect((await applied({ ...stores, inventory }, "a: { A: 192.0.2.1 }")).ending).toBe("done");
  });
});

/** A function of a store that fails, with a rejection or at once. */
const failing = (isLate: boolean, reason: string) => (): Promise<never> => {
  if (isLate) return Promise.reject(new Error(reason));
  throw new Error(reason);
};

const lateness = size.every(2, [false, true]);

test.each(
  (["begin", "append", "close", "remove"] as const).flatMap((part) =>
    lateness.map((isLate) => [part, isLate] as const),
  ),
)(
  "an apply whose journal fails at %s (by a rejection: %s) ends with a result, and its lock is free",
  async (part, isLate) => {
    const stores = await open(fileStores(join(account.folder, "state")));
    const fail = failing(isLate, "the disk is gone");
    const journal: Stores["journal"] = (target, call) => {
      const own = stores.journal?.(target, call) as JournalStore;
      const begin: JournalStore["begin"] = async (text) => {
        const lines = await own.begin(text);
        const close = () => {
          void lines.close();
          return fail();
        };
        return { ...lines, [part]: part === "close" ? close : fail };
      };
      return { ...own, begin: part === "begin" ? fail : begin, ...(part === "remove" && { remove: fail }) };
    };
    const failed = await applied({ ...stores, journal }, "a: { A: 192.0.2.1 }");
    expect(failed.ending).toBe({ begin: "wrong_input", append: "failed_in_part", close: "done", remove: "done" }[part]);
    const isDone = failed.ending === "done";
    expect((await writes()).length).toBe(isDone ? 2 : 0);
    if (!isDone) expect(JSON.stringify([failed.diagnostics, failed.report])).toContain("the disk is gone");
    expect((await applied(stores, "a: { A: 192.0.2.1 }")).ending).toBe("done");
    expect((await writes()).length).toBe(2);
  },
);

/** The same store as an instance of a class: its functions belong to the prototype, and need `this`. */
function asInstance<T extends object>(store: T): T {
  const prototype = {};
  for (const [name, value] of Object.entries(store))
    Object.defineProperty(prototype, name, {
      value:
        typeof value === "function"
          ? function method(this: unknown, ...given: unknown[]): unknown {
              expect(this).toBe(instance);
              return Reflect.apply(value, store, given);
            }
          : value,
    });
  const instance = Object.create(prototype) as T;
  return instance;
}

test("stores that are instances of classes serve as any others", async () => {
  const folder = join(account.folder, "state");
  const { inventory, lease, journal, known } = await open(fileStores(folder));
  let paced = 0;
  const pace: SharedPace = {
    take: async () => void (paced += 1),
    learned: () => undefined,
  };
  const stores = asInstance({
    inventory: (target: string) => asInstance(inventory?.(target) as InventoryStore),
    lease: (target: string, call: string) => asInstance(lease?.(target, call) as LeaseRegister),
    journal: (target: string, call: string) => asInstance(journal?.(target, call) as JournalStore),
    pace: () => asInstance(pace),
    ...(known && { known }),
  });
  expect((await applied(stores, "a: { A: 192.0.2.1 }")).ending).toBe("done");
  expect((await applied(stores, "b: { A: 192.0.2.1 }")).ending).toBe("done");
  expect([
    readdirSync(folder)
      .map((name) => extname(name))
      .toSorted(),
    paced > 4,
  ]).toEqual([[".json", ".lease"], true]);
});

const parts = [
  ["inventory", "store", "failed_in_part"],
  ["lease", "read", "refused"],
  // It is asked three times, with a second between.
  ...(size.whole ? [["lease", "prepare", "refused"] as const] : []),
  ["lease", "swap", "refused"],
  ["inventory", "close", "done"],
] as const;
test.each(parts.flatMap((part) => lateness.map((isLate) => [...part, isLate] as const)))(
  "an apply whose %s fails at %s ends as %s (by a rejection: %s)",
  async (kind, part, ending, isLate) => {
    const stores = await open(fileStores(join(account.folder, "state")));
    const fail = failing(isLate, "the bucket is gone");
    const broken = (target: string, call: string) => {
      const own = stores[kind]?.(target, call) as InventoryStore & LeaseRegister;
      return { ...own, [part]: fail };
    };
    const failed = await applied({ ...stores, [kind]: broken }, "a: { A: 192.0.2.1 }", { lockTimeout: 0 });
    expect(failed.ending).toBe(ending);
    if (ending !== "done") expect(JSON.stringify([failed.diagnostics, failed.failure])).toContain("the bucket is gone");
    expect((await applied(stores, "a: { A: 192.0.2.1 }")).ending).toBe("done");
  },
);

test.each((["take", "learned"] as const).flatMap((part) => lateness.map((isLate) => [part, isLate] as const)))(
  "an apply whose pace fails at %s (by a rejection: %s) goes on at the pace of its own connection",
  async (part, isLate) => {
    const stores = await open(fileStores(join(account.folder, "state")));
    const fail = failing(isLate, "the bucket is gone");
    const pace = () => ({ take: async () => undefined, learned: () => undefined, [part]: fail });
    expect((await applied({ ...stores, pace }, "a: { A: 192.0.2.1 }")).ending).toBe("done");
    expect((await writes()).length).toBe(2);
  },
);

describe("stores in a database", () => {
  const words = async (opening: Promise<unknown>) =>
    opening.then(
      () => "opened",
      (error: Error) => error.message,
    );

  test("are opened only with the tables of this version, which `migratePostgres` makes", async () => {
    const empty = await newDatabaseUrl("empty");
    expect(await words(postgresStores({ url: empty }))).toContain("has no tables of Hostform");
    await migratePostgres({ url: empty });
    await open(postgresStores({ url: empty }));
  });

  test("say of an address that is none which option it is, without its password", async () => {
    const said = await words(postgresStores({ url: "mysql://a:s3cret@db/x" }));
    expect(said).toMatch(/^url is not the address of a PostgreSQL database/u);
    expect(said).not.toContain("s3cret");
  });
});

test("stores of git need a repository", async () => {
  await expect(gitStores("/")).rejects.toThrow("no git work tree");
});
