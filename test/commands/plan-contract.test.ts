import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { loadContract } from "../../src/contract/load-contract.ts";
import { printedHash, savedPlans, zone } from "./saved-plan-account.ts";
import { size } from "../proofs/size.ts";
import { exits } from "../support/run-hostform.ts";
import { forDraws } from "../support/for-draws.ts";

/** A contract file that is edited after a plan was saved, and keeps its name. */
const { account, files, run, done } = savedPlans();
const yes = "--auto-approve";

type Edit = Record<string, unknown>;
const writtenContract = (edit: Edit) => JSON.stringify({ contract: 1, extends: "v2026", name: "ours", ...edit });

/** Returns an edit that gives a value to a place of a contract. */
const edited = (path: readonly string[], value: unknown): Edit =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Edit;

/** Returns the places of a contract at which a value or a mapping stands. */
function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  const isMapping = typeof value === "object" && value !== null && !Array.isArray(value);
  const inner = isMapping ? Object.entries(value).flatMap(([key, each]) => placesIn(each, [...path, key])) : [];
  return path.length > 1 ? [path, ...inner] : inner;
}

/** A plan that updates, creates and deletes records, saved with a contract file, with its undo. */
async function savedWithContract() {
  const { manifest, plan, name, write } = files(zone("www: { A: 192.0.2.1 }, old: { A: 192.0.2.1 }"));
  const contract = join(account.folder, `${name}.contract.json`);
  const flags = ["--contract", contract];
  writeFileSync(contract, writtenContract({}));
  await done(["apply", "-f", manifest, yes, ...flags]);
  const later = zone("www: { A: { ttl: 300, values: [192.0.2.2] } }, new: { A: 192.0.2.1 }")(name);
  write(`${later}\nremoved: [{ address: dns_record/${name}/old/A, action: delete }]`);
  const planned = await done(["plan", "-f", manifest, "--out", plan, "--undo-out", `${plan}.undo`, ...flags]);
  /** Runs a command with an edited contract, and takes back what it does. */
  const runEdited = async (args: readonly string[], edit: Edit) => {
    const putBack = account.mirror.keep();
    const { length: before } = await account.writes();
    writeFileSync(contract, writtenContract(edit));
    try {
      const ran = await run([...args, ...flags]);
      const sent = (await account.writes()).slice(before);
      return { ...ran, writes: sent.map(({ method, path }) => `${method} ${path}`) };
    } finally {
      putBack();
    }
  };
  return { manifest, plan, contract, runEdited, hash: printedHash(planned) };
}

const kind = ["kinds", "dns_record"];
const edits: readonly (readonly [string, Edit])[] = [
  ["an update is taken away", edited([...kind, "operations", "update"], null)],
  ["a creation is taken away", edited([...kind, "operations", "create"], null)],
  ["a field is absent", edited([...kind, "fields", "ttl"], { absent: true })],
  ["a field is elsewhere", edited([...kind, "fields", "comment", "at"], "/note")],
  ["a header is added", { request: { headers: { "x-more": "1" } } }],
];

test.each(size.every(6, edits))("A saved plan sends nothing where, in its contract file, %s", async (_what, edit) => {
  const { plan, runEdited } = await savedWithContract();
  const { stdout, stderr, writes } = exits(3, await runEdited(["apply", plan, yes], edit));
  expect(writes).toEqual([]);
  expect(stderr).toContain(`The contract ours is not the one that ${plan} was made with: its file has changed`);
  expect(stderr).toContain("apply it with that contract, or plan again");
  expect(stdout + stderr).not.toContain("Done already");
});

test("A hash approves no plan that is made with an edited contract", async () => {
  const { manifest, runEdited, hash } = await savedWithContract();
  const approve = ["apply", "-f", manifest, "--approve", hash];
  const { status, writes } = await runEdited(approve, edited([...kind, "fields", "comment", "at"], "/note"));
  expect([status, writes]).toEqual([6, []]);
  expect((await runEdited(approve, {})).status).toBe(0);
});

test("Whatever is edited in a contract, a saved plan and its undo send nothing, and send all where nothing is", async () => {
  const { plan, contract, runEdited } = await savedWithContract();
  const approved = exits(0, await runEdited(["apply", plan, yes], {}));
  expect(approved.writes).toHaveLength(3);
  const loaded = async () => (await loadContract(contract)).contract;
  const original = await loaded();
  const places = placesIn({ request: original?.request, kinds: { dns_record: original?.kinds.dns_record } });
  const value = fc.constantFrom<unknown>(null, { absent: true }, "/x", "POST", "PUT", "{id}", ["ttl"], {});
  await forDraws(60, fc.constantFrom(...places), value, async (path, to) => {
    const { writes, status, stderr } = await runEdited(["apply", plan, yes], edited(path, to));
    const isEdited = JSON.stringify(await loaded()) !== JSON.stringify(original);
    expect([status, writes], stderr).toEqual(isEdited ? [3, []] : [0, approved.writes]);
    const undone = isEdited ? await runEdited(["apply", `${plan}.undo`, yes], edited(path, to)) : undefined;
    expect(undone?.writes ?? []).toEqual([]);
  });
});

test("A plan that was saved with a built-in contract holds no hash of it, so that another version can apply it", async () => {
  const { manifest, plan } = files(zone("www: { A: 192.0.2.1 }"));
  await done(["plan", "-f", manifest, "--out", plan]);
  expect(readFileSync(plan, "utf8")).not.toContain("contractHash");
});
