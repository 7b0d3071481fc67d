import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { kinds } from "../../src/kinds/index.ts";
import { accountForFile } from "../support/account.ts";
import { eventsOf, exits, type Ran, runInProcess } from "../support/run-hostform.ts";

const folder = fileURLToPath(new URL("../../examples/", import.meta.url));
const kindNames = kinds.map(({ name }) => name).sort();
const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => /^(kinds|agency)\/.+\.yaml$/u.test(file))
  .sort();
const read = (file: string) => readFileSync(join(folder, file), "utf8");
const env = parseEnv(read("examples.env")) as Record<string, string>;

const kindsPlanned = (ran: Ran): string[] => {
  const addresses = eventsOf(ran).flatMap(({ type, address }) => (type === "planned" ? [String(address)] : []));
  return [...new Set(addresses.map((address) => address.slice(0, address.indexOf("/"))))].sort();
};

/** Beside its consent to purchases, which a comment in the example names, no example needs a flag. */
const consentOf = (example: string) =>
  example.endsWith(".yaml")
    ? [...read(example).matchAll(/--allow-purchase \S+/gu)].flatMap(([flag]) => flag.split(" "))
    : [];

test("there is an example of every kind", () => {
  expect(files.filter((file) => file.startsWith("kinds/"))).toEqual(kindNames.map((name) => `kinds/${name}.yaml`));
});

test("every example names the schema for editors and says what it shows", () => {
  for (const file of files) {
    expect(read(file), file).toMatch(
      /^# yaml-language-server: \$schema=\.\.\/\.\.\/schemas\/manifest\.schema\.json\n# \S.+\./u,
    );
  }
});

test("examples.env has a value for each variable that an example takes, and no others", () => {
  const taken = files.flatMap((file) => [...read(file).matchAll(/\$\{env:(\w+)\}/gu)].map(([, name = ""]) => name));
  expect(Object.keys(env).sort()).toEqual([...new Set(taken)].sort());
});

const examples = [...kindNames.map((name) => [`kinds/${name}.yaml`, [name]] as const), ["agency", kindNames] as const];

describe.each(examples)("on an empty account, examples/%s", (example, shows) => {
  const account = accountForFile();
  const consent = consentOf(example);
  const file = () => join(account.folder, "examples", example);
  // The whole agency is applied by the built binary, all else is done in this process, which starts no other for each.
  const run = (command: string, ...flags: string[]) => {
    const args = [command, "-f", file(), "--json", ...consent, ...flags];
    return example === "agency" && command === "apply" ? account.hostform(args, env) : runInProcess(account, args, env);
  };

  beforeAll(async () => {
    // In a folder of their own, so that no inventory is kept in this repository.
    cpSync(folder, join(account.folder, "examples"), { recursive: true });
  });

  test("is valid, plans what it shows, is applied, and leaves nothing to change", async () => {
    const validated = exits(0, await runInProcess({ flags: [], env }, ["validate", "-f", file(), "--json"]));
    expect(eventsOf(validated).filter(({ type }) => type === "diagnostic")).toEqual([]);

    const planned = exits(2, await run("plan", "--detailed-exitcode"));
    expect(kindsPlanned(planned), `declare one of the missing kinds in examples/${example}`).toEqual(
      expect.arrayContaining([...shows]),
    );

    exits(0, await run("apply", "--auto-approve"));

    exits(0, await run("plan", "--detailed-exitcode"));
  });
});

test("only the example of domains buys anything, and says how to consent", () => {
  expect(files.filter((file) => consentOf(file).length > 0)).toEqual(["kinds/domain.yaml"]);
  expect(files.filter((file) => /\b(register|transfer): /u.test(read(file)))).toEqual(["kinds/domain.yaml"]);
});
