import { expect, test } from "vitest";
import { apiForFile, serviceBody, type Api } from "./open-api.ts";

const openApi = apiForFile();

const mailboxes = "/v2026/mail/accounts";
const aliases = "/v2026/mail/aliases";
const password = "correct horse";

async function withDomain(): Promise<Api> {
  const api = await openApi();
  await api.make("/v2026/domains", { name: "example.com" });
  return api;
}

test("a mailbox's address is lower-cased and its defaults are filled in", async () => {
  const { make } = await withDomain();
  expect(await make(mailboxes, { address: "Info@Example.com", password })).toMatchObject({
    address: "info@example.com",
    quota_mb: null,
    sending_enabled: true,
    status: "active",
    usage_mb: 0,
  });
});

test("a password is never returned, and stays as it is when a PUT leaves it out", async () => {
  const { call, make, clock } = await withDomain();
  const made = await make(mailboxes, { address: "info@example.com", password });
  clock.advance(1000);
  const path = `${mailboxes}/${made.id}`;
  const changed = await call("PUT", path, { quota_mb: 5 });
  expect(changed.data["password_updated_at"]).toBe(made["password_updated_at"]);
  const rotated = await call("PUT", path, { quota_mb: 5, password: "another horse" });
  expect(Date.parse(String(rotated.data["password_updated_at"]))).toBeGreaterThan(
    Date.parse(String(made["password_updated_at"])),
  );
  expect(rotated.text).not.toContain("horse");
});

test.each([
  ["too short", { password: "1234567" }],
  ["too long", { password: "x".repeat(73) }],
  ["no text", { password: 12345678 }],
  ["absent", {}],
])("a password that is %s is refused and not repeated", async (_, body) => {
  const { call } = await withDomain();
  const answer = await call("POST", mailboxes, { address: "info@example.com", ...body });
  expect(Object.keys(answer.errors)).toEqual(["password"]);
  expect(answer.text).not.toMatch(/1234567|xxx/);
});

test("mailboxes and aliases share one address space", async () => {
  const { call, make } = await withDomain();
  await make(mailboxes, { address: "info@example.com", password });
  const alias = await call("POST", aliases, { address: "INFO@example.com", destinations: ["a@b.test"] });
  expect(alias.status).toBe(409);
  await make(aliases, { address: "sales@example.com", destinations: ["a@b.test"] });
  expect((await call("POST", mailboxes, { address: "sales@example.com", password })).status).toBe(409);
});

test.each(["info@other.test", "info@sub.example.com"])(
  "the address %s is at no domain of the account",
  async (address) => {
    const { call } = await withDomain();
    for (const answer of [
      await call("POST", mailboxes, { address, password }),
      await call("POST", aliases, { address, destinations: ["a@b.test"] }),
    ]) {
      expect(answer.status).toBe(422);
      expect(Object.keys(answer.errors)).toEqual(["address"]);
    }
  },
);

test("a service's domain is enough for mail", async () => {
  const { make } = await openApi();
  await make("/v2026/services", serviceBody("example.com"));
  const made = await make(mailboxes, { address: "info@example.com", password });
  expect(made["address"]).toBe("info@example.com");
});

test("lists are narrowed by domain, in whatever case", async () => {
  const { call, make } = await withDomain();
  await make("/v2026/domains", { name: "other.test" });
  await make(mailboxes, { address: "a@example.com", password });
  await make(mailboxes, { address: "b@other.test", password });
  const listed = await call("GET", `${mailboxes}?domain=Other.TEST`);
  expect(listed.items.map((item) => item["address"])).toEqual(["b@other.test"]);
  expect(listed.body["meta"]).toMatchObject({ total: 1 });
  expect((await call("GET", mailboxes)).items).toHaveLength(2);
});

test("destinations are a set, lower-cased", async () => {
  const { make } = await withDomain();
  const destinations = ["B@b.test", "a@b.test", "b@B.test"];
  expect((await make(aliases, { address: "s@example.com", destinations }))["destinations"]).toEqual([
    "b@b.test",
    "a@b.test",
  ]);
});

test("mail settings exist with the domain and are changed as a whole", async () => {
  const { call } = await withDomain();
  const path = "/v2026/mail/settings/Example.com";
  expect((await call("GET", path)).data).toMatchObject({
    domain: "example.com",
    catch_all: null,
    autoresponder: { enabled: false, subject: null },
    dkim: { enabled: false, selector: "sel" },
  });
  const autoresponder = { enabled: true, subject: "Away", message: "Later" };
  const changed = await call("PUT", path, { catch_all: "Info@example.com", autoresponder });
  expect(changed.data).toMatchObject({
    catch_all: "info@example.com",
    autoresponder: { ...autoresponder, ends_at: null },
  });
  expect((await call("PUT", path, {})).data).toMatchObject({
    catch_all: null,
    autoresponder: { enabled: false, subject: null },
  });
  expect((await call("GET", "/v2026/mail/settings/none.test")).status).toBe(404);
});

test.each([
  [{ catch_all: "nobody" }, ["catch_all"]],
  [{ autoresponder: { enabled: "yes", starts_at: "tomorrow" } }, ["autoresponder.enabled", "autoresponder.starts_at"]],
  [{ dkim: { enabled: 1 } }, ["dkim.enabled"]],
])("mail settings of %j are refused", async (body, fields) => {
  const { call } = await withDomain();
  const answer = await call("PUT", "/v2026/mail/settings/example.com", body);
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.errors).sort()).toEqual(fields);
});

async function managedTexts({ call }: Api, zone: string): Promise<unknown[]> {
  const { items } = await call("GET", `/v2026/dns/zones/${zone}/records`);
  return items.filter((item) => item["type"] === "TXT").map((item) => [item["name"], item["content"], item["managed"]]);
}

test("enabled DKIM keeps a managed TXT record in the zone, and takes it away when disabled", async () => {
  const api = await withDomain();
  const zone = await api.make("/v2026/dns/zones", { name: "example.com" });
  const settings = await api.call("PUT", "/v2026/mail/settings/example.com", { dkim: { enabled: true } });
  const { record } = settings.data["dkim"] as { record: string };
  expect(record).toMatch(/^v=DKIM1; k=rsa; p=MII/);
  expect(await managedTexts(api, zone.id)).toEqual([["sel._domainkey", record, true]]);
  await api.call("PUT", "/v2026/mail/settings/example.com", {});
  expect(await managedTexts(api, zone.id)).toEqual([]);
});

test("a zone that comes after DKIM was enabled gets the record too", async () => {
  const api = await withDomain();
  await api.call("PUT", "/v2026/mail/settings/example.com", { dkim: { enabled: true } });
  const zone = await api.make("/v2026/dns/zones", { name: "example.com" });
  expect(await managedTexts(api, zone.id)).toMatchObject([["sel._domainkey", expect.any(String), true]]);
});

test("DKIM leaves a record that its owner put there as it is", async () => {
  const api = await withDomain();
  const zone = await api.make("/v2026/dns/zones", { name: "example.com" });
  await api.make(`/v2026/dns/zones/${zone.id}/records`, { name: "sel._domainkey", type: "CNAME", content: "k.test." });
  await api.call("PUT", "/v2026/mail/settings/example.com", { dkim: { enabled: true } });
  expect(await managedTexts(api, zone.id)).toEqual([]);
});
