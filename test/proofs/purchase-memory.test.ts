import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { size } from "./size.ts";
import { exits } from "../support/run-hostform.ts";
import { costly, openWorld, type Case, type World } from "../support/lagging-world.ts";

/**
 * What must not be requested twice is remembered beside the journal: a fresh runner has only the inventory, and a disk may give half of
 * a journal back.
 */
const owned = "domains: { r.example: { register: true, period_years: 1 } }";
const kinds: Readonly<Record<string, Case>> = {
  ...costly,
  "certificate of two names": {
    before: costly["certificate"]?.before ?? "",
    declared: `${costly["certificate"]?.before}\ncertificates: { a.example: [{ domains: [a.example, "*.a.example"] }] }`,
    path: "/v2026/ssl/**",
  },
  transfer: {
    before: costly["certificate"]?.before ?? "",
    declared: `${costly["certificate"]?.before}\ndomains: { t.example: { transfer: { auth_code: "\${env:CODE}" } } }`,
    path: "/v2026/domains",
    flags: ["--allow-purchase", "domain/t.example"],
  },
  renewal: {
    before: owned,
    declared: "domains: { r.example: { renew_before: 400d, period_years: 2 } }",
    path: "/v2026/domains/**",
    flags: ["--allow-purchase", "domain/r.example"],
  },
};
const losses: Readonly<Record<string, (text: string) => string | undefined>> = {
  gone: () => undefined,
  "cut to its first line": (text) => text.slice(0, text.indexOf("\n") + 1),
  "cut in half": (text) => text.slice(0, text.length / 2),
  whole: (text) => text,
};
const minute = 60_000;
const files = ({ journal, inventory }: World) => [journal, inventory];

/** What stands in the files of a world. */
const readFiles = (world: World) =>
  files(world).map((path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined));

function writeFiles(world: World, texts: readonly (string | undefined)[]): void {
  for (const [index, path] of files(world).entries()) {
    const text = texts[index];
    if (text === undefined) rmSync(path, { force: true });
    else writeFileSync(path, text);
  }
}

/** Applies, and leaves the files as they were when it slept for the last, or the first, time: as a kill at that moment does. */
async function applyUntil(world: World, moment: "first" | "last" | "end") {
  const { clock } = world;
  const seen: ReturnType<typeof readFiles>[] = [];
  const posted = (await world.account.operations()).length;
  const stop = clock.onSleep(async () => {
    const operations = await world.account.operations();
    if (operations.slice(posted).some(({ method }) => method === "POST")) seen.push(readFiles(world));
  });
  const ran = await world.apply("--settle", "2", "--wait-timeout", "5");
  stop();
  const left = moment === "first" ? seen[0] : moment === "last" ? seen.at(-1) : undefined;
  if (left) writeFiles(world, left);
  return ran;
}

const all = Object.keys(kinds).flatMap((name) =>
  (["first", "last", "end"] as const).flatMap((moment) => Object.keys(losses).map((loss) => ({ name, moment, loss }))),
);

const cases = all.filter((_case, index) => index % size.everyLoss === 0);

test.each(cases)("$name, stopped at $moment, journal $loss: it is requested once", async ({ name, moment, loss }) => {
  const world = await openWorld(kinds[name] as Case, true);
  onTestFinished(world.account.close);
  const { journal, apply, creations, lag, clock } = world;
  await lag(10 * minute);
  await applyUntil(world, moment);
  expect(await creations()).toBe(1);
  const left = existsSync(journal) ? losses[loss]?.(readFileSync(journal, "utf8")) : undefined;
  if (left === undefined) rmSync(journal, { force: true });
  else writeFileSync(journal, left);
  for (const _time of ["next", "after that"]) {
    const since = clock.now();
    exits(6, await apply("--settle", "20"));
    if (moment !== "first") expect(clock.now() - since).toBeGreaterThanOrEqual(name === "renewal" ? 0 : 20_000);
    expect(await creations()).toBe(1);
  }
  await clock.sleep(10 * minute);
  const unlocked = moment === "end" ? undefined : await world.unlock();
  expect(unlocked?.status ?? 0).toBe(0);
  const last = await apply("--settle", "20");
  expect([0, 8], last.stdout + last.stderr).toContain(last.status);
  expect(await creations()).toBe(1);
  expect(readFileSync(world.inventory, "utf8")).not.toContain("unconfirmed");
});

describe("a purchase that no list shows, and whose journal is gone", () => {
  const lost = async () => {
    const world = await openWorld(costly["certificate"] as Case, true);
    await world.lag(10 * minute);
    expect((await applyUntil(world, "end")).status).toBe(7);
    rmSync(world.journal);
    return world;
  };

  test.runIf(size.whole)("holds nothing else up, and is remembered past that", async () => {
    const world = await lost();
    onTestFinished(world.account.close);
    const { apply, creations } = world;
    const refused = await apply("--settle", "2");
    expect(refused.stdout).toMatch(/certificate\/a\.example.* \(crt_\w+\).*does not appear in the list yet/u);
    world.declare(`${costly["certificate"]?.declared}\ndns: { z.example: { records: { www: { A: 192.0.2.1 } } } }`);
    const rest = await apply("--settle", "2", "--except", "certificate/*");
    expect([0, 7], rest.stdout + rest.stderr).toContain(rest.status);
    const posts = await creations();
    expect((await apply("--settle", "2")).status).toBe(6);
    expect(await creations()).toBe(posts);
  });

  test.runIf(size.whole)("is requested again once its address is forgotten by hand", async () => {
    const world = await lost();
    try {
      const refused = await world.apply("--settle", "2");
      const [, address = ""] = /inventory .*--forget ([^\s'",]+)/u.exec(refused.stdout) ?? [];
      exits(0, await world.edit("--forget", address));
      await world.apply("--settle", "2");
      expect(await world.creations()).toBe(2);
    } finally {
      await world.account.close();
    }
  });

  test("and that was refused by the server is not remembered", async () => {
    const world = await openWorld(costly["registration"] as Case);
    onTestFinished(world.account.close);
    await world.fail(409);
    expect((await world.apply("--settle", "2")).status).toBe(5);
    expect(readFileSync(world.inventory, "utf8")).not.toContain("unconfirmed");
  });
});
