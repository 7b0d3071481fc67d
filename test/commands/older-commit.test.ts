import { execFileSync } from "node:child_process";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { workshopForFile } from "../state/repositories.ts";
import { size } from "../proofs/size.ts";
import { openAccount } from "../support/account.ts";
import { openFront } from "../support/front.ts";
import { recordNames } from "../support/live-records.ts";
import { openedForTest } from "../support/opened-for-file.ts";
import { exits, type Ran, runHostform } from "../support/run-hostform.ts";

/** An older commit that is applied after a newer one was cut off, by the built binary. */
const shop = workshopForFile();
const account = openedForTest(openAccount);
const front = openedForTest(() => openFront(account));

const manifest = (...names: string[]) => `version: 1
name: shop
dns: { older.example: { records: { ${names.map((name) => `${name}: { TXT: here }`).join(", ")} } } }
`;

const apply = (
  clone: string,
  flags: readonly string[] = [],
  onStart?: (kill: (signal: NodeJS.Signals) => void) => void,
) =>
  runHostform(["apply", "-f", "manifest.yaml", "--auto-approve", "--parallelism", "1", ...front.flags, ...flags], {
    env: { ...account.env, HOME: join(shop.folder, "home"), GIT_CONFIG_NOSYSTEM: "1" },
    cwd: clone,
    ...(onStart && { onStart }),
  });

/** Applies a newer commit, and has it cut off at its write with this number. */
type CutOff = (clone: string, remote: string, write: number) => Promise<Ran>;

const cutOffs: Record<"killed" | "rejected in its last push", CutOff> = {
  killed: (clone, _remote, write) => {
    let kill: (signal: NodeJS.Signals) => void = () => undefined;
    let seen = 0;
    front.interfere(async ({ method }, response, pass) => {
      if (method === "GET" || (seen += 1) !== write) return false;
      await pass();
      kill("SIGKILL");
      response.destroy();
      return true;
    });
    return apply(clone, [], (signal) => (kill = signal));
  },
  "rejected in its last push": async (clone, remote, write) => {
    let seen = 0;
    front.interfere(({ method }) => {
      if (method !== "GET" && (seen += 1) === write) renameSync(remote, `${remote}-away`);
      return false;
    });
    const ran = await apply(clone);
    renameSync(`${remote}-away`, remote);
    return ran;
  },
};

describe.runIf(size.whole).each(size.every(6, ["killed", "rejected in its last push"] as const))(
  "after an apply of a newer commit that was %s",
  (how) => {
    test.each(size.cutWrites)(
      "an older commit deletes nothing of it without --rollback, be it at write %i or in another clone",
      async (write) => {
        const remote = shop.makeRemote();
        const clone = shop.clone(remote);
        const old = shop.commit(clone, "manifest.yaml", manifest("a"));
        shop.git(clone, "push", "--quiet", "origin", "HEAD");
        exits(0, await apply(clone));
        const older = shop.clone(remote);
        shop.commit(clone, "manifest.yaml", manifest("a", "b", "c", "d"));
        const cut = await cutOffs[how](clone, remote, write);
        front.interfere(() => false);
        expect(cut.status).toBe(how === "killed" ? null : 5);
        const live = await recordNames(account);
        expect(live).toEqual(how === "killed" ? ["a", "b", "c", "d"].slice(0, 1 + write) : ["a", "b", "c", "d"]);
        // In the clone of the newer commit, whose ref is ahead of the remote's, and in one that only has what was pushed.
        shop.git(clone, "checkout", "--quiet", "--detach", old);
        for (const place of [older, clone]) {
          expect(execFileSync("git", ["rev-parse", "HEAD"], { cwd: place, encoding: "utf8" }).trim()).toBe(old);
          expect(exits(6, await apply(place)).stdout).toContain("--rollback");
          expect(await recordNames(account)).toEqual(live);
        }
        exits(0, await apply(older, ["--rollback"]));
        expect(await recordNames(account)).toEqual(["a"]);
      },
    );
  },
);
