import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeReason } from "../../src/messages/step-reasons.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Plan } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { forDraws } from "../support/for-draws.ts";
import { addresses, buildInput, service, type Lists } from "./build-input.ts";

const ids = ({ steps }: Plan) => steps.map(({ id }) => id);
const now = Date.parse("2026-01-01T00:00:00Z");

describe("what expires", () => {
  const domain = (expires_at: string): Lists => ({
    "/domains": [{ id: "d1", name: "example.com", status: "active", expires_at }],
  });
  const manifest = "domains: { example.com: { renew_before: 30d, period_years: 2 } }";

  test("is renewed by one POST that costs money, once it is near and named", async () => {
    const soon = domain("2026-01-20T00:00:00Z");
    const refused = plan(await buildInput(manifest, soon, {}, now));
    expect(ids(refused)).toEqual(["renew domain/example.com"]);
    expect(refused.refusals).toMatchObject([{ code: "purchase", hint: "--allow-purchase domain/example.com" }]);
    const allowed = plan(await buildInput(manifest, soon, { purchases: addresses("domain/example.com") }, now));
    expect(allowed.refusals).toEqual([]);
    expect(allowed.steps[0]?.calls).toMatchObject([
      {
        method: "POST",
        path: "/v2026/domains/{id}/renewals",
        params: { id: "d1" },
        values: [{ pointer: "/period_years", value: 2 }],
      },
    ]);
  });

  test("is left alone while it is far, or where nothing is written", async () => {
    expect(plan(await buildInput(manifest, domain("2026-03-01T00:00:00Z"), {}, now)).steps).toEqual([]);
    expect(
      plan(await buildInput("domains: { example.com: {} }", domain("2026-01-02T00:00:00Z"), {}, now)).steps,
    ).toEqual([]);
  });
});

describe("the form of an expiry", () => {
  const two = (number: number) => String(number).padStart(2, "0");
  const parts = (time: Date) => [two(time.getUTCDate()), two(time.getUTCMonth() + 1), String(time.getUTCFullYear())];
  /** Forms in which servers write a time; `odd`: not to be read, or to be read in two ways. */
  const forms: readonly (readonly [of: string, isOdd: boolean, write: (time: Date) => string | number])[] = [
    ["RFC 3339", false, (time) => time.toISOString()],
    ["RFC 3339 with a zone", false, (time) => time.toISOString().replace(/\.000Z$/u, "+00:00")],
    ["a day", false, (time) => time.toISOString().slice(0, 10)],
    ["a day and a time", false, (time) => time.toISOString().slice(0, 19).replace("T", " ")],
    ["RFC 1123", false, (time) => time.toUTCString()],
    ["days with dots", true, (time) => parts(time).join(".")],
    ["days with slashes", true, (time) => parts(time).join("/")],
    ["days with slashes behind months", true, (time) => [parts(time)[1], parts(time)[0], parts(time)[2]].join("/")],
    ["seconds", true, (time) => String(time.getTime() / 1000)],
    ["words", true, () => "in some weeks"],
  ];

  test.each(forms)("%s leads to a renewal when it is due, or to a warning", (_of, isOdd, write) =>
    forDraws(20, fc.oneof(fc.integer({ min: 1, max: 28 }), fc.integer({ min: 32, max: 700 })), async (days) => {
      const end = write(new Date(now + days * 86_400_000));
      const lists: Lists = {
        "/services": [service],
        "/domains": [{ id: "d1", name: "example.com", status: "active", expires_at: end }],
        "/ssl/certificates": [
          { id: "c1", service_id: "s1", domains: ["example.com"], type: "managed", status: "issued", not_after: end },
        ],
      };
      const manifest = `services: { example.com: {} }
domains: { example.com: { renew_before: 30d } }
certificates: { example.com: [{ domains: [example.com], renew_before: 30d }] }`;
      const made = plan(await buildInput(manifest, lists, {}, now));
      const warned = made.diagnostics.filter(({ code }) => code === "renewal_unknown");
      expect([made.steps.length, warned.length], String(end)).toEqual(isOdd ? [0, 2] : [days <= 30 ? 2 : 0, 0]);
    }),
  );

  test("that is still absent leads to no warning", async () => {
    const lists: Lists = {
      "/domains": [{ id: "d1", name: "example.com", status: "pending", expires_at: null }],
    };
    const made = plan(await buildInput("domains: { example.com: { renew_before: 30d } }", lists, {}, now));
    expect([made.steps, made.diagnostics]).toEqual([[], []]);
  });
});

