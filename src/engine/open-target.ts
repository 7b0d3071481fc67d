import { setMaxListeners } from "node:events";
import { connect, type Connection } from "../api/connection.ts";
import type { Emulator } from "../emulator/index.ts";
import { builtInContracts } from "../contract/load-contract.ts";
import type { Provider } from "../manifest/desired.ts";
import type { Desired } from "../model/resource.ts";
import type { Contract } from "../model/contract.ts";
import type { Target } from "../model/plan.ts";
import type { InventoryTarget } from "../inventory/target-key.ts";
import { placeOfContract } from "./choose-contract.ts";
import { chooseSetting } from "./choose-setting.ts";
import { chooseTarget, inventoryTarget, type TargetChoice } from "./choose-target.ts";
import type { Emit } from "./events.ts";
import type { Host } from "./host.ts";
import { nameKey } from "./name-key.ts";
import { readCa } from "./read-ca.ts";
import { forgetBeforeWrites, openListCache, type KeptLists } from "./list-cache.ts";
import { readKey } from "./read-key.ts";
import { startEmbedded } from "./start-embedded.ts";

export interface OpenTargetOptions extends TargetChoice {
  readonly caFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly parallelism: number;
  /** Whether the cache may be used. Default: false. */
  readonly cache?: boolean | undefined;
  /** Whether every attempt at a request is told on standard error. */
  readonly debug: boolean;
}

export interface OpenTarget {
  readonly target: Target;
  readonly contract: Contract;
  readonly connection: Connection;
  /** PEM of the certificate authority that is trusted; undefined: the system's. */
  readonly ca: string | undefined;
  /** Lists that earlier runs have read; absent where the cache is not used. */
  readonly lists?: KeptLists;
  /** Ends what waits: from then on no write goes out by the connection. */
  readonly stop: () => void;
  /** Asks before each attempt at a write from now on; the write is not started where the answer is no. */
  readonly guardWrites: (mayWrite: () => boolean) => void;
  /** The target that the inventory belongs to; undefined for a service that is gone after the command. */
  readonly inventory: InventoryTarget | undefined;
  readonly close: () => Promise<void>;
}

/** The name of a manifest, or of what is read without one, and its settings of the API. */
export interface NamedProvider {
  readonly name: string;
  readonly provider: Provider;
  /** The values of variables that come from outside the manifest. */
  readonly variables?: Desired["variables"] | undefined;
}

const attemptTimeout = 30_000;

/**
 * Opens a connection to the API that is meant (`chooseTarget`), and emits which API it is: the embedded service is started for it.
 * Throws an InputError where the choice is not clear, or there is no key.
 */
export async function openTarget(
  options: OpenTargetOptions,
  { name, provider, variables }: NamedProvider,
  io: Host,
  emit: Emit,
): Promise<OpenTarget> {
  const { baseUrl, contract } = await chooseTarget(options, provider, io.env);
  const inventory = inventoryTarget(name, { baseUrl, contract }, options);
  const isBuiltIn = builtInContracts.includes(placeOfContract(options.contract, provider, io.env) ?? contract.name);
  const named = (opened: ReturnType<typeof connectTo>) =>
    isBuiltIn ? opened : { ...opened, connection: nameKey(opened.connection, contract.request.auth) };
  const open = (access: Access) => ({
    target: { name, baseUrl: access.baseUrl.href, contract: contract.name, emulator: baseUrl === undefined },
    contract,
    inventory,
    ca: access.ca,
    ...named(connectTo(access, contract, options, { io, emit })),
  });
  const emitTarget = (target: Target) => emit({ type: "target", target, ...(variables && { variables }) });
  if (baseUrl) {
    const access = realAccess(baseUrl, contract, { ...options, provider }, io);
    const { connection, ...opened } = open(access);
    const kept = openListCache(access, contract, options.cache === true, io);
    emitTarget(opened.target);
    const guarded = forgetBeforeWrites(connection, kept.forget);
    return { ...opened, ...(kept.lists && { lists: kept.lists }), connection: guarded, close: guarded.close };
  }
  const embedded = await startEmbedded(options.emulatorData, placeOfContract(options.contract, provider, io.env), io);
  try {
    const opened = open(embeddedAccess(embedded, contract));
    const close = async () => {
      await opened.connection.close();
      await embedded.close();
    };
    emitTarget(opened.target);
    return { ...opened, close };
  } catch (error) {
    await embedded.close();
    throw error;
  }
}

function connectTo(
  access: Access,
  rules: Contract,
  { debug, parallelism }: OpenTargetOptions,
  { io, emit }: { readonly io: Host; readonly emit: Emit },
): Pick<OpenTarget, "connection" | "stop" | "guardWrites"> {
  const { now, random, sleep, mask } = io;
  const stop = new AbortController();
  // As many wait for it as there are requests and steps under way, and each goes when its wait ends.
  setMaxListeners(0, stop.signal);
  let guard: (() => boolean) | undefined;
  const connection = connect({
    ...access,
    mayWrite: () => guard?.() ?? true,
    rules,
    parallelism,
    attemptTimeout,
    deps: { now, random, sleep },
    stop: stop.signal,
    mask,
    onWait: (wait) => emit({ type: "waiting_for_server", wait }),
    onAttempt: debug ? (attempt) => emit({ type: "attempt", attempt }) : undefined,
  });
  const guardWrites = (mayWrite: () => boolean) => {
    guard = mayWrite;
  };
  return { connection, stop: () => stop.abort(), guardWrites };
}

interface Access {
  readonly baseUrl: URL;
  readonly key: string;
  readonly ca: string | undefined;
}

/** The embedded service knows a key by its second half, where two headers hold it. */
function embeddedAccess(
  { baseUrl, key, caPem }: Emulator & { readonly key: string },
  { request: { auth } }: Contract,
): Access {
  return { baseUrl: new URL(baseUrl), key: auth.headers ? `hostform:${key}` : key, ca: caPem };
}

function realAccess(
  baseUrl: URL,
  { request: { auth } }: Contract,
  { caFile, keyFile, provider }: OpenTargetOptions & Pick<NamedProvider, "provider">,
  io: Host,
): Access {
  const key = readKey(keyFile, auth, io);
  return { baseUrl, key, ca: readCa(chooseSetting("ca_file", caFile, provider, io.env)) };
}
