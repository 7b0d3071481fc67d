import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import { refusals as refuse, refusedEntry, savedRefusal, type Refusal } from "../../src/messages/refusals.ts";
import type { Step } from "../../src/model/plan.ts";
import { matchesGlob } from "../../src/model/glob.ts";
import { leavingOutFlags, renderRefusals } from "../../src/render/refusals-text.ts";
import { forDraws } from "../support/for-draws.ts";
import { makeStep } from "../support/make-step.ts";
import { plainPage } from "../support/plain-page.ts";

const shown = (refusals: readonly Refusal[], width = 4000) =>
  renderRefusals({ refusals, steps: [] }, { ...plainPage, width }).join("\n");

/** A deletion that is refused, declared in line `index + 1`. */
const deletion = (index: number, why = "its kind is protected", name = `m${index}`): Refusal =>
  refuse.needsConsent(going(`mailbox/${name}@a.example`, index + 1), why);
const going = (address: string, line = 1) => ({
  ...makeStep("a"),
  address: address as Address,
  action: "delete" as const,
  at: { file: "m.yaml", line, col: 1 },
});
const deletions = (count: number) => Array.from({ length: count }, (_, index) => deletion(index));
/** The lines between the head and the last one, which has the flags for all. */
const causes = (refusals: readonly Refusal[]) => shown(refusals).split("\n").slice(1, -1);

test("what helps is a flag, or else said in a sentence", () => {
  expect(shown(deletions(1))).toMatch(/\n {6}to allow it: --allow-delete mailbox\/m0@a\.example$/u);
  expect(shown([deletion(0, "", "g's")]).match(/to allow.*/gu)).toEqual([
    String.raw`to allow it: --allow-delete 'mailbox/g'\''s@a.example'`,
  ]);
  expect(shown([refuse.byPolicy({}, "no")])).toContain("      help: no flag allows it: change what it names");
});

test.each([40, 4000])("what else would do stands below the flag, which can be pasted as it is: %d columns", (width) => {
  const [, ...lines] = shown([refusedEntry(deletion(0), "not_committed", "m.yaml")], width).split("\n");
  const from = lines.findIndex((line) => line.includes("to allow it:"));
  const allow = lines.slice(from, -1).join("\n");
  expect(allow.replace("\\\n", "").replaceAll(/ +/gu, " ")).toBe(" to allow it: --allow-delete mailbox/m0@a.example");
  expect(lines.at(-1)).toBe("      or: commit m.yaml");
});

test("An alternative of a refusal stays whole, though the name of a file in it reads like two alternatives or like a flag", async () => {
  const file = fc.array(fc.constantFrom("a", "/", ", or ", " --allow-delete b", ": "), { minLength: 1, maxLength: 5 });
  await forDraws({}, file, fc.constantFrom(1, 3), (words, count) => {
    const committed = deletions(count).map((each) => refusedEntry(each, "not_committed", `x${words.join("")}x`));
    const lines = shown(committed).split("\n");
    expect(lines.filter((line) => line.startsWith("      or: "))).toEqual([`      or: commit x${words.join("")}x`]);
    const saved = shown(committed.map(savedRefusal));
    expect(saved).not.toContain("commit x");
    expect(saved).toContain("to allow it: --allow-delete ");
  });
});

test("where no flag allows a part, one line has all flags for the rest: they allow it, and leave that part out with what waits for it", () => {
  const never = refuse.incompleteRead(going("mailbox/m3@a.example"));
  const steps = [0, 1, 2, 3].map((index): Step => ({
    ...makeStep(`s${index}`, index === 2 ? ["s3"] : []),
    address: `mailbox/m${index}@a.example` as Address,
    action: "delete",
  }));
  const text = renderRefusals({ refusals: [...deletions(3), never], steps }, { ...plainPage, width: 4000 }).at(-1);
  expect(text).toBe(
    "  to apply the rest: --allow-delete mailbox/m0@a.example --allow-delete mailbox/m1@a.example --except mailbox/m2@a.example --except mailbox/m3@a.example",
  );
});

