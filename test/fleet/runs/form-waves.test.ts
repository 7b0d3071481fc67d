import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Wave } from "../../../src/fleet/model.ts";
import { formWaves } from "../../../src/fleet/runs/waves.ts";
import { changed } from "./make-run.ts";
import { forDraws } from "../../support/for-draws.ts";

const tenOf = (prefix: string) => Array.from({ length: 10 }, (_, index) => changed(`${prefix}${index}`, 10 - index));
const wavesOf = (waves: readonly Wave[], accounts = tenOf("s")) => {
  const formed = formWaves(accounts, waves);
  const lists = Array.from({ length: Math.max(...formed.values()) + 1 }, (): string[] => []);
  for (const [account, wave] of formed) lists[wave]?.push(account);
  return lists;
};

describe("waves", () => {
  test("take the accounts with the fewest changes first, and those with as many by name", () => {
    expect(wavesOf([{ accounts: 1 }, { share: 0.3 }, "rest"])).toEqual([
      ["s9"],
      ["s8", "s7", "s6"],
      ["s5", "s4", "s3", "s2", "s1", "s0"],
    ]);
    expect(wavesOf([{ accounts: 2 }], [changed("c"), changed("a"), changed("b")])).toEqual([["a", "b"], ["c"]]);
  });

  test.each([
    [0.01, 1],
    [0.1, 1],
    [0.11, 2],
    [1, 10],
  ])("of a share of %d take it rounded up: %i of ten", (share, count) => {
    expect(wavesOf([{ share }])[0]).toHaveLength(count);
  });

  test("of 7 % of a hundred are seven", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => changed(`s${index}`));
    expect(wavesOf([{ share: 0.07 }], hundred)[0]).toHaveLength(7);
  });

  test("begin with the accounts that are named, or with the smallest where none of these has changes", () => {
    expect(wavesOf([{ names: ["s0", "s4", "elsewhere"] }, "rest"])[0]).toEqual(["s4", "s0"]);
    expect(wavesOf([{ names: ["elsewhere"] }, "rest"])[0]).toEqual(["s9"]);
  });

  test("take what is left over as the last one, and without waves are one", () => {
    expect(wavesOf([])).toHaveLength(1);
    expect(wavesOf([{ accounts: 4 }]).map(({ length }) => length)).toEqual([4, 6]);
  });

  test("take what an account needs before it, also through others, and with it where it is named", () => {
    const accounts = [
      changed("a", 1, { needs: ["b"] }),
      changed("b", 2, { needs: ["c", "clean"] }),
      changed("c", 3),
      changed("d", 4),
    ];
    const one = { accounts: 1 };
    expect(wavesOf([one, one, one, "rest"], accounts)).toEqual([["c"], ["b"], ["a"], ["d"]]);
    expect(wavesOf([{ names: ["b"] }, "rest"], accounts)).toEqual([
      ["c", "b"],
      ["a", "d"],
    ]);
  });

  test("have as many accounts as they are to have, whatever these need, and none before what it needs", async () => {
    const drawn = fc.array(fc.record({ changes: fc.nat(5), needs: fc.array(fc.nat(1000), { maxLength: 3 }) }), {
      minLength: 1,
      maxLength: 20,
    });
    await forDraws({}, drawn, fc.integer({ min: 1, max: 5 }), fc.nat(19), (all, count, named) => {
      const accounts = all.map(({ changes, needs }, at) =>
        changed(`s${at}`, changes, { needs: at === 0 ? [] : needs.map((need) => `s${need % at}`) }),
      );
      const names = [`s${named % all.length}`];
      for (const first of [{ accounts: count }, { names }]) {
        const formed = formWaves(accounts, [first, "rest"]);
        const size = accounts.filter(({ account }) => formed.get(account) === 0).length;
        if ("accounts" in first) expect(size).toBe(Math.min(count, all.length));
        else expect(names.map((name) => formed.get(name))).toEqual([0]);
        for (const { account, needs } of accounts)
          for (const need of needs) expect(formed.get(need) ?? NaN).toBeLessThanOrEqual(formed.get(account) ?? NaN);
      }
    });
  });

  test("are formed in little time of 5,000 accounts that each need the one before", () => {
    const accounts = Array.from({ length: 5000 }, (_, index) =>
      changed(`s${index}`, index % 7, { needs: index > 0 ? [`s${index - 1}`] : [] }),
    );
    const formed = formWaves(accounts, [{ accounts: 1 }, { share: 0.05 }, "rest"]);
    expect(formed.get("s4999")).toBe(2);
  });

  test("are the same for any order of the accounts", () =>
    forDraws({}, fc.shuffledSubarray(tenOf("s"), { minLength: 10 }), (shuffled) => {
      const waves = [{ accounts: 2 }, { share: 0.25 }, "rest"] as const;
      expect(formWaves(shuffled, waves)).toEqual(formWaves(tenOf("s"), waves));
    }));
});
