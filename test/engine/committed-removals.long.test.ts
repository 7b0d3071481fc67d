import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { committedRemovals } from "../../src/engine/session/committed-removals.ts";
import { readDesired } from "../../src/manifest/read/desired.ts";
import { loadManifest } from "../../src/manifest/load.ts";
import { emptyInventory, type Inventory } from "../../src/model/inventory.ts";
import type { Address } from "../../src/model/address.ts";
import { appliedBy, workshopForFile } from "../state/repositories.ts";
import { size } from "../proofs/size.ts";

/** Which entries under `removed:` count as consent, with real repositories. */
const shop = workshopForFile();

const old = "mailbox/old@a.example";
const addresses = (...all: string[]) => new Set(all as Address[]);
const ours: Inventory = { ...emptyInventory, addresses: addresses(old) };
const manifest = (...removed: string[]) =>
  `version: 1\nname: agency\nremoved:\n${removed.map((address) => `  - { address: "${address}", action: delete }\n`).join("")}`;
const none = "version: 1\nname: agency\nservices: {}\n";

/** A clone with these commits of `manifest.yaml`. */
function cloneWith(...texts: string[]): { clone: string; commits: string[] } {
  const clone = shop.clone(shop.makeRemote());
  return { clone, commits: texts.map((text) => shop.commit(clone, "manifest.yaml", text)) };
}

const consented = async (...given: Parameters<typeof judged>) => [...(await judged(...given)).removals];
const refused = async (...given: Parameters<typeof judged>) => [...(await judged(...given)).uncounted.values()];

async function judged(clone: string, inventory: Inventory, file = "manifest.yaml") {
  const store = await shop.open(clone, { manifest: file });
  const path = join(clone, file);
  const { tree } = await loadManifest([path], { readStdin: async () => new Uint8Array() });
  if (!tree) throw new Error("the manifest is wrong");
  const { removed } = readDesired(tree, () => ({ missing: "" })).desired;
  const paths = await store.pathsInRepository([path]);
  return committedRemovals(store, inventory, { removed, paths, uncommitted: await store.uncommitted([path]) });
}

const appliedAt = async (clone: string, commit: string, inventory = emptyInventory): Promise<Inventory> => ({
  ...inventory,
  lastApply: { ...appliedBy(await shop.open(clone)), commit },
});

describe("an entry under removed: of an address that is ours", () => {
  test("is consent where it is committed in HEAD", async () => {
    const { clone } = cloneWith(manifest(old));
    expect(await consented(clone, ours)).toEqual([old]);
  });

  test("is none once it was carried out, though the address is ours again", async () => {
    const { clone } = cloneWith(manifest(old));
    expect(await consented(clone, { ...ours, removed: addresses(old) })).toEqual([]);
  });

  test("is found in its normal form, whatever its case", async () => {
    const { clone } = cloneWith(manifest("mailbox/OLD@A.example"));
    expect(await consented(clone, ours)).toEqual([old]);
  });

  test("is none in a work tree with changes that HEAD does not have", async () => {
    const { clone } = cloneWith(none);
    writeFileSync(join(clone, "manifest.yaml"), manifest(old));
    expect(await consented(clone, ours)).toEqual([]);
    shop.git(clone, "add", "manifest.yaml");
    expect(await consented(clone, ours)).toEqual([]);
  });

  test("is none in a file that git does not know, or that it ignores", async () => {
    const { clone } = cloneWith(manifest(old));
    writeFileSync(join(clone, "other.yaml"), manifest(old));
    expect(await consented(clone, ours, "other.yaml")).toEqual([]);
  });

  test("is none on another branch than HEAD", async () => {
    const { clone } = cloneWith(none);
    shop.git(clone, "checkout", "--quiet", "-b", "other");
    shop.commit(clone, "manifest.yaml", manifest(old));
    shop.git(clone, "checkout", "--quiet", "-");
    writeFileSync(join(clone, "manifest.yaml"), manifest(old));
    expect(await consented(clone, ours)).toEqual([]);
  });

  test("is none where HEAD has it with another action, or has it no more", async () => {
    const { clone } = cloneWith(manifest(old).replace("delete", "forget"));
    writeFileSync(join(clone, "manifest.yaml"), manifest(old));
    expect(await consented(clone, ours)).toEqual([]);
    const gone = cloneWith(manifest(old), none);
    writeFileSync(join(gone.clone, "manifest.yaml"), manifest(old));
    expect(await consented(gone.clone, ours)).toEqual([]);
  });

  test("is that of the file that a link leads to, and none where it leads out of the repository or HEAD holds a link", async () => {
    const { clone } = cloneWith(manifest(old));
    symlinkSync("manifest.yaml", join(clone, "link.yaml"));
    expect(await consented(clone, ours, "link.yaml")).toEqual([old]);
    const outside = join(shop.folder, "outside.yaml");
    writeFileSync(outside, manifest(old));
    symlinkSync(outside, join(clone, "out.yaml"));
    shop.git(clone, "add", "--all");
    shop.git(clone, "commit", "--quiet", "--message", "link");
    expect(await consented(clone, ours, "out.yaml")).toEqual([]);
  });

  test("is none with an address that a template or a variable makes", async () => {
    const text = `version: 1\nname: agency\nvariables: { who: { type: string, default: old } }\nremoved:\n  - { address: "mailbox/\${var:who}@a.example", action: delete }\n`;
    const { clone } = cloneWith(text);
    expect(await consented(clone, ours)).toEqual([]);
  });

  test("names only its own address", async () => {
    const { clone } = cloneWith(manifest("service/a.example"));
    const all = { ...emptyInventory, addresses: addresses("service/a.example", "cron/a.example/x") };
    expect(await consented(clone, all)).toEqual(["service/a.example"]);
  });
});

