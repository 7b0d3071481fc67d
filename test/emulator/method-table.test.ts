import { expect, test } from "vitest";
import { apiForFile, serviceBody, type Api, type Body } from "./open-api.ts";

const openApi = apiForFile();

/** Paths of one group, and bodies that its POST and PUT take. */
interface Group {
  readonly collection: string;
  /** The path of a new object. */
  readonly add: () => Promise<string>;
  readonly post: () => Promise<{ path: string; body: Body }>;
  readonly put: Body;
}

const password = "correct horse";

async function groupsOf(api: Api): Promise<Record<string, Group>> {
  const service = await api.make("/v2026/services", serviceBody("example.com"));
  let count = 0;
  const next = (): string => `n${(count += 1)}`;
  const zone = async (): Promise<string> =>
    `/v2026/dns/zones/${(await api.make("/v2026/dns/zones", { name: `${next()}.test` })).id}`;
  const simple = (collection: string, body: () => Body, put: Body): Group => ({
    collection,
    post: () => Promise.resolve({ path: collection, body: body() }),
    add: async () => `${collection}/${(await api.make(collection, body())).id}`,
    put,
  });
  const inService = { service_id: service.id };
  return {
    Services: simple("/v2026/services", () => serviceBody(`${next()}.test`), { hosting: { id_service_type: "WEB-L" } }),
    Mail: simple("/v2026/mail/accounts", () => ({ address: `${next()}@example.com`, password }), { quota_mb: 10 }),
    FTP: simple("/v2026/ftp/accounts", () => ({ ...inService, username: next(), password }), { home: "/www" }),
    Database: simple("/v2026/databases", () => ({ ...inService, name: next(), engine: "mysql" }), { charset: "utf8" }),
    DNS: simple("/v2026/dns/zones", () => ({ name: `${next()}.test` }), { ttl: 60 }),
    DNSSEC: {
      collection: `${await zone()}/dnssec`,
      post: async () => ({ path: `${await zone()}/dnssec`, body: {} }),
      add: async () => {
        const path = `${await zone()}/dnssec`;
        await api.make(path, {});
        return path;
      },
      put: { enabled: false },
    },
    Crons: simple("/v2026/crons", () => ({ ...inService, name: next(), schedule: "0 3 * * *", command: "true" }), {
      name: "renamed",
      schedule: "0 4 * * *",
      command: "true",
    }),
    Domains: simple("/v2026/domains", () => ({ name: `${next()}.test` }), { auto_renew: false }),
    SSL: simple("/v2026/ssl/certificates", () => ({ ...inService, domains: ["example.com"] }), {}),
  };
}

const groups = ["Services", "Mail", "FTP", "Database", "DNS", "DNSSEC", "Crons", "Domains", "SSL"];

test.each(groups)("the group %s offers the methods of the vendor's table", async (name) => {
  const api = await openApi();
  const group = (await groupsOf(api))[name];
  if (group === undefined) throw new Error(`no group ${name}`);
  const { path, body } = await group.post();
  const created = await api.call("POST", path, body);
  expect(created.status).toBe(201);
  const one = await group.add();
  expect((await api.call("GET", one)).status).toBe(200);
  if (name !== "DNSSEC") expect((await api.call("GET", group.collection)).items.length).toBeGreaterThan(1);
  if (name === "SSL") return;
  const changed = await api.call("PUT", one, group.put);
  expect(changed.status).toBe(200);
  expect(changed.data).toMatchObject(group.put);
  expect((await api.call("GET", one)).data).toMatchObject(group.put);
  expect((await api.call("DELETE", one)).status).toBe(204);
  expect((await api.call("GET", one)).status).toBe(404);
});

test.each([
  ["PUT", "/v2026/ssl/certificates"],
  ["DELETE", "/v2026/ssl/certificates"],
  ["PUT", "/v2026/ssl/certificates/crt_1"],
  ["DELETE", "/v2026/ssl/certificates/crt_1"],
])("SSL does not offer %s %s and says what it offers", async (method, path) => {
  const { call } = await openApi();
  const answer = await call(method, path, method === "PUT" ? {} : undefined);
  expect(answer.status).toBe(405);
  expect(answer.body["code"]).toBe("method_not_allowed");
  expect(answer.headers["allow"]).toBe("GET, POST");
});

test.each([
  ["DELETE", "/v2026/services", "GET, POST"],
  ["POST", "/v2026/services/svc_1", "GET, PUT, DELETE"],
  ["POST", "/v2026/mail/settings/example.com", "GET, PUT"],
  ["DELETE", "/v2026/mail/settings/example.com", "GET, PUT"],
  ["PUT", "/v2026/jobs/job_1", "GET"],
  ["PATCH", "/v2026/services/svc_1", "GET, PUT, DELETE"],
])("%s %s is answered with 405 and Allow: %s", async (method, path, allow) => {
  const { call } = await openApi();
  const answer = await call(method, path, method === "DELETE" ? undefined : {});
  expect(answer.status).toBe(405);
  expect(answer.headers["allow"]).toBe(allow);
});
