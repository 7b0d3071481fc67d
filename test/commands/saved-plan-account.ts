import { join } from "node:path";
import { expect } from "vitest";
import { accountForFile } from "../support/account.ts";
import { listed } from "../support/live-records.ts";
import { exits, type Ran, runInProcess } from "../support/run-hostform.ts";

/** What tests of saved plans do on an account that all tests of a file share. */
export function savedPlans() {
  const account = accountForFile();
  let count = 0;
  /** A manifest of its own, a file for its plan, and a name that no other test uses. */
  function files(text: (name: string) => string) {
    count += 1;
    const name = `n${count}.example`;
    const write = (body: string) => account.write(`${name}.yaml`, `version: 1\nname: saved\n${body}`);
    return { name, manifest: write(text(name)), plan: join(account.folder, `${name}.json`), write };
  }
  const run = (args: readonly string[], env: Record<string, string> = {}) => runInProcess(account, args, env);

  const done = async (args: readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
    exits(0, await run(args, env));

  const listedAt = (path: string) => listed<Record<string, unknown>>(account, `/v2026${path}`);
  async function find(path: string, field: string, value: string): Promise<Record<string, unknown>> {
    const found = (await listedAt(path)).find((item) => item[field] === value);
    if (!found) throw new Error(`Nothing in ${path} has the ${field} ${value}`);
    return found;
  }
  const recordsOf = async (name: string) =>
    `/dns/zones/${String((await find("/dns/zones", "name", name))["id"])}/records`;
  /** Changes one object as someone else would. */
  async function change(path: string, field: string, value: string, fields: object): Promise<void> {
    const item = await find(path, field, value);
    const answer = await account.byHand("PUT", `/v2026${path.split("?")[0]}/${String(item["id"])}`, {
      ...item,
      ...fields,
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  }

  return { account, files, run, done, find, listed: listedAt, recordsOf, change };
}

/** The section of a zone with these records, for `files`. */
export const zone = (records: string) => (name: string) => `dns: { ${name}: { records: { ${records} } } }`;

/** The hash that a command has printed for a plan; empty if it has printed none. */
export const printedHash = ({ stdout }: Ran) => /^Plan hash: (sha256:[0-9a-f]{32})$/mu.exec(stdout)?.[1] ?? "";
