import type { ApiRequest } from "../../src/api/connection.ts";
import type { ApiResponse } from "../../src/api/response.ts";
import type { RunContext } from "../../src/apply/run-context.ts";
import type { Failure, Result } from "../../src/model/failure.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { PlanInput } from "../../src/model/plan-input.ts";

const answered = { status: 200, location: undefined, requestId: undefined, attempts: 1 };

/** An answer that holds one object, or a list. */
export const answerOf = (data: JsonObject | readonly JsonObject[]): Result<ApiResponse> => ({
  ok: true,
  value: { ...answered, body: { data, ...(Array.isArray(data) && { meta: { total: data.length } }) } },
});

export const failureOf = (sort: Failure["sort"], message = `the request was ${sort}`): Result<never> => ({
  ok: false,
  error: { sort, method: "GET", path: "/x", message, attempts: 1 },
});

/** A server that answers reads by their path, and writes in their order; it notes each request. Time passes only while something waits. */
export function fakeContext(
  { contract, live }: Pick<PlanInput, "contract" | "live">,
  server: {
    readonly reads: (path: string, nth: number) => Result<ApiResponse>;
    readonly writes?: readonly Result<ApiResponse>[];
  },
): { readonly context: RunContext; readonly gets: string[]; readonly sent: ApiRequest[] } {
  const gets: string[] = [];
  const sent: ApiRequest[] = [];
  let now = 0;
  const get = async ({ path }: { readonly path: string }) => {
    gets.push(path);
    return server.reads(path.replace(contract.base_path, ""), gets.length);
  };
  const send = async (request: ApiRequest) => {
    sent.push(request);
    return server.writes?.[sent.length - 1] ?? failureOf("unexpected");
  };
  const context = {
    contract,
    connection: { get, poll: get, send, stop: new AbortController().signal, localPath: (path: string) => path },
    live,
    made: new Map(),
    owners: new Map(),
    moved: new Map(),
    deleting: new Set(),
    lists: new Map(),
    readSecret: () => ({ value: "secret" }),
    withhold: (held: unknown) => held,
    isSecret: () => false,
    waitTimeout: 60_000,
    settle: 0,
    deps: {
      now: () => now,
      sleep: async (milliseconds: number) => {
        now += milliseconds;
      },
      newIdempotencyKey: () => "key",
    },
  };
  return { context: context as unknown as RunContext, gets, sent };
}
