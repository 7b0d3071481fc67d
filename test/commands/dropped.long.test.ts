import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { forDraws } from "../support/for-draws.ts";
import { listed } from "../support/live-records.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { must, ownedRepository } from "./owned-repository.ts";

/** Two files of one name, applied one by one or together, each with its own mailboxes. */
const { account, repository, commit } = ownedRepository();

const mailboxes = { "a.yaml": ["ann", "art"], "b.yaml": ["bea", "bob"] } as const;
type File = keyof typeof mailboxes;
const files = Object.keys(mailboxes) as File[];
const addressOf = (name: string) => `mailbox/${name}@${name.startsWith("a") ? "a" : "b"}.example`;

/** What a file declares: its mailboxes, or no section of mail at all. */
const declarations = fc.record({
  "a.yaml": fc.subarray([...mailboxes["a.yaml"]]),
  "b.yaml": fc.subarray([...mailboxes["b.yaml"]]),
});
const action = fc.oneof(
  fc.record({
    is: fc.constant("declare" as const),
    file: fc.constantFrom(...files),
    names: declarations,
    isApplied: fc.boolean(),
  }),
  fc.record({ is: fc.constant("apply" as const), files: fc.constantFrom(...files.map((file) => [file]), files) }),
  fc.record({
    is: fc.constantFrom("forget" as const, "delete" as const, "by_hand" as const),
    name: fc.constantFrom(...mailboxes["a.yaml"], ...mailboxes["b.yaml"]),
  }),
);

const text = (file: File, names: readonly string[], removed = "") => {
  const domain = `${file[0] ?? ""}.example`;
  const mail = `mail: { ${domain}: { mailboxes: { ${names.map((name) => `${name}: {}`).join(", ")} } } }\n`;
  return `version: 1\nname: shop\ndomains: { ${domain}: }\n${names.length > 0 ? mail : ""}${removed}`;
};

/** Returns the addresses that a run says stay behind. */
const run = async (command: string, given: readonly File[], ...flags: readonly string[]) => {
  const named = given.flatMap((file) => ["-f", join(repository.folder, file)]);
  const ran = exits(0, await runInProcess(account, [command, ...named, ...flags]));
  const said = [...ran.printed.matchAll(/warning\[no_longer_declared\]: (\S+) /gu)];
  return said.flatMap(([, address]) => address ?? []).toSorted((one, other) => (one < other ? -1 : 1));
};
const apply = (given: readonly File[]) => run("apply", given, "--auto-approve", "--settle", "0");

async function remake(name: string): Promise<void> {
  const [, address = ""] = addressOf(name).split("/");
  const body = { address, password: "correct horse battery" };
  await account.byHand("POST", "/v2026/mail/accounts", body);
}

async function removeByHand(name: string): Promise<void> {
  const [, address = ""] = addressOf(name).split("/");
  const path = `/v2026/mail/accounts?domain=${address.split("@")[1] ?? ""}`;
  const found = (await listed<{ id: string; address: string }>(account, path)).find((each) => each.address === address);
  if (found) await must(204, account.byHand("DELETE", `/v2026/mail/accounts/${found.id}`));
}

test("what left a file is said at each run of that file until it is deleted, forgotten or gone", async () => {
  for (const name of ["a.example", "b.example"]) await account.create("/domains", { name, period_years: 1 });
  const all = Object.values(mailboxes).flat();
  const ownerOf = (name: string): File => (name.startsWith("a") ? "a.yaml" : "b.yaml");
  await forDraws(6, fc.array(action, { minLength: 4, maxLength: 8 }), async (actions) => {
    for (const name of all) await remake(name);
    const declared: Record<File, readonly string[]> = { ...mailboxes };
    /** What a manifest has declared at an apply, and nobody has given up since. */
    const known = new Set<string>();
    const write = (file: File, removed = "") => commit(text(file, declared[file], removed), file);
    const isLeft = (name: string) => known.has(name) && !declared[ownerOf(name)].includes(name);
    const expected = (given: readonly File[]) =>
      all.filter((name) => given.includes(ownerOf(name)) && isLeft(name)).map(addressOf);
    const applyAll = async (given: readonly File[]) => {
      for (const name of files.flatMap((file) => declared[file])) known.add(name);
      return apply(given);
    };
    for (const file of files) write(file);
    await applyAll(files);
    for (const each of [...actions, { is: "apply" as const, files }]) {
      if (each.is === "declare") {
        declared[each.file] = each.names[each.file];
        write(each.file);
        if (each.isApplied) await applyAll([each.file]);
      } else if (each.is === "apply") {
        expect(await run("plan", each.files)).toEqual(expected(each.files));
        expect(await applyAll(each.files)).toEqual(expected(each.files));
      } else if (isLeft(each.name)) {
        const file = ownerOf(each.name);
        if (each.is === "by_hand") await removeByHand(each.name);
        else {
          write(file, `removed: [{ address: ${addressOf(each.name)}, action: ${each.is} }]\n`);
          await applyAll([file]);
          write(file);
        }
        known.delete(each.name);
        expect(await run("plan", files)).toEqual(expected(files));
        await applyAll([file]);
        // Another mailbox of the same name is nobody's.
        if (each.is !== "forget") await remake(each.name);
      }
    }
  });
});

test("what was forgotten by a saved plan is not said again once its entry is taken out, as after a direct apply", async () => {
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(repository.folder);
  await account.create("/domains", { name: "a.example", period_years: 1 });
  for (const name of mailboxes["a.yaml"]) await remake(name);
  commit(text("a.yaml", ["ann", "art"]), "a.yaml");
  await apply(["a.yaml"]);
  commit(text("a.yaml", []), "a.yaml");
  await apply(["a.yaml"]);
  const forget = (name: string) => {
    const removed = `removed: [{ address: ${addressOf(name)}, action: forget }]\n`;
    commit(text("a.yaml", [], removed), "a.yaml");
  };
  forget("ann");
  await apply(["a.yaml"]);
  forget("art");
  await run("plan", ["a.yaml"], "--out", "forget.json");
  exits(0, await runInProcess(account, ["apply", "forget.json", "--auto-approve"]));
  commit(text("a.yaml", []), "a.yaml");
  expect(await run("plan", ["a.yaml"])).toEqual([]);
});
