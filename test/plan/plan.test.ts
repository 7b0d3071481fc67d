import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan, Step } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, ours, record, service, zone, type Lists } from "./build-input.ts";
import { size } from "../proofs/size.ts";

const records = (text: string) => `dns: { example.com: { records: ${text} } }`;
const inZone = (...live: ReturnType<typeof record>[]): Lists => ({
  "/dns/zones": [zone],
  "/dns/zones/z1/records": live,
});
const calls = ({ steps }: Plan) => steps.flatMap((step) => step.calls.map(({ method }) => method));
const ids = ({ steps }: Plan) => steps.map(({ id }) => id);
const only = ({ steps }: Plan): Step => {
  const [step, ...more] = steps;
  if (!step || more.length > 0) throw new Error(`Expected one step, got ${steps.length}`);
  return step;
};

describe("a plan has no steps", () => {
  test("when live values are spelt otherwise", async () => {
    const manifest = records(
      '{ "@": { TXT: v=spf1 -all, MX: [{ priority: 10, value: MX.Example.COM }], AAAA: "2001:DB8::0001" } }',
    );
    const live = inZone(
      record("example.com.", "TXT", '"v=spf1" " -all"'),
      record("", "MX", "mx.example.com", { priority: 10 }),
      record("@", "AAAA", "2001:db8:0::1"),
    );
    expect(plan(await buildInput(manifest, live)).steps).toEqual([]);
  });

  test("when only fields that are not written differ", async () => {
    const manifest = "services: { example.com: { plan: WEB-M } }";
    const live = { "/services": [{ ...service, datacenter: "OTHER", settings: { php_version: "7.4" } }] };
    expect(plan(await buildInput(manifest, live)).steps).toEqual([]);
  });

  test("for write-only fields of what exists, set or unset", async () => {
    const manifest =
      'domains: { example.com: }\nmail: { example.com: { mailboxes: { a: { password: "${env:UNSET}" }, b: { password: "${env:SECRET}" } } } }';
    const box = (address: string) => ({ id: address, etag: "e", address, quota_mb: null, status: "active" });
    const live = {
      "/domains": [{ id: "d1", name: "example.com" }],
      "/mail/accounts?domain=example.com": [box("a@example.com"), box("b@example.com")],
    };
    expect(plan(await buildInput(manifest, live)).steps).toEqual([]);
  });
});

describe("an update", () => {
  test("sends the record as listed, unknown fields too, less what is read-only, with the managed fields laid over it", async () => {
    const live = {
      "/services": [{ ...service, settings: { php_version: "8.2", backups: true }, brand_new: { x: 1 } }],
    };
    const [call] = only(
      plan(await buildInput("services: { example.com: { settings: { php_version: 8.3 } } }", live)),
    ).calls;
    if (call?.operation !== "update") throw new Error("Expected an update");
    expect(call.base).toMatchObject({ brand_new: { x: 1 }, settings: { backups: true } });
    expect(call.omit).toEqual(expect.arrayContaining(["/id", "/etag", "/status", "/type"]));
    expect(call.values).toEqual([{ pointer: "/settings/php_version", field: "settings.php_version", value: "8.3" }]);
    expect(call).toMatchObject({ method: "PUT", path: "/v2026/services/{id}", params: { id: "s1" }, etag: "es1" });
  });

  test("says which field changed, from what to what, and where it is written", async () => {
    const step = only(plan(await buildInput("services:\n  example.com: { plan: WEB-L }", { "/services": [service] })));
    expect(step.changes).toEqual([
      { path: "plan", before: { is: "value", value: "WEB-M" }, after: { is: "value", value: "WEB-L" } },
    ]);
    expect(step.at).toMatchObject({ file: "m.yaml", line: 4, col: 3 });
  });

  test("masks both sides of a value that comes from the environment", async () => {
    const manifest =
      'services: { example.com: }\ncrons: { example.com: { jobs: { x: { command: "run ${env:SECRET}" } } } }';
    const live = {
      "/services": [service],
      "/crons?service_id=s1": [
        { id: "c1", service_id: "s1", name: "x", command: "run old-secret", schedule: "0 0 * * *" },
      ],
    };
    const made = plan(await buildInput(manifest, live));
    expect(only(made).changes).toEqual([{ path: "command", before: { is: "sensitive" }, after: { is: "sensitive" } }]);
    expect(JSON.stringify(made.steps.map((step) => step.changes))).not.toContain("secret");
    expect(JSON.stringify(only(made).calls)).not.toContain("a secret value");
  });
});

