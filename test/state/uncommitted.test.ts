import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { workshopForFile } from "./repositories.ts";
import { forDraws } from "../support/for-draws.ts";

const shop = workshopForFile();

const names = ["a.yaml", "b.yml", "deep/c.yaml", ".hidden/d.yaml", "node_modules/e.yaml", "notes.txt"];
const isRead = (name: string) => !name.startsWith(".") && !name.startsWith("node_modules") && name !== "notes.txt";
const states = ["same", "changed", "crlf", "deleted", "new", "staged"] as const;

test("are the manifest files that HEAD does not hold as they are, whatever else is in the folder", async () => {
  const clone = shop.clone(shop.makeRemote());
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(clone, "hosting", name)), { recursive: true });
    writeFileSync(join(clone, "hosting", name), text);
  };
  await forDraws(8, fc.tuple(...names.map(() => fc.constantFrom(...states))), async (drawn) => {
    const all = names.map((name, index) => ({ name, state: drawn[index] ?? "same" }));
    rmSync(join(clone, "hosting"), { recursive: true, force: true });
    put("always.yaml", "one\n");
    for (const { name, state } of all) if (state !== "new" && state !== "staged") put(name, "one\ntwo\n");
    shop.git(clone, "add", "--all", "--force");
    shop.git(clone, "commit", "--quiet", "--allow-empty", "--message", "next");
    for (const { name, state } of all) {
      if (state === "deleted") rmSync(join(clone, "hosting", name));
      else if (state !== "same") put(name, state === "crlf" ? "one\r\ntwo\r\n" : "three\n");
      if (state === "staged") shop.git(clone, "add", "--force", join("hosting", name));
    }
    const given = all.filter(({ name, state }) => isRead(name) && state !== "deleted").map(({ name }) => name);
    const files = ["always.yaml", ...given].map((name) => join(clone, "hosting", name));
    const changed = all
      .filter(({ name, state }) => isRead(name) && state !== "same" && state !== "crlf")
      .map(({ name }) => `hosting/${name}`);
    const store = await shop.open(clone, { manifest: "hosting" });
    expect(await store.uncommitted(files)).toEqual(changed.sort());
    await store.close();
  });
});

test("are all without a commit, and none of files outside; one outside beside others is", async () => {
  const empty = join(shop.folder, "no-commit");
  shop.git(shop.folder, "init", "--quiet", empty);
  writeFileSync(join(empty, "manifest.yaml"), "version: 1\n");
  expect(await (await shop.open(empty)).uncommitted([join(empty, "manifest.yaml")])).toEqual(["manifest.yaml"]);
  const clone = shop.clone(shop.makeRemote());
  const store = await shop.open(clone);
  const outside = join(shop.folder, "outside.yaml");
  writeFileSync(outside, "version: 1\n");
  expect(await store.uncommitted([outside])).toEqual([]);
  expect(await store.uncommitted([join(clone, "manifest.yaml"), outside, "<stdin>"])).toEqual(
    ["<stdin>", outside].sort(),
  );
  symlinkSync(join(clone, "manifest.yaml"), join(clone, "link.yaml"));
  expect(await store.uncommitted([join(clone, "link.yaml")])).toEqual([]);
});
