import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, inZone, ours, record, records, service } from "./build-input.ts";
import { ids } from "./plan-results.ts";
import { forDraws } from "../support/for-draws.ts";

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
    await forDraws(
      40,
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
    expect(plan(await buildInput(manifest, live))).toMatchObject({
      refusals: [{ code: "incomplete_read" }],
      incomplete: [{ reason: expect.stringContaining("another service") }],
    });
  });

  test.each([
    ["would go as it came twice", "[192.0.2.1, 192.0.2.2]"],
    ["would become another, which may be there", "[192.0.2.1, 192.0.2.3]"],
    ["would be added, and may be there", "[192.0.2.1, 192.0.2.2, 192.0.2.3]"],
  ])("of a set of records that was not read whole, where a value %s", async (_what, values) => {
    const twice = record("www", "A", "192.0.2.2");
    const manifest = `dns: { example.com: { records: { www: { A: ${values} } } } }`;
    const input = await buildInput(manifest, inZone(record("www", "A", "192.0.2.1"), twice, twice));
    expect(plan(input)).toMatchObject({
      refusals: [{ code: "incomplete_read", address: "dns_record/example.com/www/A" }],
      incomplete: [{ reason: expect.stringContaining("twice") }],
    });
  });

  test("of what several objects answer to", async () => {
    const manifest = "domains: { example.com: }\nmail: { example.com: { mailboxes: { info: { quota: 2 GiB } } } }";
    const [one, other] = ["m1", "m2"].map((id) => ({ id, address: "info@example.com", quota_mb: 1024 }));
    const live = {
      "/domains": [{ id: "d1", name: "example.com" }],
      "/mail/accounts?domain=example.com": [one ?? {}, other ?? {}],
    };
    expect(plan(await buildInput(manifest, live))).toMatchObject({
      refusals: [{ code: "incomplete_read" }],
      incomplete: [{ reason: expect.stringContaining("2 objects have the address mailbox/info@example.com") }],
    });
  });

  test.each(["records: { www: { A: 192.0.2.1 } }", "exclusive: true"])(
    "nor created below one of two zones of one name, in a block with %s",
    async (block) => {
      const lists = inZone(record("old", "A", "192.0.2.2"));
      const twice = {
        ...lists,
        "/dns/zones": (lists["/dns/zones"] ?? []).flatMap((zone) => [zone, { ...zone, id: "z2" }]),
      };
      const { steps, refusals, incomplete } = plan(await buildInput(`dns: { example.com: { ${block} } }`, twice));
      expect(incomplete).toMatchObject([
        { collection: "dns_record/example.com", reason: "2 objects have the address dns_zone/example.com" },
        { collection: "dns_zone" },
      ]);
      expect(refusals.map(({ address }) => address)).toEqual(steps.map(({ address }) => address));
      expect(steps.filter(({ action }) => action === "delete")).toEqual([]);
    },
  );

  test("of a protected kind without naming it", async () => {
    const manifest = "removed: [{ address: mailbox/a@example.com, action: delete }]";
    const live = { "/mail/accounts?domain=example.com": [{ id: "m1", address: "a@example.com" }] };
    const refused = plan(await buildInput(manifest, live));
    expect(refused.refusals).toMatchObject([{ code: "protected", hint: "--allow-delete mailbox/a@example.com" }]);
    const allowed = plan(await buildInput(manifest, live, { deletes: addresses("mailbox/a@example.com") }));
    expect(ids(allowed)).toEqual(["delete mailbox/a@example.com"]);
    expect(allowed.refusals).toEqual([]);
  });

  test("by a replacement without consent, and the refusal names the field that forces it", async () => {
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