describe("an RRset", () => {
  test("keeps the records whose values stay, pairs the rest as updates, and only then creates and deletes", async () => {
    const manifest = records("{ www: { A: [192.0.2.1, 192.0.2.2, 192.0.2.3] } }");
    const live = inZone(record("www", "A", "192.0.2.1"), record("www", "A", "192.0.2.9"));
    const step = only(plan(await buildInput(manifest, live)));
    expect(step.calls.map(({ operation }) => operation)).toEqual(["update", "create"]);
    expect(step.action).toBe("update");
  });

  test("gives no other value to a disabled or commented record", async () => {
    const manifest = records("{ www: { A: 192.0.2.1 } }");
    const live = inZone(
      record("www", "A", "192.0.2.8", { disabled: true }),
      record("www", "A", "192.0.2.9", { comment: "the old office" }),
    );
    expect(calls(plan(await buildInput(manifest, live)))).toEqual(["POST", "DELETE", "DELETE"]);
  });

  test("enables a record that was disabled by hand", async () => {
    const live = inZone(record("www", "A", "192.0.2.1", { disabled: true }));
    expect(only(plan(await buildInput(records("{ www: { A: 192.0.2.1 } }"), live))).changes).toMatchObject([
      { path: "disabled" },
    ]);
  });

  test("is brought to the TTL of its zone where the manifest writes none", async () => {
    const live = inZone(record("www", "A", "192.0.2.1", { ttl: 3600 }), record("www", "A", "192.0.2.2", { ttl: 300 }));
    expect(calls(plan(await buildInput(records("{ www: { A: [192.0.2.1, 192.0.2.2] } }"), live)))).toEqual(["PUT"]);
  });

  test("gives a new value the TTL that its siblings are to have", async () => {
    const live = inZone(record("www", "A", "192.0.2.1", { ttl: 3600 }));
    const [call] = only(plan(await buildInput(records("{ www: { A: [192.0.2.1, 192.0.2.2] } }"), live))).calls;
    expect(call?.operation === "create" && call.values).toContainEqual({ pointer: "/ttl", field: "ttl", value: 3600 });
  });

  test("changes the priority of an MX in place", async () => {
    const live = inZone(record("@", "MX", "mx.example.net.", { priority: 10 }));
    expect(
      calls(plan(await buildInput(records('{ "@": { MX: [{ priority: 20, value: mx.example.net. }] } }'), live))),
    ).toEqual(["PUT"]);
  });

  test("keeps the TTL of most of its records where its zone's is not known, and does not mind those that go", async () => {
    const mixed = [60, 60, 3600].map((ttl, index) => record("www", "A", `192.0.2.${index + 1}`, { ttl }));
    const lists = { ...inZone(...mixed), "/dns/zones": [{ ...zone, ttl: null }] };
    const three = records("{ www: { A: [192.0.2.1, 192.0.2.2, 192.0.2.3] } }");
    expect(calls(plan(await buildInput(three, lists)))).toEqual(["PUT"]);
    const two = records("{ www: { A: [192.0.2.1, 192.0.2.2] } }");
    expect(calls(plan(await buildInput(two, lists)))).toEqual(["DELETE"]);
  });
});

test("what a server hides, writes as a text, or leaves out where it is null, is no change", async () => {
  const manifest = records(
    '{ "@": { MX: [{ priority: 10, value: mx.example.net. }] }, www: { A: { ttl: 60, values: [192.0.2.1] } } }',
  );
  const live = inZone(
    record("@", "MX", "mx.example.net.", { priority: "10" }),
    record("www", "A", "192.0.2.1", { ttl: "60", disabled: null }),
  );
  expect(plan(await buildInput(manifest, live)).steps).toEqual([]);
});

test("a CNAME that carries a comment is deleted before its successor is made: both cannot stand", async () => {
  const live = inZone(record("www", "CNAME", "old.example.net.", { comment: "by hand" }));
  expect(calls(plan(await buildInput(records("{ www: { CNAME: new.example.net. } }"), live)))).toEqual([
    "DELETE",
    "POST",
  ]);
});

