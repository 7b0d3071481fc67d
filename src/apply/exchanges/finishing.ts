import type { ApiRequest } from "../../api/connection.ts";
import type { CountedConnection } from "../write-ledger.ts";

const never = new AbortController().signal;

/** A connection for what completes an exchange: it sends and waits also after the run was stopped. */
export const finishing = (connection: CountedConnection): CountedConnection => ({
  ...connection,
  stop: never,
  send: (request: ApiRequest) => connection.send({ ...request, finish: true }),
  get: (request) => connection.get({ ...request, finish: true }),
  poll: (request) => connection.poll({ ...request, finish: true }),
});
