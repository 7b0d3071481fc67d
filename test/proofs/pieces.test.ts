import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findMistakes } from "../../src/contract/find-mistakes.ts";
import type { Contract } from "../../src/model/contract.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { openAccount } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { openFront } from "../support/front.ts";
import { runInProcess } from "../support/run-hostform.ts";
import { pieces, withPieces, type Pieces } from "../support/pieces.ts";
import { shapes } from "../support/shapes.ts";
import { size } from "./size.ts";

/** Shapes whose paths hold no names of records. */
const shapeNames = ["bare", "nested", "whole", "stamped"] as const;
type Shape = (typeof shapeNames)[number];

interface Srv {
  readonly name: string;
  readonly ttl: number;
  readonly priority: number;
  readonly weight: number;
  readonly port: number;
  readonly target: string;
}

const number = fc.constantFrom(0, 1, 10, 5060, 65_535);
const hosts = (label: string, least: number) =>
  fc.uniqueArray(
    fc.nat(9).map((n) => `${label}${n}.host.test`),
    { minLength: least, maxLength: 4 },
  );
const names = ["_sip._tcp", "_xmpp-client._tcp.pbx", "_a1._udp.a.b", "_sips._tls", "srv"];
const values = fc.record({
  nameservers: hosts("ns", 2),
  destinations: hosts("m", 1).map((all) => all.map((host) => `to@${host}`)),
  records: fc.uniqueArray(
    fc.record<Srv>({
      name: fc.constantFrom(...names),
      ttl: fc.constantFrom(300, 600),
      priority: number,
      weight: number,
      port: number,
      target: fc.constantFrom("sip.host.test.", "a.pbx.test."),
    }),
    { minLength: 1, maxLength: 3, selector: ({ name }) => name },
  ),
});
type Values = typeof values extends fc.Arbitrary<infer T> ? T : never;

function manifestOf({ nameservers, destinations, records }: Values): string {
  const sets = Object.fromEntries(
    records.map(({ name, ttl, ...value }) => [name, { SRV: { ttl, values: [value] } }] as const),
  );
  return JSON.stringify({
    version: 1,
    name: "pieces",
    domains: { "n1.example": { nameservers } },
    dns: { "n1.example": { records: sets } },
    mail: { "n1.example": { aliases: { sales: { destinations } } } },
  });
}

const consent = names.flatMap((name) => ["--allow-delete", `dns_record/n1.example/${name}/SRV`]);

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject;
}

/** Runs plan, apply and plan for each of the values, and then plan on what import writes. Returns the bodies of all writes. */
async function runWith(contract: Contract, shape: Shape, all: readonly Values[]): Promise<Sent[]> {
  const place = mkdtempSync(join(tmpdir(), "hostform-pieces-"));
  const file = join(place, "contract.yaml");
  writeFileSync(file, JSON.stringify(contract));
  const account = await openAccount({ contract: file, manner: shapes[shape].manner });
  const front = await openFront(account);
  const sent: Sent[] = [];
  front.interfere(({ method = "", url: path = "" }, _response, _pass, body) => {
    if (method !== "GET" && body !== "") sent.push({ method, path, body: JSON.parse(body) as JsonObject });
    return false;
  });
  const key = account.env["HOSTFORM_API_KEY"] ?? "";
  const env = { HOSTFORM_API_KEY: contract.request.auth.headers ? `me@example.com:${key}` : key };
  const target = {
    flags: [...front.flags, "--contract", account.write("contract.yaml", JSON.stringify(contract))],
    env,
  };
  const run = async (expected: number, ...args: string[]) => {
    const ran = await runInProcess(target, args);
    expect(ran.status, `${shape} ${JSON.stringify(contract.kinds)}\n${ran.printed}`).toBe(expected);
  };
  try {
    for (const each of all) {
      const args = ["-f", account.write("m.yaml", manifestOf(each)), "--inventory", join(account.folder, "i.json")];
      await run(0, "plan", ...consent, ...args);
      await run(0, "apply", "--auto-approve", ...consent, ...args);
      await run(0, "plan", "--detailed-exitcode", ...args);
    }
    const imported = join(account.folder, "imported");
    await run(0, "import", imported);
    await run(0, "plan", "--detailed-exitcode", "-f", imported);
    return sent;
  } finally {
    await front.close();
    await account.close();
    rmSync(place, { recursive: true });
  }
}

