import { Resolver } from "node:dns/promises";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { forDraws } from "../support/for-draws.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { type VirtualClock, virtualClock } from "../support/virtual-clock.ts";
import { missing, startPowerDns, type PowerDns } from "./powerdns.ts";

const why = process.env["HOSTFORM_VENDORS"] === "1" ? missing : "npm run test:vendors starts it";

const dnskey = 48;

const renew = (milliseconds: number, handler: () => void) => {
  const timer = setInterval(handler, milliseconds);
  return () => clearInterval(timer);
};

/** SQLite locks the whole database for a write: the server answers 500 to those that come at the same time. */
const oneByOne = ["--parallelism", "1"];

describe.skipIf(why !== undefined)(`a real PowerDNS server${why === undefined ? "" : ` (skipped: ${why})`}`, () => {
  let server: PowerDns;
  let resolver: Resolver;
  beforeAll(async () => {
    server = await startPowerDns();
    resolver = new Resolver({ tries: 1 });
    resolver.setServers([server.dns]);
  });
  afterAll(() => server.close());
  afterEach(() => {
    server.meddle = async () => undefined;
    clock = virtualClock;
    rmSync(join(server.folder, "inventory.json"), { force: true });
  });

  const write = (text: string) => {
    const file = join(server.folder, "site.yaml");
    writeFileSync(file, `version: 1\nname: powerdns\npolicy: { max_deletes: 100% }\n${text}`);
    return file;
  };
  /** A long apply takes the real clock, by which it renews its lock. */
  let clock: () => Partial<VirtualClock> = virtualClock;
  const run = (command: readonly string[]) => runInProcess(server, command, {}, clock());
  const inInventory = (file: string) => ["-f", file, "--inventory", join(server.folder, "inventory.json")];

  async function apply(text: string, consent: readonly string[] = []) {
    const args = [
      ...inInventory(write(text)),
      "--auto-approve",
      ...oneByOne,
      ...consent.flatMap((each) => ["--allow-delete", each]),
    ];
    return run(["apply", ...args]);
  }

  /** Applies a manifest, and sees that nothing is left to do; the requests that it wrote with. */
  async function converge(text: string, consent: readonly string[] = []): Promise<readonly string[]> {
    server.writes();
    exits(0, await apply(text, consent));
    const sent = server.writes();
    exits(0, await run(["plan", ...inInventory(write(text)), "--detailed-exitcode"]));
    return sent;
  }

  const zone = (name: string, records: string, more = "") => `dns: { ${name}: { ${more}records: { ${records} } } }`;

  test("creates a zone with records of every sort, changes and deletes them, and answers for them", async () => {
    const all = `
      "@":
        MX: { ttl: 300, values: [{ priority: 10, value: mx1.host.example. }, { priority: 20, value: mx2.host.example. }] }
        TXT: { ttl: 300, values: ["v=spf1 mx -all", 'a "quoted" \\ text'] }
        CAA: { ttl: 300, values: [{ tag: issue, value: letsencrypt.org }] }
      www: { A: [192.0.2.1, 192.0.2.2], AAAA: [2001:db8::1] }
      shop: { CNAME: www.bakery.example. }
      "*.dev": { A: 192.0.2.9 }
      _sip._tcp: { SRV: { ttl: 300, values: [{ priority: 1, weight: 5, port: 5060, target: sip.bakery.example. }] } }`;
    const block = (records: string) => `dns:\n  bakery.example:\n    exclusive: true\n    records:${records}`;
    const made = await converge(block(all));
    expect(made, made.join("\n")).toHaveLength(9);
    expect(await resolver.resolve4("www.bakery.example", { ttl: true })).toEqual(
      expect.arrayContaining([1, 2].map((n) => ({ address: `192.0.2.${n}`, ttl: 3600 }))),
    );
    expect(await resolver.resolve6("www.bakery.example")).toEqual(["2001:db8::1"]);
    expect(await resolver.resolveCname("shop.bakery.example")).toEqual(["www.bakery.example"]);
    expect(await resolver.resolve4("any.dev.bakery.example")).toEqual(["192.0.2.9"]);
    expect(new Set((await resolver.resolveMx("bakery.example")).map(({ priority }) => priority))).toEqual(
      new Set([10, 20]),
    );
    expect((await resolver.resolveTxt("bakery.example")).flat().toSorted()).toEqual([
      'a "quoted" \\ text',
      "v=spf1 mx -all",
    ]);
    expect(await resolver.resolveSrv("_sip._tcp.bakery.example")).toMatchObject([
      { priority: 1, weight: 5, port: 5060 },
    ]);
    expect(await resolver.resolveCaa("bakery.example")).toMatchObject([{ issue: "letsencrypt.org" }]);
    expect((await resolver.resolveNs("bakery.example")).toSorted()).toEqual(["ns1.host.example", "ns2.host.example"]);

    const changed = all
      .replace("[192.0.2.1, 192.0.2.2]", "{ ttl: 60, values: [192.0.2.2, 192.0.2.3] }")
      .replace(/\n *"\*\.dev".*/u, "");
    const sent = await converge(block(changed), ["dns_record/bakery.example/*.dev/A", "dns_record/*=2"]);
    expect(sent.filter((each) => each.includes("DELETE"))).toHaveLength(1);
    expect((await resolver.resolve4("www.bakery.example", { ttl: true })).map(({ ttl }) => ttl)).toEqual([60, 60]);
    await expect(resolver.resolve4("any.dev.bakery.example")).rejects.toThrow("ENOTFOUND");

    const gone =
      "removed: [{ address: dns_zone/bakery.example, action: delete }, { address: dns_record/bakery.example/@/NS, action: delete }]";
    await converge(gone, ["dns_zone/bakery.example", "dns_record/*=8"]);
    await expect(resolver.resolveNs("bakery.example")).rejects.toThrow("EREFUSED");
  });

  test("exchanges the types of a name, there and back, and a disabled record is not answered", async () => {
    const of = (www: string) => zone("florist.example", `www: { ${www} }`);
    await converge(of("A: [192.0.2.1], AAAA: [2001:db8::1]"));
    const consent = ["dns_record/florist.example/www/A", "dns_record/florist.example/www/AAAA"];
    await converge(of("CNAME: shop.example.net."), consent);
    expect(await resolver.resolveCname("www.florist.example")).toEqual(["shop.example.net"]);
    await converge(of("A: [192.0.2.7]"), ["dns_record/florist.example/www/CNAME"]);
    expect(await resolver.resolve4("www.florist.example")).toEqual(["192.0.2.7"]);
    await converge(of("A: [192.0.2.7, { value: 192.0.2.8, disabled: true }]"));
    expect(await resolver.resolve4("www.florist.example")).toEqual(["192.0.2.7"]);
    await converge(of("A: [192.0.2.7, { value: 192.0.2.8, disabled: false }]"));
    expect((await resolver.resolve4("www.florist.example")).toSorted()).toEqual(["192.0.2.7", "192.0.2.8"]);
  });

  test("keeps the comments that someone has written at a set, and does not overwrite what someone has changed", async () => {
    const of = (address: string) => zone("kiosk.example", `www: { A: { ttl: 60, values: [${address}] } }`);
    await converge(of("192.0.2.1"));
    const set = { name: "www.kiosk.example.", type: "A", ttl: 60, changetype: "REPLACE" };
    const comments = [{ content: "ask Anna first", account: "anna" }];
    const byHand = (content: string) => ({ rrsets: [{ ...set, records: [{ content, disabled: false }], comments }] });
    await server.byHand("PATCH", "/zones/kiosk.example.", byHand("192.0.2.1"));
    await converge(of("192.0.2.2"));
    const { rrsets } = (await server.byHand("GET", "/zones/kiosk.example.")) as {
      rrsets: { type: string; comments: unknown[] }[];
    };
    expect(rrsets.find(({ type }) => type === "A")?.comments).toMatchObject(comments);
    server.writes();
    server.meddle = async (nth, when) => {
      if (nth === 1 && when === "before") await server.byHand("PATCH", "/zones/kiosk.example.", byHand("192.0.2.66"));
    };
    const other = zone("kiosk.example", `a: { A: 192.0.2.5 }, www: { A: { ttl: 60, values: [192.0.2.3] } }`);
    const ran = await apply(other, ["dns_record/*=1"]);
    expect([0, 5], ran.stdout + ran.stderr).toContain(ran.status);
    server.meddle = async () => undefined;
    await converge(other);
  });

  test("answers an ALIAS with the addresses of its target", async () => {
    await converge(zone("alias.example", `"@": { ALIAS: www.alias.example. }, www: { A: 192.0.2.4 }`));
    expect(await resolver.resolve4("alias.example")).toEqual(["192.0.2.4"]);
  });

  test("signs a zone, and takes its signatures away", async () => {
    const of = (isSigned: boolean) =>
      zone("signed.example", `www: { A: 192.0.2.4 }`, `dnssec: { enabled: ${isSigned} }, `);
    await converge(of(false));
    expect(await server.countAnswers("signed.example", dnskey)).toBe(0);
    expect(await converge(of(true))).toEqual(['PUT {"dnssec":true}']);
    expect(await server.countAnswers("signed.example", dnskey)).toBe(1);
    expect(await converge(of(false), ["dnssec/signed.example"])).toEqual(['PUT {"dnssec":false}']);
    expect(await server.countAnswers("signed.example", dnskey)).toBe(0);
  });

  test("an import of the server changes nothing, and the doctor finds its contract right", async () => {
    const file = join(server.folder, "imported");
    exits(0, await run(["import", file]));
    exits(0, await run(["plan", ...inInventory(file), "--detailed-exitcode"]));
    expect((await run(["doctor"])).status).toBe(0);
  });

  test("5,000 records are written, answered and planned again", async () => {
    clock = () => ({ every: renew });
    const [names, addresses] = [250, 20];
    const address = (n: number, m: number) => `10.${n}.0.${m}`;
    const hosts = Array.from({ length: names }, (_, n) => {
      const values = Array.from({ length: addresses }, (__, m) => address(n, m));
      return `h${n}: { A: [${values.join(", ")}] }`;
    });
    expect(await converge(zone("large.example", hosts.join(", ")))).toHaveLength(names + 1);
    await forDraws(200, fc.nat(names - 1), async (n) => {
      const found = await resolver.resolve4(`h${n}.large.example`);
      expect(new Set(found)).toEqual(new Set(Array.from({ length: addresses }, (_, m) => address(n, m))));
    });
  });

  test("an apply during which the server is killed is finished by itself, or by the next", async () => {
    const drawn = fc.record({
      nth: fc.integer({ min: 1, max: 12 }),
      when: fc.constantFrom("before" as const, "after" as const),
      isBack: fc.boolean(),
    });
    let trial = 0;
    await forDraws(12, drawn, async ({ nth, when, isBack }) => {
      const name = `killed${(trial += 1)}.example`;
      const hosts = (from: number) =>
        Array.from({ length: 8 }, (_, n) => `h${n}: { A: 192.0.2.${from + n} }`).join(", ");
      const before = zone(name, `${hosts(1)}, www: { A: 192.0.2.99 }`);
      const after = zone(name, `${hosts(100)}, www: { CNAME: h1.${name}. }`);
      await converge(before);
      server.meddle = async (count, now) => {
        if (count !== nth || now !== when) return;
        await server.kill();
        if (isBack) await server.restart();
        else throw new Error("The server is gone");
      };
      const consent = ["--allow-delete", `dns_record/${name}/www/A`];
      const args = [...inInventory(write(after)), "--auto-approve", ...oneByOne, ...consent];
      const ran = await run(["apply", ...args]);
      expect([0, 4, 5], ran.stdout + ran.stderr).toContain(ran.status);
      server.meddle = async () => undefined;
      await server.restart();
      exits(0, await run(["apply", ...args]));
      exits(0, await run(["plan", ...inInventory(write(after)), "--detailed-exitcode"]));
      expect(await resolver.resolveCname(`www.${name}`)).toEqual([`h1.${name}`]);
      const found = await Promise.all([0, 3, 7].map((n) => resolver.resolve4(`h${n}.${name}`)));
      expect(found).toEqual([["192.0.2.100"], ["192.0.2.103"], ["192.0.2.107"]]);
      rmSync(join(server.folder, "inventory.json"), { force: true });
    });
  });
});
