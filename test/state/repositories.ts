import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openInventory, type InventoryDeps } from "../../src/state/inventory/open-inventory.ts";
import { targetKey } from "../../src/state/inventory/target-key.ts";
import type { Runner } from "../../src/model/runner.ts";
import type { Address } from "../../src/model/address.ts";
import type { AppliedBy, HeldLock, Inventory, OpenInventory } from "../../src/model/inventory.ts";
import { openedForFile } from "../support/opened-for-file.ts";

export const target = { name: "agency", place: "https://api.test/", contract: "v2026" };
export const key = targetKey(target);
export const ref = `refs/hostform/${key}`;
export const noon = Date.parse("2026-06-01T12:00:00Z");

/** Processes of which only the first runs. */
export const alice: Runner = {
  user: "alice",
  host: "desk",
  pid: 100,
  processMark: (pid) => (pid === 100 ? "boot:ns/1" : undefined),
};
export const bob: Runner = { user: "bob", host: "laptop", pid: 200, processMark: () => "boot2:ns/1" };

/**
 * Time that passes only while someone sleeps, and no timers: a lease is renewed where a test says so.
 * @param pace how much longer each sleep is than asked for, as on a busy machine: fewer looks at the remote in the same time.
 */
export function leaseClock(pace = 1) {
  let time = 0;
  const timers: (() => void)[] = [];
  return {
    awake: () => time,
    elapsed: () => time,
    sleep: async (milliseconds: number) => {
      time += milliseconds * pace;
    },
    every: (_milliseconds: number, handler: () => void) => {
      timers.push(handler);
      return () => timers.splice(timers.indexOf(handler), 1);
    },
    /** Lets time pass without a renewal. */
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    /** Calls what a timer would call. */
    tick: () => {
      for (const handler of timers) handler();
    },
  };
}

/** A remote and a clone of it. */
export interface Pair {
  readonly remote: string;
  readonly clone: string;
}

/** A folder with real git repositories, and a home folder without any settings. */
export interface Workshop {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly git: (folder: string, ...args: string[]) => string;
  /** A bare repository with one commit of `manifest.yaml` on main. */
  readonly makeRemote: () => string;
  readonly clone: (remote: string, ...flags: string[]) => string;
  /** Copies of a remote and a clone of it, which are made once for each name. */
  readonly copyOf: (name: string, make: () => Promise<Pair>) => Promise<Pair>;
  readonly commit: (clone: string, file: string, text: string) => string;
  readonly open: (
    clone: string,
    more?: Partial<InventoryDeps> & { file?: string; target?: typeof target; manifest?: string },
  ) => Promise<OpenInventory>;
  readonly close: () => Promise<void>;
}

/** Returns a workshop that all tests of a file share; it is empty until they begin. */
export const workshopForFile = (): Workshop => openedForFile(openWorkshop);

