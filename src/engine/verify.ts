import { getServers } from "node:dns";
import { setMaxListeners } from "node:events";
import { repeatUntil } from "../lib/repeat-until.ts";
import { certifiedHosts } from "../verify/certificates.ts";
import { checksOf } from "../verify/checks.ts";
import { readPlace } from "../verify/find-servers.ts";
import { makeVerifier, type Asked } from "../verify/verify.ts";
import type { Ending, Session } from "./session/host.ts";
import { InputError } from "./session/input-error.ts";
import type { ManifestOptions } from "./session/load-manifest.ts";
import { loadUsableManifest } from "./session/open-manifest.ts";

export interface VerifyOptions extends ManifestOptions {
  /** `ADDRESS` or `ADDRESS:PORT`: this server is asked everything, in place of the servers of each zone. */
  readonly resolver?: string | undefined;
  /** Whether the hosts of certificates are connected to, and at which port. */
  readonly tls: boolean;
  readonly tlsPort: number;
  /** Seconds until the last look. */
  readonly timeout: number;
}

/** Milliseconds until the second look. */
const firstWait = 1000;

/** Compares what name servers answer with what a manifest declares, until it is the same or the time is over. Only reads, without the API. */
export async function verifyManifest(options: VerifyOptions, io: Session): Promise<Ending> {
  const stop = new AbortController();
  // Each question listens to it.
  setMaxListeners(0, stop.signal);
  const asked = serversToAsk(options.resolver, stop.signal);
  const manifest = await loadUsableManifest(options, io);
  if (!manifest) return "wrong_input";
  io.onInterrupt(() => stop.abort());
  const checks = checksOf(manifest.desired);
  const hosts = options.tls ? certifiedHosts(manifest.desired) : [];
  const notCompared = [...checks.notCompared, ...hosts.filter((each) => "reason" in each)];
  const certified = hosts.filter((each) => "host" in each);
  const look = makeVerifier({ ...checks, notCompared }, { ...asked, certified, tlsPort: options.tlsPort, now: io.now });
  const verification = await repeatUntil(
    io,
    { milliseconds: options.timeout * 1000, firstWait, stop: stop.signal },
    async () => {
      const seen = await look();
      io.emit({ type: "verifying", waiting: seen.mismatches });
      return seen;
    },
    ({ mismatches }) => mismatches.length === 0 || stop.signal.aborted,
  );
  if (stop.signal.aborted) return "interrupted";
  io.emit({ type: "verification", verification });
  const { mismatches } = verification;
  // A value that nobody answered is not known to differ.
  if (mismatches.some(({ is }) => is === "nobody")) return "refused";
  return mismatches.length > 0 ? "changes" : "done";
}

/** Throws an InputError for a text that names no server. */
function serversToAsk(given: string | undefined, stop: AbortSignal): Omit<Asked, "certified" | "tlsPort" | "now"> {
  const place = given === undefined ? undefined : readPlace(given);
  if (given !== undefined && !place) throw new InputError({ type: "no_resolver", given });
  const found = place ? [place] : getServers().flatMap((text) => readPlace(text) ?? []);
  return {
    resolver: { name: given ?? "the resolver", places: found.map((each) => ({ ...each, isRecursive: true })) },
    isOnly: place !== undefined,
    port: 53,
    stop,
  };
}
