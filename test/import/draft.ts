import { readAccount } from "../../src/engine/session/read-and-plan.ts";
import { settleImport } from "../../src/engine/import/settle-import.ts";
import { readOffered } from "../../src/engine/session/load-manifest.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { Declared } from "../../src/import/block.ts";
import { declareAccount, liveValues } from "../../src/import/declare-account.ts";
import { writeManifest } from "../../src/import/write-manifest.ts";
import type { ListSource } from "../../src/live/read-live.ts";
import { parseManifest } from "../../src/manifest/load.ts";
import type { SourceText } from "../../src/manifest/yaml/written.ts";
import type { Contract } from "../../src/model/contract.ts";
import { everything, nothingAllowed, nothingOwned } from "../../src/model/plan-input.ts";
import type { Live } from "../../src/model/resource.ts";
import { plan } from "../../src/plan/plan.ts";
import { readerOf, type Lists } from "../plan/build-input.ts";

const target = { name: "test", baseUrl: "https://api.test/", contract: "v2026", emulator: false };
const now = Date.parse("2026-01-01T00:00:00Z");

/** A manifest drafted from lists, without files. */
export interface Draft {
  readonly live: Live;
  readonly contract: Contract;
  readonly declared: Declared;
  readonly sources: readonly SourceText[];
}

export async function draftOf(
  lists: Lists | ListSource,
  layout: "folder" | "single" = "folder",
  name?: string,
): Promise<Draft> {
  const { contract } = await loadContract(name);
  if (!contract) throw new Error(`The contract ${name} is wrong`);
  const source = "get" in lists || "listOf" in lists ? (lists as ListSource) : readerOf(lists);
  const read = await readAccount(source, contract);
  if (!read.ok) throw new Error(read.error.message);
  const live = read.value;
  const options = {
    contract,
    isWanted: () => true,
    isTaken: () => false,
    desired: undefined,
    defaults: {},
    mask: (text: string) => text,
  };
  const write = (declared: Declared) => writeManifest(declared, { name: "test", provider: {} }, layout);
  const valuesOf = (address: Parameters<typeof liveValues>[1]) => liveValues(live, address);
  const declared = settleImport(declareAccount(live, options), { live, contract, target, now, write, valuesOf });
  return { live, contract, declared, sources: write(declared) };
}

/** What a plan of a draft would do, beside nothing. */
export function planOf({ live, contract, sources }: Pick<Draft, "live" | "contract" | "sources">) {
  const { tree, diagnostics } = parseManifest(sources);
  if (!tree) throw new Error("There is no manifest");
  const read = readOffered(tree, () => ({ missing: "no secret" }), contract);
  const asked = { consent: nothingAllowed, ownership: nothingOwned, selection: everything, now };
  const made = plan({ ...asked, desired: read.desired, live, contract, target });
  const errors = [...diagnostics, ...read.diagnostics, ...made.diagnostics].filter(
    ({ severity }) => severity === "error",
  );
  return { steps: made.steps, refusals: made.refusals, errors, unmanaged: made.unmanaged, desired: read.desired };
}

export const nothingToDo = { steps: [], refusals: [], errors: [] };

/** Live resources that are neither declared, nor left to others by a rule, nor named as left out. */
export function leftOver(draft: Draft): string[] {
  const { declared, live } = draft;
  const { desired, unmanaged } = planOf(draft);
  const named = new Set<string>([...desired.resources.keys(), ...declared.omissions.map(({ of }) => of)]);
  const isLeft = (address: string) => {
    const { kind = "", remotes: [remote] = [] } = live.resources.get(address as never) ?? {};
    // What the server makes by itself, and is as the server made it.
    if (kind === "mail_settings" || (kind === "dnssec" && remote?.fields["enabled"] === false)) return true;
    if (kind === "ftp_account" && remote?.fields["primary"] === true) return true;
    return /^dns_record\/[^/]+\/_acme-challenge/u.test(address);
  };
  const read = unmanaged.filter(({ collection }) => !named.has(collection));
  return read.flatMap(({ addresses }) => addresses).filter((address) => !named.has(address) && !isLeft(address));
}
