import { InputError } from "../../engine/session/input-error.ts";
import { nameSome } from "../../lib/shorten.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { nearest } from "../../model/nearest.ts";
import type { RunOptions, Wave } from "../model.ts";

/** The waves and the limits of a run as a user writes them. */
export interface GivenWaves {
  /** Such as `1,5%,rest`, or `shop-a+shop-b,5%,rest` with accounts that go first. */
  readonly wave?: string | undefined;
  /** Such as `2%`. */
  readonly stopAt?: string | undefined;
  readonly surprise?: string | number | undefined;
}

type Read = Pick<RunOptions, "waves" | "stopAt" | "surprise">;

/**
 * Reads the waves and the limits of a run. Throws an InputError with all mistakes.
 * @param names all accounts of the fleet.
 */
export function readWaves({ wave, stopAt, surprise }: GivenWaves, names: readonly string[]): Read {
  const mistakes: Diagnostic[] = [];
  const wrong = (flag: string, expected: string, found: unknown, hint: string) => {
    const summary = `${flag}: expected ${expected}, found ${String(found)}`;
    mistakes.push({ severity: "error", code: "bad_arguments", summary, hint });
  };
  const parts = wave?.split(",").map((part) => part.trim()) ?? [];
  const waves = parts.flatMap((part, index) => readWave(part, index, names, wrong));
  if (parts.length > 0 && parts.indexOf("rest") !== parts.length - 1)
    wrong("--wave", "rest once, as the last wave", wave, "write it as in --wave 1,5%,rest");
  const share = stopAt === undefined ? undefined : readShare(stopAt);
  if (stopAt !== undefined && share === undefined)
    wrong("--stop-at", "a share from 0% to 100%", stopAt, "write it as in --stop-at 2%; 0% stops at the first failure");
  const deletions = surprise === undefined ? undefined : readNumber(String(surprise));
  if (surprise !== undefined && deletions === undefined)
    wrong("--surprise", "a number of deletions", surprise, "write it as in --surprise 5");
  if (mistakes.length > 0) throw new InputError({ type: "diagnostics", diagnostics: mistakes });
  return {
    waves,
    ...(share !== undefined && { stopAt: share }),
    ...(deletions !== undefined && { surprise: deletions }),
  };
}

type Wrong = (flag: string, expected: string, found: unknown, hint: string) => void;

function readWave(part: string, index: number, names: readonly string[], wrong: Wrong): readonly Wave[] {
  if (part === "rest") return ["rest"];
  const accounts = readNumber(part);
  const share = readShare(part);
  if (accounts === 0 || share === 0 || (share === undefined && part.endsWith("%"))) {
    wrong("--wave", "at least 1 account, or a share up to 100%", part, "write it as in --wave 1,5%,rest");
    return [];
  }
  if (accounts !== undefined) return [{ accounts }];
  if (share !== undefined) return [{ share }];
  const given = part.split("+").map((name) => name.trim());
  if (index > 0)
    wrong("--wave", "a number, a share or rest after the first wave", part, "name accounts in the first wave alone");
  const known = new Set(names);
  for (const name of given.filter((each) => !known.has(each))) {
    const near = nearest(name, names);
    wrong(
      "--wave",
      "a number, a share, rest, or names of accounts with + between them",
      name === "" ? "an empty part" : name,
      near === undefined ? `the accounts are ${nameSome(names, 5)}` : `did you mean ${near}?`,
    );
  }
  return [{ names: [...new Set(given)] }];
}

const readNumber = (text: string): number | undefined => (/^\d{1,9}$/u.test(text) ? Number(text) : undefined);

/** Returns a share of 0 to 1. */
function readShare(text: string): number | undefined {
  const percent = /^(\d{1,3}(?:\.\d+)?)%$/u.exec(text)?.[1];
  return percent === undefined || Number(percent) > 100 ? undefined : Number(percent) / 100;
}
