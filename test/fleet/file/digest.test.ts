import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readDigest } from "../../../src/fleet/file/digest.ts";
import { readFleet } from "../../../src/fleet/file/read-fleet.ts";
import { makeFolder } from "./fleet-folder.ts";

const text = (ttl: number) =>
  `version: 1\nname: f\ntemplates: [t.yaml]\nvariables: { ttl: ${ttl} }\naccounts: [{ folders: "a/*", owner: x, contract: c.yaml }]\n`;

async function digestsIn(folder: string): Promise<string[]> {
  const fleet = await readFleet(folder);
  return Promise.all(fleet.accounts.map((account) => readDigest(fleet, account)));
}

test("the digest of an account is the same in two checkouts, and another one where its manifest, a template, its contract or a setting is", async () => {
  const make = () =>
    makeFolder({ "fleet.yaml": text(300), "t.yaml": "templates: {}\n", "c.yaml": "a" }, ["a/one", "a/two"]);
  const [folder, other] = [make(), make()];
  const before = await digestsIn(folder);
  expect(new Set(before).size).toBe(2);
  expect(await digestsIn(other)).toEqual(before);
  writeFileSync(join(folder, "a/one/site.yaml"), "version: 1\nname: changed\n");
  const [one, two] = await digestsIn(folder);
  expect([one === before[0], two === before[1]]).toEqual([false, true]);
  for (const [file, content] of [
    ["t.yaml", "templates: { a: {} }\n"],
    ["fleet.yaml", text(60)],
    ["c.yaml", "b"],
  ] as const) {
    const changed = make();
    writeFileSync(join(changed, file), content);
    const digests = await digestsIn(changed);
    expect(
      digests.some((digest) => before.includes(digest)),
      file,
    ).toBe(false);
  }
});

test("the digest of an account with a manifest that cannot be read is a mistake", async () => {
  const folder = makeFolder({ "fleet.yaml": text(300), "t.yaml": "", "c.yaml": "" }, ["a/one"]);
  const fleet = await readFleet(folder);
  writeFileSync(join(folder, "a/one/site.yaml"), Buffer.from([0]));
  await expect(Promise.all(fleet.accounts.map((each) => readDigest(fleet, each)))).rejects.toThrow("binary");
});
