import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { listed } from "../support/live-records.ts";
import { eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { size } from "../proofs/size.ts";

/** A server that puts a prefix before names: whatever is done by a saved plan, an undo or a rehearsal finds the objects all the same. */
const account = accountForFile({ namePrefix: "u123" });

const kinds = {
  database: { path: "/databases", field: "name", one: (name: string) => `databases: { ${name}: { engine: mariadb } }` },
  ftp_account: {
    path: "/ftp/accounts",
    field: "username",
    one: (name: string) => `accounts: { ${name}: { home: /www, password: "\${env:PW}" } }`,
  },
} as const;

describe.each(size.every(6, Object.entries(kinds)))("%s", (kind, { path, field, one }) => {
  const section = kind === "database" ? "databases" : "ftp";
  const domain = `${kind.replace("_", "-")}.example`;
  const inventory = () => ["--inventory", join(account.folder, `${kind}.json`)];
  const manifest = (...names: readonly string[]) => {
    const inner = names.map((name) => one(name).replace(/^\w+: \{ (.*) \}$/u, "$1")).join(", ");
    const word = one("x").split(":")[0] ?? "";
    return account.write(
      `${kind}.yaml`,
      `version: 1\nname: ${kind.replace("_", "-")}\npolicy: { max_deletes: 100% }
services: { ${domain}: { plan: WEB-M, datacenter: MAD1 } }
${section}: { ${domain}: { ${word}: { ${inner} } } }\n`,
    );
  };
  const ran = async (...args: readonly string[]) => {
    const result = await runInProcess(account, [...args, ...inventory(), "--json"], { PW: "some-password-1" });
    expect(result.status, result.stdout + result.stderr).toBe(0);
    return eventsOf(result);
  };
  const names = async () => {
    const all = await listed<Record<string, unknown>>(account, `/v2026${path}`);
    return all
      .map((each) => String(each[field]))
      .filter((name) => /^u123_(?:one|two|other)$/u.test(name))
      .sort();
  };
  const allow = ["one", "two"].flatMap((name) => ["--allow-delete", `${kind}/${domain}/${name}`]);

  test("a saved plan creates and deletes, and its undo takes both back", async () => {
    const [plan, undo] = ["plan", "undo"].map((word) => join(account.folder, `${kind}-${word}.json`)) as [
      string,
      string,
    ];
    const journal = join(account.folder, `${kind}.journal`);
    await ran("apply", "-f", manifest("one"), "--auto-approve", "--journal", journal);
    expect(existsSync(journal), "all that was made is listed").toBe(false);
    await ran("plan", "-f", manifest("two"), "--out", plan, "--undo-out", undo, ...allow);
    await ran("apply", plan);
    expect(await names()).toEqual(["u123_two"]);
    await ran("apply", undo, ...allow);
    // A password that no manifest has any more is not known.
    expect(await names()).toEqual(kind === "database" ? ["u123_one"] : []);
  });

  test("an update in place finds the object", async () => {
    await ran("apply", "-f", manifest("one"), "--auto-approve", ...allow);
    const [before, after] = kind === "database" ? ["mariadb", "mariadb, charset: latin1"] : ["/www", "/web"];
    const path = manifest("one");
    writeFileSync(path, readFileSync(path, "utf8").replace(before ?? "", after ?? ""));
    const events = await ran("apply", "-f", path, "--auto-approve");
    expect(events.filter(({ type, action }) => type === "step_end" && action === "update")).toHaveLength(1);
  });

  test("an import adds nothing that the manifest names by its shorter name", async () => {
    const both = manifest("one", "two");
    await ran("apply", "-f", both, "--auto-approve", ...allow);
    const removed = `removed: [{ address: ${kind}/${domain}/two, action: delete }]\n`;
    for (const text of [readFileSync(both, "utf8"), readFileSync(manifest("one"), "utf8") + removed]) {
      writeFileSync(both, text);
      await runInProcess(account, ["import", "--into", both, "--kind", kind, ...inventory()]);
      expect(readFileSync(both, "utf8")).toBe(text);
    }
  });

  test.runIf(size.whole)("a plan that creates another can be rehearsed, and applied after that", async () => {
    await ran("apply", "-f", manifest("one"), "--auto-approve", ...allow);
    await ran("rehearse", "-f", manifest("one", "two"), "--crash-sweep");
    await ran("apply", "-f", manifest("one", "two"), "--auto-approve", "--rehearse");
    expect(await names()).toEqual(["u123_one", "u123_two"]);
  });

  test("of two names that are one on the server, the second is refused, and takes over nothing", async () => {
    const file = manifest("same", "u123_same");
    const all = ["apply", "-f", file, "--auto-approve", ...inventory(), "--only", "*same", "--only", "service/*"];
    for (const time of ["first", "second"]) {
      const events = eventsOf(exits(5, await runInProcess(account, [...all, "--json"], { PW: "some-password-1" })));
      const ends = events.filter(({ type }) => type === "step_end");
      expect(ends.map(({ outcome }) => outcome).filter((outcome) => outcome === "failed")).toHaveLength(1);
      expect(ends.filter(({ adopted }) => adopted === true).map(({ address }) => [time, address])).toEqual([]);
      const earlier = events.filter(({ type }) => type === "waiting" || type === "in_flight");
      expect(earlier.map(({ type, address, fate }) => [time, type, address, fate])).toEqual(
        time === "first" ? [] : [[time, "in_flight", `${kind}/${domain}/same`, "renamed"]],
      );
    }
  });

  if (kind !== "database") return;
  test("an undo takes back a grant that was changed, and a user that was made with one", async () => {
    const [undo, file] = ["json", "yaml"].map((end) => join(account.folder, `granted.${end}`)) as [string, string];
    const granted = (privileges: string) => {
      const users = `users: { web: { password: "\${env:PW}", grants: { seven: ${privileges} } } }`;
      writeFileSync(file, readFileSync(manifest("seven"), "utf8").replace(/ \} \} \}\n$/u, ` }, ${users} } }\n`));
      return file;
    };
    const grants = async () =>
      (await listed<{ username: string; grants: unknown }>(account, "/v2026/database-users")).flatMap((each) =>
        each.username === "web" ? [each.grants] : [],
      );
    const allowed = [`database_user/${domain}/web@localhost`, `database/${domain}/seven`].flatMap((each) => [
      "--allow-delete",
      each,
    ]);
    await ran("plan", "-f", granted("all"), "--undo-out", undo, "--only", "*/seven", "--only", "*/web@*");
    await ran("apply", "-f", file, "--auto-approve", "--only", "*/seven", "--only", "*/web@*");
    await ran("apply", undo, ...allowed);
    expect(await grants()).toEqual([]);
    await ran("apply", "-f", file, "--auto-approve", "--only", "*/seven", "--only", "*/web@*");
    await ran("plan", "-f", granted("read_only"), "--undo-out", undo, "--only", "*/web@*");
    await ran("apply", "-f", file, "--auto-approve", "--only", "*/web@*");
    await ran("apply", undo);
    expect(await grants()).toEqual([[{ database: "u123_seven", privileges: "all" }]]);
  });

  test.each([
    ["eight", "an apply", false],
    ["nine", "the apply of a saved plan", true],
  ])(
    "an undeclared grant on a database that is made anew (%s) is there again, also after %s that failed between",
    async (name, _, isSaved) => {
      const [file, plan] = ["yaml", "plan.json"].map((end) => join(account.folder, `${name}.${end}`)) as [
        string,
        string,
      ];
      const declared = (engine: string, user: string) => {
        const text = readFileSync(manifest(name), "utf8").replace(
          `${name}: { engine: mariadb }`,
          `${name}: { engine: ${engine} }`,
        );
        writeFileSync(file, text.replace(/ \} \} \}\n$/u, ` }, users: { of_${name}: ${user} } } }\n`));
        return file;
      };
      const only = ["--only", `*/${name}`, "--only", `*/of_${name}@*`, "--allow-delete", `database/${domain}/${name}`];
      await ran(
        "apply",
        "-f",
        declared("mariadb", `{ password: "\${env:PW}", grants: { ${name}: all } }`),
        "--auto-approve",
        ...only,
      );
      const match = { method: "POST", path: "/v2026/databases" };
      await account.inject({ match, count: 1, fault: { status: 422 } });
      const replaced = declared("postgresql", `{ password: "\${env:PW}" }`);
      if (isSaved) await ran("plan", "-f", replaced, "--out", plan, ...only);
      const applies = ["apply", ...(isSaved ? [plan] : ["-f", replaced, "--auto-approve", ...only])];
      const failed = await runInProcess(account, [...applies, ...inventory(), "--json"], {
        PW: "some-password-1",
      });
      expect(failed.status, failed.stdout).toBe(5);
      await account.endFaults();
      await ran(...applies);
      const live = await listed<{ username: string; grants: unknown }>(account, "/v2026/database-users");
      expect(live.find(({ username }) => username === `of_${name}`)?.grants).toEqual([
        { database: `u123_${name}`, privileges: "all" },
      ]);
    },
  );

  test.each([
    ["three", "four", { after: 1 }],
    ["five", "six", { count: 1 }],
  ])("what is left of a saved plan names a database that it has made (%s)", async (one, two, which) => {
    const [plan, file] = ["json", "yaml"].map((end) => join(account.folder, `${one}.${end}`)) as [string, string];
    const users = `users: { ${one}: { password: "\${env:PW}", grants: { ${one}: all, ${two}: read_only } } }`;
    writeFileSync(file, readFileSync(manifest(one, two), "utf8").replace(/ \} \} \}\n$/u, ` }, ${users} } }\n`));
    await ran("plan", "-f", file, "--out", plan, "--only", `*/${one}*`, "--only", `*/${two}`);
    const match = { method: "POST", path: "/v2026/databases" };
    await account.inject({ match, ...which, fault: { status: 422 } });
    const part = await runInProcess(account, ["apply", plan, "--parallelism", "1", ...inventory()], {
      PW: "a password",
    });
    expect(part.status).toBe(5);
    await account.endFaults();
    await ran("apply", plan);
    const live = await listed<{ username: string; grants: { database: string }[] }>(account, "/v2026/database-users");
    const made = live.find(({ username }) => username === one);
    expect(made?.grants.map(({ database }) => database).sort()).toEqual([`u123_${one}`, `u123_${two}`].sort());
  });
});

