import type { Connection } from "../api/connection.ts";
import type { AuthRules } from "../model/contract.ts";
import { mayRefuseKey, type Failure, type Result } from "../model/failure.ts";

/** Returns a connection whose failures say how a key that was refused was sent; a read may be refused for the key with 403 or 400, too. */
export function nameKey(connection: Connection, auth: AuthRules): Connection {
  const keySent = inWords(auth);
  const named = <T>(result: Result<T>, mayBeKey: (failure: Failure) => boolean): Result<T> =>
    result.ok || !mayBeKey(result.error) ? result : { ok: false, error: { ...result.error, keySent } };
  return {
    ...connection,
    get: async (request) => named(await connection.get(request), mayRefuseKey),
    send: async (request) => named(await connection.send(request), ({ sort }) => sort === "unauthorized"),
  };
}

function inWords(auth: AuthRules): string {
  if (auth.headers !== undefined) return `in the headers ${auth.headers.join(" and ")}`;
  const { header, scheme = "" } = auth;
  return scheme === "" ? `alone in the header ${header}` : `in the header ${header} after ${scheme}`;
}
