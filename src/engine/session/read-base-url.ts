import type { Contract } from "../../model/contract.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { placeText } from "./choose-setting.ts";
import type { Setting } from "../../messages/mistake-words.ts";

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
  const { origin, protocol, pathname } = baseUrl;
  if (protocol !== "https:")
    return wrong(`${origin} `, "is not https", "use https://…: the key must not travel in the clear", "not_https");
  const path = pathname.replace(/\/+$/u, "");
  if (basePath === "" || !path.endsWith(basePath)) return baseUrl;
  return wrong(
    `${text} `,
    `ends in ${basePath}, and so each request would have this path twice`,
    `write ${origin}${path.slice(0, -basePath.length)}: the contract ${name} adds ${basePath}`,
  );
}

const parseUrl = (text: string) => (URL.canParse(text) ? new URL(text) : undefined);
