import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cli, eventsOf, exits, type Ran, runInProcess } from "../support/run-hostform.ts";
import { sealedLines } from "../support/sealed-lines.ts";
import { journaledApplies } from "./journaled-applies.ts";
import { size } from "../proofs/size.ts";

/** What an apply writes down before it sends, and what the next one makes of it (DESIGN.md section 3), over HTTPS. */
const {
  account,
  front,
  work,
  writes,
  records,
  apply,
  applyWith,
  own,
  journal,
  lines,
  posts,
  file,
  begin,
  intent,
  resume,
  resumeFrom,
} = journaledApplies();

test("each intent is on the disk before its request is sent, with many at once", async () => {
  const names = Array.from({ length: 40 }, (_, index) => `n${index}: { A: 192.0.2.1 }`);
  const missing: string[] = [];
  const ran = await applyWith(records(names.join(", ")), ({ method, headers }) => {
    const key = headers["idempotency-key"] as string;
    if (method === "POST" && !readFileSync(journal(), "utf8").includes(`"key":"${key}"`)) missing.push(key);
  });
  expect(ran.status).toBe(0);
  expect(missing).toEqual([]);
  expect(posts().length).toBe(40);
});

describe("interrupted", () => {
  test.runIf(size.whole)("by a terminal that closes, which says so twice: what is in flight is finished", async () => {
    const file = records("a: { A: 192.0.2.1 }, b: { A: 192.0.2.2 }");
    const ran = await applyWith(
      file,
      async ({ method, path, pass }, kill) => {
        if (method === "GET" || !path.endsWith("/records")) return;
        kill("SIGHUP");
        kill("SIGHUP");
        await pass();
      },
      { flags: ["--parallelism", "1"] },
    );
    expect(ran.status).toBe(130);
    expect(eventsOf(ran).find(({ type }) => type === "report")).toMatchObject({ interrupted: true, failed: 0 });
    // The creation was answered, and no list has shown it so far.
    expect(own(".journal").length).toBe(1);
    expect(own(".lock")).toEqual([]);
  });

  test("twice: it leaves at once, with the journal whole", async () => {
    const file = records("a: { A: 192.0.2.1 }, b: { A: 192.0.2.2 }");
    let stopping: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => (stopping = resolve));
    let gone: () => void = () => undefined;
    const isGone = new Promise<void>((resolve) => (gone = resolve));
    let signal: ((name: NodeJS.Signals) => void) | undefined;
    work.handle = async ({ method, path, pass, response }) => {
      if (method === "GET" || !path.endsWith("/records")) return;
      await pass();
      signal?.("SIGINT");
      await stopped;
      signal?.("SIGINT");
      // No answer, and no broken connection either, while it can still write anything down.
      await isGone;
      response.destroy();
    };
    const ran = await apply(file, ["--parallelism", "1"], {}, (stdout, kill) => {
      signal = kill;
      if (stdout.includes("Stopping")) stopping();
    });
    gone();
    work.handle = undefined;
    expect(ran.status).toBe(130);
    expect(ran.stderr).toContain("the next apply checks them first");
    expect(lines().at(-1)).toMatchObject({ type: "intent", operation: "create" });
    expect(exits(0, await apply(file)).stdout).toContain("it is done");
    expect(posts().length).toBe(2);
  });
});

test.each([
  ["with the same journal", "j.ndjson"],
  ["as from another folder", "another.ndjson"],
])("a second apply at the same time, %s, is refused before it asks for anything", async (_how, journalFile) => {
  const manifestFile = records("a: { A: 192.0.2.1 }");
  let second: Ran | undefined;
  let asked = 0;
  work.handle = async ({ method, path }) => {
    asked += 1;
    if (method === "GET" || !path.endsWith("/records")) return;
    const before = asked;
    second = await resumeFrom(join(work.folder, journalFile), manifestFile);
    expect(asked).toBe(before);
  };
  exits(0, await resume(manifestFile));
  expect(second?.stderr).toMatch(/Another apply is running since \S+Z, by tester@here \(process \d+ on here\)/u);
  expect(second?.status).toBe(6);
  expect(posts().length).toBe(1);
  expect(readdirSync(work.folder)).toEqual(["m.yaml"]);
});

test("a file that is not a journal is reported, moved aside, and stops nothing", async () => {
  const manifestFile = records("a: { A: 192.0.2.1 }");
  const text = sealedLines([begin(), intent({ address: "planet/\u001b[2J" })]);
  writeFileSync(file(), text);
  const { stdout, stderr } = exits(0, await resume(manifestFile));
  expect(stderr).toContain("journal_unreadable");
  expect(stdout + stderr).not.toContain("\u001b");
  const [kept = ""] = readdirSync(work.folder).filter((name) => /^j\.ndjson\.bad-\d{8}T\d{6}Z$/u.test(name));
  expect(readFileSync(join(work.folder, kept), "utf8")).toBe(text);
});

describe("a disk", () => {
  test("that cannot be written: nothing is sent, and the flag is named", async () => {
    const path = join(records("a: { A: 192.0.2.1 }"), "j.ndjson");
    const args = ["apply", "-f", join(work.folder, "m.yaml"), "--auto-approve", "--journal", path];
    const { stderr } = exits(3, await runInProcess(front, args));
    expect(stderr).toMatch(/No journal can be kept in \S+j\.ndjson: a part of the path is a file/u);
    expect(stderr).toContain("--journal FILE");
    expect(writes).toEqual([]);
  });

  test("that takes no lock in the temporary folder: that folder is named, since another journal would not help", async () => {
    const manifestFile = records("a: { A: 192.0.2.1 }");
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = join(work.folder, "nowhere");
    try {
      const args = ["apply", "-f", manifestFile, "--auto-approve", "--journal", file()];
      const { stderr } = exits(3, await runInProcess(front, args));
      expect(stderr).toMatch(/The lock file cannot be written to \S+nowhere: there is no such file/u);
      expect(stderr).not.toContain("--journal FILE");
      expect(writes).toEqual([]);
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
  });

  test("that fills up in the middle of an apply: nothing new starts, requests in flight are finished, and the reason is reported", async () => {
    const names = Array.from({ length: 60 }, (_, index) => `n${index}: { A: 192.0.2.1 }`);
    const manifestFile = records(names.join(", "));
    const flags = ["--auto-approve", "--json", "--journal", file(), ...front.flags];
    const command = [process.execPath, cli, "apply", "-f", manifestFile, ...flags];
    // Files of at most 20 blocks, as if the disk had no more.
    const ran = await new Promise<Ran>((resolve) => {
      const env = { PATH: process.env["PATH"] ?? "", ...account.env };
      const child = execFile(
        "/bin/sh",
        ["-c", 'ulimit -f 20; exec "$@"', "sh", ...command],
        { env, cwd: work.folder, maxBuffer: 2 ** 24 },
        (_error, stdout, stderr) => resolve({ status: child.exitCode, stdout, stderr }),
      );
    });
    expect(ran.status, ran.stderr).toBe(5);
    const events = eventsOf(ran);
    const failed = events.filter(({ type, outcome }) => type === "step_end" && outcome === "failed");
    expect(failed[0]?.["failure"]).toMatchObject({ sort: "unrecorded", message: expect.stringContaining("EFBIG") });
    const report = events.find(({ type }) => type === "report");
    expect(report).toMatchObject({ done: writes.length, mismatches: [] });
    expect(Number(report?.["not_attempted"])).toBeGreaterThan(20);
    expect(posts().length).toBeGreaterThan(5);
  });
});
