import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { changeRecord, listed, liveRecords, recordsPath } from "../support/live-records.ts";
import { eventsOf, exits, noAccount, type Ran, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";
import { manifest, must, ownedRepository } from "./owned-repository.ts";

/** `hostform drift`: what was changed by hand since the last apply, and nothing else. */
const { account, repository, git, commit, begin, run, apply, applied, records, makeByHand, deleteByHand } =
  ownedRepository();

const drift = (...flags: string[]) => run("drift", ...flags);

const drifted = async (...flags: string[]) => {
  const ran = await drift("--json", ...flags);
  const items = eventsOf(ran).filter(({ type }) => type === "drifted");
  return { status: ran.status, items: items.map(({ drift: is, address }) => `${String(is)} ${String(address)}`) };
};

const a = "dns_record/example.com/a/TXT";
const b = "dns_record/example.com/b/TXT";

const changeByHand = (name: string, content: string) =>
  changeRecord(account, (record) => record.name === name, content);

const fail = (ran: Ran) => ran.stdout + ran.stderr;

/** A manifest outside of git, with a file as its inventory: for what depends on no commit, since each command starts eight processes of git. */
function withoutGit(env: Record<string, string> = {}) {
  const folder = folderForTest();
  const file = join(folder, "hosting.yaml");
  const inventory = ["--inventory", join(folder, "inventory.json")];
  const command = (name: string, ...flags: string[]) =>
    runInProcess(account, [name, "-f", file, ...inventory, ...flags], env);
  const appliedIn = async (text: string) => {
    writeFileSync(file, text);
    exits(0, await command("apply", "--auto-approve", "--settle", "0"));
  };
  return { file, command, applied: appliedIn, written: () => readFileSync(file, "utf8") };
}

test("a commit that waits to be applied does not count; what was changed by hand does, and only that", async () => {
  await begin(manifest("a", "b"));
  commit(manifest("a", "b", "c").replace("a: { TXT: here }", "a: { TXT: there }"));
  expect(await drifted()).toEqual({ status: 0, items: [] });
  await changeByHand("b", "by hand");
  expect(await drifted()).toEqual({ status: 2, items: [`differs ${b}`] });
  await deleteByHand("b");
  expect(await drifted()).toEqual({ status: 2, items: [`gone ${b}`] });
});

test("each field is shown as the last apply left it and as it is now, and only reads are sent", async () => {
  await begin(manifest("a"));
  const { length: before } = await account.operations();
  await changeByHand("a", "by hand");
  const ran = exits(2, await drift());
  expect(ran.stdout).toMatch(/~ dns_record\/example\.com\/a\/TXT \([^\n]*hosting\.yaml:3\) differs/u);
  expect(ran.stdout).toContain("here");
  expect(ran.stdout).toContain("by hand");
  const sent = (await account.operations()).slice(before);
  expect(sent.length).toBeGreaterThan(0);
  expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(["GET"]));
});

test("what nobody manages is drift only where it is asked for", async () => {
  await begin(manifest("a"));
  await makeByHand("z");
  expect(await drifted()).toEqual({ status: 0, items: [] });
  expect(await drifted("--unmanaged")).toEqual({ status: 2, items: ["appeared dns_record/example.com/z/TXT"] });
});

test("what is forgotten does not count in an exclusive zone, and is not deleted", async () => {
  await begin(manifest("a", "b").replace("records:", "exclusive: true, records:"));
  const forgets = `removed: [{ address: ${b}, action: forget }]\n`;
  commit(manifest("a").replace("records:", "exclusive: true, records:") + forgets);
  await applied();
  expect(await drifted()).toEqual({ status: 0, items: [] });
  await makeByHand("c");
  expect(await drifted()).toEqual({ status: 2, items: ["appeared dns_record/example.com/c/TXT"] });
  await applied("--only-drift");
  expect(await records()).toEqual(["a", "b"]);
});

test("what is tolerated does not count, as an address or field by field", async () => {
  await begin(manifest("a"));
  await changeByHand("a", "by hand");
  for (const pattern of [a, "dns_record/example.com/*", `${a}.value`])
    expect((await drifted("--tolerate", pattern)).status, pattern).toBe(0);
  expect((await drifted("--tolerate", `${a}.ttl`)).status).toBe(2);
});