describe("the order", () => {
  test("creates parents before what refers to them, and passes their ids on", async () => {
    const manifest =
      "services: { example.com: { plan: P, datacenter: D } }\ndomains: { example.com: { service: example.com } }\ncrons: { example.com: { jobs: { x: { schedule: '* * * * *', command: x } } } }";
    const made = plan(await buildInput(manifest, {}));
    expect(ids(made)).toEqual(["create service/example.com", "create domain/example.com", "create cron/example.com/x"]);
    const [, domain, cron] = made.steps;
    expect(cron?.after).toEqual(["create service/example.com"]);
    expect(domain?.calls[0]).toMatchObject({
      values: expect.arrayContaining([{ pointer: "/service_id", field: "service", idOf: "service/example.com" }]),
    });
  });

  test("deletes what a new record cannot stand beside before it is created", async () => {
    const manifest = "dns: { example.com: { exclusive: true, records: { www: { CNAME: example.net. } } } }";
    const made = plan(await buildInput(manifest, inZone(record("www", "A", "192.0.2.1"), record("www", "TXT", "x"))));
    expect(ids(made)).toEqual([
      "delete dns_record/example.com/www/A",
      "delete dns_record/example.com/www/TXT",
      "create dns_record/example.com/www/CNAME",
    ]);
    expect(made.steps[2]?.after).toEqual([
      "delete dns_record/example.com/www/A",
      "delete dns_record/example.com/www/TXT",
    ]);
  });

  test("deletes children before their parent", async () => {
    const manifest =
      "removed: [{ address: dns_zone/example.com, action: delete }, { address: dns_record/example.com/www/A, action: delete }]";
    const input = await buildInput(manifest, inZone(record("www", "A", "192.0.2.1")), {
      deletes: addresses("dns_zone/example.com"),
    });
    expect(ids(plan(input))).toEqual(["delete dns_record/example.com/www/A", "delete dns_zone/example.com"]);
  });

  test("is the same, byte for byte, however the manifest and the lists are ordered", async () => {
    const names = ["a", "b", "c", "d", "e", "f"];
    const write = (order: readonly string[]) =>
      `dns: { example.com: { exclusive: true, records: { ${order.map((name) => `${name}: { A: 192.0.2.1 }`).join(", ")} } } }`;
    const live = [record("x", "A", "192.0.2.1"), record("y", "A", "192.0.2.1"), record("a", "CNAME", "b.example.com.")];
    const bytes = async (order: readonly string[], listed: typeof live) =>
      JSON.stringify(
        plan(await buildInput(write(order), inZone(...listed))).steps.map((step) => ({ ...step, at: undefined })),
      );
    const expected = await bytes(names, live);
    const permutation = <T>(items: readonly T[]) => fc.shuffledSubarray([...items], { minLength: items.length });
    await fc.assert(
      fc.asyncProperty(permutation(names), permutation(live), async (order, listed) => {
        expect(await bytes(order, listed)).toBe(expected);
      }),
      { numRuns: size.draws(200) },
    );
  });
});

