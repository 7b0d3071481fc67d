import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/model/json.ts";
import {
  draftEntry,
  draftOf,
  flag,
  listOf,
  parents,
  record,
  text,
  whole,
  words,
  type Requests,
} from "./describe-api.ts";

/** Drafts the fields of a domain whose records have these properties beside its name. */
const domainFields = (properties: JsonObject) =>
  draftEntry("domain", { "GET /domains": { answer: listOf(record({ id: text, name: text, ...properties })) } }).fields;

describe("a field that is true or false", () => {
  test.each<[string, string[], Json]>([
    ["transfer_lock", ["locked", "unlocked"], { true: "locked", false: "unlocked" }],
    ["transfer_lock", ["Enabled", "Disabled"], { true: "Enabled", false: "Disabled" }],
    ["auto_renew", ["on", "off"], { true: "on", false: "off" }],
    ["privacy", ["yes", "active", "no"], { true: ["yes", "active"], false: "no" }],
    ["privacy", ["off", "true", "paused"], { true: "true", false: ["off", "paused"] }],
  ])("%s may be one of the words %j", (name, values, map) => {
    expect(domainFields({ [name]: words(...values) })[name]).toMatchObject({ at: `/${name}`, map });
  });

  test("is not found where its words say neither yes nor no", () => {
    expect(domainFields({ privacy: words("partial", "redacted"), auto_renew: text })).not.toHaveProperty("privacy");
  });

  test("has no words where all of them say the same", () => {
    const { privacy, auto_renew: renewal } = domainFields({ privacy: { enum: ["off", "no"] }, auto_renew: { enum: ["on", "yes"] } });
    expect([privacy, renewal]).toEqual([
      { at: "/privacy", assumed: true },
      { at: "/auto_renew", assumed: true },
    ]);
  }); // prettier-ignore
});

test("a text may be a number, and is sent as one where it is whole", () => {
  const fieldsOf = (plan: Json) =>
    draftEntry("service", { "GET /sites": { answer: listOf(record({ id: text, domain: text, plan })) } }).fields;
  expect(fieldsOf({ type: "number" })["plan"]).toMatchObject({ at: "/plan", as: ["integer"] });
  expect(fieldsOf({ type: ["integer", "null"] })["plan"]).toMatchObject({ as: ["integer"] });
  expect(fieldsOf({ type: ["integer", "string"] })["plan"]).toEqual({ at: "/plan", assumed: true });
  expect(fieldsOf(flag)).not.toHaveProperty("plan");
});

test("a list may be an object of numbered properties", () => {
  expect(domainFields({ nameservers: record({ ns1: text, ns2: text }) })["nameservers"]).toMatchObject({ keys: "ns{n}" });
  expect(domainFields({ nameservers: record({ first: text }) })).not.toHaveProperty("nameservers");
}); // prettier-ignore

test("the states of an object are paired with those that Hostform knows", () => {
  const { status } = domainFields({ status: words("ok", "active", "PROCESSING", "error", "gone") });
  expect(status?.map).toEqual({ active: ["active", "ok"], pending: "PROCESSING", failed: "error" });
});

test("the service of an object is named by its id, and left out where the API has no services", () => {
  const alone = { "GET /domains": { answer: listOf(record({ id: text, name: text, service_id: text })) } };
  const { contract, leftOut } = draftOf(alone);
  expect(contract.kinds["domain"]?.fields).not.toHaveProperty("service");
  expect(leftOut.map(({ subject }) => subject)).not.toContain("kinds.domain.fields.service");
  const { fields } = draftEntry("domain", { ...parents, ...alone });
  expect(fields["service"]).toEqual({ at: "/service_id", id_of: "service", assumed: true });
});

describe("the creation of an object", () => {
  const mailboxes = (body: JsonObject): Requests => ({
    "GET /domains": { answer: listOf(record({ id: text, name: text })) },
    "GET /domains/{domain}/mailboxes": { answer: listOf(record({ id: text, address: text, quota: whole, status: text })) },
    "POST /domains/{domain}/mailboxes": { body: record(body) },
  }); // prettier-ignore

  test("says where the body has a field, and which it lacks", () => {
    const { fields } = draftEntry("mailbox", mailboxes({ email: text, password: text }));
    expect(fields).toMatchObject({
      address: { at: "/address", create: "/email" },
      password: { at: "/password" },
      quota_mb: { at: "/quota", create: false },
      status: { at: "/status" },
    });
    expect(fields["status"]).not.toHaveProperty("create");
  });

  test("takes the local part of an address in place of the whole", () => {
    const { params, operations } = draftEntry("mailbox", mailboxes({ local_part: text, password: text, color: text }));
    expect(params).toMatchObject({ local: { key: "local" } });
    expect(operations.create).toMatchObject({ body: { "/local_part": "{local}" }, send: ["password"] });
  });
});

describe("a record of DNS", () => {
  const fieldsOf = (properties: JsonObject) =>
    draftEntry("dns_record", {
      ...parents,
      "GET /dns/zones/{zone}/records": { answer: listOf(record({ id: text, name: text, type: text, content: text, ...properties })) },
    }).fields; // prettier-ignore
  const srv = { priority: whole, weight: whole, port: whole, target: text };
  const pointers = (...names: string[]) => Object.fromEntries(names.map((name) => [name, `/data/${name}`]));

  test("has the priority within its content where no property has it", () => {
    expect(fieldsOf({})["content"]).toMatchObject({ as: ["priority_inside"] });
    expect(fieldsOf({ prio: whole })["content"]).not.toHaveProperty("as");
  });

  test("may have the parts of contents as properties, of one type or of several", () => {
    expect(fieldsOf({ data: record(srv) })["content"]?.parts).toEqual({ SRV: pointers(...Object.keys(srv)) });
    const caa = { flags: whole, tag: text, value: text };
    expect(fieldsOf({ data: record({ ...srv, ...caa }) })["content"]?.parts).toEqual({
      CAA: pointers(...Object.keys(caa)),
      SRV: pointers(...Object.keys(srv)),
    });
    const { port: _, ...poor } = srv;
    expect(fieldsOf({ data: record(poor) })["content"]).not.toHaveProperty("parts");
  });

  test.each([
    ["relative to the zone", "relative_name"],
    ["Use @ for the apex", "relative_name"],
    ["The full name of the record", "whole_name"],
    ["www.example.com", "whole_name"],
  ])("with a name that is %s has it as %s", (description, codec) => {
    expect(fieldsOf({ name: { type: "string", description } })["name"]?.as).toEqual([codec]);
  });
});