test.each(
  size.every(6, [
    ["without a date", `- ${a}`, 0, ""],
    ["until a day that comes", `- { address: "${a}.value", until: 2999-01-31 }`, 0, ""],
    ["until a day that is over", `- { address: ${a}, until: 2020-01-31 }`, 2, "tolerated until 2020-01-31"],
    ["until a day that there is not", `- { address: ${a}, until: 2027-13-31 }`, 3, "2027-13-31 is not a date"],
    ["until a day that its month has not", `- { address: ${a}, until: 2027-02-30 }`, 3, "2027-02-30 is not a date"],
    ["of a kind that there is not", "- dns_recrod/example.com/*", 3, "did you mean dns_record/example.com/*"],
  ]),
)("the manifest tolerates %s", async (_name, entry, status, text) => {
  await begin(manifest("a"));
  await changeByHand("a", "by hand");
  commit(`${manifest("a")}policy:\n  tolerate:\n    ${entry}\n`);
  const ran = await drift();
  expect(ran, fail(ran)).toMatchObject({ status });
  expect(ran.stderr).toContain(text);
});

test("what was changed by hand is drift where the manifest refers to what the server knows, with a secret or without", async () => {
  const runWith = (...args: string[]) =>
    runInProcess(account, [...args, "-f", join(repository.folder, "hosting.yaml")], { TOKEN: "only-for-the-test-2" });
  const refers = "is ${ref:dns_zone/example.com.status}";
  commit(
    manifest("a", "b")
      .replace("a: { TXT: here }", () => `a: { TXT: "${refers}" }`)
      .replace("b: { TXT: here }", () => `b: { TXT: "\${env:TOKEN} ${refers}" }`),
  );
  exits(0, await runWith("apply", "--auto-approve", "--settle", "0"));
  exits(0, await runWith("drift"));
  for (const name of ["a", "b"]) await changeByHand(name, "by hand");
  const { stdout } = exits(2, await runWith("drift"));
  for (const address of [a, b]) expect(stdout).toContain(`~ ${address}`);
  exits(0, await runWith("apply", "--only-drift", "--auto-approve", "--settle", "0"));
  exits(0, await runWith("drift"));
});

describe("a value from outside", () => {
  const text = (more = "") =>
    `version: 1\nname: shop\ndns: { example.com: { records: { a: { TXT: ["key=\${env:TOKEN}", plain] }${more} } } }\n`;
  const token = "only-for-the-test-1";
  const runWith = (env: Record<string, string>, command: string, ...flags: string[]) =>
    runInProcess(account, [command, "-f", join(repository.folder, "hosting.yaml"), ...flags], env);
  const begun = async () => {
    commit(text());
    exits(0, await runWith({ TOKEN: token }, "apply", "--auto-approve", "--settle", "0"));
    commit(text(", b: { TXT: waits }"));
  };

  test("is compared with its value of today, and left out where it has none", async () => {
    await begun();
    expect((await runWith({ TOKEN: token }, "drift")).status).toBe(0);
    await changeByHand("a", "by hand");
    const ran = exits(2, await runWith({ TOKEN: token }, "drift"));
    expect(ran.stdout).toContain(`~ ${a}`);
    expect(ran.stdout).toContain("(sensitive)");
    expect(fail(ran)).not.toContain(token);
    expect((await runWith({}, "drift")).status).toBe(0);
    exits(0, await runWith({ TOKEN: token }, "apply", "--only-drift", "--auto-approve", "--settle", "0"));
    expect((await runWith({ TOKEN: token }, "drift")).status).toBe(0);
    expect(await records()).toEqual(["a", "a"]);
  });

  test("is never written into the manifest in the open", async () => {
    const { command, applied: appliedIn, written } = withoutGit({ TOKEN: token });
    await appliedIn(text());
    const before = written();
    for (const content of ["by hand", `key=${token} more`]) {
      await changeByHand("a", content);
      const ran = exits(3, await command("drift", "--accept", a));
      expect(fail(ran)).not.toContain(token);
    }
    expect(written()).toBe(before);
  });

  test("is neither accepted nor imported where somebody has put it into another record", async () => {
    const { file, command, applied: appliedIn, written } = withoutGit({ TOKEN: token });
    await appliedIn(text(", b: { TXT: hello }"));
    const before = written();
    for (const content of [token, `see ${token}`]) {
      await changeByHand("b", content);
      exits(3, await command("drift", "--accept", b));
      expect(written()).toBe(before);
    }
    writeFileSync(file, text());
    const added = exits(0, await runInProcess(account, ["import", "--into", file], { TOKEN: token }));
    expect(fail(added)).toContain("it holds a secret");
    expect(written()).not.toContain(token);
  });
});