export function openWorkshop(): Workshop {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hostform-inventory-")));
  const env = { PATH: process.env["PATH"] ?? "", HOME: join(folder, "home"), GIT_CONFIG_NOSYSTEM: "1" };
  mkdirSync(env.HOME);
  writeFileSync(
    join(env.HOME, ".gitconfig"),
    "[user]\n name = t\n email = t@t.test\n[init]\n defaultBranch = main\n[advice]\n detachedHead = false\n",
  );
  const git = (at: string, ...args: string[]) =>
    execFileSync("git", ["-C", at, ...args], { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  let made = 0;
  const next = (name: string) => join(folder, `${name}${(made += 1)}`);
  const stores: OpenInventory[] = [];
  const commit = (clone: string, file: string, text: string) => {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    writeFileSync(join(clone, file), text);
    git(clone, "add", "--all");
    git(clone, "commit", "--quiet", "--message", `write ${file}`);
    return git(clone, "rev-parse", "HEAD");
  };
  let copy: ((remote: string, to: string) => void) | undefined;
  const clone = (remote: string, ...flags: string[]) => {
    const to = next("clone");
    if (flags.length > 0 || !copy) git(folder, "clone", "--quiet", "--template=", ...flags, remote, to);
    else copy(remote, to);
    return to;
  };
  // Made once, and copied: the tests need dozens.
  const template = `${next("remote")}.git`;
  git(folder, "init", "--quiet", "--bare", "--template=", template);
  const first = clone(template);
  commit(first, "manifest.yaml", "version: 1\nname: agency\n");
  git(first, "push", "--quiet", "origin", "HEAD");
  git(template, "config", "receive.autogc", "false");
  const head = git(first, "rev-parse", "HEAD");
  copy = (remote, to) => {
    // A clone of a remote on which the template's commit is still the only one.
    const isFirst = readFileSync(join(remote, "refs/heads/main"), "utf8").trim() === head;
    if (!isFirst) return void git(folder, "clone", "--quiet", "--template=", remote, to);
    copyClone(first, to, remote);
  };
  const copyRemote = (from: string) => {
    const remote = `${next("remote")}.git`;
    cpSync(from, remote, { recursive: true });
    return remote;
  };
  const open: Workshop["open"] = async (at, more = {}) => {
    const { file, target: other = target, manifest = "manifest.yaml", ...deps } = more;
    const choice = { manifests: [join(at, manifest)], file, target: other };
    const store = await openInventory(choice, {
      env,
      runner: alice,
      now: () => noon,
      newId: randomUUID,
      isSecret: () => false,
      ...leaseClock(),
      ...deps,
    });
    stores.push(store);
    return store;
  };
  const kept = new Map<string, Pair>();
  return {
    folder,
    env,
    git,
    commit,
    clone,
    makeRemote: () => copyRemote(template),
    copyOf: async (name, make) => {
      const pair = kept.get(name) ?? (await make());
      kept.set(name, pair);
      const copied = { remote: copyRemote(pair.remote), clone: next("clone") };
      copyClone(pair.clone, copied.clone, copied.remote);
      return copied;
    },
    open,
    close: async () => {
      for (const store of stores) await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes a commit of one file to a ref of a repository, after the one that is there: one process of git in place of many. */
export function commitToRef(
  { env }: Workshop,
  repository: string,
  commit: { ref: string; subject: string; text: string; mode?: string | undefined; file?: string | undefined },
): void {
  const { ref: name, subject, text, mode = "100644", file = "inventory.json" } = commit;
  const before = existsSync(join(repository, name)) ? `from ${name}^0\n` : "";
  const data = (each: string) => `data ${Buffer.byteLength(each)}\n${each}\n`;
  const head = `commit ${name}\ncommitter t <t@t.test> 0 +0000\n${data(subject)}${before}deleteall\n`;
  const input = `${head}M ${mode} inline ${file}\n${data(text)}`;
  execFileSync("git", ["-C", repository, "fast-import", "--quiet"], { env, input });
}

/** Stores a text in a repository, and returns the name of the object. */
export const storeText = ({ env }: Workshop, repository: string, text: string): string =>
  execFileSync("git", ["-C", repository, "hash-object", "-w", "--stdin"], {
    env,
    input: text,
    encoding: "utf8",
  }).trim();

/** Copies a clone, and points it to a copy of its remote. */
function copyClone(from: string, to: string, remote: string): void {
  cpSync(from, to, { recursive: true });
  const config = join(to, ".git", "config");
  writeFileSync(
    config,
    readFileSync(config, "utf8").replace(/(?<=^\turl = ).*$/mu, () => remote),
  );
}

/** Addresses by the names of their domains. */
export const ours = (...names: string[]): Inventory => ({
  addresses: new Set(names.map((name) => `domain/${name}.example` as Address)),
  preventDestroy: new Set(),
});

export const appliedBy = (store: OpenInventory, planHash = "plan-1"): AppliedBy => ({
  ...(store.head !== undefined && { commit: store.head }),
  time: "2026-06-01T12:00:00.000Z",
  planHash,
  by: store.by,
  manifests: ["manifest.yaml"],
});

/** A whole apply after which just these are ours. */
export async function applied(store: OpenInventory, ...names: string[]): Promise<void> {
  const lock = await take(store);
  await store.read();
  await store.begin(ours(...names));
  await store.finish({ ...ours(...names), lastApply: appliedBy(store) }, `apply: ${names.join(" ")}`);
  await lock.release();
}

/** A remote, and the clone from which these were applied. An apply takes some sixty processes of git: most tests begin with a copy. */
export const afterApplies = (shop: Workshop, ...applies: readonly (readonly string[])[]): Promise<Pair> =>
  shop.copyOf(JSON.stringify(applies), async () => {
    const last = applies.at(-1);
    const remote = shop.makeRemote();
    if (!last) return { remote, clone: shop.clone(remote) };
    const pair = await afterApplies(shop, ...applies.slice(0, -1));
    await applied(await shop.open(pair.clone), ...last);
    return pair;
  });

/** Takes the lock of a store. Throws where another run holds it. */
export async function take(store: OpenInventory, timeout = 0): Promise<HeldLock> {
  const taken = await store.lock({ timeout });
  if (taken.is !== "ours") throw new Error(JSON.stringify(taken));
  return taken.lock;
}

export const namesIn = (inventory: Inventory | undefined) =>
  inventory && [...inventory.addresses].map((address) => address.slice("domain/".length, -".example".length)).sort();

export const codes = (notices: readonly { code: string }[]) => notices.map(({ code }) => code);
