import type { Provider } from "../../manifest/read/desired.ts";
import type { TargetSettings } from "./choose-setting.ts";
import { realPath } from "../../lib/inside.ts";
import type { Overridden } from "../../messages/findings.ts";

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
