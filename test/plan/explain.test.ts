import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import type { Explanation, Relation } from "../../src/model/explanation.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { renderWhy } from "../../src/render/why-text.ts";
import { buildInput, inZone, record, records, service, zone, type Lists } from "./build-input.ts";
import { forDraws } from "../support/for-draws.ts";
import { plainPage } from "../support/plain-page.ts";
import { explained } from "./explained.ts";

const verdictsOf = ({ objects }: Explanation) =>
  objects.map(({ fields }) => Object.fromEntries(fields.map(({ path, verdict }) => [path, verdict])));

const box = (more: JsonObject = {}) => ({
  id: "b1",
  etag: "e",
  address: "info@example.com",
  quota_mb: 1024,
  sending_enabled: true,
  status: "active",
  ...more,
});
const mailLists = (mailbox: JsonObject): Lists => ({
  "/domains": [{ id: "d1", name: "example.com" }],
  "/mail/accounts?domain=example.com": [mailbox],
});
const mail = (body: string) => `domains: { example.com: }\nmail: { example.com: { mailboxes: { info: ${body} } } }`;

describe("the fields of a resource", () => {
  test("are judged one by one: what differs, what is the same, what is not managed, and what is never compared", async () => {
    const input = await buildInput(
      mail('{ quota: 2 GiB, sending_enabled: true, password: "${env:SECRET}" }'),
      mailLists(box()),
    );
    expect(verdictsOf(explained(input, "mailbox/info@example.com"))).toEqual([
      { password: "write_only", quota_mb: "differs", sending_enabled: "same", status: "read_only" },
    ]);
  });

  test.each([
    ["quota: 2 GiB", { quota_mb: null }, { quota_mb: "differs" }],
    ["quota: unlimited", { quota_mb: null }, { quota_mb: "same_but_spelt_otherwise" }],
    ["quota: unlimited", { quota_mb: 2048 }, { quota_mb: "differs" }],
    ["sending_enabled: true", { sending_enabled: null }, { sending_enabled: "differs" }],
    ["sending_enabled: true", { sending_enabled: true }, { sending_enabled: "same" }],
    ["sending_enabled: false", { sending_enabled: true }, { sending_enabled: "differs" }],
  ])("are compared with null where the list has null: %s with %j", async (written, live, verdicts) => {
    const input = await buildInput(mail(`{ ${written}, password: "\${env:SECRET}" }`), mailLists(box(live)));
    expect(verdictsOf(explained(input, "mailbox/info@example.com"))[0]).toMatchObject(verdicts);
  });

  test("show what is written and listed beside the normal forms that were compared", async () => {
    const input = await buildInput(
      records("{ www: { AAAA: 2001:db8::1 } }"),
      inZone(record("www", "AAAA", "2001:0DB8:0::1")),
    );
    const [object] = explained(input, "dns_record/example.com/www/AAAA").objects;
    expect(object?.fields[0]).toEqual({
      path: "content",
      written: { is: "value", value: "2001:db8::1" },
      normal: { is: "value", value: "2001:db8::1" },
      live: { is: "value", value: "2001:0DB8:0::1" },
      liveNormal: { is: "value", value: "2001:db8::1" },
      verdict: "same_but_spelt_otherwise",
    });
  });

  test("take the written spelling where it is kept", async () => {
    const input = await buildInput(mail("{ quota: 1 GiB }"), mailLists(box()));
    const address = "mailbox/info@example.com" as Address;
    const resource = input.desired.resources.get(address);
    if (!resource) throw new Error("The mailbox is not declared");
    const spelt = { ...resource, written: { quota_mb: "1 GiB" } };
    const desired = { ...input.desired, resources: new Map([...input.desired.resources, [address, spelt]]) };
    const quota = explained({ ...input, desired }, address).objects[0]?.fields.find(({ path }) => path === "quota_mb");
    expect(quota).toMatchObject({
      written: { value: "1 GiB" },
      normal: { value: 1024 },
      verdict: "same_but_spelt_otherwise",
    });
  });

  test("of what is not live are what would be created", async () => {
    const input = await buildInput(mail('{ quota: 1 GiB, password: "${env:SECRET}" }'), {
      "/domains": [{ id: "d1", name: "example.com" }],
    });
    const explanation = explained(input, "mailbox/info@example.com");
    expect(verdictsOf(explanation)).toEqual([{ password: "write_only", quota_mb: "not_live" }]);
    expect(explanation.steps.map(({ id }) => id)).toEqual(["create mailbox/info@example.com"]);
  });

  test("that the manifest ignores are said to be", async () => {
    const input = await buildInput(mail("{ quota: 1 GiB }"), mailLists(box()));
    const address = "mailbox/info@example.com" as Address;
    const resource = input.desired.resources.get(address);
    if (!resource) throw new Error("The mailbox is not declared");
    const kept = { ...resource, lifecycle: { preventDestroy: false, ignoreChanges: ["quota_mb"] } };
    const desired = { ...input.desired, resources: new Map([...input.desired.resources, [address, kept]]) };
    expect(verdictsOf(explained({ ...input, desired }, address))[0]).toMatchObject({
      quota_mb: "ignored_by_ignore_changes",
    });
  });

  test("differ where a step would change them, and nowhere else", async () => {
    const small = fc.constantFrom("192.0.2.1", "192.0.2.2", "192.0.2.3");
    const set = fc.uniqueArray(small, { minLength: 1, maxLength: 3 });
    const ttl = fc.constantFrom(300, 3600);
    await forDraws(40, set, set, ttl, ttl, async (wanted, there, wantedTtl, thereTtl) => {
      const input = await buildInput(
        records(`{ www: { A: { ttl: ${wantedTtl}, values: [${wanted.join(", ")}] } } }`),
        inZone(...there.map((address) => record("www", "A", address, { ttl: thereTtl }))),
      );
      const explanation = explained(input, "dns_record/example.com/www/A");
      const differs = explanation.objects.flatMap(({ fields }) => fields).some(({ verdict }) => verdict === "differs");
      const comesOrGoes = explanation.objects.some(({ fields }) =>
        fields.some(
          ({ path, live, normal }) => path === "content" && (live.is === "absent") !== (normal.is === "absent"),
        ),
      );
      expect(differs || comesOrGoes).toBe(explanation.steps.length > 0);
    });
  });
});

