import type { Provider } from "../../manifest/read/desired.ts";
import type { Setting } from "../../messages/mistake-words.ts";
import type { Host } from "./host.ts";

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

/** Returns where a setting comes from, as a sentence says it. */
export const placeText = ({ from, place }: Setting): string => `${from === "flag" ? "given with" : "in"} ${place}`;