test("lists of objects, and names and contents in pieces, are written, planned and imported as they were declared", async () => {
  const shape = fc.constantFrom(...shapeNames);
  await forDraws(
    { numRuns: size.draws(16), endOnFailure: true },
    shape,
    pieces,
    fc.tuple(values, values),
    async (name, drawn, [before, after]) => {
      const contract = withPieces(shapes[name].contract, drawn);
      expect(findMistakes(contract as unknown as JsonObject).filter(({ isWarning }) => !isWarning)).toEqual([]);
      const sent = await runWith(contract, name, [before, after]);
      const text = JSON.stringify(sent);
      const inPieces = before.records.filter((record) => record.name !== "srv");
      if (drawn.labels) for (const record of inPieces) expect(text).not.toContain(`"${record.name}`);
      if (drawn.numbers)
        for (const { weight, port, target } of before.records)
          expect(text).not.toContain(`${weight} ${port} ${target}`);
    },
  );
});

const record: Srv = { name: "_sip._tcp.pbx", ttl: 300, priority: 10, weight: 5, port: 5060, target: "sip.host.test." };
const given: Values = {
  nameservers: ["ns1.host.test", "ns2.host.test"],
  destinations: ["to@m1.host.test"],
  records: [record],
};

interface Form {
  readonly drawn: Pieces;
  readonly bodies: Readonly<Record<string, JsonObject>>;
}

const underscored: Form = {
  drawn: {
    item: "/name",
    labels: { _service: "/service", _protocol: "/protocol" },
    numbers: ["priority weight port"],
  },
  bodies: {
    "/domains": { name: "n1.example", nameservers: [{ name: "ns1.host.test" }, { name: "ns2.host.test" }] },
    "/mail-aliass": { address: "sales@n1.example", destinations: [{ name: "to@m1.host.test" }] },
    "/dns-records": {
      name: "pbx.n1.example",
      service: "_sip",
      protocol: "_tcp",
      type: "SRV",
      ttl: 300,
      part0: "10 5 5060",
      part1: "sip.host.test.",
    },
  },
};

const bare: Form = {
  drawn: {
    item: "/host/name",
    labels: { service: "/srv/service", protocol: "/srv/protocol" },
    numbers: ["priority", "port weight"],
  },
  bodies: {
    "/domains": {
      name: "n1.example",
      nameservers: [{ host: { name: "ns1.host.test" } }, { host: { name: "ns2.host.test" } }],
    },
    "/mail-aliass": { address: "sales@n1.example", destinations: [{ host: { name: "to@m1.host.test" } }] },
    "/dns-records": {
      name: "pbx.n1.example",
      srv: { service: "sip", protocol: "tcp" },
      type: "SRV",
      ttl: 300,
      part0: 10,
      part1: "5060 5",
      part2: "sip.host.test.",
    },
  },
};

test.each(
  size.every(2, [
    ["labels with underscores, and all numbers in one text", underscored],
    ["labels without underscores, and two numbers in one text", bare],
  ] as const),
)("a list of objects, %s, are sent so", async (_name, { drawn, bodies }) => {
  const sent = await runWith(withPieces(shapes.bare.contract, drawn), "bare", [given]);
  for (const [end, body] of Object.entries(bodies)) {
    const creation = sent.find(({ method, path }) => method === "POST" && path.replace(/\?.*/u, "").endsWith(end));
    expect(creation?.body).toMatchObject(body);
    for (const field of ["content", "priority"]) expect(creation?.body).not.toHaveProperty(field);
  }
});
