import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { lastChange } from "../../src/state/git/last-change.ts";
import { size } from "../proofs/size.ts";
import { forDraws } from "../support/for-draws.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const surroundings = { env: { PATH: process.env["PATH"] }, isSecret: () => false };

/** The lines of the committed file that hold the same text, each from a commit of its own, and the order of these commits. */
const places = [5, 12, 13, 30, 50];
const order = [30, 5, 50, 13, 12];
const repeated = "same: true";
const filler = (line: number) => `filler: ${line}`;
const committed = Array.from({ length: 60 }, (_, index) => (places.includes(index + 1) ? repeated : filler(index + 1)));

const folder = folderForFile();
let file: string;

beforeAll(() => {
  file = join(folder, "site.yaml");
  const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args]);
  // All commits have the same time: only their ancestry says which is the newest.
  const date = "2026-01-01T00:00:00Z";
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  const who = ["-c", "user.name=Ann", "-c", "user.email=a@b.example"];
  const lines = Array.from({ length: 60 }, (_, index) => filler(index + 1));
  const commit = (message: string) => {
    writeFileSync(file, `${lines.join("\n")}\n`);
    git("add", ".");
    execFileSync("git", ["-C", folder, ...who, "commit", "-q", "-m", message], { env });
  };
  git("init", "-q");
  commit("filler");
  for (const place of order) {
    lines[place - 1] = repeated;
    commit(String(place));
  }
});

/** The summary of the commit that is found for some lines of a working copy. */
async function findSummary(lines: readonly string[], first: number, last: number) {
  writeFileSync(file, lines.join("\n"));
  const found = await lastChange({ file, first, last }, surroundings);
  return typeof found === "object" ? found.summary : found;
}

describe("the commit that last changed lines", () => {
  test("is that of the nearest place, where the committed file holds them at several", async () => {
    const near = fc.integer({ min: 1, max: 60 });
    await forDraws({ numRuns: size.draws(40), examples: [[1], [8], [13], [60]] }, near, async (line) => {
      const lines = [...Array.from({ length: line - 1 }, () => "new: 1"), repeated];
      const distance = (place: number) => Math.abs(place - line);
      const [nearest] = places.toSorted((a, b) => distance(a) - distance(b) || a - b);
      expect(await findSummary(lines, line, line)).toBe(String(nearest));
    });
  });

  test("is the newest, where several commits have changed them", async () => {
    const range = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 }));
    await forDraws(
      { numRuns: size.draws(30), examples: [[[1, 60]], [[12, 13]], [[5, 30]]] },
      range,
      async ([one, other]) => {
        const [first, last] = [Math.min(one, other), Math.max(one, other)];
        // A single line of the repeated text is at its own place, so it is the nearest to itself.
        const newest = order.findLast((place) => place >= first && place <= last);
        expect(await findSummary(committed, first, last)).toBe(newest === undefined ? "filler" : String(newest));
      },
    );
  });

  test("is the same in a clone of any depth, or cut off where the clone does not hold it", async () => {
    const history = ["filler", ...order.map(String)];
    // Of a history that is all there, the first commit is no end of it.
    const drawn = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: history.length }));
    await forDraws(
      { numRuns: size.draws(48), examples: [[[12, 1]], [[1, 1]], [[12, 2]], [[1, 6]], [[30, 5]]] },
      drawn,
      async ([line, depth]) => {
        const clone = mkdtempSync(join(folder, "clone-"));
        execFileSync("git", ["clone", "--quiet", "--depth", String(depth), `file://${folder}`, clone]);
        writeFileSync(join(clone, "site.yaml"), committed.join("\n"));
        const found = await lastChange({ file: join(clone, "site.yaml"), first: line, last: line }, surroundings);
        const summary = places.includes(line) ? String(line) : "filler";
        const isHeld = depth === history.length || history.indexOf(summary) > history.length - depth;
        expect(typeof found === "object" ? found.summary : found).toBe(isHeld ? summary : "cut_off");
      },
    );
  });

  test("has the latest time that JavaScript counts where it has a later one", async () => {
    const clone = mkdtempSync(join(folder, "clone-"));
    const late = join(clone, "late.yaml");
    writeFileSync(late, "late: 1");
    const env = { ...process.env, GIT_COMMITTER_DATE: "@9999999999999 +0000" };
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", clone, "-c", "user.name=Ann", "-c", "user.email=a@b.example", ...args], { env });
    git("init", "-q");
    git("add", ".");
    git("commit", "-q", "-m", "late");
    expect(await lastChange({ file: late, first: 1, last: 1 }, surroundings)).toMatchObject({
      summary: "late",
      time: "+275760-09-13T00:00:00.000Z",
    });
  });

  test("is none for lines that no commit holds, or of a file that is in none", async () => {
    expect(await findSummary(["other: 1"], 1, 1)).toBe("not_committed");
    writeFileSync(join(folder, "apart.yaml"), repeated);
    expect(await lastChange({ file: join(folder, "apart.yaml"), first: 1, last: 1 }, surroundings)).toBeUndefined();
  });
});
