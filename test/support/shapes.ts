import type { Contract } from "../../src/model/contract.ts";
import { builtIn } from "./built-in-contract.ts";
import { allKinds, bareKind, nestedKind, setsKind, stampedSets, wholeZones } from "./shape-kinds.ts";

/** Bare lists and objects; what is managed by PATCH; offsets, and a total in a header; numbers as ids; whole names. */
const bare: Contract = {
  contract: 1,
  name: "bare",
  base_path: "/api/v3",
  request: {
    auth: { header: "X-Auth-Key", scheme: "" },
    headers: { Accept: "application/json", "Content-Type": "application/json" },
    idempotency: { header: "X-Once" },
  },
  answer: {
    record: "",
    list: "",
    error: {
      message: "/error/text",
      code: "/error/number",
      codes: { 1001: "conflict", 1002: "invalid", 1003: "not_found", 1004: "stale", 1005: "forbidden" },
    },
    rate_limit: { statuses: [429], retry_after: "Wait" },
  },
  paging: { style: "offset", page: "skip", size: "limit", max_size: 50, total_header: "X-Total" },
  kinds: allKinds(bareKind),
};

/** Sets of records; names in paths instead of ids; links in a header; two headers for the key; fields with requests of their own. */
const sets: Contract = {
  contract: 1,
  name: "sets",
  base_path: "/v1",
  request: {
    auth: { headers: ["X-Auth-Email", "X-Auth-Key"] },
    headers: { Accept: "application/json", "Content-Type": "application/json" },
  },
  answer: {
    record: "/result",
    list: "/result",
    error: { message: "/errors/0/message", code: "/errors/0/code" },
    failed_when: { pointer: "/success", equals: [false] },
    rate_limit: { statuses: [429] },
  },
  paging: { style: "link", size: "per_page", max_size: 20, total_header: "X-Count" },
  kinds: allKinds(setsKind),
};

/** Nested objects in camel case; cursors; objects read one by one; numbers and truth values as texts; jobs; lists of all domains together. */
const nested: Contract = {
  contract: 1,
  name: "nested",
  base_path: "/hosting/api",
  request: {
    auth: { header: "Authorization", scheme: "Token" },
    headers: { Accept: "application/json", "Content-Type": "application/json" },
    precondition: { header: "X-If-Version" },
  },
  answer: {
    record: "/data/item",
    list: "/data/items",
    error: {
      message: "/problem/detail",
      code: "/problem/name",
      codes: { taken: "conflict", gone: "not_found", moved: "stale" },
    },
    rate_limit: { statuses: [503], retry_after: "Retry-After" },
    job: {
      ids: "/data/jobs",
      path: "/jobs/{job}",
      record: "/data/job",
      status: "/state",
      done: ["finished"],
      failed: ["broken"],
    },
  },
  paging: { style: "cursor", page: "after", size: "count", max_size: 25, next: "/data/next", total: "/data/total" },
  kinds: allKinds(nestedKind),
};

/** The built-in contract with whole zones, pages from 0 without a total, and objects created at another place. */
const whole: Contract = {
  ...builtIn,
  name: "whole",
  paging: { page: "p", first: 0, size: "n", max_size: 10, total: "/meta/total", actual_size: "/meta/per_page" },
  kinds: { ...builtIn.kinds, dns_record: wholeZones() },
};

/** The same with ids and ETags of sets, one request for a whole set, and keys by which an answer is repeated. */
const stamped: Contract = {
  ...sets,
  name: "stamped",
  request: { ...sets.request, precondition: { header: "If-Match" }, idempotency: { header: "X-Once" } },
  kinds: { ...sets.kinds, dns_record: stampedSets() },
};

/** Contracts that offer every kind, each in another shape, and how the service does what they leave open. */
export const shapes = {
  bare: { contract: bare, manner: { numberIds: true } },
  sets: { contract: sets, manner: {} },
  nested: { contract: nested, manner: { bareIds: true } },
  whole: { contract: whole, manner: {} },
  stamped: { contract: stamped, manner: {} },
} as const;

export type ShapeName = keyof typeof shapes;
