import { expect, test } from "vitest";
import { openApi, serviceBody } from "./open-api.ts";

const asyncMs = 60_000;

test("a service is pending, then active, and its ETag changes with that", async () => {
  const { call, make, clock } = await openApi({ asyncMs });
  const made = await make("/v2026/services", serviceBody("example.com"));
  expect(made["status"]).toBe("pending");
  const path = `/v2026/services/${made.id}`;
  const before = await call("GET", path);
  clock.advance(asyncMs - 1000);
  expect((await call("GET", path)).data["status"]).toBe("pending");
  clock.advance(1000);
  const after = await call("GET", path, undefined, { "if-none-match": String(before.headers["etag"]) });
  expect(after.status).toBe(200);
  expect(after.data["status"]).toBe("active");
  expect((await call("GET", "/v2026/services")).items).toEqual([after.data]);
});

test("a PUT on something pending does not end its waiting", async () => {
  const { call, make, clock } = await openApi({ asyncMs });
  const { id } = await make("/v2026/services", serviceBody("example.com"));
  const path = `/v2026/services/${id}`;
  expect((await call("PUT", path, { hosting: { id_service_type: "WEB-L" } })).data["status"]).toBe("pending");
  clock.advance(asyncMs);
  expect((await call("GET", path)).data).toMatchObject({ status: "active", hosting: { id_service_type: "WEB-L" } });
});

test("a registration is pending, then active", async () => {
  const { call, make, clock } = await openApi({ asyncMs });
  const made = await make("/v2026/domains", { name: "example.com", register: true });
  expect(made["status"]).toBe("pending");
  clock.advance(asyncMs);
  expect((await call("GET", `/v2026/domains/${made.id}`)).data["status"]).toBe("active");
});

test("a database is accepted with a job that says when it is done", async () => {
  const { call, make, clock } = await openApi({ asyncMs });
  const { id: service_id } = await make("/v2026/services", serviceBody("example.com"));
  const accepted = await call("POST", "/v2026/databases", { service_id, name: "shop", engine: "mysql" });
  expect(accepted.status).toBe(202);
  const job = String(accepted.headers["location"]);
  expect(job).toBe(`/v2026/jobs/${String(accepted.data["id"])}`);
  expect(accepted.data).toMatchObject({ status: "pending", error: null, resource: { kind: "database" } });
  const { id } = accepted.data["resource"] as { id: string };
  expect((await call("GET", `/v2026/databases/${id}`)).data["status"]).toBe("pending");
  clock.advance(asyncMs / 2);
  expect((await call("GET", job)).data["status"]).toBe("running");
  clock.advance(asyncMs / 2);
  expect((await call("GET", job)).data["status"]).toBe("done");
  expect((await call("GET", `/v2026/databases/${id}`)).data["status"]).toBe("active");
});

test("a failed job fails what it was to make", async () => {
  const { call, make, clock } = await openApi({ asyncMs });
  const { id: service_id } = await make("/v2026/services", serviceBody("example.com"));
  const { data } = await call("POST", "/v2026/databases", { service_id, name: "shop", engine: "mysql" });
  const error = { code: "quota_exceeded", message: "No more databases." };
  const moved = await call("POST", "/_emulator/transitions", { kind: "job", id: data["id"], status: "failed", error });
  expect(moved.status).toBe(200);
  clock.advance(asyncMs * 2);
  expect((await call("GET", `/v2026/jobs/${String(data["id"])}`)).data).toMatchObject({ status: "failed", error });
  expect((await call("GET", "/v2026/databases")).items).toMatchObject([{ status: "failed" }]);
});

test("a certificate is pending, then issued or failed", async () => {
  const { call, make, clock } = await openApi({ asyncMs });
  const { id: service_id } = await make("/v2026/services", serviceBody("example.com"));
  const good = await make("/v2026/ssl/certificates", { service_id, domains: ["example.com"] });
  const bad = await make("/v2026/ssl/certificates", { service_id, domains: ["other.test"] });
  expect([good["status"], bad["status"], good["not_after"]]).toEqual(["pending", "pending", null]);
  clock.advance(asyncMs);
  expect((await call("GET", `/v2026/ssl/certificates/${good.id}`)).data).toMatchObject({
    status: "issued",
    error: null,
  });
  expect((await call("GET", `/v2026/ssl/certificates/${bad.id}`)).data).toMatchObject({
    status: "failed",
    error: { code: "domain_not_found" },
  });
});

test.each([
  [{ kind: "planet", id: "x", status: "active" }, 422, ["kind"]],
  [{ kind: "domain", id: "dom_none", status: "active" }, 404, []],
  [{ kind: "domain", status: "melted" }, 422, ["status"]],
  [{ kind: "domain", status: "active", colour: "red" }, 422, ["colour"]],
])("the transition %j is refused", async (body, status, fields) => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/domains", { name: "example.com" });
  const answer = await call("POST", "/_emulator/transitions", { id, ...body });
  expect(answer.status).toBe(status);
  expect(Object.keys(answer.errors)).toEqual(expect.arrayContaining(fields));
});
