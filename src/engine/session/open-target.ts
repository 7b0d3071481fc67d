import { setMaxListeners } from "node:events";
import { connect, untilStopped, type Connection, type ConnectionOptions } from "../../api/connection.ts";
import { builtInContracts } from "../../contract/load-contract.ts";
import type { Provider } from "../../manifest/read/desired.ts";
import type { Desired } from "../../model/resource.ts";
import type { Contract, AuthRules } from "../../model/contract.ts";
import type { Target } from "../../model/plan.ts";
import type { InventoryTarget } from "../../state/inventory/target-key.ts";
import { type TargetChoice, chooseTarget, inventoryTarget } from "./choose-target.ts";
import type { Ending, Host, Session } from "./host.ts";
import { apiOf, requireKnownApi, readCa, withExtraCa } from "./known-api.ts";
import { readKey } from "./read-key.ts";
import { mayRefuseKey, type Failure, type Result } from "../../model/failure.ts";
import { randomBytes } from "node:crypto";
import { defaultContract } from "../../contract/entry.ts";
import { orUndefined } from "../../lib/or-undefined.ts";
import { readText } from "../../lib/read-file.ts";

export interface OpenTargetOptions extends TargetChoice {
  readonly keyFile?: string | undefined;
  /** Whether the key may be sent to an API that the inventories do not know. Default: false. */
  readonly acceptTarget?: boolean | undefined;
  /** The file of the inventory; default: the git repository of the manifest. */
  readonly inventory?: string | undefined;
  readonly parallelism: number;
  /** Whether every attempt at a request is logged to standard error. */
  readonly debug: boolean;
}

export interface OpenTarget {
  readonly target: Target;
  readonly contract: Contract;
  readonly connection: Connection;
  /** Ends what waits: from then on no write goes out by the connection. */
  readonly stop: () => void;
  /** Asks before each attempt at a write from now on; the write is not started after a refusal. */
  readonly guardWrites: (mayWrite: () => boolean) => void;
  /** The target that the inventory belongs to; undefined for a service that is gone after the command. */
  readonly inventory: InventoryTarget | undefined;
}

/** The manifest that an API is opened for; without one it is opened for an account. */
export interface AskingManifest {
  readonly desired?: Pick<Desired, "name" | "variables">;
  readonly provider?: Provider;
  /** As they were named, where a manifest names the API. */
  readonly manifests?: readonly string[] | undefined;
}

/** Returns the name of a manifest, or of an account that is read without one. */
export const nameOf = ({ desired }: AskingManifest): string => desired?.name ?? "account";

const attemptTimeout = 30_000;

/**
 * Opens a connection to the API that is meant (`chooseTarget`) for the length of `work`, and emits which API it is: the embedded service is
 * started for it. Throws an InputError where the choice is not clear, or there is no key.
 */
export async function withTarget(
  options: OpenTargetOptions,
  manifest: AskingManifest,
  io: Session,
  work: (open: OpenTarget) => Promise<Ending>,
): Promise<Ending> {
  const { provider = {}, desired: { variables } = {}, manifests } = manifest;
  const name = nameOf(manifest);
  const { baseUrl, contract, settings, overridden } = await chooseTarget(options, provider, io.env);
  io.emit({ type: "settings_overridden", overridden });
  const { auth } = contract.request;
  const real = baseUrl && { baseUrl, key: readKey(options.keyFile, auth, io), ca: readCa(settings.ca_file) };
  const api = real && apiOf(real.baseUrl, contract, real.ca);
  if (api) await requireKnownApi({ asked: api, settings, name, provider, manifests }, options, io);
  const inventory = inventoryTarget(name, { baseUrl, contract }, options, api ?? "emulator");
  const place = settings.contract?.value;
  const isBuiltIn = builtInContracts.includes(place ?? contract.name);
  const access: Access = real ?? (await startEmbedded(options.emulatorData, place, auth, io));
  try {
    const { connection, ...means } = connectTo(access, contract, options, io);
    try {
      const stoppable = io.stop ? { ...connection, ...untilStopped({ ...connection, stop: io.stop }) } : connection;
      const target = { name, baseUrl: access.baseUrl.href, contract: contract.name, emulator: !real };
      io.emit({ type: "target", target, ...(variables && { variables }) });
      const named = isBuiltIn ? stoppable : nameKey(stoppable, auth);
      return await work({ target, contract, inventory, ...means, connection: named });
    } finally {
      await connection.close();
    }
  } finally {
    await access.close?.();
  }
}

