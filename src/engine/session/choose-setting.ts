import type { Provider } from "../../manifest/read/desired.ts";
import type { Host } from "./host.ts";
import { realPath } from "../../lib/inside.ts";
import type { Setting } from "../../messages/mistake-words.ts";
import type { Overridden } from "../../messages/findings.ts";

/** The settings that decide which API gets the key; undefined where nothing names one. */
export type TargetSettings = Readonly<Record<"base_url" | "contract" | "ca_file", Setting | undefined>>;

/** Returns a setting from its flag, else from the environment, else from the manifest; undefined where none of them has it. */
export function chooseSetting(
  name: keyof TargetSettings | "key_file",
  given: string | undefined,
  provider: Provider & { readonly key_file?: undefined },
  env: Host["env"],
): Setting | undefined {
  if (given !== undefined) return { value: given, from: "flag", place: `--${name.replace("_", "-")}` };
  const variable = `HOSTFORM_${name.toUpperCase()}`;
  const { [variable]: set } = env;
  if (set) return { value: set, from: "variable", place: variable };
  const { [name]: own } = provider;
  return own === undefined ? undefined : { value: own, from: "manifest", place: `provider.${name}` };
}

/** Returns the settings that decide which API gets the key. */
export const targetSettings = (
  { baseUrl, contract, caFile }: { readonly [Name in "baseUrl" | "contract" | "caFile"]?: string | undefined },
  provider: Provider,
  env: Host["env"],
): TargetSettings => ({
  base_url: chooseSetting("base_url", baseUrl, provider, env),
  contract: chooseSetting("contract", contract, provider, env),
  ca_file: chooseSetting("ca_file", caFile, provider, env),
});

/** Returns where a setting comes from, as a sentence says it. */
export const placeText = ({ from, place }: Setting): string => `${from === "flag" ? "given with" : "in"} ${place}`;

/** Returns the settings of a manifest that count for nothing, because a flag or a variable has another value. */
export const findOverridden = (settings: TargetSettings, provider: Provider): Overridden[] =>
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
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/u, "");
}
