import fc, { type Arbitrary, type GeneratorValue } from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { parseQuotedStrings } from "../../src/kinds/dns/character-strings.ts";
import type { Address } from "../../src/model/address.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { plan } from "../../src/plan/plan.ts";
import { prepare } from "../../src/plan/prepare.ts";
import { spellingDifferences } from "../../src/plan/spelling-differences.ts";
import { forDraws } from "../support/for-draws.ts";
import * as respell from "../support/respell.ts";
import { buildInput, inZone, type Lists, record, zone } from "./build-input.ts";
import { spelt, spellingSets } from "./spell-lists.ts";
import { lists, manifestOf, type Respeller } from "./spelling-account.ts";
import { size } from "../proofs/size.ts";

const asItIs: Respeller = {
  name: (name) => name,
  recordName: (name) => name,
  mail: (address) => address,
  mails: (addresses) => addresses,
  names: (names) => names,
  words: (words) => words,
  content: (_type, content) => content,
  quota: (mib) => mib,
  schedule: () => "30 8 * 1-3 1,5",
  time: (time) => time,
};

/** Draws each value's spelling from those that mean the same. */
function anySpelling(draw: GeneratorValue): Respeller {
  const one =
    <T, V>(ways: (value: V) => Arbitrary<T>) =>
    (value: V): T =>
      draw(ways, value);
  return {
    name: one(respell.respellName),
    recordName: one((name: string) => respell.respellRecordName(name, zone.name)),
    mail: one(respell.respellMailAddress),
    mails: one((items: readonly string[]) => respell.respellSet(items, respell.respellMailAddress)),
    names: one((items: readonly string[]) => respell.respellSet(items, respell.respellName)),
    words: one((items: readonly string[]) => respell.respellSet(items, (item) => fc.constant(item))),
    content: (type, content) => draw(contentWays, type, content),
    quota: one((mib: number) => fc.constantFrom(mib, `${mib} MB`, `${mib}MiB`, `${mib / 1024} GiB`)),
    schedule: () =>
      draw(() => respell.respellSchedule(["30 8 * 1-3 1,5", "30 8 * jan-mar fri,mon", "30 8 */1 01-03/1 5,1"])),
    time: one(respell.respellTime),
  };
}

function contentWays(type: string, content: string): Arbitrary<string> {
  const words = content.split(" ");
  const last = words.at(-1) ?? "";
  const head = content.slice(0, -last.length);
  if (type === "TXT") return respell.respellText((parseQuotedStrings(content) ?? content).toString());
  if (type === "AAAA") return respell.respellIPv6(content);
  if (["DS", "SSHFP", "TLSA"].includes(type)) return respell.respellDigest(head.trim(), last);
  if (["ALIAS", "CNAME", "MX", "NS", "PTR", "SRV"].includes(type))
    return respell.respellName(last).map((target) => head + target);
  if (["HTTPS", "SVCB"].includes(type))
    return respell.respellParameters(words.slice(2)).map((parameters) => [words[0], words[1], parameters].join(" "));
  return fc.constant(content);
}

const textOf = (spell: Respeller) => stringify(manifestOf(spell));
const stepsOf = async (manifest: string, live: Lists) => {
  const { steps, diagnostics } = plan(await buildInput(manifest, live));
  return { steps: steps.map(({ id, changes }) => ({ id, changes })), diagnostics };
};
const nothingToDo = { steps: [], diagnostics: [] };

describe("an account of every kind and every type of record", () => {
  test("needs no change in the form in which it was read", async () => {
    expect(await stepsOf(textOf(asItIs), lists)).toEqual(nothingToDo);
  });

  test("needs no change, however the manifest formats its values", () =>
    forDraws(40, fc.gen(), async (draw) => {
      expect(await stepsOf(textOf(anySpelling(draw)), lists)).toEqual(nothingToDo);
    }));

  test("needs no change, however the server formats its answers", () =>
    forDraws(40, spellingSets, async (spelling) => {
      expect(await stepsOf(textOf(asItIs), spelt(lists, spelling))).toEqual(nothingToDo);
    }));
});

const differences = async (manifest: string, live: Lists) => {
  const input = await buildInput(manifest, live);
  const { desired, live: prepared } = prepare(input);
  return spellingDifferences(desired, prepared, input.contract);
};

