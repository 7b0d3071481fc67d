import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workshopForFile } from "./repositories.ts";

const shop = workshopForFile();

/** A folder with a `git` that notes each of its processes. */
function countedGit() {
  const bin = join(shop.folder, "bin");
  const log = join(shop.folder, "processes");
  mkdirSync(bin);
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  writeFileSync(log, "");
  writeFileSync(join(bin, "git"), `#!/bin/sh\necho >> '${log}'\nexec ${real} "$@"\n`, { mode: 0o755 });
  return { env: { ...shop.env, PATH: `${bin}:${shop.env["PATH"]}` }, started: () => readFileSync(log, "utf8").length };
}

test("the manifests of the last apply are looked up by one process each time, however many the inventory names", async () => {
  const clone = shop.clone(shop.makeRemote());
  const kept = Array.from({ length: 40 }, (_, index) => `hosting/m ${index} missing.yaml`);
  for (const [index, name] of kept.entries()) {
    mkdirSync(join(clone, "hosting"), { recursive: true });
    writeFileSync(join(clone, name), `# ${index} ä\n\n`);
  }
  const head = shop.commit(clone, "hosting/last.yaml", "");
  const odd = ["hosting", "", "/", "./manifest.yaml", "../x", "a\nb", "a\0b", ".git", "hosting/", "x".repeat(4096)];
  const many = Array.from({ length: 5000 }, (_, index) => `none/${index}.yaml`);
  const { env, started } = countedGit();
  const store = await shop.open(clone, { env });
  const before = started();
  const names = [...odd, ...many, ...kept, "hosting/last.yaml"];
  expect(await store.filesAt(head, names)).toEqual([...kept, "hosting/last.yaml"]);
  expect(started()).toBe(before + 1);
  const texts = [
    ...kept.map((file, index) => ({ file, text: `# ${index} ä\n\n` })),
    { file: "hosting/last.yaml", text: "" },
  ];
  expect(await store.manifestsAt(head, [...kept, "hosting/last.yaml"])).toEqual(texts);
  expect(started()).toBe(before + 2);
  expect(await store.manifestsAt(head, ["none.yaml", "hosting/last.yaml", "hosting"])).toEqual(texts.slice(-1));
});
