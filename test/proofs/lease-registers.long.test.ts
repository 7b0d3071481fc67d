import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openRepository } from "../../src/state/git/repository.ts";
import { fileRegister } from "../../src/state/lease/file-register.ts";
import { gitRegister } from "../../src/state/lease/git-register.ts";
import {
  mayWrite,
  noteBegun,
  noteDone,
  noteRead,
  noteRejected,
  replaceable,
  type Swap,
} from "../../src/state/lease/lease.ts";
import { leaseRegister } from "../../src/postgres/stores/lease-register.ts";
import type { Register } from "../../src/state/lease/register.ts";
import { workshopForFile } from "../state/repositories.ts";
import { newDatabase } from "../support/postgres.ts";
import { explore, type Machine, type World } from "./explore-lease.ts";
import { size } from "./size.ts";

/** The exhaustive exploration of two runners, over what a register of each form makes of every swap. */
const machine: Machine = { mayWrite, noteBegun, noteDone, noteRead, noteRejected, replaceable };
const small: World = { rules: { length: 2, margin: 0 }, swaps: size.leaseSwaps, offsets: [0, 0], sameMachine: false };
const shop = workshopForFile();

/** One register as each of two runners reaches it. */
type Registers = readonly [Register, Register];

async function inGit(): Promise<Registers> {
  const remote = shop.makeRemote();
  const open = async () => {
    const opened = await openRepository(shop.clone(remote), { env: shop.env, isSecret: () => false });
    if (!opened.ok) throw new Error(opened.reason);
    onTestFinished(opened.repository.close);
    return gitRegister(opened.repository, "proof", async () => undefined);
  };
  return [await open(), await open()];
}

async function inFolder(): Promise<Registers> {
  const folder = join(mkdtempSync(join(shop.folder, "register-")), "lease");
  return [fileRegister(folder, randomUUID), fileRegister(folder, randomUUID)];
}

/** Contents that have run out: of one that has not, only its holder may take the place, so that less may be swapped. */
async function inDatabase(): Promise<Registers> {
  const database = await newDatabase();
  onTestFinished(database.close);
  const rules = { length: 0, margin: 0, renewEvery: 10_000 };
  const open = () => leaseRegister(database, { lease: "proof", token: randomUUID(), newId: randomUUID }, rules);
  return [open(), open()];
}

async function prepared(register: Register, text: string): Promise<string> {
  const made = await register.prepare(text);
  if ("reason" in made) throw new Error(made.reason);
  return made.version;
}

/** Explores every order of events, and notes which contents there are and which swaps meet which of them. */
function exploreAll() {
  const contents = new Set([""]);
  const pairs = new Set<string>();
  const takes = (content: string, { version, over }: Swap) => {
    for (const each of [content, version]) contents.add(each);
    pairs.add(pairOf(content, over));
    return content === over;
  };
  return { ...explore(machine, { ...small, takes }), contents: [...contents], pairs };
}

const pairOf = (content: string, over: string) => `${content}|${over}`;

type Explored = ReturnType<typeof exploreAll>;

/** Puts each content into a register, tries all swaps that are tried on it, and returns whether each was carried out. */
async function tryAll([one, other]: Registers, { contents, pairs }: Explored): Promise<ReadonlyMap<string, boolean>> {
  const versions = new Map([["", ""]]);
  const results = new Map<string, boolean>();
  let count = 0;
  for (const [index, content] of contents.entries()) {
    const current = versions.get(content) ?? "";
    for (const over of contents) {
      if (over === content || !pairs.has(pairOf(content, over))) continue;
      count += 1;
      // A content that has not been there yet is one that only its writer knows.
      const from = versions.get(over) ?? (await prepared(other, `${over} of the future`));
      const swapped = await other.swap(await prepared(other, `${content} ${over} ${count}`), from);
      results.set(pairOf(content, over), swapped.is === "done");
      expect(await one.read()).toMatchObject({ version: current });
    }
    const next = contents[index + 1] ?? "after the last";
    const version = await prepared(one, next);
    results.set(pairOf(content, content), (await one.swap(version, current)).is === "done");
    expect(await other.read()).toMatchObject({ is: "read", version, text: next });
    versions.set(next, version);
  }
  return results;
}

describe("at no moment may both of two runners start a write, whatever order the events take", () => {
  let explored: Explored;
  beforeAll(() => {
    explored = exploreAll();
  });

  test("over a register that takes a swap exactly if its content is the one to be replaced", () => {
    const { violation, held, pairs } = explored;
    expect([violation, held]).toEqual([undefined, "both"]);
    expect(pairs.size).toBeGreaterThan(10);
  });

  test.each<[string, () => Promise<Registers>]>([
    ["a folder", inFolder],
    ["a git ref", inGit],
    ["a row of a database", inDatabase],
  ])("and %s is such a register, for every content and swap of that exploration", async (_form, open) => {
    const results = await tryAll(await open(), explored);
    for (const pair of explored.pairs) {
      const [content, over] = pair.split("|");
      expect([pair, results.get(pair)]).toEqual([pair, content === over]);
    }
  });

  test("but not over one that takes a swap for an empty content at any time", () => {
    const takes: World["takes"] = (content, { over }) => over === content || over === "";
    expect(explore(machine, { ...small, takes }).violation).toBeDefined();
  });
});