describe("a domain", () => {
  const live: Lists = {
    "/services": [],
    "/domains": [{ id: "d1", name: "example.com", status: "active", service_id: null }],
  };
  const manifest =
    "services: { example.com: { plan: WEB-M, datacenter: MAD1 } }\ndomains: { example.com: { service: example.com } }";

  test("is attached to a service once that is made, by its id", async () => {
    const { steps } = plan(await buildInput(manifest, live));
    expect(steps.map(({ id }) => id)).toEqual(["create service/example.com", "update domain/example.com"]);
    expect(steps[1]?.after).toEqual(["create service/example.com"]);
  });

  test("needs no request after its changes where the API makes use of them by itself", async () => {
    expect(plan(await buildInput(manifest, live)).afterRequests ?? []).toEqual([]);
  });
});

describe("a certificate", () => {
  const manifest =
    "services: { example.com: {} }\ncertificates: { example.com: [{ domains: [www.example.com, example.com], renew_before: 30d }] }";
  const live = (...certificates: JsonObject[]): Lists => ({
    "/services": [service],
    "/ssl/certificates": certificates,
  });
  const certificate = (more: JsonObject): JsonObject => ({
    id: "c1",
    service_id: "s1",
    domains: ["example.com", "www.example.com"],
    type: "managed",
    status: "issued",
    created_at: "2025-10-01T00:00:00Z",
    not_after: "2026-03-01T00:00:00Z",
    ...more,
  });

  test("is found again whatever the order of its domains", async () => {
    expect(plan(await buildInput(manifest, live(certificate({})), {}, now)).steps).toEqual([]);
  });

  test("that expires soon is requested anew, and superseded ones are passed over", async () => {
    const old = certificate({ id: "c0", created_at: "2025-01-01T00:00:00Z", not_after: "2025-04-01T00:00:00Z" });
    const due = certificate({ not_after: "2026-01-10T00:00:00Z" });
    expect(plan(await buildInput(manifest, live(certificate({}), old), {}, now)).steps).toEqual([]);
    const made = plan(await buildInput(manifest, live(old, due), {}, now));
    expect(made.steps.map((step) => [step.calls.map(({ method }) => method), describeReason(step)])).toEqual([
      [["POST"], expect.stringContaining("2026-01-10")],
    ]);
  });

  test.each<JsonObject>([{ status: "failed" }, { not_after: "2026-01-10T00:00:00Z" }])(
    "that is declared at another service is requested there once, though the live one has %j",
    async (more) => {
      const other = { ...service, id: "s2", domain: "two.example" };
      const lists = {
        "/services": [service, other],
        "/ssl/certificates": [certificate({ ...more, service_id: "s2" })],
      };
      const { steps, diagnostics } = plan(await buildInput(manifest, lists, {}, now));
      expect(steps.map((step) => [step.calls.map(({ method }) => method), describeReason(step)])).toEqual([
        [["POST"], expect.stringContaining("service cannot be changed in place")],
      ]);
      expect(diagnostics).toEqual([]);
    },
  );

  test("that failed is requested again only by name, and its reason is reported", async () => {
    const failed = live(
      certificate({ status: "failed", error: { code: "dns_mismatch", message: "www points elsewhere" } }),
    );
    const left = plan(await buildInput(manifest, failed, {}, now));
    expect(left.steps).toEqual([]);
    expect(left.diagnostics).toMatchObject([
      {
        severity: "warning",
        summary: expect.stringContaining("dns_mismatch www points elsewhere"),
        hint: expect.stringContaining("--retry certificate/"),
      },
    ]);
    const retried = plan(
      await buildInput(
        manifest,
        failed,
        { retries: addresses("certificate/example.com+www.example.com/managed") },
        now,
      ),
    );
    expect(ids(retried)).toEqual(["create certificate/example.com+www.example.com/managed"]);
  });

  test("that is not declared stays; where removed: names it, the plan says that the API cannot", async () => {
    const input = await buildInput(
      "removed: [{ address: certificate/example.com+www.example.com/managed, action: delete }]",
      live(certificate({})),
      {},
      now,
    );
    expect(plan(input).refusals).toMatchObject([
      { code: "managed_by_platform", summary: expect.stringContaining("no such operation") },
    ]);
    const undeclared = plan(
      await buildInput(manifest.replace("www.example.com, ", ""), live(certificate({})), {}, now),
    );
    expect(ids(undeclared)).toEqual(["create certificate/example.com/managed"]);
    expect(undeclared.unmanaged).toMatchObject([
      { collection: "certificate", addresses: ["certificate/example.com+www.example.com/managed"] },
    ]);
  });
});

test("a certificate is asked for after the records of its names are made", async () => {
  const manifest =
    "services: { example.com: {} }\ncertificates: { example.com: [{ domains: [www.example.com] }] }\ndns: { example.com: { records: { www: { A: 192.0.2.1 } } } }";
  const made = plan(await buildInput(manifest, { "/services": [service] }));
  expect(made.steps.find(({ address }) => address.startsWith("certificate/"))?.after).toContain(
    "create dns_record/example.com/www/A",
  );
});
