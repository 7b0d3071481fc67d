import type { JsonObject } from "../../src/model/json.ts";
import { service, type Lists } from "./build-input.ts";

/** A live job of the service s1. */
export const job = (name: string, more: JsonObject = {}): JsonObject => ({
  id: `c-${name}`,
  etag: `e-${name}`,
  service_id: "s1",
  name,
  schedule: "0 3 * * *",
  command: "x",
  ...more,
});

export const liveJobs = (...names: readonly string[]): Lists => ({
  "/services": [service],
  "/crons?service_id=s1": names.map((name) => job(name)),
});

/** A manifest with these jobs, `name: body` each, and what else stands beside `jobs`. */
export const declareJobs = (jobs: string, beside = "") =>
  `services: { example.com: }\ncrons: { example.com: { ${beside} jobs: { ${jobs} } } }`;

export const whole = "{ schedule: '0 3 * * *', command: x }";
export const cron = (name: string) => `cron/example.com/${name}`;
