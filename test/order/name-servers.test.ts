import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, inZone, type Lists, record } from "../plan/build-input.ts";
import { forDraws } from "../support/for-draws.ts";

describe("the name servers of a domain", () => {
  const servers = fc.subarray(["ns1.example.com", "ns2.example.com", "ns3.example.org", "ns.example.net"], {
    minLength: 2,
  });
  const drawn = fc.record({ hosts: fc.subarray(["ns1", "ns2", "x"]), servers: fc.option(servers) });
  const dnsOf = (hosts: readonly string[]) =>
    `dns: { example.com: { exclusive: true, records: ${JSON.stringify(Object.fromEntries([...hosts, "kept"].map((host) => [host, { A: "192.0.2.1" }])))} } }`;

  test("come after the addresses of new servers, which go after them", () =>
    forDraws(60, drawn, drawn, async (before, after) => {
      const live: Lists = {
        "/domains": before.servers ? [{ id: "d1", name: "example.test", nameservers: before.servers }] : [],
        ...inZone(...[...before.hosts, "kept"].map((host) => record(host, "A", "192.0.2.1"))),
      };
      const domain = after.servers
        ? `domains: { example.test: { nameservers: ${JSON.stringify(after.servers)} } }`
        : "removed: [{ address: domain/example.test, action: delete }]";
      const consent = { deletes: addresses("domain/example.test") };
      const { steps } = plan(await buildInput(`${dnsOf(after.hosts)}\n${domain}`, live, consent));
      const stepAt = (address: string) => steps.find((step) => step.address === address);
      const change = stepAt("domain/example.test");
      const wrong = ["ns1", "ns2"].filter((host) => {
        const server = `${host}.example.com`;
        const [was, is] = [before, after].map(({ servers: named }) => named?.includes(server) === true);
        const step = stepAt(`dns_record/example.com/${host}/A`);
        if (!change || !step || was === is) return false;
        const isKept = is ? change.after.includes(step.id) : step.after.includes(change.id);
        return step.action === (is ? "create" : "delete") && !isKept;
      });
      expect(wrong).toEqual([]);
    }));

  test("come after the address of a new server that changes in place", async () => {
    const domain = { id: "d1", name: "example.test", nameservers: ["a.example.net", "b.example.net"] };
    const made = plan(
      await buildInput(
        "domains: { example.test: { nameservers: [ns.example.com, b.example.net] } }\ndns: { example.com: { records: { ns: { A: 192.0.2.9 } } } }",
        { "/domains": [domain], ...inZone(record("ns", "A", "192.0.2.1")) },
      ),
    );
    expect(made.steps.find(({ id }) => id === "update domain/example.test")?.after).toEqual([
      "update dns_record/example.com/ns/A",
    ]);
  });

  test("of a domain that has none yet wait for no record of its zone", async () => {
    const records = "dns: { example.com: { records: { www: { A: 192.0.2.1 } } } }";
    const afterOf = async (nameservers: string[], written: string) => {
      const lists = { "/domains": [{ id: "d1", name: "example.com", nameservers }], "/dns/zones": [] };
      const { steps } = plan(await buildInput(`${written}\n${records}`, lists));
      return steps.find(({ id }) => id === "update domain/example.com")?.after;
    };
    const set = "domains: { example.com: { nameservers: [c.example.net, d.example.net] } }";
    expect(await afterOf([], set)).toEqual([]);
    expect(await afterOf(["a.example.net", "b.example.net"], set)).not.toEqual([]);
  });

  test("are set once a new zone has its records, and changed before an old zone loses them", async () => {
    const servers = (...names: string[]) => `domains: { example.com: { nameservers: [${names.join(", ")}] } }`;
    const domain = { id: "d1", name: "example.com", nameservers: ["a.example.net", "b.example.net"] };
    const next = servers("c.example.net", "d.example.net");
    const coming = plan(
      await buildInput(`${next}\ndns: { example.com: { records: { www: { A: 192.0.2.1 } } } }`, {
        "/domains": [domain],
        "/dns/zones": [],
      }),
    );
    expect(coming.steps.map(({ id }) => id)).toEqual([
      "create dns_zone/example.com",
      "create dns_record/example.com/www/A",
      "update domain/example.com",
    ]);
    const kept = plan(
      await buildInput(
        `domains: { example.com: { nameservers: [a.example.net, b.example.net], auto_renew: true } }
dns: { example.com: { records: { www: { A: 192.0.2.1 } } } }`,
        { "/domains": [domain], "/dns/zones": [] },
      ),
    );
    expect(kept.steps.find(({ id }) => id === "update domain/example.com")?.after).toEqual([]);
    const removed = ["dns_zone/example.com", "dns_record/example.com/www/A"];
    const gone = `${next}\nremoved: ${JSON.stringify(removed.map((address) => ({ address, action: "delete" })))}`;
    const going = plan(
      await buildInput(
        gone,
        { "/domains": [domain], ...inZone(record("www", "A", "192.0.2.1")) },
        { deletes: addresses(...removed) },
      ),
    );
    expect(going.steps.find(({ id }) => id === "delete dns_record/example.com/www/A")?.after).toEqual([
      "update domain/example.com",
    ]);
  });
});
