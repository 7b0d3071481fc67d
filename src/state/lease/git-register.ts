import { fetchQuietly, pushRef, readRemoteRef } from "../git/git-refs.ts";
import type { Repository } from "../git/repository.ts";
import type { Git } from "../git/run-git.ts";
import { maxLeaseBytes, type Register, type ReadRegister } from "./register.ts";

/** Milliseconds that one exchange with the remote may take: three fit into a lease beside the waits between them. */
const timeout = 10_000;
const readAttempts = 5;

/**
 * The register in a ref of the remote. The ref names a blob, so `git log --glob` passes over it, and no history grows. The server
 * compares and swaps: `--force-with-lease` sends the expected object along.
 */
export function gitRegister(
  { apart }: Repository,
  key: string,
  sleep: (milliseconds: number) => Promise<void>,
): Register {
  const ref = `refs/hostform/lock/${key}`;
  return {
    read: async (): Promise<ReadRegister> => {
      let before: string | undefined;
      for (let attempt = 1; ; attempt += 1) {
        const found = await readRemoteRef(apart, ref, timeout);
        if (!found.ok) return { is: "unreachable", reason: found.reason };
        const { tip } = found;
        if (tip === undefined) return { is: "read", version: "", text: undefined };
        let known = await readObject(apart, tip);
        if (!known) {
          await apart([...fetchQuietly, "hostform", ref], { network: true, timeout });
          known = await readObject(apart, tip);
        }
        // The ref may have moved before it was fetched: then another object came.
        if (known || tip === before || attempt === readAttempts) return { is: "read", version: tip, text: known?.text };
        before = tip;
      }
    },
    prepare: async (text) => {
      const blob = await apart(["hash-object", "-w", "--stdin", "--no-filters"], { input: text });
      return blob.ok ? { version: blob.stdout.toString().trim() } : { reason: blob.problem };
    },
    swap: (version, over) => pushRef(apart, ref, { to: version, from: over, timeout }, sleep),
  };
}

/** Reads an object of this repository, without a text if it is too large; undefined where it is not here. */
async function readObject(git: Git, id: string): Promise<{ readonly text: string | undefined } | undefined> {
  const { ok, failure, stdout } = await git(["cat-file", "blob", id], { maxOutput: maxLeaseBytes });
  if (ok) return { text: stdout.toString() };
  return failure === "too_large" ? { text: undefined } : undefined;
}
