import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/engine/session/input-error.ts";
import { readWaves, type GivenWaves } from "../../../src/fleet/runs/waves.ts";
import { mistakeDiagnostics } from "../../../src/messages/mistakes.ts";

const names = ["shop-a", "shop-b", "customers/shop-c"];

/** Returns the mistakes of a command line: each as its summary and its hint. */
function mistakesOf(given: GivenWaves): string[] {
  try {
    readWaves(given, names);
    return [];
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return mistakeDiagnostics(error.mistake).map(({ summary, hint }) => `${summary}: ${hint}`);
  }
}

describe("the waves and limits of a run", () => {
  test.each([
    [{}, { waves: [] }],
    [{ wave: "rest" }, { waves: ["rest"] }],
    [
      { wave: "1,5%,rest", stopAt: "2%", surprise: 3 },
      { waves: [{ accounts: 1 }, { share: 0.05 }, "rest"], stopAt: 0.02, surprise: 3 },
    ],
    [
      { wave: " shop-a + customers/shop-c, 0.5%, rest " },
      { waves: [{ names: ["shop-a", "customers/shop-c"] }, { share: 0.005 }, "rest"] },
    ],
    [
      { stopAt: "0%", surprise: "0" },
      { waves: [], stopAt: 0, surprise: 0 },
    ],
    [{ wave: "shop-a+shop-a,rest" }, { waves: [{ names: ["shop-a"] }, "rest"] }],
  ])("%j are %j", (given, expected) => {
    expect(readWaves(given, names)).toEqual(expected);
  });

  test("a number that is the name of an account names it, and so stands in the first wave alone", () => {
    expect(readWaves({ wave: "1002,5,rest" }, ["1001", "1002"]).waves).toEqual([
      { names: ["1002"] },
      { accounts: 5 },
      "rest",
    ]);
    expect(() => readWaves({ wave: "1001,1002,rest" }, ["1001", "1002"])).toThrow(InputError);
  });

  test.each([
    [{ surprise: "" }, "--surprise: expected a number of deletions, found : write it as in --surprise 5"],
    [{ wave: "1,5%" }, "--wave: expected rest once, as the last wave, found 1,5%: write it as in --wave 1,5%,rest"],
    [
      { wave: "1,rest,5%" },
      "--wave: expected rest once, as the last wave, found 1,rest,5%: write it as in --wave 1,5%,rest",
    ],
    [
      { wave: "0,rest" },
      "--wave: expected at least 1 account, or a share up to 100%, found 0: write it as in --wave 1,5%,rest",
    ],
    [
      { wave: "101%,rest" },
      "--wave: expected at least 1 account, or a share up to 100%, found 101%: write it as in --wave 1,5%,rest",
    ],
    [
      { wave: "0%,rest" },
      "--wave: expected at least 1 account, or a share up to 100%, found 0%: write it as in --wave 1,5%,rest",
    ],
    [
      { wave: "shop-a+shop-q,rest" },
      "--wave: expected a number, a share, rest, or names of accounts with + between them, found shop-q: did you mean shop-a?",
    ],
    [
      { wave: ",rest" },
      "--wave: expected a number, a share, rest, or names of accounts with + between them, found an empty part: the accounts are shop-a, shop-b, customers/shop-c",
    ],
    [
      { wave: "1,shop-a,rest" },
      "--wave: expected a number, a share or rest after the first wave, found shop-a: name accounts in the first wave alone",
    ],
    [
      { stopAt: "2" },
      "--stop-at: expected a share from 0% to 100%, found 2: write it as in --stop-at 2%; 0% stops at the first failure",
    ],
    [{ surprise: -1 }, "--surprise: expected a number of deletions, found -1: write it as in --surprise 5"],
    [{ surprise: NaN }, "--surprise: expected a number of deletions, found NaN: write it as in --surprise 5"],
  ])("%j are refused", (given, expected) => {
    expect(mistakesOf(given)).toEqual([expected]);
  });

  test("are refused with all of their mistakes at once", () => {
    expect(mistakesOf({ wave: "0,zzzzzz", stopAt: "x", surprise: "y" })).toHaveLength(6);
  });
});
