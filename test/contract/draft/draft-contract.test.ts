import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readDescription } from "../../../src/contract/draft/description.ts";
import { draftContract } from "../../../src/contract/draft/draft-contract.ts";
import { findMistakes } from "../../../src/contract/find-mistakes.ts";
import { loadContract } from "../../../src/contract/load-contract.ts";
import type { ContractDraft } from "../../../src/model/contract-draft.ts";
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { isObject } from "../../../src/model/json-pointer.ts";
import { renderDraft } from "../../../src/render/draft-text.ts";
import { drawDescription } from "./draw-description.ts";

const folder = "test/contract/draft";

function draft(file: string): ContractDraft {
  const { document, diagnostics } = readDescription(file);
  expect(diagnostics).toEqual([]);
  return draftContract(document ?? {});
}

const expectLoads = ({ contract }: ContractDraft) =>
  expect(findMistakes(contract as unknown as JsonObject).filter(({ isWarning }) => !isWarning)).toEqual([]);

/** The values of a contract by their paths, without the marks of what is assumed. */
function entriesIn(value: Json | undefined, path = ""): [string, string][] {
  if (!isObject(value)) return [[path, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, child]) => (key === "assumed" ? [] : entriesIn(child, `${path}/${key}`)));
}

test("a draft of the embedded service's own description has nearly all of the contract that was written by hand", async () => {
  const drafted = draft("schemas/hosting-api.openapi.yaml");
  expectLoads(drafted);
  const { contract } = await loadContract(undefined);
  // Jobs, and the values that the server sets by itself, are not drafted.
  const written = entriesIn(contract as unknown as Json).filter(
    ([path]) => !/^\/answer\/job|\/default(?:_by)?(?:\/|$)/u.test(path),
  );
  const found = new Map(entriesIn(drafted.contract as unknown as Json));
  const right = written.filter(([path, value]) => found.get(path) === value);
  expect(written.length).toBeGreaterThan(300);
  expect(right.length / written.length).toBeGreaterThan(0.9);
});

describe("a vendor with bare arrays, camel case and PATCH", () => {
  const { contract, leftOut, origin } = draft(`${folder}/bare-arrays.openapi.yaml`);

  test("gets its key, base path, envelope, error and paging", () => {
    expect(origin).toBe("https://api.nimbus.example");
    expect(contract.base_path).toBe("/rest/v7");
    expect(contract.request.auth).toMatchObject({ header: "X-Nimbus-Key", scheme: "" });
    expect(contract.answer).toMatchObject({ record: "", list: "", error: { message: "/error/message" } });
    expect(contract.answer.rate_limit).toMatchObject({ statuses: [429], retry_after: "Retry-After" });
    const ofServices = { style: "link", size: "pageSize", max_size: 250, total_header: "X-Total-Count" };
    expect(contract.paging).toMatchObject(ofServices);
  });

  test("gets its kinds with requests, parents, spelling and words", () => {
    expect(Object.keys(contract.kinds)).toEqual(["service", "mailbox"]);
    const mailbox = contract.kinds["mailbox"];
    expect(mailbox?.params).toEqual({ web_space_id: { id_of: "service", key: { domain: "domain" } } });
    expect(mailbox?.fields["quota_mb"]).toEqual({ at: "/quotaInBytes", as: ["bytes"], assumed: true });
    expect(mailbox?.operations).toMatchObject({
      list: { path: "/webSpaces/{web_space_id}/mailBoxes", scope: "mixed" },
      create: { method: "POST", path: "/webSpaces/{web_space_id}/mailBoxes" },
      read: { path: "/mailBoxes/{id}" },
      update: { method: "PATCH", path: "/mailBoxes/{id}", send: "managed" },
      delete: { method: "DELETE", path: "/mailBoxes/{id}" },
    });
    expect(mailbox?.update_of).toMatchObject({
      password: { path: "/mailBoxes/{id}/password", send: { password: "/newPassword" } },
    });
    expect(contract.kinds["service"]?.fields).toMatchObject({
      plan: { at: "/planId", as: ["integer"] },
      status: { at: "/state", map: { active: "running", pending: "provisioning", failed: "error" } },
    });
  });

  test("lists what is left out, with the reason", () => {
    const reasons = new Map(leftOut.map(({ subject, reason }) => [subject, reason]));
    expect(reasons.get("cron")).toContain("{tenantId}");
    expect(reasons.get("POST /mailBoxes/{mailBoxId}/avatar")).toBe("it is not recognised");
    expect(reasons.get("dnssec")).toBe("no list has a path like it");
  });
});

test("a vendor with sets of records and offsets gets the requests for sets", () => {
  const { contract } = draft(`${folder}/sets.openapi.json`);
  expect(contract.paging).toMatchObject({ style: "offset", page: "offset", size: "limit", total: "/paging/total" });
  const sets = "/dns/zones/{zone}/rrsets";
  const one = `${sets}/{subname}/{type}`;
  expect(contract.kinds["dns_record"]).toMatchObject({
    answer: { list: "/rrsets" },
    params: { zone: { key: "zone" }, subname: { field: "name" }, type: { key: "type" } },
    fields: {
      name: { at: "/subname", as: ["relative_name"] },
      type: { at: "/type", values: ["A", "MX", "TXT"] },
      ttl: { at: "/ttl", min: 60, max: 86_400 },
      content: { at: "/records", as: ["priority_inside"] },
    },
    operations: {
      list: { path: sets, explode: "/records" },
      set: {
        create: { method: "POST", path: sets },
        update: [{ method: "PUT", path: one }],
        delete: { method: "DELETE", path: one },
        read: { method: "GET", path: one },
      },
    },
  });
});

test("every draft loads, and is the same when it is read again, whatever the description holds", () => {
  fc.assert(
    fc.property(drawDescription(), (document) => {
      const drafted = draftContract(document);
      expectLoads(drafted);
      const text = renderDraft("x.yaml", drafted);
      expect(parse(text)).toEqual(JSON.parse(JSON.stringify(drafted.contract)));
    }),
    { numRuns: 150 },
  );
});

test("every guess has its reason beside it, and is marked", () => {
  const drafted = draft(`${folder}/sets.openapi.json`);
  const text = renderDraft("x.yaml", drafted);
  for (const { reason } of drafted.guesses) expect(text).toContain(`# ${reason}`);
  for (const field of Object.values(drafted.contract.kinds["dns_record"]?.fields ?? {}))
    expect(field.assumed).toBe(true);
});
