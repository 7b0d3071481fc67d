import { createHash } from "node:crypto";
import type { RunAccount } from "../model.ts";

/**
 * Returns the hash of a fleet's plan: over the names of its accounts with changes and the hashes of their plans, in one order, as `sha256:`
 * and 64 digits. Accounts without changes are not in it, so that one more of them lifts no approval.
 */
export function fleetPlanHash(accounts: readonly Pick<RunAccount, "account" | "planHash" | "state">[]): string {
  const lines = accounts
    .filter(({ state }) => state === "changed")
    .map(({ account, planHash = "" }) => JSON.stringify([account, planHash]))
    .sort();
  return `sha256:${createHash("sha256").update(lines.join("\n")).digest("hex")}`;
}
