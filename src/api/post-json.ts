import type { Json } from "../model/json.ts";
import { networkFailure } from "./network-failure.ts";
import { openPool } from "./open-pool.ts";
import { sendRequest } from "./send-request.ts";

/**
 * Posts JSON to an https URL, once, and follows no redirect. Returns undefined if it was accepted, else why not: in words that name its host alone.
 * @param timeout milliseconds.
 */
export async function postJson(url: URL, body: Json, timeout: number): Promise<string | undefined> {
  const pool = openPool(url.origin, 1, timeout);
  const headers = { "content-type": "application/json" };
  const request = { method: "POST" as const, path: url.pathname + url.search, headers, body: JSON.stringify(body) };
  let isSent = false;
  try {
    const onStart = () => void (isSent = true);
    const { status } = await sendRequest(pool, request, timeout, { onStart, onHead: () => undefined });
    return status >= 200 && status < 300 ? undefined : `${url.host} answered with ${status}`;
  } catch (error) {
    const { message } = networkFailure(error, { method: "POST", path: "", attempts: 1, isSent }, url.host, timeout);
    return message;
  } finally {
    await pool.destroy();
  }
}