describe("nothing is deleted", () => {
  test("that the manifest does not name: it is listed as unmanaged", async () => {
    const made = plan(
      await buildInput(
        records("{ www: { A: 192.0.2.1 } }"),
        inZone(record("www", "A", "192.0.2.1"), record("old", "A", "192.0.2.2")),
      ),
    );
    expect(made.steps).toEqual([]);
    expect(made.unmanaged).toEqual([
      { collection: "dns_record/example.com", addresses: ["dns_record/example.com/old/A"] },
    ]);
  });

  test("in an exclusive zone, of what `ignore` names or the platform owns", async () => {
    const manifest =
      'dns: { example.com: { exclusive: true, ignore: ["_acme-challenge*"], records: { www: { A: 192.0.2.1 } } } }';
    const live = inZone(
      record("www", "A", "192.0.2.1"),
      record("_acme-challenge.www", "TXT", "x"),
      record("@", "NS", "ns1.host.test.", { managed: true }),
      record("old", "A", "192.0.2.2"),
    );
    expect(ids(plan(await buildInput(manifest, live)))).toEqual(["delete dns_record/example.com/old/A"]);
  });

  test("in an exclusive zone, of the NS and SOA records at its apex, unless they are ours or named", async () => {
    const contents = { NS: "ns1.vendor.test.", SOA: "ns1.vendor.test. host.vendor.test. 1 7200 3600 1209600 300" };
    const manifest = "dns: { example.com: { exclusive: true, records: { www: { A: 192.0.2.1 } } } }";
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("NS", "SOA"),
        fc.constantFrom("@", "sub", "example.com.", ""),
        fc.constantFrom("exclusive", "ours", "removed"),
        async (type: "NS" | "SOA", name, cause) => {
          const apex = name !== "sub";
          const address = `dns_record/example.com/${apex ? "@" : name}/${type}`;
          const removed = cause === "removed" ? `\nremoved: [{ address: ${address}, action: delete }]` : "";
          const live = inZone(record("www", "A", "192.0.2.1"), record(name, type, contents[type]));
          const input = await buildInput(manifest + removed, live, {}, 0, cause === "ours" ? ours([address]) : {});
          const dnsRecord = input.contract.kinds["dns_record"];
          const values = [...(dnsRecord?.fields["type"]?.values ?? []), "SOA"];
          const listed = { ...dnsRecord?.fields, type: { at: "/type", values } };
          const kinds = { ...input.contract.kinds, dns_record: { ...dnsRecord, fields: listed } } as never;
          const made = plan({ ...input, contract: { ...input.contract, kinds } });
          expect(ids(made)).toEqual(apex && cause === "exclusive" ? [] : [`delete ${address}`]);
        },
      ),
      { numRuns: 40 },
    );
  });

  test.each([
    ["münchen", "xn--mnchen-3ya"],
    ["keep.example.com.", "keep"],
    ["KEEP*", "keep-this"],
    ["*", "anything"],
  ])("that ignore names as %s and the server as %s", async (glob, name) => {
    const manifest = `dns: { example.com: { exclusive: true, ignore: ["${glob}"], records: {} } }`;
    expect(plan(await buildInput(manifest, inZone(record(name, "A", "192.0.2.1")))).steps).toEqual([]);
  });

  test("of mail that ignore names by the part that a manifest writes", async () => {
    const manifest = "domains: { example.com: }\nmail: { example.com: { exclusive: true, ignore: [sales] } }";
    const live = {
      "/domains": [{ id: "d1", name: "example.com" }],
      "/mail/aliases?domain=example.com": [{ id: "a1", address: "sales@example.com", destinations: ["x@example.com"] }],
    };
    expect(plan(await buildInput(manifest, live)).steps).toEqual([]);
  });

  test("where the server gives objects of another scope than it was asked for", async () => {
    const manifest = "services: { example.com: {} }\ncrons: { example.com: { exclusive: true } }";
    const live = {
      "/services": [service],
      "/crons?service_id=s1": [{ id: "c1", service_id: "s2", name: "x", schedule: "* * * * *", command: "x" }],
    };
    expect(plan(await buildInput(manifest, live)).refusals).toMatchObject([
      { code: "incomplete_read", summary: expect.stringContaining("another service") },
    ]);
  });

  test.each([
    ["would go as it came twice", "[192.0.2.1, 192.0.2.2]"],
    ["would become another, which may be there", "[192.0.2.1, 192.0.2.3]"],
    ["would be added, and may be there", "[192.0.2.1, 192.0.2.2, 192.0.2.3]"],
  ])("of a set of records that was not read whole, where a value %s", async (_what, values) => {
    const twice = record("www", "A", "192.0.2.2");
    const manifest = `dns: { example.com: { records: { www: { A: ${values} } } } }`;
    const input = await buildInput(manifest, inZone(record("www", "A", "192.0.2.1"), twice, twice));
    expect(plan(input).refusals).toMatchObject([
      { code: "incomplete_read", address: "dns_record/example.com/www/A", summary: expect.stringContaining("twice") },
    ]);
  });

  test("of what several objects answer to", async () => {
    const manifest = "domains: { example.com: }\nmail: { example.com: { mailboxes: { info: { quota: 2 GiB } } } }";
    const [one, other] = ["m1", "m2"].map((id) => ({ id, address: "info@example.com", quota_mb: 1024 }));
    const live = {
      "/domains": [{ id: "d1", name: "example.com" }],
      "/mail/accounts?domain=example.com": [one ?? {}, other ?? {}],
    };
    expect(plan(await buildInput(manifest, live)).refusals).toMatchObject([
      {
        code: "incomplete_read",
        summary: expect.stringContaining("2 objects have the address mailbox/info@example.com"),
      },
    ]);
  });

  test("of a protected kind without naming it", async () => {
    const manifest = "removed: [{ address: mailbox/a@example.com, action: delete }]";
    const live = { "/mail/accounts?domain=example.com": [{ id: "m1", address: "a@example.com" }] };
    const refused = plan(await buildInput(manifest, live));
    expect(refused.refusals).toMatchObject([{ code: "protected", hint: "--allow-delete mailbox/a@example.com" }]);
    const allowed = plan(await buildInput(manifest, live, { deletes: addresses("mailbox/a@example.com") }));
    expect(ids(allowed)).toEqual(["delete mailbox/a@example.com"]);
    expect(allowed.refusals).toEqual([]);
  });

  test("of a parent while something below it stays", async () => {
    const manifest = "removed: [{ address: dns_zone/example.com, action: delete }]";
    const input = await buildInput(manifest, inZone(record("www", "A", "192.0.2.1")), {
      deletes: addresses("dns_zone/example.com"),
    });
    expect(plan(input).refusals).toMatchObject([{ code: "has_children", address: "dns_zone/example.com" }]);
  });

  test("that stands in the way of a declared record: it is named, with how to consent", async () => {
    const made = plan(
      await buildInput(records("{ www: { CNAME: example.net. } }"), inZone(record("www", "A", "192.0.2.1"))),
    );
    expect(made.refusals).toMatchObject([
      { code: "in_the_way", hint: expect.stringContaining("dns_record/example.com/www/A") },
    ]);
  });

  test("that a replace would take down, without naming it; and the field that forces it is told", async () => {
    const manifest = "services: { example.com: { plan: WEB-M, datacenter: BCN1 } }";
    const refused = plan(await buildInput(manifest, { "/services": [service] }));
    expect(refused.refusals).toMatchObject([{ code: "protected", summary: expect.stringContaining("datacenter") }]);
    const allowed = plan(
      await buildInput(manifest, { "/services": [service] }, { deletes: addresses("service/example.com") }),
    );
    expect(ids(allowed)).toEqual(["delete service/example.com", "create service/example.com"]);
    expect(allowed.steps[1]?.changes).toContainEqual(
      expect.objectContaining({ path: "datacenter", forcesReplace: true }),
    );
  });
});