describe("an entry of an address that is not ours", () => {
  test("is consent in the first apply that has it, and in no later one", async () => {
    const { clone, commits } = cloneWith(none, manifest(old));
    const [before = "", added = ""] = commits;
    expect(await consented(clone, await appliedAt(clone, before))).toEqual([old]);
    expect(await consented(clone, await appliedAt(clone, added))).toEqual([]);
    shop.commit(clone, "other.txt", "more");
    expect(await consented(clone, await appliedAt(clone, added))).toEqual([]);
  });

  test("is consent again where it was taken out, applied, and added again; not where that was never applied", async () => {
    const { clone, commits } = cloneWith(manifest(old), none, manifest(old));
    const [first = "", out = ""] = commits;
    expect(await consented(clone, await appliedAt(clone, out))).toEqual([old]);
    expect(await consented(clone, await appliedAt(clone, first))).toEqual([]);
  });

  test("does not consent again because it moved to another file", async () => {
    const { clone, commits } = cloneWith(manifest(old));
    shop.git(clone, "mv", "manifest.yaml", "moved.yaml");
    shop.git(clone, "commit", "--quiet", "--message", "move");
    expect(await consented(clone, await appliedAt(clone, commits[0] ?? ""), "moved.yaml")).toEqual([]);
  });

  test("before the first apply is consent only in the commit that added it", async () => {
    const { clone } = cloneWith(none, manifest(old));
    expect(await consented(clone, emptyInventory)).toEqual([old]);
    // The record of earlier applies may have been lost.
    shop.commit(clone, "other.txt", "more");
    expect(await consented(clone, emptyInventory)).toEqual([]);
  });

  test.runIf(size.whole)(
    "is none where the last apply's commit is unknown, in a shallow clone, or without a commit",
    async () => {
      const { clone } = cloneWith(none, manifest(old));
      expect(await consented(clone, await appliedAt(clone, "0".repeat(40)))).toEqual([]);
      const shallow = shop.clone(`file://${clone}`, "--depth=1");
      expect(await consented(shallow, emptyInventory)).toEqual([]);
      const empty = join(shop.folder, "empty");
      shop.git(shop.folder, "init", "--quiet", empty);
      writeFileSync(join(empty, "manifest.yaml"), manifest(old));
      expect(await consented(empty, ours)).toEqual([]);
    },
  );
});

describe("an entry that does not count as consent has a reason", () => {
  const dirty = (clone: string, text = manifest(old)) => writeFileSync(join(clone, "manifest.yaml"), text);

  test("in a changed work tree, an untracked file, and before the first commit", async () => {
    const { clone } = cloneWith(none);
    dirty(clone);
    writeFileSync(join(clone, "other.yaml"), manifest(old));
    expect([await refused(clone, ours), await refused(clone, ours, "other.yaml")]).toEqual([
      ["not_committed"],
      ["not_committed"],
    ]);
    const empty = join(shop.folder, "unborn");
    shop.git(shop.folder, "init", "--quiet", empty);
    dirty(empty);
    expect(await refused(empty, ours)).toEqual(["not_committed"]);
  });

  test("outside a repository, and with an address that a variable makes", async () => {
    const { clone } = cloneWith(
      manifest("mailbox/${var:who}@a.example").replace("removed", "variables: { who: { default: old } }\nremoved"),
    );
    expect(await refused(clone, ours)).toEqual(["not_literal"]);
    const outside = join(shop.folder, "outside-2.yaml");
    writeFileSync(outside, manifest(old));
    symlinkSync(outside, join(clone, "out.yaml"));
    expect(await refused(clone, ours, "out.yaml")).toEqual(["not_in_git"]);
  });

  test.runIf(size.whole)("of an address that is not ours, and in a shallow clone", async () => {
    const { clone, commits } = cloneWith(none, manifest(old));
    expect(await refused(clone, await appliedAt(clone, commits[1] ?? ""))).toEqual(["not_new"]);
    expect(await refused(clone, await appliedAt(clone, "0".repeat(40)))).toEqual(["history_unknown"]);
    const { commit: _, ...without } =
      (await appliedAt(clone, commits[1] ?? "")).lastApply ?? appliedBy(await shop.open(clone));
    expect(await refused(clone, { ...emptyInventory, lastApply: without })).toEqual(["no_commit_recorded"]);
    const shallow = shop.clone(`file://${clone}`, "--depth=1");
    expect(await refused(shallow, emptyInventory)).toEqual(["history_unknown"]);
    shop.commit(clone, "other.txt", "more");
    expect(await refused(clone, emptyInventory)).toEqual(["not_in_this_commit"]);
  });

  test("but not one that was carried out", async () => {
    const { clone } = cloneWith(manifest(old));
    expect(await refused(clone, { ...ours, removed: addresses(old) })).toEqual([]);
  });
});
