import Pool from "undici/lib/dispatcher/pool.js";
import type { Json } from "../model/json.ts";
import { networkFailure } from "./network-failure.ts";
import { sendRequest } from "./send-request.ts";
import { trust } from "./trust.ts";

/**
 * Posts JSON to an https URL, once, and follows no redirect. Returns undefined if it was accepted, else why not: in words that name its host alone.
 * @param timeout milliseconds.
 */
export async function postJson(url: URL, body: Json, timeout: number): Promise<string | undefined> {
  const connect = { timeout, rejectUnauthorized: true, secureContext: trust(undefined) };
  const pool = new Pool(url.origin, { connections: 1, headersTimeout: timeout, bodyTimeout: timeout, connect });
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
