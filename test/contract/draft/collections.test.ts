import { describe, expect, test } from "vitest";
import { draftContract } from "../../../src/contract/draft/draft-contract.ts";
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { describeApi, draftOf, flag, listOf, parents, record, text, whole, type Requests } from "./describe-api.ts";

const domains = listOf(record({ id: text, name: text }));
const databases = listOf(record({ id: text, name: text, engine: text }));
const sites = { answer: listOf(record({ id: text, domain: text })) };
const listPath = (kind: string, requests: Requests) => {
  const { contract } = draftOf(requests);
  return contract.base_path + (contract.kinds[kind]?.operations.list.path ?? "");
};

describe("of two lists that could be that of a kind,", () => {
  test.each([
    ["with more of its fields", "/domains", "/v2/domains", { poor: true }],
    ["that is not deprecated", "/new/domains", "/old/domains", { deprecated: true }],
  ] as const)("the one %s is taken, in whatever order they stand", (_, wanted, other, { ...worse }) => {
    const better = { answer: listOf(record({ id: text, name: text, auto_renew: flag, privacy: flag, status: text })) };
    const left = "poor" in worse ? { answer: domains } : { ...better, deprecated: true as const };
    expect(listPath("domain", { [`GET ${wanted}`]: better, [`GET ${other}`]: left })).toBe(wanted);
    expect(listPath("domain", { [`GET ${other}`]: left, [`GET ${wanted}`]: better })).toBe(wanted);
  });

  test("the one whose objects can be made and deleted is taken", () => {
    const requests = {
      "GET /reports/db": { answer: databases },
      "GET /store/databases": { answer: databases },
    };
    const managed = { ...requests, "POST /store/databases": {}, "DELETE /store/databases/{id}": {} };
    expect(listPath("database", { "GET /sites": sites, ...requests })).toBe("/reports/db");
    expect(listPath("database", { "GET /sites": sites, ...managed })).toBe("/store/databases");
  });

  test("the one beside the list of services is taken", () => {
    const far = { "GET /far/databases": { answer: databases } };
    const near = { "GET /hosting/databases": { answer: databases } };
    for (const requests of [
      { ...far, ...near },
      { ...near, ...far },
    ])
      expect(listPath("database", { "GET /hosting/websites": sites, ...requests })).toBe("/hosting/databases");
  });

  test("the one without a parameter that it does not need is taken", () => {
    expect(listPath("domain", { "GET /a/{x}/domains": { answer: domains }, "GET /a/b/domains": { answer: domains } })).toBe("/a/b/domains");
  }); // prettier-ignore
});

test("a list is the whole answer, or in it under a usual name, under its own, or under the first", () => {
  const at = (answer: Json) => {
    const { answer: shared, kinds } = draftOf({ "GET /domains": { answer } }).contract;
    return kinds["domain"]?.answer?.list ?? shared.list;
  };
  const strays = listOf(record({ name: text, link: text }));
  expect(at(domains)).toBe("");
  expect(at(record({ links: strays, data: domains }))).toBe("/data");
  expect(at(record({ links: strays, domains }))).toBe("/domains");
  expect(at(record({ meta: record({ page: whole }), result: record({ domains, links: strays }) }))).toBe(
    "/result/domains",
  );
  expect(at(record({ portfolio: domains, links: strays }))).toBe("/portfolio");
});

describe("an object that has one of its kind for each zone", () => {
  const dnssec = (answer: Json) => {
    const { contract } = draftOf({ ...parents, "GET /dns/zones/{zone}/dnssec": { answer } });
    return {
      entry: contract.kinds["dnssec"],
      record: contract.kinds["dnssec"]?.answer?.record ?? contract.answer.record,
    };
  };

  test("is the answer, whatever is inside of it", () => {
    const limits = record({ algorithm: text, created: text, keys: whole, most: whole });
    const { entry, record: at } = dnssec(record({ enabled: flag, algorithm: text, limits }));
    expect(entry?.fields["enabled"]?.at).toBe("/enabled");
    expect(entry?.operations.list).toMatchObject({ single: true });
    expect(at).toBe("");
  });

  test("stands under the usual name of an envelope", () => {
    const { entry, record: at } = dnssec(
      record({ data: record({ enabled: flag, algorithm: text, status: text }), ok: flag }),
    );
    expect(entry?.fields["enabled"]?.at).toBe("/enabled");
    expect(at).toBe("/data");
  });
});

test("a kind whose lists lack something says where it was looked for, and in vain", () => {
  const { leftOut } = draftOf({ "GET /crons": { answer: listOf(record({ id: text })) } });
  const reasons = Object.fromEntries(leftOut.map(({ subject, reason }) => [subject, reason]));
  expect(reasons["cron"]).toBe("the objects of GET /crons have nothing like command");
  expect(reasons["mailbox"]).toBe("no list has a path like it");
});

test("the first 10,000 paths of a description are looked at", () => {
  const described = describeApi({ "GET /domains": { answer: domains } });
  const kindsAfter = (count: number) => {
    const others = Array.from({ length: count }, (_, at) => [`/x/${at}`, {}]);
    const paths = { ...Object.fromEntries(others), ...(described["paths"] as JsonObject) };
    return Object.keys(draftContract({ ...described, paths }).contract.kinds);
  };
  expect(kindsAfter(9_999)).toEqual(["domain"]);
  expect(kindsAfter(10_000)).toEqual([]);
});

test.each(["x/domains", "https://other.example/domains", `/${"a".repeat(500)}/domains`])(
  "a path that does not begin with a slash, or is longer than any, is not looked at: %.30s",
  (path) => {
    expect(draftOf({ [`GET ${path}`]: { answer: domains } }).contract.kinds).toEqual({});
    expect(draftOf({ "GET /a/domains": { answer: domains } }).contract.kinds).toHaveProperty("domain");
  },
);
