import { readFileSync } from "node:fs";
import { connect, type Connection } from "../api/connection.ts";
import { loadContract } from "../contract/load-contract.ts";
import type { Emulator } from "../emulator/index.ts";
import type { Provider } from "../manifest/desired.ts";
import type { Contract } from "../model/contract.ts";
import type { Target } from "../model/plan.ts";
import { InputError, inputError } from "./input-error.ts";
import type { Io } from "./io.ts";
import { readKey } from "./read-key.ts";
import { startEmbedded } from "./start-embedded.ts";

export interface TargetOptions {
  readonly baseUrl?: string | undefined;
  readonly caFile?: string | undefined;
  readonly contract?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly emulator: boolean;
  readonly emulatorData?: string | undefined;
  readonly parallelism: number;
}

export interface OpenTarget {
  readonly target: Target;
  readonly contract: Contract;
  readonly connection: Connection;
  readonly close: () => Promise<void>;
}

const attemptTimeout = 30_000;

/**
 * Decides which API is meant and opens a connection to it: flags, then HOSTFORM_* variables, then the manifest's `provider`.
 * The embedded service is used only when it was asked for. Throws an InputError where the choice is not clear.
 */
export async function openTarget(
  options: TargetOptions,
  name: string,
  provider: Provider,
  io: Io,
): Promise<OpenTarget> {
  const baseUrl = options.baseUrl ?? (io.env["HOSTFORM_BASE_URL"] || provider.base_url);
  const emulator = options.emulator || options.emulatorData !== undefined;
  if (emulator === (baseUrl !== undefined)) throw unclearTarget(baseUrl);
  const loaded = await loadContract(options.contract ?? io.env["HOSTFORM_CONTRACT"] ?? provider.contract);
  if (!loaded.contract) throw new InputError(loaded.diagnostics);
  const { contract } = loaded;
  const embedded = emulator ? await startEmbedded(options.emulatorData, io) : undefined;
  try {
    const access = embedded ? embeddedAccess(embedded) : realAccess(baseUrl ?? "", options, provider, io);
    const { now, random, sleep } = io;
    const connection = connect({
      ...access,
      rules: contract,
      parallelism: options.parallelism,
      attemptTimeout,
      deps: { now, random, sleep },
    });
    const target = { name, baseUrl: access.baseUrl.href, contract: contract.name, emulator };
    const close = async () => {
      await connection.close();
      await embedded?.close();
    };
    return { target, contract, connection, close };
  } catch (error) {
    await embedded?.close();
    throw error;
  }
}

function unclearTarget(baseUrl: string | undefined): InputError {
  return baseUrl === undefined
    ? inputError(
        "no_target",
        "It is not said which API is meant",
        "pass --base-url https://… (or set HOSTFORM_BASE_URL, or provider.base_url in the manifest), or --emulator to try it on the embedded service",
      )
    : inputError(
        "two_targets",
        `Both the embedded service and a base URL (${URL.canParse(baseUrl) ? new URL(baseUrl).origin : "not a URL"}) are asked for`,
        "take away --emulator, or the base URL (--base-url, HOSTFORM_BASE_URL, provider.base_url)",
      );
}

interface Access {
  readonly baseUrl: URL;
  readonly key: string;
  readonly ca: string | undefined;
}

function embeddedAccess(emulator: Emulator & { readonly key: string }): Access {
  return { baseUrl: new URL(emulator.baseUrl), key: emulator.key, ca: emulator.caPem };
}

function realAccess(text: string, { caFile, keyFile }: TargetOptions, provider: Provider, io: Io): Access {
  const baseUrl = URL.canParse(text) ? new URL(text) : undefined;
  if (!baseUrl)
    throw inputError("bad_base_url", `"${text}" is not a URL`, "write it in full, such as https://api.host.example");
  if (baseUrl.protocol !== "https:")
    throw inputError(
      "not_https",
      `The base URL ${baseUrl.origin} is not https`,
      "use https://…: the key must not travel in the clear",
    );
  if (baseUrl.username !== "" || baseUrl.password !== "" || baseUrl.search !== "" || baseUrl.hash !== "") {
    throw inputError(
      "bad_base_url",
      "The base URL holds a user name, a query or a fragment",
      "write only the origin and, if there is one, a path; the key goes into HOSTFORM_API_KEY",
    );
  }
  return {
    baseUrl,
    key: readKey(keyFile ?? io.env["HOSTFORM_KEY_FILE"], io),
    ca: readCa(caFile ?? io.env["HOSTFORM_CA_FILE"] ?? provider.ca_file),
  };
}

function readCa(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw inputError(
      "no_ca_file",
      `The CA file ${path} cannot be read: ${(error as Error).message}`,
      "check the path given with --ca-file",
    );
  }
}