test("a database that is forgotten, by a plan or before it, has its name in what the plan and its undo say of a grant", async () => {
  const [plan, undo, inventory] = ["plan", "undo", "inventory"].map((word) =>
    join(account.folder, `forgotten-${word}.json`),
  ) as [string, string, string];
  const run = async (...args: readonly string[]) =>
    exits(0, await runInProcess(account, [...args, "--inventory", inventory], { PW: "some-password-1" }));
  const manifest = (databases: string, grants: string, more = "") =>
    account.write(
      "forgotten.yaml",
      `version: 1\nname: forgotten\nservices: { f.example: { plan: WEB-M, datacenter: MAD1 } }
databases: { f.example: { databases: { ${databases} }, users: { reader: { password: "\${env:PW}", grants: { ${grants} } } } } }
${more}`,
    );
  const granted = async () =>
    (await listed<{ id: string; username: string; grants: { database: string }[] }>(account, "/v2026/database-users"))
      .filter(({ username }) => username === "reader")
      .flatMap(({ id, grants }) => [id, ...grants.map(({ database }) => database)]);
  const forgets = (grants: string) =>
    manifest("kept: { engine: mariadb }", grants, "removed: [{ address: database/f.example/gone, action: forget }]\n");
  const both = manifest("kept: { engine: mariadb }, gone: { engine: mariadb }", "gone: all");
  await run("apply", "-f", both, "--auto-approve");
  const [id = "", ...before] = await granted();
  await run("plan", "-f", forgets(""), "--undo-out", undo);
  await run("apply", "-f", forgets(""), "--auto-approve");
  expect(await granted()).toEqual([id]);
  await run("apply", undo);
  expect(await granted()).toEqual([id, ...before]);

  await run("apply", "-f", forgets(""), "--auto-approve");
  const grants = [{ database: "u123_gone", privileges: "all" }];
  expect((await account.byHand("PUT", `/v2026/database-users/${id}`, { grants })).status).toBe(200);
  await run("plan", "-f", forgets("kept: all"), "--out", plan);
  await run("apply", plan);
  expect(await granted()).toEqual([id, "u123_kept"]);
});