describe("after an apply of a part", () => {
  test("what that apply left out does not count", async () => {
    await begin(manifest("a", "b"));
    commit(manifest("a", "b").replaceAll("here", "there"));
    await applied("--only", a);
    expect(await drifted()).toEqual({ status: 0, items: [] });
    await changeByHand("b", "by hand");
    expect(await drifted()).toEqual({ status: 2, items: [`differs ${b}`] });
  });

  const valuesOf = (ran: Ran) =>
    eventsOf(ran)
      .filter(({ type }) => type === "drifted")
      .flatMap(({ changes }) => changes as { before: unknown }[])
      .map(({ before }) => before);
  const here = { is: "value", value: '"here"' };
  const appliedInPart = {
    "by --only": () => applied("--only", b),
    "by --except": () => applied("--except", a),
    "as a saved plan": async () => {
      const file = join(repository.folder, "..", "part.json");
      exits(0, await run("plan", "--only", b, "--out", file));
      exits(0, await runInProcess(account, ["apply", file, "--settle", "0"]));
    },
  };

  test.each(size.every(3, Object.keys(appliedInPart) as (keyof typeof appliedInPart)[]))(
    "%s, what that left out is shown as it was, and goes back to that",
    async (way) => {
      await begin(manifest("a", "b"));
      commit(manifest("a", "b").replaceAll("here", "there"));
      await appliedInPart[way]();
      for (const time of ["first", "again"]) {
        await changeByHand("a", `by hand, ${time}`);
        expect(valuesOf(await drift("--json"))).toEqual([here]);
        await applied("--only-drift");
        const live = (await liveRecords(account)).map(({ name, content }) => `${name} ${content}`);
        expect(live.toSorted()).toEqual(['a "here"', 'b "there"']);
      }
    },
  );
});

describe("apply --only-drift", () => {
  test("takes back what was changed by hand, and leaves the commit that waits", async () => {
    await begin(manifest("a", "b"));
    const waiting = commit(manifest("a", "b", "c").replace("a: { TXT: here }", "a: { TXT: there }"));
    await deleteByHand("b");
    expect((await run("plan", "--only-drift")).stdout).toContain(`+ ${b}`);
    await applied("--only-drift");
    expect(await records()).toEqual(["a", "b"]);
    expect(await drifted()).toEqual({ status: 0, items: [] });
    expect((await run("plan")).stdout).toContain("there");
    expect(git("rev-parse", "HEAD").trim()).toBe(waiting);
  });

  test("of a saved plan leaves the commit that waits, too", async () => {
    await begin(manifest("a", "b"));
    commit(manifest("a", "b", "c"));
    await deleteByHand("b");
    const file = join(repository.folder, "plan.json");
    exits(0, await run("plan", "--only-drift", "--out", file));
    exits(0, await runInProcess(account, ["apply", file, "--settle", "0"]));
    expect(await drifted()).toEqual({ status: 0, items: [] });
    expect(await records()).toEqual(["a", "b"]);
  });

  test("of a plan without drift, whose files stand where those of an earlier one stood, changes nothing", async () => {
    await begin(manifest("a", "b"));
    const [plan, undo] = ["plan.json", "undo.json"].map((name) => join(repository.folder, name)) as [string, string];
    const planned = async () => exits(0, await run("plan", "--only-drift", "--out", plan, "--undo-out", undo));
    await deleteByHand("b");
    await planned();
    await applied("--only-drift");
    commit(manifest("a", "b", "c"));
    expect((await planned()).stdout).toMatch(/No drift\.[^]*plan\.json/u);
    await deleteByHand("b");
    for (const file of [plan, undo]) {
      exits(0, await runInProcess(account, ["apply", file, "--settle", "0"]));
      expect(await records()).toEqual(["a"]);
      if (file === plan) expect(await drifted()).toEqual({ status: 2, items: [`gone ${b}`] });
    }
  });

  test("leaves the fields of a resource that a waiting commit has accepted", async () => {
    const declared = (ttl: number, value: string) =>
      manifest("a").replace("TXT: here", `TXT: { ttl: ${ttl}, values: [${value}] }`);
    const change = async (ttl: number, content: string) => {
      const [{ id } = { id: "" }] = await liveRecords(account);
      const [zone] = await listed<{ id: string }>(account, "/v2026/dns/zones");
      const path = `/v2026/dns/zones/${zone?.id}/records/${id}`;
      await must(200, account.byHand("PUT", path, { name: "a", type: "TXT", content, ttl }));
    };
    const state = async () => (await liveRecords(account)).map(({ ttl, content }) => [ttl, content]);
    await begin(declared(600, "here"));
    await change(900, '"there"');
    commit(declared(900, "here"));
    await applied("--only-drift");
    expect(await state()).toEqual([[900, '"here"']]);
    await change(900, '"there"');
    commit(declared(600, "there"));
    await applied("--only-drift");
    expect(await state()).toEqual([[600, '"there"']]);
    expect(await drifted()).toEqual({ status: 0, items: [] });
  });

  test("of a wildcard takes back that record alone, and not what was accepted beside it", async () => {
    const star = "dns_record/example.com/*/TXT";
    await begin(manifest('"*"', "a"));
    for (const name of ["*", "a"]) await changeByHand(name, '"there"');
    const accepted = manifest('"*"', "a").replace("a: { TXT: here }", "a: { TXT: there }");
    const tolerated = `${manifest('"*"', "a")}policy: { tolerate: [${a}] }\n`;
    for (const text of [tolerated, accepted]) {
      commit(text);
      const steps = eventsOf(exits(0, await run("plan", "--only-drift", "--json"))).filter(
        ({ type }) => type === "planned",
      );
      expect(steps.map(({ address }) => address)).toEqual([star]);
    }
    await applied("--only-drift");
    expect(await drifted()).toEqual({ status: 0, items: [] });
  });

  test("changes nothing where there is no drift", async () => {
    await begin(manifest("a"));
    commit(manifest("a", "b"));
    expect(exits(0, await apply("--only-drift")).stdout).toContain("No drift.");
    expect(await records()).toEqual(["a"]);
  });
});

