import { readRemoteRef, refusalOf } from "../git-refs.ts";
import type { Repository } from "../repository.ts";
import { maxLeaseBytes } from "./content.ts";
import type { LeaseRegister, ReadRegister } from "./register.ts";

/** Milliseconds that one exchange with the remote may take: three fit into a lease beside the waits between them. */
const timeout = 10_000;

/**
 * The register in a ref of the remote. The ref names a blob, so `git log --glob` passes over it, and no history grows. The server
 * compares and swaps: `--force-with-lease` sends the expected object along.
 */
export function gitRegister({ apart }: Repository, key: string): LeaseRegister {
  const ref = `refs/hostform/lock/${key}`;
  const texts = new Map<string, string | undefined>();
  return {
    read: async (): Promise<ReadRegister> => {
      const found = await readRemoteRef(apart, ref, timeout);
      if (!found.ok) return { is: "unreachable", reason: found.reason };
      const { tip } = found;
      if (tip === undefined) return { is: "read", version: "", text: undefined };
      if (!texts.has(tip)) {
        const fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
        await apart([...fetch, "hostform", ref], { network: true, timeout });
        const size = await apart(["cat-file", "-s", tip]);
        const isSmall = size.ok && Number(size.stdout.toString()) <= maxLeaseBytes;
        const blob = isSmall ? await apart(["cat-file", "blob", tip]) : undefined;
        texts.set(tip, blob?.ok === true ? blob.stdout.toString() : undefined);
      }
      return { is: "read", version: tip, text: texts.get(tip) };
    },
    prepare: async (text) => {
      const blob = await apart(["hash-object", "-w", "--stdin", "--no-filters"], { input: text });
      return blob.ok ? { version: blob.stdout.toString().trim() } : { reason: blob.problem };
    },
    swap: async (version, over) => {
      const push = ["push", "--porcelain", "--no-verify", `--force-with-lease=${ref}:${over}`];
      const pushed = await apart([...push, "hostform", `${version}:${ref}`], { network: true, timeout });
      if (pushed.ok) return { is: "done" };
      // Which of the two a refusal means, the remote's own ref tells.
      const now = pushed.failure === "timeout" ? undefined : await readRemoteRef(apart, ref, timeout);
      if (now?.ok !== true) return { is: "unknown", reason: pushed.problem };
      if (now.tip === version) return { is: "done" };
      return (now.tip ?? "") === over ? { is: "unknown", reason: refusalOf(pushed) } : { is: "rejected" };
    },
  };
}
