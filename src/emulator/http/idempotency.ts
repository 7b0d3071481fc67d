import { createHmac } from "node:crypto";
import { malformed, HttpError } from "../refusal.ts";
import type { Store } from "../store/store.ts";
import type { Answer } from "./answer.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Gives the first answer again to a request whose `Idempotency-Key` this API key has used within a day. Only successes
 * are kept: a refusal changed nothing, so that the same request may be tried again once its cause is mended.
 */
export function replayOrRun(
  { replays, salt }: Store,
  arrival: RequestContext,
  keyId: string,
  { body, header }: { readonly body: Buffer; readonly header: string },
  act: () => Answer,
): Answer {
  const { request, method, path, started } = arrival;
  const idempotencyKey = request.headers[header];
  if (idempotencyKey === undefined) return act();
  if (typeof idempotencyKey !== "string" || !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw malformed("Idempotency-Key must be 1 to 255 visible ASCII characters.");
  }
  const requestHash = createHmac("sha256", salt).update(`${method} ${path}\n`).update(body).digest("hex");
  const replay = replays.find(keyId, idempotencyKey, started);
  if (replay === undefined) {
    const answer = act();
    replays.keep(keyId, idempotencyKey, { requestHash, answer: JSON.stringify(answer) }, started);
    return answer;
  }
  if (replay.requestHash !== requestHash) {
    throw new HttpError(
      409,
      "idempotency_key_reused",
      "This Idempotency-Key was used for another request: take a new one.",
    );
  }
  const answer = JSON.parse(replay.answer) as Answer;
  return { ...answer, headers: { ...answer.headers, "Idempotent-Replayed": "true" } };
}
