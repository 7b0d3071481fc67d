import { expect } from "vitest";
import type { Account } from "../support/account.ts";
import { pathOf, type Trial } from "./draw-trial.ts";
import { linesOf, sorts, type Held, type Line, type Sort } from "./things.ts";

/** A trial, what was there before it, what is there now, and what was asked for meanwhile. */
interface Outcome {
  readonly drawn: Trial;
  readonly before: readonly Held[];
  readonly now: readonly Held[];
  readonly operations: Awaited<ReturnType<Account["operations"]>>;
}

/** What is as declared, or is declared nowhere and to stay, was not touched, not even for a moment; only what is to go was deleted. */
export function expectNothingLost({ drawn, before, now, operations }: Outcome): void {
  const end = new Set(linesAtTheEnd(drawn));
  const kept = before.filter(({ line }) => end.has(line));
  const keptIds = new Set(kept.map(({ id }) => id));
  const still = now.filter(({ id }) => keptIds.has(id));
  expect(still, "what is to stay is as it was").toEqual(kept);
  const writes = operations.filter(({ committed }) => committed);
  const written = writes.filter(({ path }) => keptIds.has(idIn(path)));
  expect(written, "written, though it is as declared, or declared nowhere and to stay").toEqual([]);
  const ids = new Set(before.map(({ id }) => id));
  const deleted = writes.filter(({ method, path }) => method === "DELETE" && !ids.has(idIn(path)));
  expect(deleted, "deleted, though it was made just now").toEqual([]);
}

/** Only what is wanted and was not there was made, and asked for; nothing twice. */
export function expectNothingTwice({ drawn, before, now, operations }: Outcome): void {
  const there = new Set(before.map(({ line }) => line));
  const made = now.filter(({ line }) => !there.has(line)).map(({ line }) => line);
  const end = new Set(linesAtTheEnd(drawn));
  const strange = made.filter((line) => !end.has(line));
  expect(strange, "there, though nobody declares it").toEqual([]);
  expect(made, "made twice").toEqual([...new Set(made)]);
  for (const sort of sorts) {
    const posts = operations.filter(({ method, path }) => method === "POST" && isUnder(pathOf[sort], path));
    const missing = toBeMade(sort, drawn);
    const said = `of ${sort} there was to be made: ${missing.join(", ")}`;
    expect(posts.filter(({ committed }) => committed).length, `made; ${said}`).toBeLessThanOrEqual(missing.length);
    // What was answered as it should be is not asked for again.
    const answered = posts.filter(({ fault }) => fault === null);
    expect(answered.length, `asked for; ${said}`).toBeLessThanOrEqual(missing.length);
  }
}

/** Nothing was made or deleted in a list that is told not to have been read whole, and no set changed. */
export function expectNoBlindWrites({ operations }: Outcome, incomplete: readonly string[]): void {
  for (const sort of sorts.filter((each) => incomplete.some((collection) => collection.split("/")[0] === each))) {
    const forbidden = sort === "dns_record" ? ["POST", "PUT", "DELETE"] : ["POST", "DELETE"];
    const blind = operations.filter(({ method, path }) => forbidden.includes(method) && isUnder(pathOf[sort], path));
    expect(blind, `${sort} was not read whole`).toEqual([]);
  }
}

/** What is there is what is wanted and what is left alone; it was made once each. */
export function expectAsDeclared({ drawn, now, operations }: Outcome): void {
  expect(now.map(({ line }) => line).toSorted()).toEqual(linesAtTheEnd(drawn).toSorted());
  const made = operations.filter(({ method, committed }) => committed && method === "POST");
  for (const sort of sorts) {
    const posts = made.filter(({ path }) => isUnder(pathOf[sort], path)).length;
    const missing = toBeMade(sort, drawn);
    const said = `${sort} made; there was to be made: ${missing.join(", ")}`;
    // A record may also become another by an update.
    if (sort === "dns_record") expect(posts, said).toBeLessThanOrEqual(missing.length);
    else expect(posts, said).toBe(missing.length);
  }
}

/** What nobody names is left alone, unless it is to go; a certificate cannot be deleted. */
function linesAtTheEnd({ wanted, live, exclusive }: Pick<Trial, "wanted" | "live" | "exclusive">): Line[] {
  const isLeft = (line: Line) => {
    const [sort = "", name = ""] = line.split(" ");
    const isNamed = Object.hasOwn(wanted[sort as Sort], name);
    return !isNamed && (!exclusive || sort === "certificate");
  };
  return [...linesOf(wanted), ...linesOf(live).filter(isLeft)];
}

/** Values wanted and not there; what has one value alone is made only where it is not there at all, else changed. */
function toBeMade(sort: Sort, { live, wanted }: Pick<Trial, "live" | "wanted">): string[] {
  return Object.entries(wanted[sort]).flatMap(([name, values]) => {
    const there = live[sort][name] ?? [];
    if (sort !== "dns_record" && there.length > 0) return [];
    return values.filter((value) => !there.includes(value)).map((value) => `${name} ${value}`);
  });
}

const idIn = (path: string): string => path.split("?")[0]?.split("/").at(-1) ?? "";

/** Whether a path is that of a list, or of something in it. */
function isUnder(list: string, path: string): boolean {
  const wanted = list.split("/");
  const segments = path.split("?")[0]?.split("/") ?? [];
  return wanted.every((segment, index) => segment.startsWith("{") || segment === segments[index]);
}
