import { postJson } from "../../api/post-json.ts";
import { shortHash } from "../../lib/short-hash.ts";
import { jobAddress } from "../../model/runner.ts";
import type { Ending, Host, Session } from "./host.ts";
import { InputError } from "./input-error.ts";

/** What others get to know of a run: numbers and words of ours, and nothing of a manifest or an account. */
export interface Notification {
  readonly command: "apply" | "drift";
  readonly ending: Ending;
  readonly counts: Readonly<Record<string, number>>;
  /** Of the plan, if there is one. */
  readonly hash: string | undefined;
}

/** Milliseconds. */
const timeout = 10_000;

/**
 * Returns the URL that the runner named for notifications; undefined if it named none. It may hold a token, so it is masked from then on.
 * Throws an InputError for any but an https URL.
 * @param flag default: `HOSTFORM_NOTIFY_URL`.
 */
export function readNotifyUrl(
  flag: string | undefined,
  { env, keepSecret }: Pick<Host, "env" | "keepSecret">,
): URL | undefined {
  const { HOSTFORM_NOTIFY_URL: given = flag } = flag === undefined ? env : {};
  if (given === undefined) return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "")
    throw new InputError({ type: "bad_notify_url" });
  const [, written = ""] = /^[^/]*\/\/[^/?#]*(.*)$/su.exec(given) ?? [];
  // Shorter ones hold no token, and stand in other texts, as the host may.
  for (const each of [written, url.pathname + url.search, url.pathname]) if (each.length >= 12) keepSecret(each);
  return url;
}

/** Posts how a run ended. That this fails is a warning, and no more. */
export async function notify(
  url: URL,
  { command, ending, counts, hash }: Notification,
  io: Pick<Session, "env" | "mask" | "emit">,
): Promise<void> {
  const address = jobAddress(io.env);
  const job = address === undefined ? undefined : io.mask(address);
  const sums = Object.entries(counts).map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`);
  const parts = [sums.join(", "), hash === undefined ? "" : shortHash(hash), job ?? ""].filter((part) => part !== "");
  const text = `hostform ${command}: ${[ending.replaceAll("_", " "), ...parts].join("; ")}`;
  const known = { ...(hash !== undefined && { hash }), ...(job !== undefined && { job }) };
  const reason = await postJson(url, { format: 1, command, ending, counts, ...known, text }, timeout);
  if (reason !== undefined) io.emit({ type: "not_notified", host: url.host, reason });
}
