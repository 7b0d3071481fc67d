import { loadContract, type LoadedContract } from "../../contract/load-contract.ts";
import type { InventoryTarget } from "../../state/inventory/target-key.ts";
import { quoted } from "../../lib/escape.ts";
import { broughtIn, isItself, realPath } from "../../lib/inside.ts";
import type { Provider } from "../../manifest/read/desired.ts";
import type { Overridden } from "../../messages/findings.ts";
import type { Setting } from "../../messages/mistake-words.ts";
import type { Contract } from "../../model/contract.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { chooseSetting, placeText, type TargetSettings } from "./choose-setting.ts";
import { InputError } from "./input-error.ts";
import type { Host } from "./host.ts";

/** The options that choose an API. */
export interface TargetChoice {
  readonly baseUrl?: string | undefined;
  readonly contract?: string | undefined;
  readonly caFile?: string | undefined;
  readonly emulator: boolean;
  readonly emulatorData?: string | undefined;
}

/**
 * Decides which API is meant: flags, then HOSTFORM_* variables, then the manifest's `provider`. The embedded service is used only
 * when it was asked for. Needs no key and sends nothing. Throws an InputError where the choice is not clear. `baseUrl`: undefined for the
 * embedded service; `overridden`: the settings of the manifest that count for nothing, because a flag or a variable has another value.
 */
export async function chooseTarget(options: TargetChoice, provider: Provider, env: Host["env"]) {
  const settings = {
    base_url: chooseSetting("base_url", options.baseUrl, provider, env),
    contract: chooseSetting("contract", options.contract, provider, env),
    ca_file: chooseSetting("ca_file", options.caFile, provider, env),
  };
  const { base_url: baseUrl } = settings;
  const emulator = options.emulator || options.emulatorData !== undefined;
  if (emulator === (baseUrl !== undefined))
    throw new InputError(
      baseUrl === undefined
        ? { type: "no_target" }
        : { type: "two_targets", from: baseUrl, data: options.emulatorData },
    );
  const { contract, diagnostics } = await chooseContract(options.contract, provider, env);
  if (!contract) throw new InputError({ type: "diagnostics", diagnostics });
  const read = baseUrl && readBaseUrl(baseUrl, contract);
  if (read && "code" in read) throw new InputError({ type: "diagnostics", diagnostics: [read] });
  return { contract, baseUrl: read, settings, overridden: findOverridden(settings, provider) };
}

/** Returns the owner of the inventory; undefined for an embedded service that keeps nothing. Its port is another each time, its data file is not. */
export function inventoryTarget(
  name: string,
  { baseUrl, contract }: { readonly baseUrl: URL | undefined; readonly contract: Contract },
  { emulatorData }: TargetChoice,
  api?: InventoryTarget["api"],
): InventoryTarget | undefined {
  const place = baseUrl?.href ?? (emulatorData === undefined ? undefined : realPath(emulatorData));
  return place === undefined ? undefined : { name, place, contract: contract.name, ...(api && { api }) };
}

const findOverridden = (settings: TargetSettings, provider: Provider): Overridden[] =>
  (["base_url", "contract", "ca_file"] as const).flatMap((setting) => {
    const { [setting]: written } = provider;
    const { value, from, place } = settings[setting] ?? {};
    if (value === undefined || from === "manifest" || place === undefined || written === undefined) return [];
    const isUrl = setting === "base_url";
    const isSame = isUrl
      ? shownUrl(written) === shownUrl(value)
      : written === value || realPath(written) === realPath(value);
    const [theirs, used] = isUrl ? [shownUrl(written), shownUrl(value)] : [written, value];
    return isSame ? [] : [{ setting, written: theirs, used, place, at: provider.at?.[setting] }];
  });

/** Returns a URL without what may be a password, and in one form. */
function shownUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/iu.test(text)) return "something else than a URL";
  const url = new URL(text);
  return url.origin + pathOf(url);
}

/** The path of an address without a slash at its end. */
const pathOf = ({ pathname }: URL): string => pathname.replace(/\/+$/u, "");

/**
 * Returns an https address in the one form in which targets are compared: a slash at the end of its path makes no other API. An inventory,
 * a lease and a journal belong to this form.
 */
