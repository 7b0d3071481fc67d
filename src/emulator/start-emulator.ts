import { rmSync } from "node:fs";
import { isIPv6 } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTempFolder } from "../lib/temp-folder.ts";
import { makeDoor, type Door } from "./contract/routes.ts";
import { withLimitsOf } from "./contract/limits.ts";
import { refuseUnspoken } from "./contract/unspoken.ts";
import { readContract } from "./contract/read-contract.ts";
import { apiDocument } from "./document/api-document.ts";
import { buildRouter } from "./document/router.ts";
import { buildValidators } from "./document/validators.ts";
import type { Emulator, EmulatorDeps, EmulatorOptions } from "./emulator.ts";
import { EmulatorError, FaultRulesError } from "./emulator-error.ts";
import { createFaults, type Faults } from "./faults/faults.ts";
import { createStaleReads } from "./faults/stale-reads.ts";
import { readRules } from "./faults/read-rules.ts";
import { badRequestResponse, answerRequest } from "./http/answer-request.ts";
import { listen } from "./http/listen.ts";
import { createOperationLog } from "./http/operation-log.ts";
import { createRateLimiter } from "./http/rate-limiter.ts";
import type { Service } from "./http/service.ts";
import { keepKey } from "./keep-key.ts";
import { HttpError } from "./refusal.ts";
import { readSpelling } from "./spelling/words.ts";
import { isFields } from "./fields.ts";
import { applySeed, mirrorSeed } from "./seed/apply-seed.ts";
import { explainDamage } from "./store/database.ts";
import { openStore } from "./store/store.ts";
import { keepServerIdentity } from "./tls/server-identity.ts";

/** The document as routes and validation: the same for every service of a process, so that each schema is compiled once. */
const reading = { router: buildRouter(apiDocument), validators: buildValidators(apiDocument) };

/** See `startEmulator` in index.ts. */
export async function startEmulator(options: EmulatorOptions, deps: EmulatorDeps): Promise<Emulator> {
  const faults = faultsOf(options, deps);
  const door = doorOf(options);
  const folder = options.dataFile === undefined ? makeTempFolder("hostform-emulator", tmpdir()) : undefined;
  const removeFolder = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  const dataFile = options.dataFile ?? join(folder ?? "", "store.db");
  try {
    const store = openStore(options.inMemory === true ? ":memory:" : dataFile, {
      ...deps,
      lax: options.lax ?? false,
    });
    const running = await serve({ store, dataFile, faults, door }, options, deps).catch((error: unknown) => {
      store.close();
      throw error;
    });
    const close = async (): Promise<void> => {
      await running.close();
      store.close();
      removeFolder();
    };
    let closed: Promise<void> | undefined;
    return { ...running, close: () => (closed ??= close()) };
  } catch (error) {
    removeFolder();
    throw explainDamage(dataFile, error);
  }
}

/** Read before anything is written. */
function faultsOf({ faults = [] }: EmulatorOptions, { exit }: EmulatorDeps): Faults {
  const read = readRules(faults, reading.router.operations, exit !== undefined);
  if ("errors" in read) throw new FaultRulesError(read.errors);
  return createFaults(read.rules);
}

/** Read before anything is written. */
function doorOf({ contract, manner = {} }: EmulatorOptions): Door | undefined {
  if (contract === undefined) return undefined;
  const door = makeDoor(readContract(contract), manner);
  refuseUnspoken(door, new Set(reading.router.operations.map(({ id }) => id)));
  return door;
}

type OpenedService = Pick<Service, "store" | "faults" | "door"> & { readonly dataFile: string };

async function serve(opened: OpenedService, options: EmulatorOptions, deps: EmulatorDeps): Promise<Emulator> {
  const { store, dataFile } = opened;
  const { host = "127.0.0.1", port = 0, latencyMs = 0 } = options;
  const { caFile, ca, cert, key } = beside(dataFile, () =>
    keepServerIdentity(dataFile, host, { now: deps.now(), random: deps.random }),
  );
  const service = makeService(opened, options, deps);
  const known = beside(dataFile, () =>
    store.transaction(() => keepKey(store.keys, dataFile, options.key, deps.random)),
  );
  if (options.seed !== undefined) insertSeed(service, options.seed);
  const listener = await listen({
    host,
    port,
    cert,
    key,
    latencyMs,
    answer: (request) => answerRequest(service, request),
    answerGarbage: () => badRequestResponse(service),
  });
  const { port: given } = listener;
  // An address of IPv4 that is written as one of IPv6.
  const address = listener.address.replace(/^::ffff:(?=\d+\.)/u, "");
  // Nobody can call all addresses; the one of this machine itself is among them.
  const called = { "0.0.0.0": "127.0.0.1", "::": "::1" }[address] ?? host;
  const baseUrl = `https://${isIPv6(called) ? `[${called}]` : called}:${given}`;
  const close = async (): Promise<void> => {
    await listener.close();
    service.log.stop();
    service.lag.clear();
  };
  const mirror = { fill: (seed: unknown) => mirrorSeed(service, seed), keep: store.keep };
  return { baseUrl, address, caFile, caPem: ca, ...known, mirror, close };
}

function makeService(
  { store, faults, door }: OpenedService,
  options: EmulatorOptions,
  { now, random, exit }: EmulatorDeps,
): Service {
  return {
    store,
    now,
    random,
    ...reading,
    ...(door && { validators: buildValidators(withLimitsOf(door.contract, apiDocument)) }),
    limiter: createRateLimiter(options.rateLimitPerMinute),
    log: createOperationLog(store),
    faults,
    lag: createStaleReads(store.pin, now),
    exit,
    perPageMax: options.perPageMax ?? 100,
    asyncMs: options.asyncMs ?? 0,
    namePrefix: options.namePrefix ?? "",
    spelling: spellingOf(options.spelling ?? ""),
    door,
  };
}

function spellingOf(list: string): Service["spelling"] {
  const read = readSpelling(list);
  if ("problem" in read) throw new EmulatorError(`The spelling "${list}" is not possible: ${read.problem}.`, read.hint);
  return read.spelling;
}

/** Runs what writes files beside the data file, and says what to do where that is not possible. */
function beside<Result>(dataFile: string, write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new EmulatorError(
      `Writing beside the data file ${dataFile} failed: ${error.message}.`,
      "Its certificate and key are kept there: name a file whose folder is writable.",
      error,
    );
  }
}

function insertSeed(service: Service, seed: unknown): void {
  try {
    applySeed(service, seed);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const order = new Map(isFields(seed) ? Object.keys(seed).map((key, index) => [key, index]) : []);
    const placeOf = (field: string) => order.get(field.replace(/\..*/su, "")) ?? -1;
    const fields = Object.entries(error.errors)
      .toSorted(([a], [b]) => placeOf(a) - placeOf(b))
      .map(([field, texts]) => `${field}: ${texts.join("; ")}`);
    throw new EmulatorError(
      `The seed was refused: ${error.message} ${fields.join("; ")}`,
      "Correct the seed; none of it was stored.",
      error,
    );
  }
}
