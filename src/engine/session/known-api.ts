import { X509Certificate, hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { readKnownInventories, type KnownInventory } from "../../state/inventory/known-inventories.ts";
import { nameInKey, targetKey } from "../../state/inventory/target-key.ts";
import type { Provider } from "../../manifest/read/desired.ts";
import type { Contract } from "../../model/contract.ts";
import type { AppliedApi } from "../../model/inventory.ts";
import { type TargetSettings, placeText } from "./choose-setting.ts";
import type { Setting } from "../../messages/mistake-words.ts";
import { InputError, orMistake } from "./input-error.ts";
import type { KnownApis, Host } from "./host.ts";
import { readText } from "../../lib/read-file.ts";
import { orUndefined } from "../../lib/or-undefined.ts";

/** Returns the API that a key is sent to, as an inventory keeps it. */
export function apiOf(baseUrl: URL, { name, base_path, request }: Contract, ca: string | undefined): AppliedApi {
  const prints = ca && certificatesIn(ca).map((block) => new X509Certificate(block).fingerprint256);
  const rules = Object.entries({ base_path, ...request.auth }).filter(([key]) => key !== "assumed");
  return {
    base_url: baseUrl.href,
    contract: name,
    auth: hashOf(rules.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    ...(prints && { ca: hashOf([...new Set(prints)].toSorted()) }),
  };
}

const hashOf = (value: unknown) => `sha256:${hash("sha256", JSON.stringify(value))}`;

/** An API that gets the key, the settings that name it, and the manifest that may have done so. */
interface TargetToJudge {
  readonly asked: AppliedApi;
  readonly settings: TargetSettings;
  readonly name: string;
  readonly provider: Provider;
  /** As they were named. */
  readonly manifests?: readonly string[] | undefined;
}

interface KnownApiOptions {
  readonly acceptTarget?: boolean | undefined;
  /** The file of the inventory; default: the git repository of the manifests. */
  readonly inventory?: string | undefined;
}

/**
 * Throws an InputError if a manifest names another API than the inventories of its repository know, so that the key is not sent there. Those
 * of its name judge; if there are none, all do: who changes the base URL in a pull request may change the name as well, and the file of an
 * inventory that lies beside the manifest. So each place where inventories are kept has to agree. What a flag or a variable names is the
 * runner's own choice, unless the stores of the run know better.
 */
export async function requireKnownApi(
  { asked, settings, name, provider, manifests = [] }: TargetToJudge,
  { acceptTarget = false, inventory }: KnownApiOptions,
  io: Host,
): Promise<void> {
  const chosen = chosenByManifest(settings);
  const own = nameInKey(name);
  const [first] = chosen;
  const stored = (await io.stores?.known?.({ api: asked, name: own, isByManifest: first !== undefined })) ?? [];
  if (acceptTarget) return;
  const isAsked = (known: KnownInventory) =>
    agrees(known, asked, { chosen, name: known.name === own ? name : known.name });
  const places = { manifests, file: inventory };
  const found =
    first === undefined
      ? []
      : await readKnownInventories(places, own, (each) => each.name === own && isAsked(each), io);
  const verdicts = [...stored, ...found].map(({ known, unread, isWhole = false }: KnownApis) => {
    const telling = known.filter(({ api }) => api !== "emulator" && (api !== undefined || chosen.has("base_url")));
    const named = telling.filter((each) => each.name === own);
    const judges = named.length > 0 ? named : telling;
    const isKnown = judges.some((each) => (isWhole ? isDeepStrictEqual(each.api, asked) : isAsked(each)));
    return { named, judges, isKnown, unread };
  });
  // Who runs a server for an agent does not see what the agent has written into the manifest.
  const mustBeKnown =
    io.readsOnly === true && chosen.has("base_url") && verdicts.every(({ judges }) => judges.length === 0);
  const against = verdicts.find(({ judges, isKnown, unread }) =>
    judges.length === 0 ? mustBeKnown || unread !== undefined : !isKnown,
  );
  if (!against) return;
  const { named, judges, unread } = against;
  throw new InputError({
    type: "unknown_api",
    name,
    asked,
    known: judges.map(({ key, api }) => (typeof api === "object" ? api : key)),
    isOwn: named.length > 0,
    unread: judges.length === 0 ? unread : undefined,
    at: first && provider.at?.[first],
  });
}

type Chosen = ReadonlySet<keyof TargetSettings>;

/** Returns the settings that a manifest chooses. With its base URL goes the contract that no one names. */
function chosenByManifest({ base_url: baseUrl, contract = baseUrl, ca_file: ca }: TargetSettings): Chosen {
  const settings = { base_url: baseUrl, contract, ca_file: ca };
  const names = ["base_url", "contract", "ca_file"] as const;
  return new Set(names.filter((name) => settings[name]?.from === "manifest"));
}

function agrees(
  { key, api }: KnownInventory,
  asked: AppliedApi,
  { chosen, name }: { readonly chosen: Chosen; readonly name: string },
): boolean {
  if (api === "emulator") return false;
  // An inventory that does not say its API has a key that is made of it.
  if (!api) return key === targetKey({ name, place: asked.base_url, contract: asked.contract });
  return (
    (!chosen.has("base_url") || api.base_url === asked.base_url) &&
    (!chosen.has("contract") || (api.contract === asked.contract && api.auth === asked.auth)) &&
    (!chosen.has("ca_file") || api.ca === asked.ca)
  );
}

const mostBytes = 1024 * 1024;

/** The certificates of a CA file, as PEM; undefined without one. Throws an InputError where it cannot be read, or is none. */
export function readCa(file: Setting | undefined): string | undefined {
  if (file === undefined) return undefined;
  const { value: path } = file;
  const pem = orMistake(
    () => readText(path, mostBytes),
    (reason) => ({ type: "unreadable", file: "ca", path, reason, where: placeText(file) }),
  );
  // Another text would make the system trust nothing, and report nothing.
  const blocks = certificatesIn(pem);
  if (blocks.length === 0) throw new InputError({ type: "bad_ca_file", path });
  const wrong = blocks.findIndex((block) => !isCertificate(block));
  if (wrong >= 0) throw new InputError({ type: "bad_ca_file", path, block: wrong + 1 });
  return pem;
}

/** Returns the certificates of a CA file together with those of NODE_EXTRA_CA_CERTS, which Node leaves out once others are added to its own. */
export function withExtraCa(ca: string | undefined, { NODE_EXTRA_CA_CERTS: extra }: Host["env"]): string | undefined {
  if (ca === undefined || extra === undefined) return ca;
  // Node warns of one that cannot be read.
  return orUndefined(() => `${ca}\n${readText(extra, mostBytes)}`) ?? ca;
}

/** Returns the blocks of a PEM text. */
export const certificatesIn = (pem: string): readonly string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gsu) ?? [];

const isCertificate = (pem: string): boolean => orUndefined(() => new X509Certificate(pem)) !== undefined;
