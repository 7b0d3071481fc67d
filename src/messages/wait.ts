import type { Wait } from "../model/attempt.ts";

/** Why nothing happens for a while: how long, which request it holds, and whose wish it is. One line. */
export function waitText({ milliseconds, asked, status, method, path }: Wait): string {
  const request = `${method} ${path}`;
  const isCut = asked !== undefined && asked > milliseconds;
  if (status === undefined) {
    const waiting = `Waiting ${seconds(milliseconds)} after ${request}`;
    return isCut
      ? `${waiting}: the rate limit is exhausted and resets in ${seconds(asked)}; Hostform retries earlier.`
      : `${waiting}, until the rate limit is reset.`;
  }
  const waiting = `Waiting ${seconds(milliseconds)} to send ${request} again`;
  if (asked === undefined) return `${waiting} (${status}; the server does not say how long).`;
  return isCut
    ? `${waiting}: the server asks for ${seconds(asked)} (${status}); Hostform retries earlier.`
    : `${waiting}, as the server asked (${status}).`;
}

const seconds = (milliseconds: number) => `${Math.ceil(milliseconds / 1000)} s`;