describe("a value that is equal but formatted differently", () => {
  const mailbox = { id: "m1", etag: "e", address: "info@example.com", quota_mb: 2048, sending_enabled: true };
  const domain = { id: "d1", etag: "e", name: "example.com", service_id: null };
  const mail = (body: string) =>
    `domains: { example.com: {} }\nmail: { example.com: { mailboxes: { info: ${body} } } }`;
  const mailLists = (fields: JsonObject): Lists => ({
    "/domains": [domain],
    "/mail/accounts?domain=example.com": [{ ...mailbox, ...fields }],
  });

  test("is reported with both spellings", async () => {
    expect(await differences(mail("{ quota: 2 GiB, sending_enabled: true }"), mailLists({}))).toEqual([
      { address: "mailbox/info@example.com", path: "quota_mb", written: "2 GiB", live: 2048 },
    ]);
  });

  test("is reported for each member of a set, and once for what the members share", async () => {
    const manifest =
      "dns: { example.com: { records: { www: { A: { ttl: 60, values: [192.0.2.1, 192.0.2.2] }, AAAA: '2001:DB8::1' } } } }";
    const live = [
      record("www", "A", "192.0.2.1", { ttl: "60" }),
      record("WWW", "A", " 192.0.2.2", { ttl: "60" }),
      record("www", "AAAA", "2001:db8:0::1"),
    ];
    const zones = inZone(...live);
    expect(await differences(manifest, zones)).toEqual([
      { address: "dns_record/example.com/www/A", path: "ttl", written: 60, live: "60" },
      { address: "dns_record/example.com/www/A", path: "content", written: "192.0.2.2", live: " 192.0.2.2" },
      { address: "dns_record/example.com/www/AAAA", path: "content", written: "2001:DB8::1", live: "2001:db8:0::1" },
    ]);
  });

  test("is reported in the order of the addresses, whatever the order of the manifest", async () => {
    const live = inZone(...["a", "b", "c"].map((name) => record(name, "A", " 192.0.2.1")));
    const found = await differences(
      "dns: { example.com: { records: { b: { A: 192.0.2.1 }, c: { A: 192.0.2.1 }, a: { A: 192.0.2.1 } } } }",
      live,
    );
    expect(found.map(({ address }) => address)).toEqual(
      ["a", "b", "c"].map((name) => `dns_record/example.com/${name}/A`),
    );
  });

  test("excludes equal texts, different values, unwritten fields and ids", async () => {
    expect(await differences(mail("{ quota: 2048 }"), mailLists({ sending_enabled: "true" }))).toEqual([]);
    expect(await differences(mail("{ quota: 3 GiB }"), mailLists({}))).toEqual([]);
    const attached =
      "services: { example.com: { plan: WEB-M, datacenter: MAD1 } }\ndomains: { example.com: { service: EXAMPLE.com } }";
    expect(
      await differences(attached, {
        "/services": [{ id: "s1", domain: "example.com" }],
        "/domains": [{ ...domain, service_id: "s1" }],
      }),
    ).toEqual([]);
  });

  test("never shows a secret, nor what comes from elsewhere, nor keeps them as they were written", async () => {
    const secret = 'dns: { example.com: { records: { "@": { TXT: "${env:SECRET}" } } } }';
    const zones = inZone(record("@", "TXT", "a secret value"));
    const plain = mail('{ password: "plain secret", quota: 2 GiB }');
    const paths = (await differences(plain, mailLists({ password: "Plain Secret" }))).map(({ path }) => path);
    expect(paths).toEqual(["quota_mb"]);
    expect(await differences(secret, zones)).toEqual([]);
    for (const [manifest, live] of [[secret, zones] as const, [plain, mailLists({})] as const]) {
      const { resources } = (await buildInput(manifest, live)).desired;
      expect(JSON.stringify([...resources.values()])).not.toMatch(/plain secret|a secret value/u);
    }
  });

  test.runIf(size.whole)(
    "costs little where there is none: 50,000 records before the test's time is over",
    async () => {
      const input = await buildInput(
        "dns: { example.com: { records: { www: { A: 192.0.2.1 } } } }",
        inZone(record("www", "A", "192.0.2.1")),
      );
      const { desired, live } = prepare(input);
      expect(spellingDifferences(manyOf(desired), manyOf(live), input.contract)).toEqual([]);
    },
  );
});

/** The same resources 50,000 times, each time under addresses of their own. */
function manyOf<R extends { readonly address: Address }, S extends { readonly resources: ReadonlyMap<Address, R> }>(
  state: S,
): S {
  const copies = Array.from({ length: 50_000 }, (_, index) =>
    [...state.resources.values()].map((resource) => {
      const address = `${resource.address}${index}` as Address;
      return [address, { ...resource, address }] as const;
    }),
  );
  return { ...state, resources: new Map(copies.flat()) };
}
