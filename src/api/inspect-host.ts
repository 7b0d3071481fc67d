import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { connect } from "node:tls";
import type { Failure } from "../model/failure.ts";
import { trust } from "./trust.ts";
import { networkFailure } from "./network-failure.ts";

/** Milliseconds for the name, and for the connection. */
const timeout = 10_000;

/** Returns why the name of a host leads nowhere; undefined if it resolves, or is an address. */
export async function inspectName({ hostname, host }: URL): Promise<Failure | undefined> {
  if (isIP(bare(hostname)) !== 0) return undefined;
  try {
    await lookup(hostname);
    return undefined;
  } catch (error) {
    return networkFailure(error, asked, host, timeout);
  }
}

const asked = { method: "GET", path: "/", attempts: 1 };
const bare = (hostname: string) => hostname.replaceAll(/^\[|\]$/gu, "");

/** Sets up TLS with a host, and closes it. Returns why that failed; undefined if the certificate is trusted. Sends no request. */
export function inspectTls({ hostname, host, port }: URL, ca: string | undefined): Promise<Failure | undefined> {
  const name = bare(hostname);
  return new Promise((resolve) => {
    const socket = connect({
      host: name,
      port: Number(port === "" ? 443 : port),
      ...(isIP(name) === 0 && { servername: name }),
      secureContext: trust(ca),
      rejectUnauthorized: true,
      timeout,
    });
    const end = (failure: Failure | undefined) => {
      socket.destroy();
      resolve(failure);
    };
    socket.once("secureConnect", () => end(undefined));
    socket.once("error", (error) => end(networkFailure(error, asked, host, timeout)));
    socket.once("timeout", () => end(networkFailure({ code: "UND_ERR_CONNECT_TIMEOUT" }, asked, host, timeout)));
  });
}
