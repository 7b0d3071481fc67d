import type { Connection } from "../api/connection.ts";
import type { Sleep } from "../api/retry.ts";
import type { Address } from "../model/address.ts";
import type { Contract } from "../model/contract.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { Live, TemplatePart, RemoteId } from "../model/resource.ts";
import type { HeldRecord } from "../model/journal.ts";
import type { CountedConnection } from "./write-ledger.ts";

/** An object that this run has made, as the API answered. */
export interface CreatedObject {
  readonly id: RemoteId;
  readonly raw: JsonObject;
}

/** What running steps need beside the plan. `made` grows while they run. */
export interface RunContext {
  readonly connection: CountedConnection;
  readonly contract: Contract;
  readonly live: Live;
  readonly made: Map<Address, CreatedObject>;
  /** Whose each id is, by list and id: of what was live when the run began, and of what it has made since. */
  readonly owners: Map<string, Address>;
  /** Ids that the server has changed at an update of this run, by `KIND/ID` as planned. */
  readonly moved: Map<string, RemoteId>;
  /** The value behind `${env:…}` and `${file:…}`; checked to be there before the first write. */
  readonly readSecret: (
    part: Exclude<TemplatePart, string>,
  ) => { readonly value: string } | { readonly missing: string };
  /** What is held without its secrets, so that it can be kept in a file or printed. */
  readonly withhold: (held: HeldRecord) => HeldRecord;
  /** Whether the value of a field is or looks secret. */
  readonly isSecret: (address: Address, field: string, value: Json) => boolean;
  /** Milliseconds to wait for the server to make an object usable. */
  readonly waitTimeout: number;
  /** Milliseconds that lists may take to show what was written. */
  readonly settle: number;
  readonly deps: {
    readonly now: () => number;
    readonly sleep: Sleep;
    readonly newIdempotencyKey: () => string;
  };
}

/** The same, where what is read counts as waiting for the server. */
export function polling(context: RunContext): RunContext {
  const { connection } = context;
  return { ...context, connection: { ...connection, get: connection.poll } };
}

/** The id of an object made or written by this run, or else live. */
export function idOf({ made, live }: RunContext, address: Address): RemoteId {
  const id = made.get(address)?.id ?? live.resources.get(address)?.remotes[0]?.id;
  if (id === undefined) throw new Error(`The id of ${address} is needed before the step that makes it`);
  return id;
}

/** Returns the contract with the ids as they are now, from which requests are built. */
export const bindingOf = (
  context: RunContext,
): { readonly contract: Contract; readonly idOf: (address: Address) => RemoteId } => ({
  contract: context.contract,
  idOf: (address) => idOf(context, address),
});

/** What a run is given; its requests are counted by itself. */
export interface RunInput extends Omit<RunContext, "connection" | "moved" | "owners"> {
  readonly connection: Connection;
}
