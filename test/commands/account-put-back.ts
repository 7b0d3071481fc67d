import { expect } from "vitest";
import { accountAsNew } from "../support/account.ts";
import { commandsOf } from "../support/account-commands.ts";

/** The variables of each command. */
export const secrets = { PW: "some-password-1", OTHER: "some-password-2" };

/** An account that all tests of a file share, and that each finds as it was opened; with commands that are run against it. */
export function accountPutBack() {
  const account = accountAsNew();

  async function list(path: string): Promise<Record<string, unknown>[]> {
    const { body, status } = await account.byHand("GET", `/v2026${path}${path.includes("?") ? "&" : "?"}per_page=100`);
    expect(status, path).toBeLessThan(405);
    return status === 404 ? [] : ([body["data"]].flat() as Record<string, unknown>[]);
  }

  /** Writes a manifest of the name `undo`. */
  const write = (file: string, text: string) => account.write(file, `version: 1\nname: undo\n${text}`);

  return { account, list, write, ...commandsOf(() => account, secrets) };
}

/** Sections of a manifest with a service and a domain of this name. */
export const head = (name: string) =>
  `services: { ${name}: { plan: WEB-M, datacenter: MAD1 } }\ndomains: { ${name}: { service: ${name} } }\n`;

/** The same, with a section of what belongs to the service. */
export const inService = (section: string, rest: string) => (name: string) =>
  `${head(name)}${section}: { ${name}: ${rest} }`;
