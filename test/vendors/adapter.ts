import { randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { endAdapter, startAdapter } from "../support/adapter.ts";
import type { StandIn } from "./stand-in.ts";

/** An adapter of examples/adapter/ before a vendor. */
export interface VendorAdapter {
  readonly folder: string;
  readonly baseUrl: string;
  /** The environment of hostform: the key of the adapter, not that of the vendor. */
  readonly env: Readonly<Record<string, string>>;
  /** Kills it, and starts it again at the same port. */
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts the adapter for a vendor. `vendorUrl` may be a front before the stand-in, with the certificate in `ca`. */
export async function openAdapter(
  name: string,
  standIn: StandIn,
  { vendorUrl = standIn.baseUrl, ca = join(standIn.folder, "ca.pem") } = {},
): Promise<VendorAdapter> {
  const folder = join(standIn.folder, "adapter");
  mkdirSync(folder);
  const own = randomBytes(24).toString("hex");
  const env = {
    HOSTFORM_API_KEY: own,
    VENDOR_URL: new URL(vendorUrl).origin,
    VENDOR_KEY: standIn.env["HOSTFORM_API_KEY"] ?? "",
    NODE_EXTRA_CA_CERTS: ca,
  };
  let adapter = await startAdapter(`${name}.mjs`, folder, { ...env, ADAPTER_PORT: "0" });
  if (adapter.baseUrl === "") throw new Error(adapter.output());
  copyFileSync(join(folder, ".adapter/cert.pem"), join(folder, "ca.pem"));
  const { baseUrl } = adapter;
  const { port } = new URL(baseUrl);
  return {
    folder,
    baseUrl,
    env: { HOSTFORM_API_KEY: own },
    restart: async () => {
      await endAdapter(adapter, "SIGKILL");
      adapter = await startAdapter(`${name}.mjs`, folder, { ...env, ADAPTER_PORT: port });
    },
    close: () => endAdapter(adapter),
  };
}
