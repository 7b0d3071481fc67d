import { connectionText } from "../lib/system-words.ts";
import { checkServerIdentity, connect, type PeerCertificate } from "node:tls";
import type { Address } from "../model/address.ts";
import type { Desired } from "../model/resource.ts";
import type { Mismatch, NotCompared } from "./verification.ts";

/** A host that is to have a certificate. */
export interface CertifiedHost {
  readonly address: Address;
  readonly host: string;
}

/** Milliseconds after which a host that says nothing is given up. */
const giveUpAfter = 5000;

/** Codes of a connection that has reached nobody. */
const unreached = /^E(?:(?:HOST|NET)(?:UNREACH|DOWN)|ADDRNOTAVAIL|TIMEDOUT)$/u;

/** Returns the hosts of the certificates that a manifest declares, and the names that are no host to connect to. */
export function certifiedHosts({ resources }: Desired): (CertifiedHost | NotCompared)[] {
  return [...resources.values()]
    .filter(({ kind }) => kind === "certificate")
    .flatMap(({ address, key }) =>
      (key["domains"] ?? "")
        .split("+")
        .map((host) =>
          host.startsWith("*")
            ? { address, reason: `${host} stands for any host, and none is connected to` }
            : { address, host },
        ),
    );
}

/** Connects to a host at one of its addresses, and compares its certificate: its names and its time. Nothing is sent. */
export async function lookAtHost(
  { address, host }: CertifiedHost,
  {
    ip,
    port,
    stop,
    now,
  }: { readonly ip: string; readonly port: number; readonly stop: AbortSignal; now: () => number },
): Promise<Mismatch | undefined> {
  const found = await new Promise<Pick<Mismatch, "is" | "answered"> | undefined>((resolve) => {
    // A certificate that cannot be trusted is looked at, too: the connection carries no data.
    const socket = connect({ host: ip, port, servername: host, rejectUnauthorized: false, signal: stop } as object);
    const end = (result: string | undefined, is: Mismatch["is"] = "differs") => {
      resolve(result === undefined ? undefined : { is, answered: [result] });
      socket.destroy();
    };
    socket.setTimeout(giveUpAfter, () => end("no answer", "nobody"));
    socket.once("error", (error: NodeJS.ErrnoException) =>
      end(connectionText(error), unreached.test(error.code ?? "") ? "nobody" : "differs"),
    );
    socket.once("close", () => end("no certificate"));
    socket.once("secureConnect", () => end(wrongIn(socket.getPeerCertificate(), host, now())));
  });
  const expected = [`a certificate for ${host} that is valid now`];
  return found && { address, server: ip, asked: `${host} port ${port}`, expected, ...found };
}

function wrongIn(certificate: PeerCertificate, host: string, now: number): string | undefined {
  const { valid_from: from, valid_to: to, subjectaltname } = certificate;
  if (checkServerIdentity(host, certificate)) return `a certificate for ${subjectaltname ?? "no name"}`;
  if (!(Date.parse(to) > now)) return `a certificate that expired at ${to}`;
  return Date.parse(from) <= now ? undefined : `a certificate that is valid from ${from} on`;
}
