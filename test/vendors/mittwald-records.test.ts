import { describe, expect, test } from "vitest";
import type { Json } from "../../src/model/json.ts";
import { converge, openStage, type AdapterStage, type Cut } from "./adapter-stage.ts";
import { areThere } from "./stand-in.ts";
import { exits } from "../support/run-hostform.ts";

const isWhole = process.env["HOSTFORM_VENDORS"] === "1";

interface Zone {
  readonly id: string;
  readonly domain: string;
  readonly recordSet: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

const zonesOf = async ({ standIn }: AdapterStage) =>
  ((await standIn.byHand("GET", "/__state")) as { zones: readonly Zone[] }).zones;

const zoneOf = async (stage: AdapterStage, domain: string) => {
  const found = (await zonesOf(stage)).filter((zone) => zone.domain === domain);
  expect(found).toHaveLength(1);
  return found[0] as Zone;
};

const dns = (records: string) => `dns: { bakery.example: { records: { ${records} } } }\n`;
const addresses = (a: number, aaaa: number, last = 1) =>
  `www: { A: { ttl: ${a}, values: [192.0.2.${last}] }, AAAA: { ttl: ${aaaa}, values: ["2001:db8::${last}"] } }`;
const ttl = (seconds: number) => ({ ttl: { seconds } });

const withStage = async (work: (stage: AdapterStage) => Promise<void>) => {
  const stage = await openStage("mittwald");
  try {
    await work(stage);
  } finally {
    await stage.close();
  }
};

const cuts: readonly Cut[] = (["vendor", "hostform"] as const).flatMap((side) =>
  [0, 1, 2].flatMap((write) => (["before", "after"] as const).map((when) => ({ side, write, when }))),
);

describe.skipIf(!areThere)("DNS records of mittwald through the adapter", () => {
  test.runIf(isWhole)("A and AAAA of a name are written with one another, with the TTL that they share", () =>
    withStage(async (stage) => {
      await converge(stage, dns(addresses(3600, 3600)));
      const { recordSet } = await zoneOf(stage, "www.bakery.example");
      expect(recordSet["combinedARecords"]).toEqual({ a: ["192.0.2.1"], aaaa: ["2001:db8::1"], settings: ttl(3600) });

      const file = stage.standIn.write("ttl.yaml", `version: 1\nname: staged\n${dns(addresses(300, 300))}`);
      exits(0, await stage.hostform(["apply", "-f", file, "--auto-approve"]));
      const changed = await zoneOf(stage, "www.bakery.example");
      expect(changed.recordSet["combinedARecords"]).toMatchObject({ aaaa: ["2001:db8::1"], settings: ttl(300) });
    }),
  );

  test.runIf(isWhole).each(cuts)("the adapter is killed at %o, and no name is made twice", (cut) =>
    withStage(async (stage) => {
      stage.cutAt(cut);
      await converge(stage, dns(addresses(3600, 3600)));
      const { recordSet } = await zoneOf(stage, "www.bakery.example");
      expect(recordSet["combinedARecords"]).toEqual({ a: ["192.0.2.1"], aaaa: ["2001:db8::1"], settings: ttl(3600) });
    }),
  );

  test.runIf(isWhole)("A and AAAA of a name with two TTLs are refused", () =>
    withStage(async (stage) => {
      const file = stage.standIn.write("two.yaml", `version: 1\nname: staged\n${dns(addresses(3600, 300))}`);
      const { text } = exits(5, await stage.hostform(["apply", "-f", file, "--auto-approve"]));
      expect(text).toMatch(/A and AAAA of www have one TTL at this vendor: (3600|300)/u);
    }),
  );

  test.runIf(isWhole)("the half of someone else stays, and a set of the platform is not overwritten", () =>
    withStage(async (stage) => {
      const { id } = await zoneOf(stage, "bakery.example");
      const theirs = { a: [], aaaa: ["2001:db8::99"], settings: ttl(3600) };
      await stage.standIn.byHand("PUT", `/v2/dns-zones/${id}/record-sets/a`, theirs);
      await converge(stage, dns('"@": { A: { ttl: 3600, values: [192.0.2.1] } }'));
      const gone =
        "dns: { bakery.example: {} }\nremoved: [{ address: dns_record/bakery.example/@/A, action: delete }]\n";
      expect((await zoneOf(stage, "bakery.example")).recordSet["combinedARecords"]).toEqual({
        ...theirs,
        a: ["192.0.2.1"],
      });
      await converge(stage, gone, ["dns_record/*=1"]);
      expect((await zoneOf(stage, "bakery.example")).recordSet["combinedARecords"]).toEqual(theirs);

      stage.behind.interfere(async (_request, response, pass) => {
        const { status, headers, text } = await pass();
        response.writeHead(status, headers).end(text.replaceAll('"mx":{}', '"mx":{"managed":true}'));
        return true;
      });
      const mx = dns('"@": { MX: { ttl: 3600, values: [{ priority: 10, value: mx1.host.example. }] } }');
      const file = stage.standIn.write("mx.yaml", `version: 1\nname: staged\n${mx}`);
      const { status, text } = await stage.hostform(["apply", "-f", file, "--auto-approve"]);
      expect(text).toContain("the platform manages the MX records of @");
      expect(status).toBe(5);
      expect((await zoneOf(stage, "bakery.example")).recordSet["mx"]).toEqual({});
    }),
  );

  test.runIf(isWhole)("a zone goes with the names in it, which are no zones of their own", () =>
    withStage(async (stage) => {
      const names = 'www: { A: { ttl: 300, values: [192.0.2.1] } }, a.www: { TXT: { ttl: 300, values: ["x y"] } }';
      await converge(stage, dns(names));
      expect(await zonesOf(stage)).toHaveLength(3);
      const removed = [
        "dns_zone/bakery.example",
        "dns_record/bakery.example/www/A",
        "dns_record/bakery.example/a.www/TXT",
      ];
      const gone = `removed: [${removed.map((address) => `{ address: ${address}, action: delete }`).join(", ")}]\n`;
      await converge(stage, gone, removed);
      expect(await zonesOf(stage)).toEqual([]);
    }),
  );
});
