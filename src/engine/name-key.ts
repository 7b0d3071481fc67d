import type { Connection } from "../api/connection.ts";
import type { AuthRules } from "../model/contract.ts";
import type { Result } from "../model/failure.ts";

/** Returns a connection whose failures say how a key that was refused was sent. */
export function nameKey(connection: Connection, auth: AuthRules): Connection {
  const keySent = inWords(auth);
  const named = <T>(result: Result<T>): Result<T> =>
    result.ok || result.error.sort !== "unauthorized" ? result : { ok: false, error: { ...result.error, keySent } };
  return {
    ...connection,
    get: async (request) => named(await connection.get(request)),
    send: async (request) => named(await connection.send(request)),
  };
}

function inWords(auth: AuthRules): string {
  if (auth.headers !== undefined) return `in the headers ${auth.headers.join(" and ")}`;
  const { header, scheme = "" } = auth;
  return scheme === "" ? `alone in the header ${header}` : `in the header ${header} after ${scheme}`;
}
