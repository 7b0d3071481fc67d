import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openAccount, type Account } from "../support/account.ts";
import { openFront } from "../support/front.ts";
import { type Ran, runHostform, runInProcess } from "../support/run-hostform.ts";
import { runnerBeside } from "../support/runner-beside.ts";
import { recordsIn, sealedLines } from "../support/sealed-lines.ts";
import { inFolder, makeLive, manifestHead, withoutIds, type Scenario } from "../support/scenario.ts";
import { armKiller } from "./arm-killer.ts";
import type { KillPoint } from "./choose-points.ts";
import { likeness, openReader } from "./read-account.ts";

/** What a run has done. */
interface Done {
  /** Null where it was killed. */
  readonly status: number | null;
  readonly said: string;
  /** Of its requests, in the order in which they came. */
  readonly methods: readonly string[];
  /** Writes that the service's own log has as carried out, without ids. */
  readonly committed: readonly string[];
}

/** A scenario's account, put back to where the scenario begins before each run. */
export interface Stage {
  /** One whole run, in this process: what a start of the binary comes to, for less. */
  readonly run: () => Promise<Done>;
  /** Runs the built binary once for each point, to be killed there, and once more to its end: the binary, or in this process. */
  readonly killAndRunAgain: (
    points: readonly KillPoint[],
    end: { readonly isBinary: boolean },
  ) => Promise<readonly Done[]>;
  /** What the account holds now, and what its folder has of inventories and journals, in a form that is equal where they are alike. */
  readonly holds: () => Readonly<Record<string, unknown>>;
  /** Whether another plan would change anything. */
  readonly isPlannedAgain: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** What must not be made twice does not show: nothing is changed until someone has looked. */
const mustLook = /in_flight_untold.*create certificate\//u;

/** @param lax whether the service makes a second object of one name, where others refuse it. */
export async function openStage(scenario: Scenario, lax: boolean): Promise<Stage> {
  const service = await openAccount({ ...scenario.service, lax });
  const front = await openFront(service);
  const account = { ...service, flags: front.flags };
  await makeLive(account, scenario);
  await makeBystanders(account);
  const manifest = account.write("m.yaml", manifestHead + scenario.manifest);
  const flags = ["-f", manifest, ...withParallelism(inFolder(account, scenario.flags))];
  const journal = join(account.folder, ".hostform", "scenario.journal");
  mkdirSync(join(account.folder, ".hostform"));
  const putBack = keepAll(account);
  const reader = openReader(service);

  const args = ["apply", "--auto-approve", "--settle", "2", "--journal", journal, ...flags];
  const watch = async (killer: ReturnType<typeof armKiller>, ran: () => Promise<Ran>): Promise<Done> => {
    const before = (await account.operations()).length;
    front.interfere(killer.interfere);
    const { status, stdout, stderr } = await ran();
    await killer.quiet();
    const operations = (await account.operations()).slice(before);
    return {
      status,
      said: stdout + stderr,
      methods: [...killer.methods],
      committed: operations
        .filter(({ committed }) => committed)
        .map(({ method, path }) => `${method} ${withoutIds(path)}`),
    };
  };
  const runBinary = (point?: KillPoint) => {
    const killer = armKiller(point);
    const env = { ...account.env, ...scenario.env };
    const how = { env, cwd: account.folder, onStart: killer.onStart };
    return watch(killer, () => runHostform([...args, ...account.flags], how));
  };
  const runHere = () => {
    const runner = runnerBeside(`${journal}.lock`);
    return watch(armKiller(undefined), () => runInProcess(account, args, scenario.env, { runner }));
  };
  return {
    run: () => {
      putBack();
      return runHere();
    },
    killAndRunAgain: async (points, { isBinary }) => {
      const runToItsEnd = isBinary ? runBinary : runHere;
      putBack();
      const runs: Done[] = [];
      for (const point of points) {
        runs.push(await runBinary(point));
        letAMinutePass(account);
      }
      runs.push(await runToItsEnd());
      if (!mustLook.test(runs.at(-1)?.said ?? "")) return runs;
      // As it is told: someone has looked, and it is not there.
      for (const name of journals(account.folder)) rmSync(join(account.folder, ".hostform", name));
      return [...runs, await runToItsEnd()];
    },
    holds: () => ({ ...likeness(reader.read()), ...filesLeft(account) }),
    isPlannedAgain: async () =>
      (await runInProcess(account, ["plan", "--detailed-exitcode", ...flags], scenario.env)).status !== 0,
    close: async () => {
      reader.close();
      await front.close();
      await account.close();
    },
  };
}

/** One request at a time, so that the nth is the same one in each run. */
const withParallelism = (flags: readonly string[]) =>
  flags.includes("--parallelism") ? flags : [...flags, "--parallelism", "1"];

/** Objects that nobody declares: they are to stay as they are. */
async function makeBystanders({ byHand }: Account): Promise<void> {
  const zone = await byHand("POST", "/v2026/dns/zones", { name: "bystander.example" });
  const { id } = zone.body["data"] as { id: string };
  const record = { name: "www", type: "A", content: "192.0.2.99", ttl: 3600 };
  await byHand("POST", `/v2026/dns/zones/${id}/records`, record);
  await byHand("POST", "/v2026/domains", { name: "bystander.example" });
  await byHand("POST", "/v2026/mail/aliases", { address: "x@bystander.example", destinations: ["y@example.net"] });
}

/** Remembers the account and the files beside the manifest; the function that it returns brings both back. */
function keepAll({ folder, mirror }: Account): () => void {
  const copy = `${folder}.kept`;
  cpSync(folder, copy, { recursive: true });
  const putBack = mirror.keep();
  return () => {
    putBack();
    rmSync(folder, { recursive: true });
    cpSync(copy, folder, { recursive: true });
  };
}

const journals = (folder: string) =>
  existsSync(join(folder, ".hostform"))
    ? readdirSync(join(folder, ".hostform")).filter((name) => name.includes(".journal"))
    : [];

/**
 * Makes what is written in the journal a minute older: a run right after a crash would wait ten seconds for creations that reads may not
 * show yet, which takes far longer than all else here. That it waits is shown in commands/recovery.test.ts.
 */
function letAMinutePass({ folder }: Account): void {
  for (const name of journals(folder).filter((each) => each.endsWith(".journal"))) {
    const path = join(folder, ".hostform", name);
    const older = (time: string) => new Date(Date.parse(time) - 60_000).toISOString();
    const records = recordsIn(readFileSync(path, "utf8"));
    writeFileSync(
      path,
      sealedLines(
        records.map((record) => (typeof record["at"] === "string" ? { ...record, at: older(record["at"]) } : record)),
      ),
    );
  }
}

/** Addresses that are ours, where the scenario keeps them in a file; and what is left of journals and their locks. */
function filesLeft({ folder }: Account) {
  const inventory = join(folder, "ours.json");
  const ours: unknown = existsSync(inventory) ? JSON.parse(readFileSync(inventory, "utf8")) : {};
  return { ours: (ours as Readonly<Record<string, unknown>>)["addresses"], journals: journals(folder) };
}
