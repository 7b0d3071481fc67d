import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/model/json.ts";
import { draftEntry, draftOf, flag, listOf, parents, record, text, whole, type Requests } from "./describe-api.ts";

const mailbox = { id: text, address: text };
const mailboxes: Requests = { ...parents, "GET /mailboxes": { answer: listOf(record(mailbox)), query: ["domain"] } };
const draftMailbox = (requests: Requests) => draftEntry("mailbox", { ...mailboxes, ...requests });

describe("an object", () => {
  const path = (requests: Requests) => draftMailbox(requests).operations.delete;

  test("has its path below the list rather than elsewhere, and rather with fewer parameters that nothing else has", () => {
    const elsewhere = { "DELETE /users/mailboxes/{id}": {} };
    const below = { "DELETE /mailboxes/{id}": {} };
    for (const requests of [
      { ...elsewhere, ...below },
      { ...below, ...elsewhere },
    ])
      expect(path(requests)).toMatchObject({ path: "/mailboxes/{id}" });
    expect(path(elsewhere)).toMatchObject({ path: "/users/mailboxes/{id}" });
    const strange = { "DELETE /x/{y}/mailboxes/{id}": {} };
    expect(path({ ...strange, ...elsewhere })).toMatchObject({ path: "/users/mailboxes/{id}" });
  });

  test("has no path that is deprecated, of another noun, or with parameters of its own beside its id", () => {
    expect(path({ "DELETE /mailboxes/{id}": { deprecated: true } })).toBeUndefined();
    expect(path({ "DELETE /mailboxes/{id}/aliases/{alias}": {} })).toBeUndefined();
    expect(path({ "DELETE /mailboxes/{id}/{version}": {} })).toBeUndefined();
  });

  test.each<[string, string, JsonObject, string]>([
    ["the property of that name", "{mailboxId}", { mailbox_id: whole, id: text }, "/mailbox_id"],
    ["the property of that name without or_name", "{number_or_name}", { number: whole, id: text }, "/number"],
    ["the property of the name without its noun", "{mailbox_key}", { key: text, id: text }, "/key"],
    ["its id", "{reference}", { id: text, uuid: text }, "/id"],
    ["its uuid", "{reference}", { uuid: text }, "/uuid"],
    ["its uid", "{reference}", { uid: text }, "/uid"],
    ["the id named after its noun", "{reference}", { mailboxId: text }, "/mailboxId"],
    ["the name by which it is known", "{reference}", { kind: text }, "/address"],
  ])("is known in a path by %s: %s", (_, param, { ...properties }, id) => {
    const entry = draftEntry("mailbox", {
      ...parents,
      "GET /mailboxes": { answer: listOf(record({ address: text, ...properties })), query: ["domain"] },
      [`DELETE /mailboxes/${param}`]: {},
    });
    expect(entry).toMatchObject({ id, operations: { delete: { path: "/mailboxes/{id}" } } });
  });

  test("is made by a POST to the list, or else to another path of the same noun", () => {
    const create = (requests: Requests) => draftMailbox(requests).operations.create;
    expect(create({ "POST /new/mailbox": {}, "POST /mailboxes": {} })).toMatchObject({ path: "/mailboxes" });
    expect(create({ "POST /new/mailbox": {} })).toMatchObject({ path: "/new/mailbox" });
    expect(create({ "POST /new/mailbox": { deprecated: true } })).toBeUndefined();
  });

  test("is read by itself where the list lacks a field that can be changed", () => {
    const read = { "GET /mailboxes/{id}": { answer: record({ ...mailbox, quota: whole }) } };
    expect(draftMailbox(read)).toMatchObject({ fields: { quota_mb: { at: "/quota" } }, operations: { list: { detail: "read" } } });
    const alike = { "GET /mailboxes/{id}": { answer: record({ ...mailbox, status: text }) } };
    expect(draftMailbox(alike).operations.list).not.toHaveProperty("detail");
  }); // prettier-ignore

  test("is changed by a PATCH, which may send less, or else by a PUT; not by one that takes nothing of it", () => {
    const change = { body: record({ quota: whole }) };
    const both = draftMailbox({ "PUT /mailboxes/{id}": change, "PATCH /mailboxes/{id}": change });
    expect(both.operations.update).toMatchObject({ method: "PATCH", send: "managed" });
    const labels = draftMailbox({ "PATCH /mailboxes/{id}": { body: record({ labels: text }) }, "PUT /mailboxes/{id}": change });
    expect(labels.operations.update).toEqual({ method: "PUT", path: "/mailboxes/{id}", assumed: true });
  }); // prettier-ignore
});