test("before the first apply, and after one of uncommitted changes, drift is not known", async () => {
  commit(manifest("a"));
  expect(exits(6, await drift()).stderr).toContain("Nothing was applied from this manifest so far");
});

test("where one of the manifests of the last apply cannot be read as it was, drift of the others is not called all", async () => {
  const more = join(repository.folder, "more.yaml");
  const declaring = (value: string) => `dns: { example.com: { records: { b: { TXT: "${value}" } } } }\n`;
  writeFileSync(more, `variables: { text: {} }\n${declaring("${var:text}")}`);
  commit(manifest("a"));
  await applied("-f", more, "--var", "text=here");
  writeFileSync(more, declaring("here"));
  commit(manifest("a"));
  await changeByHand("b", "by hand");
  expect(exits(6, await drift("-f", more)).stderr).toContain("cannot be read");
});

test.each([
  ["a plan without changes", []],
  ["a plan that was never applied", ["b"]],
])("an undo of %s changes nothing, and leaves the last apply as it is", async (_which, waiting) => {
  await begin(manifest("a"));
  if (waiting.length > 0) commit(manifest("a", ...waiting));
  const undo = join(repository.folder, "undo.json");
  expect((await run("plan", "--undo-out", undo)).status).toBe(0);
  const before = git("for-each-ref", "refs/hostform");
  expect(exits(0, await runInProcess(account, ["apply", undo])).stdout).toContain("No changes");
  expect(git("for-each-ref", "refs/hostform")).toBe(before);
  expect(exits(0, await drift()).stdout).toContain("No drift");
});

test("outside of git, drift is known with the file of an inventory, and without one it says so", async () => {
  const folder = folderForTest();
  const file = join(folder, "hosting.yaml");
  writeFileSync(file, manifest("a"));
  const inventory = ["--inventory", join(folder, "inventory.json")];
  const command = (name: string, ...more: string[]) => runInProcess(account, [name, "-f", file, ...more]);
  for (const more of [[], inventory]) expect((await command("apply", "--auto-approve", ...more)).status).toBe(0);
  const unknown = await command("drift");
  expect(exits(6, unknown).stderr).toContain("No inventory is kept");
  expect(unknown.stderr).toContain("so it is not known what was applied");
  expect(exits(0, await command("drift", ...inventory)).stdout).toContain("No drift");
});

