import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { builtInContracts, loadContract } from "../../src/contract/load-contract.ts";
import { kinds } from "../../src/kinds/index.ts";
import { layOver } from "../../src/contract/lay-over.ts";
import type { Json } from "../../src/model/json.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { checkEvents, eventsOf, exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { contractFile } from "../support/contract-file.ts";

const { write, load } = contractFile();

const get = (path: string) => ({ method: "GET", path });
/** A contract of an API with records alone and a scheduled task. */
const small = {
  contract: 1,
  name: "small",
  base_path: "/v1",
  request: { auth: { header: "Authorization", scheme: "Bearer" }, headers: {} },
  answer: {
    record: "",
    list: "/items",
    error: { message: "/message" },
    rate_limit: { statuses: [429], assumed: true },
  },
  paging: { style: "none" },
  kinds: {
    dns_record: {
      id: "/id",
      params: { zone: { key: "zone" } },
      fields: {
        name: { at: "/name" },
        type: { at: "/type", values: ["A"] },
        content: { at: "/data/content", assumed: true },
        ttl: { at: "/ttl" },
      },
      operations: {
        list: get("/zones/{zone}/records"),
        create: { method: "POST", path: "/zones/{zone}/records", assumed: true },
        delete: { method: "DELETE", path: "/zones/{zone}/records/{id}" },
      },
      update_of: { ttl: { method: "PUT", path: "/zones/{zone}/records/{id}/ttl" } },
    },
  },
};
const changed = (change: object) => stringify(layOver(small, change as Json));
const ofRecords = (change: object) => ({ kinds: { dns_record: change } });
const mailbox = (change: object) => ({
  kinds: {
    mailbox: {
      id: "/id",
      params: { domain: { key: "domain" }, local: { key: "local" } },
      fields: { address: { at: "/address" }, password: { at: "/password" } },
      operations: { list: get("/mail/{domain}") },
      ...change,
    },
  },
});