describe("the values of a set", () => {
  test("are each compared with the one that is live or becomes it", async () => {
    const input = await buildInput(
      records("{ www: { A: [192.0.2.1, 192.0.2.3] } }"),
      inZone(record("www", "A", "192.0.2.1"), record("www", "A", "192.0.2.2"), record("www", "A", "192.0.2.9")),
    );
    const { objects } = explained(input, "dns_record/example.com/www/A");
    expect(objects.map(({ member, fields }) => [member, fields[0]?.live, fields[0]?.verdict])).toEqual([
      [{ is: "value", value: "192.0.2.1" }, { is: "value", value: "192.0.2.1" }, "same"],
      [{ is: "value", value: "192.0.2.3" }, { is: "value", value: "192.0.2.2" }, "differs"],
      [{ is: "value", value: "192.0.2.9" }, { is: "value", value: "192.0.2.9" }, "not_managed"],
    ]);
  });

  test("do not manage a TTL that no manifest writes and no zone tells", async () => {
    const lists = { ...inZone(record("www", "A", "192.0.2.1")), "/dns/zones": [{ ...zone, ttl: null }] };
    const input = await buildInput(records("{ www: { A: 192.0.2.1 } }"), lists);
    const [object] = explained(input, "dns_record/example.com/www/A").objects;
    expect(object?.fields.find(({ path }) => path === "ttl")).toMatchObject({
      written: { is: "absent" },
      live: { is: "value", value: 3600 },
      verdict: "not_managed",
    });
  });
});

describe("secrets", () => {
  test("stand in no explanation, neither the new nor the old one", async () => {
    const lists = {
      "/services": [service],
      "/crons?service_id=s1": [
        { id: "c1", service_id: "s1", name: "x", command: "run old-secret", schedule: "0 0 * * *" },
      ],
    };
    const manifest =
      'services: { example.com: }\ncrons: { example.com: { jobs: { x: { schedule: "@daily", command: "run ${env:SECRET}" } } } }';
    const explanation = explained(await buildInput(manifest, lists), "cron/example.com/x");
    const whole =
      JSON.stringify(explanation.objects) +
      renderWhy({ explanation, declaration: undefined, hasErrors: false }, plainPage);
    expect(whole).toContain("run ${env:SECRET}");
    expect(whole).not.toContain("old-secret");
    expect(whole).not.toContain("a secret value");
  });
});