test("after an apply before the first commit, drift is not known, and apply --only-drift sends nothing of what was committed since", async () => {
  const folder = folderForTest();
  const file = join(folder, "hosting.yaml");
  const inFolder = (...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=A", "-c", "user.email=a@b.example", ...args]);
  const command = (name: string, ...more: string[]) => runInProcess(account, [name, "-f", file, ...more]);
  inFolder("init", "--quiet");
  writeFileSync(file, manifest("a"));
  exits(0, await command("apply", "--auto-approve"));
  writeFileSync(file, manifest("a", "b"));
  inFolder("add", ".");
  inFolder("commit", "--quiet", "-m", "first");
  for (const ran of [await command("drift"), await command("apply", "--only-drift", "--auto-approve")])
    expect(exits(6, ran).stderr).toContain("The last apply was an undo or had uncommitted changes");
  expect(await records()).toEqual(["a"]);
});

test("after an undo, drift is not known, and apply --only-drift does not make again what the undo took back", async () => {
  await begin(manifest("a"));
  commit(manifest("a", "b"));
  const undo = join(repository.folder, "undo.json");
  expect((await run("plan", "--undo-out", undo)).status).toBe(0);
  await applied();
  expect((await runInProcess(account, ["apply", undo])).status).toBe(0);
  expect(await records()).toEqual(["a"]);
  for (const ran of [await drift(), await apply("--only-drift")]) {
    expect(ran, fail(ran)).toMatchObject({ status: 6 });
    expect(ran.stderr).toContain("The last apply was an undo");
  }
  expect(await records()).toEqual(["a"]);
  commit(manifest("a"));
  await applied();
  expect(await drifted()).toEqual({ status: 0, items: [] });
});

test.runIf(size.whole)("a snapshot is compared only if it was taken after the last apply, and named", async () => {
  await begin(manifest("a"));
  const file = join(account.folder, "live.json");
  const ofSnapshot = (...flags: string[]) =>
    runInProcess(noAccount, ["drift", "-f", join(repository.folder, "hosting.yaml"), "--live", file, ...flags]);
  expect((await run("snapshot", "--out", file)).status).toBe(0);
  expect(exits(0, await ofSnapshot()).stdout).toContain("A snapshot of 2");
  commit(manifest("a").replace("here", "there"));
  await applied();
  for (const flags of [[], ["--accept", a]]) {
    expect(exits(6, await ofSnapshot(...flags)).stderr).toContain("The snapshot was taken before the last apply");
  }
});

describe("drift --accept", () => {
  const inLines = (records: string) =>
    `# ours\nversion: 1\nname: shop\ndns:\n  example.com:\n    records:\n${records}      b: { TXT: here } # this stays\n`;

  test("writes the live value in place of the written one, takes out what is gone, and keeps all else", async () => {
    const lines = (value: string) => `\n        # why\n        ${value} # what\n`;
    const forms: readonly (readonly [before: string, after?: string])[] = [
      ["{ TXT: here }", "{ TXT: by hand }"],
      [lines("TXT: here"), lines("TXT: by hand")],
      [lines("TXT:\n          - here"), lines("TXT:\n          - by hand")],
      ["{ TXT: [here] }", "{ TXT: [by hand] }"],
      ["{ TXT: { ttl: 300, values: [here] } }", "{ TXT: { ttl: 300, values: [by hand] } }"],
      ["# why\n        TXT: here"],
    ];
    const text = (of: 0 | 1) =>
      inLines(forms.map((form, at) => (form[of] === undefined ? "" : `      a${at}: ${form[of]}\n`)).join(""));
    const { command, applied: appliedIn, written } = withoutGit();
    await appliedIn(text(0));
    for (const [at, [, after]] of forms.entries())
      await (after === undefined ? deleteByHand(`a${at}`) : changeByHand(`a${at}`, "by hand"));
    for (const at of forms.keys()) {
      const ran = exits(0, await command("drift", "--accept", `dns_record/example.com/a${at}/TXT`));
      expect(ran.stdout).toContain("hosting.yaml:");
    }
    expect(written()).toBe(text(1));
    exits(0, await command("plan", "--detailed-exitcode"));
    exits(0, await command("drift"));
  });

  test("ends a line that it adds as the others of the file end", async () => {
    const text = inLines("      a:\n        TXT:\n          - here # what\n");
    const { command, applied: appliedIn, written } = withoutGit();
    await appliedIn(text.replaceAll("\n", "\r\n"));
    await makeByHand("a");
    exits(0, await command("drift", "--accept", a));
    const added = text.replace("# what\n", "# what\n          - by hand\n");
    expect(written()).toBe(added.replaceAll("\n", "\r\n"));
  });

  test("keeps the item that stays beside its comment, in whatever spelling it is written", async () => {
    const text = (items: string) => inLines(`      a:\n        AAAA:\n${items}`);
    const { command, applied: appliedIn, written } = withoutGit();
    await appliedIn(text("          - 2001:DB8::1 # web\n          - 2001:DB8::2 # mail\n"));
    const { id } = (await liveRecords(account)).find(({ content }) => content === "2001:db8::1") ?? {};
    await account.byHand("DELETE", `${await recordsPath(account)}/${id}`);
    exits(0, await command("drift", "--accept", "dns_record/example.com/a/AAAA"));
    expect(written()).toBe(text("          - 2001:DB8::2 # mail\n"));
  });

  const one = (records: string, above = "") =>
    `version: 1\nname: shop\n${above}dns: { example.com: { records: { ${records} } } }\n`;
  const refused: readonly (readonly [how: string, text: string, change: () => Promise<unknown>, words: string])[] = [
    [
      "a template makes the value, and says where it stands",
      one('a: { TXT: "${var:said}" }', "variables: { said: { default: here } }\n"),
      () => changeByHand("a", "by hand"),
      "hosting.yaml:4:",
    ],
    ...["a: { TXT: &said here }, b: { TXT: *said }", "a: &said { TXT: here }, b: *said"].map(
      (records) =>
        [
          `what another declares would change with it, though that has drifted, too: ${records}`,
          one(records),
          () => changeByHand("a", "by hand").then(() => changeByHand("b", "otherwise")),
          "",
        ] as const,
    ),
    [
      "a template declares what is gone, and says that it is to be taken out",
      `version: 1\nname: shop\ntemplates: { one: { parameters: { d: {} }, dns: { "\${param:d}": { records: { a: { TXT: here } } } } } }\nuse: [{ template: one, with: { d: example.com } }]\n`,
      () => deleteByHand("a"),
      "help: take it out by hand",
    ],
  ];

  test.each(refused)("writes nothing where %s", async (_how, text, change, words) => {
    const { command, applied: appliedIn, written } = withoutGit();
    await appliedIn(text);
    await change();
    expect(exits(3, await command("drift", "--accept", a)).stderr).toContain(words);
    expect(written()).toBe(text);
  });

  test.each([
    ["of what has not drifted is a mistake", a, `${a} has not drifted`],
    [
      "of what is neither declared nor in a list that was read leads to the lists that were not",
      "domain/b.example",
      "hostform drift --unmanaged lists",
    ],
  ])("%s", async (_name, address, words) => {
    await begin(manifest("a"));
    expect(exits(3, await drift("--accept", address)).stderr).toContain(words);
  });

  test.each(size.every(6, [[[]], [["--unmanaged"]]]))(
    "of what no manifest declares names the import that adds it (%j)",
    async (flags) => {
      await begin(manifest("a"));
      await makeByHand("z");
      const z = "dns_record/example.com/z/TXT";
      const ran = exits(3, await drift("--accept", z, ...flags));
      expect(ran.stderr).toContain(`${z} is in no manifest`);
      expect(ran.stderr).toMatch(
        /hostform import --into .*hosting\.yaml.* --only dns_record\/example\.com\/z\/TXT adds it/u,
      );
    },
  );
});

test("a credential that was put into a command by hand is masked, and not written into the manifest", async () => {
  const token = "sk_live_4f9a8b7c6d5e4f3a2b1c";
  const text = (command: string) =>
    `version: 1\nname: shop\nservices: { example.com: { plan: WEB-M, datacenter: MAD1 } }\ncrons: { example.com: { jobs: { nightly: { schedule: "0 3 * * *", command: "${command}" } } } }\n`;
  commit(text("php nightly.php"));
  await applied();
  const theirs = join(account.folder, "theirs.yaml");
  writeFileSync(theirs, text(`curl -H 'Authorization: Bearer ${token}' https://a.example`).replace("shop", "theirs"));
  const inventory = ["--inventory", join(account.folder, "theirs.json")];
  const flags = ["--auto-approve", "--settle", "0", ...inventory];
  exits(0, await runInProcess(account, ["apply", "-f", theirs, ...flags]));
  for (const args of [[], ["--json"], ["--accept", "cron/example.com/nightly"]]) {
    const ran = await drift(...args);
    expect(ran.status, fail(ran)).toBe(args.length > 1 ? 3 : 2);
    expect(fail(ran)).not.toContain(token);
  }
  expect(readFileSync(join(repository.folder, "hosting.yaml"), "utf8")).not.toContain(token);
});

test("what belongs to a service that was made again elsewhere is accepted before and after the service", async () => {
  const text = (datacenter: string, minute: number) =>
    `version: 1\nname: shop\nservices: { example.com: { plan: WEB-M, datacenter: ${datacenter} } }\ncrons: { example.com: { jobs: { nightly: { schedule: ${minute} 3 * * *, command: one } } } }\n`;
  const [service, cron] = ["service/example.com", "cron/example.com/nightly"];
  commit(text("MAD1", 0));
  await applied();
  const theirs = join(account.folder, "theirs.yaml");
  writeFileSync(theirs, text("BCN1", 5).replace("shop", "theirs"));
  const flags = ["--auto-approve", "--settle", "0", "--inventory", join(account.folder, "theirs.json")];
  exits(0, await runInProcess(account, ["apply", "-f", theirs, "--allow-delete", service, ...flags]));
  for (const order of [
    [cron, service],
    [service, cron],
  ]) {
    commit(text("MAD1", 0));
    for (const address of order) exits(0, await drift("--accept", address));
    expect(readFileSync(join(repository.folder, "hosting.yaml"), "utf8")).toBe(text("BCN1", 5));
  }
});

test("a field that no manifest has ever declared does not count as drift of what was made again by hand", async () => {
  const text =
    "version: 1\nname: shop\nservices: { example.com: { plan: WEB-M, datacenter: MAD1 } }\ndatabases: { example.com: { databases: { shop: { engine: mariadb } } } }\n";
  commit(text);
  await applied();
  const [{ id, service_id } = {}] = await listed<Record<string, string>>(account, "/v2026/databases");
  await must(204, account.byHand("DELETE", `/v2026/databases/${id}`));
  await account.create("/databases", { service_id, name: "shop", engine: "postgresql" });
  const [item] = eventsOf(await drift("--json")).filter(({ type }) => type === "drifted");
  expect((item?.["changes"] as { path: string }[] | undefined)?.map(({ path }) => path)).toEqual(["engine"]);
  expect((await drift("--accept", "database/example.com/shop")).status).toBe(0);
  expect(readFileSync(join(repository.folder, "hosting.yaml"), "utf8")).toBe(text.replace("mariadb", "postgresql"));
});

test("while an apply is cut off, drift is not known, and the advice is to apply again", async () => {
  await begin(manifest("a"));
  commit(manifest("a", "b"));
  const ref = git("for-each-ref", "--format=%(refname)", "refs/hostform").trim().split("\n")[0] ?? "";
  const inventory = JSON.parse(git("cat-file", "blob", `${ref}:inventory.json`)) as object;
  const running = { by: "ci@dead", host: "dead", pid: 1, since: "2026-01-01T00:00:00Z", until: "2026-01-01T00:01:00Z" };
  const file = join(repository.folder, "..", "inventory.json");
  writeFileSync(file, JSON.stringify({ ...inventory, running }));
  const blob = git("hash-object", "-w", file).trim();
  writeFileSync(file, `100644 blob ${blob}\tinventory.json\n`);
  const tree = execFileSync("git", ["mktree"], { cwd: repository.folder, input: readFileSync(file) })
    .toString()
    .trim();
  git("update-ref", ref, git("commit-tree", "-p", ref, "-m", "cut off", tree).trim());
  expect(exits(6, await drift()).stderr).toContain("An apply by ci@dead, since 2026-01-01T00:00:00Z, did not end");
});

test("where git cannot read the repository, drift does not say that there is none", async () => {
  const folder = folderForTest();
  const file = join(folder, "hosting.yaml");
  writeFileSync(file, manifest("a"));
  execFileSync("git", ["init", "--quiet", folder]);
  writeFileSync(join(folder, ".git", "config"), "[broken");
  const ran = exits(6, await runInProcess(account, ["drift", "-f", file]));
  expect(ran.stderr).toContain("git cannot read the repository");
  expect(ran.stderr).toContain("so it is not known what was applied");
  expect(ran.stderr).not.toContain("no git work tree");
});