describe("nothing is created", () => {
  test("that costs money without naming it", async () => {
    const manifest = "domains: { example.com: { register: true, period_years: 1 } }";
    expect(plan(await buildInput(manifest, {})).refusals).toMatchObject([
      { code: "purchase", hint: "--allow-purchase domain/example.com" },
    ]);
    expect(ids(plan(await buildInput(manifest, {}, { purchases: addresses("domain/example.com") })))).toEqual([
      "create domain/example.com",
    ]);
  });

  test("that lacks what creation needs: the manifest is wrong, at its place", async () => {
    const made = plan(await buildInput("services:\n  example.com: { plan: WEB-M }", {}));
    expect(made.diagnostics).toMatchObject([
      { code: "missing_to_create", summary: expect.stringContaining("datacenter"), at: { line: 4 } },
    ]);
  });

  test("of a certificate that is uploaded without its text and key", async () => {
    const manifest =
      "services: { example.com: {} }\ncertificates: { example.com: [{ domains: [example.com], type: uploaded }] }";
    const made = plan(await buildInput(manifest, { "/services": [service] }));
    expect(ids(made)).toEqual([]);
    expect(made.diagnostics).toMatchObject([
      { code: "missing_to_create", summary: expect.stringContaining("certificate, private_key"), at: { line: 4 } },
    ]);
  });
});

test("a resource that cannot be updated is created anew beside the old one where the API cannot delete it", async () => {
  const input = await buildInput("services: { example.com: { datacenter: BCN1 } }", { "/services": [service] });
  const entry = input.contract.kinds["service"];
  if (!entry) throw new Error("no entry for service");
  const { delete: removal, ...operations } = entry.operations;
  const contract = { ...input.contract, kinds: { ...input.contract.kinds, service: { ...entry, operations } } };
  expect(only(plan({ ...input, contract }))).toMatchObject({
    action: "create",
    replaces: false,
    reason: { is: "cannot_update", fields: ["datacenter"], keepsOld: true },
  });
  const { steps } = plan(input);
  expect(removal).toBeDefined();
  expect(steps.map(({ action, replaces }) => [action, replaces])).toEqual([
    ["delete", true],
    ["create", true],
  ]);
});
