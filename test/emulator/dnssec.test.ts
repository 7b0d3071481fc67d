import { expect, test } from "vitest";
import { openApi, type Api } from "./open-api.ts";

async function withZone(asyncMs = 0): Promise<Api & { readonly zone: string; readonly path: string }> {
  const api = await openApi({ asyncMs });
  const zone = `/v2026/dns/zones/${(await api.make("/v2026/dns/zones", { name: "example.com" })).id}`;
  return { ...api, zone, path: `${zone}/dnssec` };
}

test("a zone has no DNSSEC until it is enabled", async () => {
  const { call, path, make } = await withZone();
  expect((await call("GET", path)).status).toBe(404);
  expect((await call("PUT", path, { enabled: true })).status).toBe(404);
  expect(await make(path, {})).toMatchObject({ enabled: true, algorithm: 13, status: "active" });
  expect((await call("GET", path)).status).toBe(200);
});

test("it is enabled without a body too, and only once", async () => {
  const { call, path } = await withZone();
  expect((await call("POST", path)).status).toBe(201);
  expect((await call("POST", path)).status).toBe(409);
});

test("its DS record is plausible and always the same", async () => {
  const { call, path } = await withZone();
  const made = await call("POST", path, { algorithm: 15 });
  expect(made.data["ds_records"]).toEqual([
    { key_tag: expect.any(Number), algorithm: 15, digest_type: 2, digest: expect.stringMatching(/^[0-9A-F]{64}$/) },
  ]);
  await call("DELETE", path);
  expect((await call("POST", path, { algorithm: 15 })).data["ds_records"]).toEqual(made.data["ds_records"]);
});

test("disabled it has no DS records, and the zone may go", async () => {
  const { call, path, zone } = await withZone();
  await call("POST", path, {});
  expect((await call("DELETE", zone)).status).toBe(409);
  expect((await call("PUT", path, { enabled: false })).data).toMatchObject({ status: "disabled", ds_records: [] });
  expect((await call("DELETE", zone)).status).toBe(204);
});

test("its algorithm cannot be changed", async () => {
  const { call, path } = await withZone();
  await call("POST", path, { algorithm: 8 });
  expect((await call("PUT", path, { algorithm: 8 })).data).toMatchObject({ enabled: true, algorithm: 8 });
  expect(Object.keys((await call("PUT", path, { algorithm: 13 })).errors)).toEqual(["algorithm"]);
});

test("an algorithm that no one should use is refused", async () => {
  const { call, path } = await withZone();
  expect(Object.keys((await call("POST", path, { algorithm: 5 })).errors)).toEqual(["algorithm"]);
});

test("enabling and disabling take time where things do", async () => {
  const { call, path, clock } = await withZone(60_000);
  expect((await call("POST", path, {})).data["status"]).toBe("pending");
  clock.advance(60_000);
  expect((await call("GET", path)).data["status"]).toBe("active");
  expect((await call("PUT", path, { enabled: false })).data["status"]).toBe("disabling");
  clock.advance(60_000);
  expect((await call("GET", path)).data["status"]).toBe("disabled");
});
