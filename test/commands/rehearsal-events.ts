import type { Account } from "../support/account.ts";
import { eventsOf, type Ran } from "../support/run-hostform.ts";

/** The event in which a run with `--json` tells of its rehearsal; empty if it tells of none. */
export const rehearsalOf = (ran: Ran) => eventsOf(ran).find(({ type }) => type === "rehearsal") ?? {};

/** What a rehearsal has found wrong. */
export const findingsOf = (ran: Ran) =>
  rehearsalOf(ran)["findings"] as { stage: string; summary: string; details: string[] }[];

/** What a run has written to the real API. */
export const writes = async ({ operations }: Account) => (await operations()).filter(({ method }) => method !== "GET");
