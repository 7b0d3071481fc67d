import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type Account, accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { type Moment, openMoments } from "./moments.ts";
import { openReader } from "./read-account.ts";

export const consent = ["service/a.example", "domain/a.example"].flatMap((address) => ["--allow-delete", address]);

interface Changes {
  readonly before: string;
  readonly after: string;
  /** What is there before the first apply, and what somebody changes after it. */
  readonly prepare?: (account: Account) => Promise<unknown>;
  readonly meddle?: (account: Account) => Promise<unknown>;
  /** Flags beside the consent to delete the service. */
  readonly flags?: readonly string[];
}

/**
 * A plan that makes the service a.example anew, for one file of tests: from the manifest `before` to that `after`. It is applied as a file
 * (`saved`), by its hash (`approved`), and taken back (`undo`), from the same state each time.
 */
export function killedStage({ before, after, prepare, meddle, flags = [] }: Changes) {
  const consents = [...consent, ...flags];
  const clock = virtualClock();
  const account = accountForFile({}, clock.now);
  const front = frontForFile(account);
  let moments: ReturnType<typeof openMoments>;
  let reader: ReturnType<typeof openReader>;
  let start: Moment;
  const ways: Record<string, readonly string[]> = {};
  const place = (name: string) => join(account.folder, name);
  const run = (...args: readonly string[]) =>
    runInProcess(front, [...args, "--inventory", place("inventory")], {}, clock);
  const apply = (...args: readonly string[]) =>
    run("apply", ...args, "--json", "--journal", place("journal"), "--parallelism", "1");
  beforeAll(async () => {
    reader = openReader(account);
    const files = [place("journal"), place("inventory")];
    moments = openMoments(account, front, files);
    await prepare?.(account);
    const file = account.write("m.yaml", before);
    exits(0, await apply("-f", file, "--auto-approve"));
    await meddle?.(account);
    account.write("m.yaml", after);
    const outs = ["--out", place("saved"), "--undo-out", place("undo")];
    const planned = exits(0, await run("plan", "-f", file, "--json", ...outs, ...consents));
    const hash = String(eventsOf(planned).find(({ type }) => type === "plan")?.["hash"]);
    files.push(join(".hostform", `approved-${hash.replace("sha256:", "").slice(0, 32)}.json`));
    Object.assign(ways, {
      saved: [place("saved"), "--auto-approve", ...consents],
      approved: ["-f", file, "--approve", hash, ...consents],
      undo: [place("undo"), "--auto-approve", ...consents],
    });
    start = moments.now();
  });
  afterAll(() => {
    reader.close();
    moments.close();
  });
  return {
    account,
    place,
    run,
    apply,
    read: () => reader.read(),
    watch: () => moments.watch(),
    goTo: (moment: Moment = start) => moments.goTo(moment),
    /** Applies the plan from the beginning in one of the ways, and returns its arguments and its moments. */
    applied: async (way: string) => {
      const args = ways[way] ?? [];
      moments.goTo(start);
      if (way === "undo") exits(0, await apply(...(ways["saved"] ?? [])));
      const seen = moments.watch();
      exits(0, await apply(...args));
      return { args, seen: [...seen] };
    },
  };
}
