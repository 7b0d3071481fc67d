import { createHash } from "node:crypto";
import dnsPacket, { type Answer } from "dns-packet";
import { expect, onTestFinished, test } from "vitest";
import { builtInContract } from "../../src/contract/load-contract.ts";
import { readOffered } from "../../src/engine/session/load-manifest.ts";
import { checksOf } from "../../src/verify/checks.ts";
import { makeVerifier } from "../../src/verify/verify.ts";
import { loadBody } from "../manifest/load-text.ts";
import { freePort, startServer, type Asked, type NameServer } from "./name-servers.ts";

/** How a server answers. */
interface Behaviour {
  /** The data of records by their name and type. */
  readonly records: Readonly<Record<string, readonly unknown[]>>;
  readonly flags?: number;
  /** Records of a delegation stand beside the answer. */
  readonly isParent?: boolean;
}

const { AUTHORITATIVE_ANSWER: authoritative, RECURSION_AVAILABLE: resolver } = dnsPacket;

function respond({ records, flags = authoritative, isParent = false }: Behaviour, { id, name, type }: Asked) {
  const at = (key: string) => {
    const [owner = "", of = ""] = key.split(" ");
    return (records[key] ?? []).map((data) => ({ name: owner, type: of, ttl: 300, data }) as Answer);
  };
  const found = at(`${name} ${type}`);
  const isReferral = isParent && type === "NS";
  const glue = isReferral
    ? Object.keys(records)
        .filter((key) => key.endsWith(" A"))
        .flatMap(at)
    : [];
  return dnsPacket.encode({
    id,
    type: "response",
    flags: isReferral ? 0 : flags,
    questions: [{ name, type: type as "A" }],
    ...(isReferral ? { authorities: found, additionals: glue } : { answers: found }),
  });
}

const soa = (serial: number) => [{ mname: "ns", rname: "h", serial }];
const parentOf = (names: readonly string[]): Behaviour => ({
  isParent: true,
  records: {
    "shop.example NS": names,
    ...Object.fromEntries(names.map((name, index) => [`${name} A`, [`127.0.0.${index + 4}`]])),
  },
});
const own = (address: string, serial: number): Behaviour => ({
  records: { "shop.example SOA": soa(serial), "shop.example A": [address] },
});

/** A resolver, a server of the parent, and servers of the zone: each at an address of its own, at one port. */
const verify = (body: string, parent: Behaviour, ...servers: readonly Behaviour[]) =>
  verifyFrom(root, body, parent, ...servers);

const root: Behaviour = {
  flags: resolver,
  records: { "example NS": ["ns.example"], "ns.example A": ["127.0.0.3"], "mx.shop.example A": ["192.0.2.25"] },
};

async function verifyFrom(first: Behaviour, body: string, ...others: readonly Behaviour[]) {
  const port = await freePort();
  const all = [first, ...others];
  const started: NameServer[] = [];
  const asked: string[][] = all.map(() => []);
  onTestFinished(async () => {
    await Promise.all(started.map(({ stop }) => stop()));
  });
  for (const [index, behaviour] of all.entries()) {
    const answer = (question: Asked) => {
      asked[index]?.push(`${question.name} ${question.type}`);
      return [respond(behaviour, question)];
    };
    started.push(await startServer(answer, `127.0.0.${index + 2}`, port));
  }
  const { tree } = await loadBody(body);
  const read = tree && readOffered(tree, () => ({ value: "" }), builtInContract("v2026"));
  if (!read) throw new Error("the manifest is wrong");
  const { mismatches, matches, notCompared } = await makeVerifier(checksOf(read.desired), {
    resolver: { name: "the resolver", places: [{ address: "127.0.0.2", port, isRecursive: true }] },
    isOnly: false,
    port,
    stop: new AbortController().signal,
    certified: [],
    tlsPort: 443,
    now: () => 0,
  })();
  const lines = mismatches.map(
    ({ is, server, serial, asked, expected, answered }) =>
      `${is} ${server} ${serial ?? "-"}: ${asked}: ${expected.join()} | ${answered.join()}`,
  );
  return { lines, matches, notCompared: notCompared.map(({ reason }) => reason), asked };
}

const zone = "dns: { shop.example: { ttl: 300, records: { '@': { A: 192.0.2.10 } } } }\n";
const names = ["ns1.host.example", "ns2.host.example"];

test("each server that the parent names is asked, and the one that differs is named with its serial", async () => {
  const found = await verify(zone, parentOf(names), own("192.0.2.10", 8), own("198.51.100.7", 7));
  expect(found.lines).toEqual(["differs ns2.host.example (127.0.0.5) 7: shop.example A: 192.0.2.10 | 198.51.100.7"]);
  expect(found.matches).toBe(1);
  expect(found.asked[0]).toEqual(["example NS", "ns.example A", "ns.example AAAA"]);
});

test("a server that is silent differs where another answers; where none does, nobody has answered", async () => {
  const some = await verify(zone, parentOf(names), own("192.0.2.10", 8));
  expect(some.lines).toEqual([
    expect.stringMatching(/^silent ns2\.host\.example \(127\.0\.0\.5\) -: shop\.example SOA: .*ECONNREFUSED$/u),
  ]);
  const none = await verify(zone, parentOf(names));
  expect(none.lines.map((line) => line.slice(0, 6))).toEqual(["nobody", "nobody"]);
});

