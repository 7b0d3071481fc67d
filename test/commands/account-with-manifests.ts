import { accountForFile } from "../support/account.ts";
import { runInProcess } from "../support/run-hostform.ts";

/** An account that all tests of a file share, and manifests for it, each in a file of its own. */
export function accountWithManifests() {
  const account = accountForFile();
  let written = 0;
  const manifest = (text: string) => {
    written += 1;
    return account.write(`m${written}.yaml`, `version: 1\nname: exits\n${text}`);
  };
  return {
    account,
    /** Runs a command in this process. */
    hostform: (args: readonly string[], env: Record<string, string> = {}) => runInProcess(account, args, env),
    manifest,
    /** The manifest of a zone with one record. */
    zone: (name: string) => manifest(`dns: { ${name}: { records: { www: { A: 192.0.2.1 } } } }`),
  };
}