describe("a cause that many share", () => {
  test("is printed once, with the address and the line of each", () => {
    expect(causes(deletions(3))).toEqual([
      "  ✗ each of these 3 needs consent: its kind is protected",
      "      mailbox/m0@a.example (m.yaml:1)",
      "      mailbox/m1@a.example (m.yaml:2)",
      "      mailbox/m2@a.example (m.yaml:3)",
      "      to allow it: --allow-delete ADDRESS",
    ]);
  });

  test("lists ten addresses, and counts the others", () => {
    const lines = causes(deletions(30));
    expect(lines).toHaveLength(13);
    expect(lines.at(-2)).toBe("      and 20 more");
    expect(causes(deletions(10)).at(-2)).toBe("      mailbox/m9@a.example (m.yaml:10)");
  });

  test("is printed in a sentence that has the address in its middle, or not at all", () => {
    const unread = ["a", "b", "c"].map((name) => refuse.incompleteRead(going(`cron/a.example/${name}`)));
    expect(shown(unread)).toContain(
      "✗ cannot delete each of these 3: the list of its collection is incomplete\n      cron/a.example/a (m.yaml:1)\n",
    );
    const left = [0, 1, 2].map(() => refuse.manifestLeftOut({}, ["a.yaml"], true, 3, "mailbox/a@a.example" as Address));
    expect(shown(left)).toContain("3 resources would be deleted, such as mailbox/a@a.example\n");
  });

  test("is not made of an address that another one begins with", () => {
    const inTheWay = ["a", "b", "c"].map((name) =>
      refuse.nameTaken(going(`dns_record/x.example/${name}/A`), {
        holder: `dns_record/x.example/${name}/ALIAS` as Address,
        name: "x",
        isPlatforms: false,
        isRemoved: false,
      }),
    );
    expect(shown(inTheWay)).toContain("dns_record/x.example/b/ALIAS, which is not declared, already uses x");
    expect(shown(inTheWay)).not.toContain("each of these");
  });
});

test("a reason that only two refusals share, or that differs in more than the address, is printed for each", () => {
  expect(causes(deletions(2))).toHaveLength(4);
  const others = [deletion(0), deletion(1, "it is the last"), deletion(2, "prevent_destroy")];
  expect(shown(others)).not.toContain("each of these");
});

test("no refusal is lost: single, listed and counted ones together are all of them", async () => {
  const why = fc.constantFrom("a", "b", "c", "d");
  await forDraws({ numRuns: 50 }, fc.array(why, { minLength: 1, maxLength: 40 }), (whys) => {
    const lines = causes(whys.map((each, index) => deletion(index, each)));
    const named = lines.filter((line) => line.includes("(m.yaml:")).length;
    const counted = lines.flatMap((line) => /^ +and (\d+) more$/u.exec(line)?.[1] ?? []);
    expect(named + counted.reduce((sum, count) => sum + Number(count), 0)).toBe(whys.length);
  });
});

test("flags that a line is too short for can still be pasted into a shell", () => {
  const text = shown(deletions(5), 60);
  const pasted = text.slice(text.indexOf("--allow-delete m")).replaceAll(/ \\\n */gu, " ");
  expect(pasted).toContain(
    deletions(5)
      .map(({ hint }) => hint)
      .join(" "),
  );
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
});

test("what is printed to apply the rest leaves out what is refused, and nothing else", async () => {
  const name = fc.integer({ min: 0, max: 5 }).map((index) => `dns_record/${index % 2 ? "a" : "b"}.example/r${index}/A`);
  const some = fc.uniqueArray(fc.tuple(name, fc.boolean()), { minLength: 1, selector: ([address]) => address });
  await forDraws({}, some, async (drawn) => {
    const steps = drawn.map(([address]) => ({ ...going(address), id: `delete ${address}` }) satisfies Step);
    const refused = drawn.flatMap(([address, isRefused]) => (isRefused ? [address] : []));
    const flags = leavingOutFlags({ steps, refusals: refused.map((each) => refuse.needsConsent(going(each), "")) });
    const globs = flags.map((flag) => flag.replace("--except ", "").replaceAll("'", ""));
    const out = drawn.flatMap(([address]) => (globs.some((glob) => matchesGlob(glob, address)) ? [address] : []));
    expect(out).toEqual(refused.length === drawn.length ? [] : refused);
  });
});