export function canonicalUrl(text: string): string {
  const url = new URL(text);
  url.pathname = pathOf(url);
  return url.href;
}

const contractFile = /\.(ya?ml|json)$/iu;

const isNamed = (path: string): boolean => isItself(path, contractFile);

/**
 * Loads the contract that is meant: the flag's, then that of HOSTFORM_CONTRACT, then the manifest's, then the built-in one.
 * @param folders that of the manifest, and those that are allowed beside it.
 */
export function chooseContract(
  flag: string | undefined,
  provider: Provider,
  env: Host["env"],
  [folder = "", ...allowed]: readonly string[] = [],
): Promise<LoadedContract> {
  const chosen = chooseSetting("contract", flag, provider, env);
  const isOwn = chosen?.from === "manifest" ? broughtIn(folder, allowed, contractFile) : isNamed;
  return loadNamedContract(chosen?.value, chosen && placeText(chosen), isOwn);
}

/**
 * Loads a contract as `loadContract` does. One that a manifest or a link brings in from elsewhere may be any file of this machine: its
 * mistakes are not shown, because they quote it.
 */
export async function loadNamedContract(
  path: string | undefined,
  place?: string,
  isOwn = isNamed,
): Promise<LoadedContract> {
  const loaded = await loadContract(path, place);
  const isUnread = loaded.diagnostics.every(({ code }) => code === "contract_unreadable");
  if (loaded.contract || path === undefined || isUnread || isOwn(path)) return loaded;
  const where = place === undefined ? "" : ` ${place}`;
  return {
    diagnostics: [
      {
        severity: "error",
        code: "leads_out",
        summary: `The contract ${path}${where} is wrong, and lies outside the folder that was named, or is hidden, so its mistakes are not shown`,
        hint: `hostform contract check ${quoted(realPath(path))} shows them; or put it beside the manifest`,
      },
    ],
  };
}

/** Returns the base URL of a setting, or the mistake in it, which does not show a password. */
export function readBaseUrl(from: Setting, contract: Pick<Contract, "name" | "base_path">): URL | Diagnostic {
  const [{ value: text }, { name, base_path: basePath }] = [from, contract];
  const baseUrl = parseUrl(text);
  // The host of localhost:8443 is a scheme to a URL, and its origin is null.
  const isUrl = baseUrl !== undefined && baseUrl.origin !== "null";
  const meant = isUrl ? baseUrl : parseUrl(`https://${text.replace(/^([\w.+-]*:)?\/+/u, "")}`);
  const wrong = (shown: string, what: string, hint: string, code = "bad_base_url"): Diagnostic => ({
    severity: "error",
    code,
    summary: `The base URL ${shown}${placeText(from)} ${what}`,
    hint,
  });
  if (meant && (meant.username !== "" || meant.password !== "" || meant.search !== "" || meant.hash !== ""))
    return wrong(
      "",
      "holds a user name, a query or a fragment",
      "write only the origin and, if there is one, a path; the key goes into HOSTFORM_API_KEY",
    );
  if (text.includes("${"))
    return wrong(
      `"${text}" `,
      "holds ${…}, which nothing replaces there",
      "write the URL out, or leave it out and set HOSTFORM_BASE_URL",
    );
  if (!isUrl) {
    const near = meant?.href.replace(/\/$/u, "") ?? "it in full, such as https://api.host.example";
    return wrong(`"${text}" `, "does not begin with https://", `write ${near}`);
  }
  const { origin, protocol } = baseUrl;
  if (protocol !== "https:")
    return wrong(`${origin} `, "is not https", "use https://…: the key must not travel in the clear", "not_https");
  const path = pathOf(baseUrl);
  if (basePath === "" || !path.endsWith(basePath)) return new URL(canonicalUrl(text));
  return wrong(
    `${text} `,
    `ends in ${basePath}, and so each request would have this path twice`,
    `write ${origin}${path.slice(0, -basePath.length)}: the contract ${name} adds ${basePath}`,
  );
}

const parseUrl = (text: string) => (URL.canParse(text) ? new URL(text) : undefined);
