import type { Setting } from "../engine/session/choose-setting.ts";
import type { TargetOption } from "../engine/session/input-error.ts";
import { quoted } from "../lib/quoted.ts";
import { shortHash } from "../lib/short-hash.ts";
import type { AppliedApi } from "../model/inventory.ts";
import type { SavedPlan } from "../model/saved-plan.ts";

export const targetFlags: Readonly<Record<TargetOption, string>> = {
  baseUrl: "--base-url",
  emulator: "--emulator",
  emulatorData: "--emulator-data",
  keyFile: "--key-file",
  caFile: "--ca-file",
};

/** Returns what tells an API from the others: the base URL, the contract, and where they differ its rules for the key, and the CA. */
export function apiText(api: AppliedApi | string, others: readonly (AppliedApi | string)[]): string {
  if (typeof api === "string") return `another base URL or contract (refs/hostform/${api})`;
  const { base_url: baseUrl, contract, auth, ca } = api;
  const isOther = (key: "auth" | "ca") => others.some((each) => typeof each === "object" && each[key] !== api[key]);
  const isSameName = others.some((each) => typeof each === "object" && each.contract === contract);
  const parts = [
    `contract ${contract}`,
    ...(isSameName && isOther("auth") ? [`its key ${shortHash(auth)}`] : []),
    ...(isOther("ca") ? [ca === undefined ? "the system's CAs" : `CA ${shortHash(ca)}`] : []),
  ];
  return `${baseUrl} (${parts.join(", ")})`;
}

export const targetName = ({
  emulator,
  baseUrl,
  contract,
}: Pick<SavedPlan["target"], "emulator" | "baseUrl" | "contract">) =>
  `${emulator ? "the embedded service" : baseUrl} (contract ${contract})`;

/** Returns the way out where both the embedded service and a base URL are asked for: a manifest's URL can only be overridden. */
export function twoTargetsHint({ from, place }: Setting, data: string | undefined): string {
  const flag = data === undefined ? "--emulator" : "--emulator-data";
  const first = `leave out ${flag}, or the base URL (${place})`;
  if (from !== "manifest") return first;
  const start = data === undefined ? "hostform emulator" : `hostform emulator --data ${quoted(data)}`;
  return `${first}; to keep the manifest as it is, start ${start} and pass the --base-url and --ca-file that it prints, or try the plan with hostform rehearse`;
}
