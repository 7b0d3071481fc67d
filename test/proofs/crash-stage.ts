import { cpSync, rmSync } from "node:fs";
import { openAccount, type Account } from "../support/account.ts";
import { openFront, type Interfere } from "../support/front.ts";
import { runInProcess } from "../support/in-process.ts";
import { runHostform } from "../support/run-hostform.ts";
import { inFolder, makeLive, manifestHead, withoutIds, type Scenario } from "../support/scenario.ts";
import { likeness, openReader } from "./read-account.ts";

/** Where a run is killed: before the service hears of a request (from 1), or when it has done what it asks for. */
export interface KillPoint {
  readonly request: number;
  readonly when: "before" | "after";
}

/** What a run of the binary has done. */
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
  readonly run: () => Promise<Done>;
  readonly killAndRunAgain: (point: KillPoint) => Promise<{ readonly killed: Done; readonly again: Done }>;
  /** What the account holds now, in a form that is equal for accounts that are alike. */
  readonly holds: () => unknown;
  /** Whether another plan would change anything. */
  readonly isPlannedAgain: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

export async function openStage(scenario: Scenario): Promise<Stage> {
  const service = await openAccount(scenario.service);
  const front = await openFront(service);
  const account = { ...service, flags: front.flags };
  await makeLive(account, scenario);
  await makeBystanders(account);
  const manifest = account.write("m.yaml", manifestHead + scenario.manifest);
  const flags = ["-f", manifest, ...withParallelism(inFolder(account, scenario.flags))];
  const putBack = keepAll(account);
  const reader = openReader(service);

  const run = async (point?: KillPoint): Promise<Done> => {
    const before = (await account.operations()).length;
    const killer = armKiller(point);
    front.interfere(killer.interfere);
    const ran = await runHostform(["apply", "--auto-approve", "--settle", "2", ...flags, ...account.flags], {
      env: { ...account.env, ...scenario.env },
      cwd: account.folder,
      onStart: killer.onStart,
    });
    await killer.quiet();
    const operations = (await account.operations()).slice(before);
    return {
      status: ran.status,
      said: ran.stdout + ran.stderr,
      methods: killer.methods,
      committed: operations
        .filter(({ committed }) => committed)
        .map(({ method, path }) => `${method} ${withoutIds(path)}`),
    };
  };
  return {
    run: () => {
      putBack();
      return run();
    },
    killAndRunAgain: async (point) => {
      putBack();
      const killed = await run(point);
      return { killed, again: await run() };
    },
    holds: () => likeness(reader.read()),
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

/** Passes requests on to the service, up to the one at which it kills the client. From then on nothing more gets through. */
function armKiller(point: KillPoint | undefined) {
  const methods: string[] = [];
  const underWay: Promise<unknown>[] = [];
  let kill: (signal: NodeJS.Signals) => void = () => undefined;
  let dead = false;
  const interfere: Interfere = async (request, response, pass) => {
    if (dead) return true;
    const isThere = methods.push(request.method ?? "") === point?.request;
    if (isThere && point.when === "before") {
      dead = true;
      kill("SIGKILL");
      return true;
    }
    const passed = pass();
    underWay.push(passed);
    const { status, headers, text } = await passed;
    if (isThere) {
      dead = true;
      kill("SIGKILL");
    } else response.writeHead(status, headers).end(text);
    return true;
  };
  return {
    methods,
    interfere,
    onStart: (signal: typeof kill) => {
      kill = signal;
    },
    quiet: () => Promise.allSettled(underWay),
  };
}