test("a DS that is missing at the parent is reported once, however many servers the zone has", async () => {
  const signed = { records: { "shop.example SOA": soa(1), "shop.example DNSKEY": [key] } };
  const found = await verify("dns: { shop.example: { dnssec: { enabled: true } } }\n", parentOf(names), signed, signed);
  expect(found.lines).toEqual([expect.stringMatching(/^differs ns\.example .* \| no such record$/u)]);
});

test("a server that is not authoritative differs", async () => {
  const found = await verify(zone, parentOf(["ns1.host.example"]), { ...own("192.0.2.10", 8), flags: 0 });
  expect(found.lines).toEqual([
    "differs ns1.host.example (127.0.0.4) -: shop.example SOA: an authoritative answer | none, though it was asked",
  ]);
});

test("a zone that is not delegated differs at its parent", async () => {
  const found = await verify(zone, parentOf([]));
  expect(found.lines).toEqual(["differs ns.example (127.0.0.3) -: shop.example NS: name servers | NOERROR"]);
});

const failures = [2, 4, 5];

test.each(failures)("a server of the parent that answers with the failure %i is passed over", async (code) => {
  const both = { "example NS": ["ns.broken", "ns.example"], "ns.broken A": ["127.0.0.5"] };
  const first = { ...root, records: { ...root.records, ...both } };
  const broken = { flags: code, records: {} };
  const found = await verifyFrom(first, zone, parentOf(["ns1.host.example"]), own("192.0.2.10", 8), broken);
  expect(found).toMatchObject({ lines: [], matches: 1 });
  expect(found.asked[3]).toEqual(["shop.example NS"]);
});

test.each(failures)(
  "where the parent or the resolver answers with the failure %i, nobody has answered",
  async (code) => {
    const broken = { flags: code, records: {} };
    for (const found of [await verify(zone, broken), await verifyFrom(broken, zone)])
      expect(found.lines).toEqual([
        expect.stringMatching(/^nobody its parent -: shop\.example NS: name servers \| \S.*: [A-Z]+$/u),
      ]);
  },
);

test("the servers that a domain declares are those of the delegation", async () => {
  const domain = (declared: readonly string[]) =>
    `${zone}domains: { shop.example: { nameservers: [${declared.join()}] } }\n`;
  const servers = [own("192.0.2.10", 8), own("192.0.2.10", 8)];
  expect((await verify(domain(names.toReversed()), parentOf(names), ...servers)).lines).toEqual([]);
  const found = await verify(domain(["ns1.host.example", "ns3.host.example"]), parentOf(names), ...servers);
  expect(found.lines).toEqual([
    "differs ns.example (127.0.0.3) -: shop.example NS: ns1.host.example.,ns3.host.example. | ns1.host.example.,ns2.host.example.",
  ]);
});

/** The key and its DS of RFC 4034 section 5.4 and RFC 4509 section 2.3. */
const key = {
  flags: 257,
  algorithm: 5,
  key: Buffer.from(
    "AQOeiiR0GOMYkDshWoSKz9XzfwJr1AYtsmx3TGkJaNXVbfi/2pHm822aJ5iI9BMzNXxeYCmZDRD99WYwYqUSdjMmmAphXdvxegXd/M5+X7OrzKBaMbCVdFLUUh6DhweJBjEVv5f2wwjM9XzcnOf+EPbtG9DMBmADjFDc2w/rljwvFw==",
    "base64",
  ),
};

test.each([
  ["enabled: true", [key], "right", []],
  [
    "enabled: true",
    [key],
    "none",
    [/^differs ns\.example .* shop\.example DS\/DNSKEY: \d+ 5 2 [0-9a-f]{64} \| no such record$/u],
  ],
  ["enabled: true", [key], "other", [/ DS\/DNSKEY: \d+ 5 2 [0-9a-f]{64} \| 1 5 2 0+$/u]],
  ["enabled: true, algorithm: 13", [key], "right", [/ DNSKEY: a DNSKEY of algorithm 13 \| a DNSKEY of algorithm 5$/u]],
  ["enabled: true", [], "none", [/ DNSKEY: a DNSKEY \| no such record$/u, / DS\/DNSKEY: a DS that leads to a key/u]],
  ["enabled: false", [], "none", []],
  ["enabled: false", [], "other", [/ DS\/DNSKEY: no DS \| 1 5 2 0+$/u]],
])("dnssec %s with keys %o and the DS %s", async (fields, keys, ds, expected) => {
  const data = Buffer.concat([Buffer.of(1, 1, 3, 5), key.key]);
  const owner = Buffer.from("\u0004shop\u0007example\u0000");
  const digest = createHash("sha256").update(owner).update(data).digest();
  // The tag of the RFC's key, whose flags are 256: 60485.
  const right = { keyTag: 60_486, algorithm: 5, digestType: 2, digest };
  const other = { keyTag: 1, algorithm: 5, digestType: 2, digest: Buffer.alloc(32) };
  const records = { right: [right], none: [], other: [other] }[ds] ?? [];
  const parent = parentOf(["ns1.host.example"]);
  const found = await verify(
    `dns: { shop.example: { dnssec: { ${fields} } } }\n`,
    { ...parent, records: { ...parent.records, "shop.example DS": records } },
    { records: { "shop.example SOA": soa(1), "shop.example DNSKEY": keys } },
  );
  expect(found.lines).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
});
