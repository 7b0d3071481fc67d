import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Wave } from "../../../src/fleet/model.ts";
import { formWaves } from "../../../src/fleet/runs/form-waves.ts";
import { changed } from "./make-run.ts";

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

  test("move an account behind what it needs, also through others", () => {
    const accounts = [
      changed("a", 1, { needs: ["b"] }),
      changed("b", 2, { needs: ["c", "clean"] }),
      changed("c", 3),
      changed("d", 4),
    ];
    expect(wavesOf([{ accounts: 1 }, { accounts: 1 }, { accounts: 1 }, "rest"], accounts)).toEqual([
      [],
      [],
      ["a", "b", "c"],
      ["d"],
    ]);
  });

  test("are formed in little time of 5,000 accounts that each need the one before", () => {
    const accounts = Array.from({ length: 5000 }, (_, index) =>
      changed(`s${index}`, index % 7, { needs: index > 0 ? [`s${index - 1}`] : [] }),
    );
    const formed = formWaves(accounts, [{ accounts: 1 }, { share: 0.05 }, "rest"]);
    expect(formed.get("s4999")).toBe(2);
  });

  test("are the same for any order of the accounts", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(tenOf("s"), { minLength: 10 }), (shuffled) => {
        const waves = [{ accounts: 2 }, { share: 0.25 }, "rest"] as const;
        expect(formWaves(shuffled, waves)).toEqual(formWaves(tenOf("s"), waves));
      }),
    );
  });
});