describe("contract check", () => {
  test("prints what a contract offers and what is assumed in it", async () => {
    const others = kinds.map(({ name }) => name).filter((name) => name !== "dns_record");
    const file = write(stringify(small));
    const { status, stdout, stderr } = await runInProcess(noAccount, ["contract", "check", file]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe(`KIND        OFFERS
dns_record  list, create, delete, update of ttl
    fields that the API lacks: priority, disabled, comment, managed
    assumed: fields.content, operations.create
    list           GET     /v1/zones/{zone}/records
    create         POST    /v1/zones/{zone}/records
    delete         DELETE  /v1/zones/{zone}/records/{id}
    update_of.ttl  PUT     /v1/zones/{zone}/records/{id}/ttl

Kinds that the API lacks: ${others.join(", ")}.
Assumed outside the kinds: answer.rate_limit.
Lists that the API does not count: dns_record.
Valid: the contract small in ${file} has 1 kind.
`);
  });

  test("prints the same as an event", async () => {
    const file = write(stringify(small));
    const events = eventsOf(await runInProcess(noAccount, ["contract", "check", file, "--json"]));
    expect(checkEvents(events)).toEqual([]);
    expect(events[1]).toMatchObject({
      type: "contract_checked",
      name: "small",
      kinds: [{ kind: "dns_record", offers: ["list", "create", "delete"], update_of: ["ttl"], weak_list: true }],
    });
    expect((events[1] as { kinds: { requests: object[] }[] }).kinds[0]?.requests[0]).toEqual({
      operation: "list",
      method: "GET",
      path: "/v1/zones/{zone}/records",
      query: {},
    });
  });

  test("prints every request of every built-in contract once", async () => {
    for (const name of builtInContracts) {
      const { contract } = await loadContract(name);
      const { stdout } = await runInProcess(noAccount, ["contract", "check", name]);
      const printed = stdout.split("\n").filter((line) => /^ {4}\S+ +(?:GET|POST|PUT|PATCH|DELETE) +\//u.test(line));
      const texts = JSON.stringify(contract?.kinds);
      const written = [...texts.matchAll(/"method":"\w+"/gu), ...texts.matchAll(/"lookup":/gu)];
      expect(printed.length, name).toBe(written.length);
    }
  });

  test("prints the constants and parameters of a query, what an object switches on and off, and each write of a set", async () => {
    const update = { on: { method: "POST", path: "/on/{id}" }, off: { method: "POST", path: "/off/{id}" } };
    const set = {
      create: { method: "POST", path: "/{zone}/sets" },
      update: [{ method: "PUT", path: "/{zone}/sets", query: { name: "{name}", "part of": "ttl" } }],
      delete: { method: "DELETE", path: "/{zone}/sets", send: ["name", "type"] },
    };
    const params = { name: { field: "name" }, zone: { lookup: { path: "/all", query: { q: "x" }, at: "/id" } } };
    const file = write(
      stringify({
        ...small,
        kinds: {
          dns_record: {
            ...small.kinds.dns_record,
            params,
            operations: { list: get("/{zone}"), set },
            update_of: { disabled: update },
            fields: { ...small.kinds.dns_record.fields, disabled: { at: "/off" } },
            after: { method: "POST", path: "/{zone}/publish" },
          },
        },
      }),
    );
    const { stdout } = await runInProcess(noAccount, ["contract", "check", file]);
    expect(stdout).toContain(`
    params.zone             GET     /v1/all?q=x
    list                    GET     /v1/{zone}
    set.create              POST    /v1/{zone}/sets
    set.delete              DELETE  /v1/{zone}/sets
    set.update.0            PUT     /v1/{zone}/sets?name={name}&part of=ttl
    update_of.disabled.on   POST    /v1/on/{id}
    update_of.disabled.off  POST    /v1/off/{id}
    after                   POST    /v1/{zone}/publish
`);
  });

  test.each([
    [ofRecords({ operations: { create: { method: "GET" } } }), /create has the method GET/u, "method"],
    [ofRecords({ update_of: { ttl: { method: "GET" } } }), /update_of.ttl has the method GET/u, "method"],
    [ofRecords({ after: get("/zones/{zone}/refresh") }), /kinds.dns_record.after has the method GET/u, "method"],
    [ofRecords({ operations: { list: { base: { a: 1 } } } }), /list has the word base: a GET has no body/u, "base"],
    [ofRecords({ operations: { read: { ...get("/r/{id}"), send: "managed" } } }), /read has the word send/u, "send"],
    [ofRecords({ params: { zone: { key: "zones" } } }), /params.zone is filled from zones/u, "key"],
    [
      ofRecords({ params: { name: { field: "name" } }, operations: { list: get("/z/{zone}/{name}") } }),
      /list uses \{name\}, which is made of name/u,
      "list",
    ],
    [
      mailbox({
        params: { order: { lookup: { path: "/o/{local}", at: "/id" } }, local: { key: "local" } },
        operations: { list: get("/mail/{order}") },
      }),
      /params.order uses \{local\}, which is made of local/u,
      "order",
    ],
    [ofRecords({ update_of: { ttl: { send: ["tll"] } } }), /sends tll, which has no entry/u, "send"],
    [mailbox({ named_by: "quota_mb" }), /named_by is quota_mb, which has no entry/u, "named_by"],
    [
      mailbox({ operations: { list: get("/mail/{domain}"), zone: { method: "PUT", path: "/mail/{domain}" } } }),
      /writes sets, and mailbox has none/u,
      "zone",
    ],
    [ofRecords({ operations: { list: { explode: "/records" } } }), /outside the members of a set at \/records/u, "at"],
    [
      ofRecords({
        operations: {
          set: {
            create: { method: "POST", path: "/{zone}" },
            update: [{ method: "PUT", path: "/{zone}" }, get("/{zone}")],
            delete: { method: "DELETE", path: "/{zone}" },
          },
        },
      }),
      /set.update.1 has the method GET/u,
      "method",
    ],
  ])("names what cannot work in %j, with its place", async (change, summary, word) => {
    const text = changed(change);
    const file = write(text);
    const ran = exits(3, await runInProcess(noAccount, ["contract", "check", file, "--json"]));
    const events = eventsOf(ran);
    expect(checkEvents(events)).toEqual([]);
    const found = events.find((event) => summary.test(String(event["summary"])));
    expect(found, JSON.stringify(events)).toMatchObject({ type: "diagnostic", code: "contract_invalid" });
    const { line } = (found as { at: { line: number } }).at;
    const near = text.split("\n").slice(line - 2, line + 1);
    expect(near.join("\n")).toContain(word);
  });

  test("warns of a key of a list that is put where nothing reads it, and accepts the contract", async () => {
    const file = write(changed(ofRecords({ operations: { list: { keyed_by: "/key" } } })));
    const { stderr, stdout } = exits(0, await runInProcess(noAccount, ["contract", "check", file]));
    expect(stderr).toContain("keyed_by puts the key at /key, which no field, id or condition reads");
    expect(stdout).toContain("Valid: the contract small");
  });

  test.each([
    ["no request", { params: { owner: { key: "zone" } } }, true],
    ["a constant of a body alone", { params: { owner: { key: "zone" } }, after: { base: { of: "{owner}" } } }, true],
    ["a path", { params: { owner: { key: "zone" } }, after: { path: "/{owner}" } }, false],
    ["a query", { params: { owner: { key: "zone" } }, after: { query: { of: "{owner}" } } }, false],
    ["a body", { params: { owner: { key: "zone" } }, after: { body: { "/of": "{owner}" } } }, false],
    [
      "a condition of the list",
      {
        params: { owner: { key: "zone" } },
        operations: { list: { where: [{ pointer: "/zone", equals: ["{owner}"] }] } },
      },
      false,
    ],
    [
      "a lookup",
      {
        params: { owner: { key: "zone" }, account: { lookup: { path: "/a", query: { o: "{owner}" }, at: "/id" } } },
        operations: { list: { path: "/{account}/{zone}" } },
      },
      false,
    ],
    [
      "a condition of a lookup",
      {
        params: {
          owner: { key: "zone" },
          account: { lookup: { path: "/a", at: "/id", where: [{ pointer: "/o", equals: ["{owner}"] }] } },
        },
        operations: { list: { path: "/{account}/{zone}" } },
      },
      false,
    ],
  ] as const)("warns of a parameter that is used by %s: %j, %s", async (_, words, isUnused) => {
    const after = { method: "POST", path: "/{zone}/publish" };
    const file = write(changed(ofRecords(layOver({ after }, words) as object)));
    const { stderr } = exits(0, await runInProcess(noAccount, ["contract", "check", file]));
    expect(stderr.includes("kinds.dns_record.params.owner is used by no request")).toBe(isUnused);
    expect(/contract.yaml:\d+:\d+[^]*owner/u.test(stderr)).toBe(isUnused);
  });

  test("warns of no parameter that a built-in contract has and another list does not use", async () => {
    const list = { path: "/all-records", query: null };
    const records = { operations: { list, create: null, read: null, update: null, delete: null } };
    const file = write(stringify({ contract: 1, name: "mine", extends: "v2026", kinds: { dns_record: records } }));
    expect(await runInProcess(noAccount, ["contract", "check", file])).toMatchObject({ status: 0, stderr: "" });
  });

  test("prints every mistake of a file at once, and exits with 3", async () => {
    const file = write(changed(ofRecords({ params: { zone: { key: "zon" } }, update_of: { ttl: { method: "GET" } } })));
    const { stderr } = exits(3, await runInProcess(noAccount, ["contract", "check", file]));
    expect(stderr).toContain("2 errors");
    expect(stderr).toMatch(/contract.yaml:\d+:\d+/u);
  });
});

describe("contract show", () => {
  test.each([
    ["the built-in contract", "extends: v2026\n"],
    [
      "what is taken away",
      "extends: v2026\nkinds: { cron: null, mailbox: { fields: { status: { absent: true } } } }\n",
    ],
    ["what is changed", "extends: v2026\nbase_path: /v3\nkinds: { cron: { operations: { list: { path: /all } } } }\n"],
  ])("prints a contract that is the same when it is loaded again: %s", async (_, text) => {
    const file = write(`contract: 1\nname: mine\n${text}`);
    const { stdout } = exits(0, await runInProcess(noAccount, ["contract", "show", file]));
    const whole = (await loadContract(file)).contract;
    const again = await load(stdout);
    expect(again.diagnostics).toEqual([]);
    expect({ ...again.contract, extends: "v2026" }).toEqual(whole);
  });

  test("prints the built-in contract where no file is named, also as an event", async () => {
    const events = eventsOf(await runInProcess(noAccount, ["contract", "show", "--json"]));
    expect(checkEvents(events)).toEqual([]);
    expect(events[1]).toEqual({ type: "contract", contract: builtIn });
  });

  test("prints the mistakes of a contract that cannot be used", async () => {
    const file = write("contract: 1\nname: mine\nextends: v2026\nkinds: { mailbx: { } }\n");
    expect((await runInProcess(noAccount, ["contract", "show", file])).status).toBe(3);
    expect((await runInProcess(noAccount, ["contract", "show", "absent.yaml"])).status).toBe(3);
  });
});