describe("relations", () => {
  const ways = (relations: readonly Relation[]) =>
    relations.map(({ how, address, declared, live }) => `${how} ${address} ${declared} ${live}`);

  test("are what it needs and what needs it, declared or live", async () => {
    const input = await buildInput(records("{ www: { A: 192.0.2.1 } }"), inZone(record("old", "A", "192.0.2.2")));
    expect(ways(explained(input, "dns_zone/example.com").relations)).toEqual([
      "is_needed_by dns_record/example.com/old/A false true",
      "is_needed_by dns_record/example.com/www/A true false",
    ]);
    expect(ways(explained(input, "dns_record/example.com/www/A").relations)).toEqual([
      "needs dns_zone/example.com true true",
    ]);
  });

  test("name one of several that would do, where it is there", async () => {
    const input = await buildInput(mail("{ quota: 1 GiB }"), mailLists(box()));
    expect(ways(explained(input, "mailbox/info@example.com").relations)).toEqual([
      "needs domain/example.com true true",
    ]);
  });

  test("are references both ways, with the field", async () => {
    const input = await buildInput(
      `domains: { example.com: }\nmail: { example.com: { settings: { dkim: { enabled: true } } } }\n${records('{ sel._domainkey: { TXT: "${ref:mail_settings/example.com.dkim.record}" } }')}`,
      { "/domains": [{ id: "d1", name: "example.com" }] },
    );
    expect(explained(input, "mail_settings/example.com").relations).toContainEqual({
      how: "is_referred_to_by",
      address: "dns_record/example.com/sel._domainkey/TXT",
      through: "dkim.record",
      declared: true,
      live: false,
    });
  });

  test("are what cannot be beside it", async () => {
    const input = await buildInput(
      records("{ www: { CNAME: example.com. } }"),
      inZone(record("www", "A", "192.0.2.1"), record("other", "A", "192.0.2.1")),
    );
    expect(ways(explained(input, "dns_record/example.com/www/CNAME").relations)).toContain(
      "shares dns_record/example.com/www/A false true",
    );
    expect(explained(input, "dns_record/example.com/www/CNAME").refusals).toMatchObject([{ code: "in_the_way" }]);
    expect(explained(input, "dns_record/example.com/other/A").refusals).toEqual([]);
  });

  test.each([
    ["www/CNAME", ["www/A", "www/AAAA", "www/ALIAS", "www/TXT"]],
    ["www/ALIAS", ["www/A", "www/AAAA", "www/CNAME"]],
    ["www/A", ["www/ALIAS", "www/CNAME"]],
    ["www/TXT", ["www/CNAME"]],
    ["other/A", []],
  ])("of %s are a name with %j alone", async (name, others) => {
    const live = ["CNAME", "ALIAS"].map((type) => record("www", type, "example.net."));
    const here = [record("www", "A", "192.0.2.1"), record("www", "AAAA", "2001:db8::1"), record("www", "TXT", "x")];
    const input = await buildInput(
      records("{ other: { A: 192.0.2.1 } }"),
      inZone(...live, ...here, record("other", "A", "192.0.2.1")),
    );
    const { relations } = explained(input, `dns_record/example.com/${name}`);
    const shared = new Set(relations.filter(({ how }) => how === "shares").map(({ address }) => address));
    expect([...shared]).toEqual(others.map((other) => `dns_record/example.com/${other}`));
  });
});

test("a text with a literal ${ is shown as the manifest writes it", async () => {
  const text = "echo $${HOME} $${x} ${env:SECRET}";
  for (const command of [text, "echo $${HOME}"]) {
    const manifest = `services: { example.com: {} }\ncrons: { example.com: { jobs: { a: { schedule: "0 1 * * *", command: "${command}" } } } }`;
    const input = await buildInput(manifest, { "/services": [service] });
    const [object] = explained(input, "cron/example.com/a").objects;
    expect(object?.fields.find(({ path }) => path === "command")?.written).toEqual({ is: "value", value: command });
  }
});