test("each guess says where it comes from", () => {
  const { guesses } = draftOf({
    ...mailboxes,
    "DELETE /mailboxes/{id}": {},
    "GET /dns/zones/{zone}/dnssec": { answer: record({ enabled: flag }) },
  });
  const reasons = new Map(guesses.map(({ path, reason }) => [path.slice(1).join(" "), reason]));
  expect(reasons.get("mailbox operations list")).toBe("GET /mailboxes answers with a list");
  expect(reasons.get("dnssec operations list")).toBe("GET /dns/zones/{zone}/dnssec answers with an object");
  expect(reasons.get("mailbox id")).toBe("it fills the parameter of /mailboxes/{id}");
  expect(reasons.get("mailbox fields address")).toBe("the records have address (string)");
  expect(reasons.get("dnssec params zone")).toBe("{zone} is named like the zone");
});

describe("the list of a kind that belongs to another", () => {
  const list = (path: string, query: string[] = []) =>
    draftEntry("mailbox", { ...parents, [`GET ${path}`]: { answer: listOf(record(mailbox)), query } });

  test("holds the objects of one parent, where its path or its query names that", () => {
    expect(list("/domains/{domain_id}/mailboxes")).toMatchObject({
      params: { domain_id: { id_of: "domain", key: { name: "domain" } } },
      operations: { list: { path: "/domains/{domain_id}/mailboxes" } },
    });
    expect(list("/domains/{domain_id}/mailboxes").operations.list).not.toHaveProperty("scope");
    expect(list("/mailboxes", ["domain"]).operations.list).toMatchObject({ query: { domain: "{domain}" } });
    expect(list("/mailboxes", ["domain"]).operations.list).not.toHaveProperty("scope");
  });

  test("holds those of several where it names none, or what the parent belongs to", () => {
    expect(list("/mailboxes").operations.list).toMatchObject({ scope: "mixed" });
    expect(list("/websites/{website_id}/mailboxes")).toMatchObject({
      params: { website_id: { id_of: "service", key: { domain: "domain" } } },
      operations: { list: { scope: "mixed" } },
    });
  });
});

describe("a request below the path of an object", () => {
  const below = (requests: Requests) => draftMailbox({ "DELETE /mailboxes/{id}": {}, ...requests }).update_of;
  const change = { body: record({ password: text }) };

  test.each(["PUT password", "PATCH change-password", "POST actions/set_password", "PUT actions/newPassword", "POST reset_passwd"])(
    "%s changes the field that it is named after",
    (request) => {
      const [method = "", rest = ""] = request.split(" ");
      expect(below({ [`${method} /mailboxes/{id}/${rest}`]: change })).toEqual({
        password: { method, path: `/mailboxes/{id}/${rest}`, assumed: true },
      });
    },
  ); // prettier-ignore

  test.each<[string, Requests]>([
    ["no body", { "PUT /mailboxes/{id}/password": {} }],
    ["a body without the field", { "PUT /mailboxes/{id}/password": { body: record({ mode: text }) } }],
    ["another name", { "PUT /mailboxes/{id}/avatar": change }],
    ["a path of three parts", { "PUT /mailboxes/{id}/actions/x/password": change }],
    ["a path of two parts", { "PUT /mailboxes/{id}/old/password": change }],
    ["a mark that it is deprecated", { "PUT /mailboxes/{id}/password": { ...change, deprecated: true } }],
  ])("is left aside with %s", (_, requests) => {
    expect(below(requests)).toBeUndefined();
  });

  test("may be a pair that turns a field on and off", () => {
    const { update_of: updates } = draftEntry("domain", {
      "GET /domains": { answer: listOf(record({ id: text, name: text, privacy: flag })) },
      "GET /domains/{id}": {},
      "DELETE /domains/{id}/privacy": {},
      "PUT /domains/{id}/privacy": {},
    });
    expect(updates).toMatchObject({
      privacy: { on: { method: "PUT", path: "/domains/{id}/privacy" }, off: { method: "DELETE" } },
    });
  });
});
