import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/model/json.ts";
import { draftEntry, listOf, parents, record, text, whole, type Requests } from "./describe-api.ts";

const list = "/dns/zones/{zone}/rrsets";
const set = { name: text, type: text, ttl: whole, records: listOf(text) };
const sets = listOf(record(set));
const { ttl: _, ...withoutTtl } = set;

function draftSets(requests: Requests, properties: JsonObject = set) {
  const { operations } = draftEntry("dns_record", {
    ...parents,
    [`GET ${list}`]: { answer: listOf(record(properties)) },
    ...requests,
  });
  return operations;
}

describe("sets that have a path each", () => {
  const one = `${list}/{rrName}/{rrType}`;
  const mine = `${list}/{rr_name}/{rr_type}`;
  const base: Requests = { [`POST ${list}`]: { body: record(set) }, [`DELETE ${one}`]: {} };

  test("are changed as a whole where a body takes their records", () => {
    const requests = { ...base, [`PUT ${one}`]: { body: record({ records: listOf(text) }) } };
    expect(draftSets(requests).set).toEqual({
      create: { method: "POST", path: list, assumed: true },
      update: [{ method: "PUT", path: mine, assumed: true }],
      delete: { method: "DELETE", path: mine, assumed: true },
    });
  });

  test.each<[string, Requests, string, string]>([
    ["PUT records", { [`PUT ${one}/records`]: {} }, "PUT", "records"],
    ["POST actions/set_records", { [`POST ${one}/actions/set_records`]: {} }, "POST", "actions/set_records"],
    ["POST actions/set-records", { [`POST ${one}/actions/set-records`]: {} }, "POST", "actions/set-records"],
    ["POST actions/update_records", { [`POST ${one}/actions/update_records`]: {} }, "POST", "actions/update_records"],
  ])("are changed in parts: their records by %s", (_name, requests, method, rest) => {
    const update = [{ method, path: `${mine}/${rest}`, assumed: true, send: ["content"] }];
    expect(draftSets({ ...base, ...requests }, withoutTtl).set?.update).toEqual(update);
  });

  test.each([
    ["PUT", "ttl"],
    ["PUT", "change-ttl"],
    ["POST", "actions/change_ttl"],
    ["POST", "actions/change-ttl"],
  ])("are changed in parts: their TTL by %s %s, where they have one", (method, rest) => {
    const requests = { ...base, [`PUT ${one}/records`]: {}, [`${method} ${one}/${rest}`]: {} };
    expect(draftSets(requests).set?.update).toMatchObject([
      { path: `${mine}/records`, send: ["content"] },
      { path: `${mine}/${rest}`, send: ["ttl"] },
    ]);
    expect(draftSets(requests, withoutTtl).set?.update).toMatchObject([{ send: ["content"] }]);
  });

  test("are left out where a request lacks, or part of their path is unknown", () => {
    expect(draftSets(base)).not.toHaveProperty("set");
    const change = { body: record({ records: listOf(text) }) };
    expect(draftSets({ [`DELETE ${one}`]: {}, [`PUT ${one}`]: change })).not.toHaveProperty("set");
    const strange = `${list}/{rrName}/{view}`;
    expect(draftSets({ [`POST ${list}`]: {}, [`DELETE ${strange}`]: {}, [`PUT ${strange}`]: change })).not.toHaveProperty("set");
    const both = { [`DELETE ${strange}`]: {}, ...base, [`PUT ${one}`]: change };
    expect(draftSets(both).set).toMatchObject({ delete: { path: mine } });
  }); // prettier-ignore
});

describe("sets that the path of their list takes", () => {
  const put = (body: JsonObject) => ({ [`PUT ${list}`]: { body: record(body) } });
  const names = listOf(record({ name: text, type: text }));

  test("are written one by one where a deletion names them", () => {
    const requests = { ...put({ sets }), [`DELETE ${list}`]: { body: record({ filters: names }) } };
    const write = { method: "PUT", path: list, assumed: true, at: "/sets/0" };
    expect(draftSets(requests).set).toEqual({
      create: write,
      update: [write],
      delete: { method: "DELETE", path: list, assumed: true, at: "/filters/0", send: ["name", "type"] },
    });
  });

  test.each(["overwrite", "Replace"])("take the place of what is there where the body asks with %s", (word) => {
    const requests = {
      ...put({ [word]: { type: "boolean" }, sets }),
      [`DELETE ${list}`]: { body: record({ filters: names }) },
    };
    expect(draftSets(requests).set?.create).toMatchObject({ base: { [word]: true }, at: "/sets/0" });
  });

  test("are written with their whole zone where no deletion names them", () => {
    const zone = { method: "PUT", path: list, assumed: true, at: "/sets" };
    expect(draftSets(put({ sets })).zone).toEqual(zone);
    expect(draftSets({ ...put({ sets }), [`DELETE ${list}`]: {} }).zone).toEqual(zone);
    expect(draftSets({ [`PATCH ${list}`]: { body: record({ sets }) } }).zone).toMatchObject({ method: "PATCH" });
  });

  test("are not written by a body of something else", () => {
    expect(draftSets(put({ views: listOf(record({ view: text })) }))).not.toHaveProperty("zone");
    expect(draftSets(put({ sets: listOf(text) }))).not.toHaveProperty("zone");
  });
});