function connectTo(
  { baseUrl, key, ca }: Access,
  rules: Contract,
  { debug, parallelism }: OpenTargetOptions,
  io: Session,
): Pick<OpenTarget, "connection" | "stop" | "guardWrites"> {
  const { env, now, random, sleep, mask, readsOnly, stores } = io;
  const stop = new AbortController();
  // As many wait for it as there are requests and steps under way, and each goes when its wait ends.
  setMaxListeners(0, stop.signal);
  let guard: (() => boolean) | undefined;
  const connection = connect({
    baseUrl,
    key,
    ca: withExtraCa(ca, env),
    readsOnly,
    mayWrite: () => guard?.() ?? true,
    rules,
    parallelism,
    attemptTimeout,
    deps: { now, random, sleep },
    stop: stop.signal,
    mask,
    pace: stores?.pace?.(baseUrl.origin),
    onWait: (wait) => io.emit({ type: "waiting", ...wait }),
    onAttempt: debug ? (attempt) => io.emit({ type: "attempt", attempt }) : undefined,
  });
  return { connection, stop: () => stop.abort(), guardWrites: (mayWrite) => void (guard = mayWrite) };
}

interface Access extends Pick<ConnectionOptions, "baseUrl" | "key" | "ca"> {
  /** Ends the embedded service; absent for another API. */
  readonly close?: () => Promise<void>;
}

/** Returns a connection whose failures say how a key that was refused was sent; a read may be refused for the key with 403 or 400, too. */
function nameKey(connection: Connection, auth: AuthRules): Connection {
  const keySent = inWords(auth);
  const named = <T>(result: Result<T>, mayBeKey: (failure: Failure) => boolean): Result<T> =>
    result.ok || !mayBeKey(result.error) ? result : { ok: false, error: { ...result.error, keySent } };
  return {
    ...connection,
    get: async (request) => named(await connection.get(request), mayRefuseKey),
    send: async (request) => named(await connection.send(request), ({ sort }) => sort === "unauthorized"),
  };
}

function inWords(auth: AuthRules): string {
  if (auth.headers !== undefined) return `in the headers ${auth.headers.join(" and ")}`;
  const { header, scheme = "" } = auth;
  return scheme === "" ? `alone in the header ${header}` : `in the header ${header} after ${scheme}`;
}

/** Starts the embedded service, as the contract describes it, for the length of a command. With a data file its store, and its key beside it, are kept. */
async function startEmbedded(
  dataFile: string | undefined,
  contract: string | undefined,
  { headers }: AuthRules,
  io: Host,
): Promise<Access> {
  const { startEmulator } = await import("../../emulator/index.ts");
  const options = { dataFile, contract: contract === defaultContract ? undefined : contract };
  const deps = { now: io.now, random: randomBytes };
  let emulator = await startEmulator(options, deps);
  let key = emulator.key ?? orUndefined(() => readText(emulator.keyFile ?? "", 64 * 1024).trim());
  if (key === undefined || key === "") {
    // The store was created with a given key, which only its creator knows, or its file is damaged: a further key works as well.
    await emulator.close();
    key = randomBytes(24).toString("hex");
    emulator = await startEmulator({ ...options, key }, deps);
  }
  const { baseUrl, caPem: ca, close } = emulator;
  // It knows a key by its second half, where two headers hold it.
  return { baseUrl: new URL(baseUrl), key: headers ? `hostform:${key}` : key, ca, close };
}
