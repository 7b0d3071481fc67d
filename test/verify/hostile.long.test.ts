import dnsPacket from "dns-packet";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { readAnswer, recordsOf, writeQuestion } from "../../src/verify/message.ts";
import { forDraws } from "../support/for-draws.ts";
import { checkEvents, eventsOf, exits, noAccount, runHostform, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";
import { askAny, readPlace, type Server } from "../../src/verify/find-servers.ts";
import { startServer, type Asked, type Respond } from "./name-servers.ts";
import { size } from "../proofs/size.ts";

const manifest =
  'version: 1\nname: a\ndns:\n  shop.example: { ttl: 300, records: { "@": { A: 192.0.2.10, TXT: hello } } }\n';

type Place = Server["places"][number];

interface Told {
  readonly answers?: readonly object[];
  readonly flags?: number;
  readonly questions?: readonly object[];
  readonly id?: number;
}

/** The answer of an authoritative server to a question. */
const answerTo = ({ id, name, type }: Asked, { answers = [], flags = 0, ...more }: Told = {}): Buffer =>
  dnsPacket.encode({
    id,
    type: "response",
    flags: dnsPacket.AUTHORITATIVE_ANSWER | flags,
    questions: [{ name, type: type as "A" }],
    answers: answers.map((each) => ({ name, ttl: 300, ...each }) as dnsPacket.Answer),
    ...(more as object),
  });

const soa = { type: "SOA", data: { mname: "ns.shop.example", rname: "h.shop.example", serial: 9 } };
const good: Readonly<Record<string, readonly object[]>> = {
  SOA: [soa],
  A: [{ type: "A", data: "192.0.2.10" }],
  TXT: [{ type: "TXT", data: ["hello"] }],
};
const goodAnswer = (asked: Asked) => answerTo(asked, { answers: good[asked.type] ?? [] });
const overTcp = (message: Buffer) => Buffer.concat([Buffer.of(message.length >> 8, message.length & 255), message]);

/** Verifies once against a server that answers as a test says. */
const verify = (respond: Respond, ...flags: string[]) =>
  withServer(respond, flags, (args) => runInProcess(noAccount, args));

async function withServer<T>(
  respond: Respond,
  flags: readonly string[],
  run: (args: readonly string[]) => Promise<T>,
  text = manifest,
): Promise<T> {
  const folder = folderForTest();
  writeFileSync(join(folder, "a.yaml"), text);
  const server = await startServer(respond);
  onTestFinished(() => server.stop());
  return run(["verify", "-f", join(folder, "a.yaml"), "--resolver", server.place, "--timeout", "0", ...flags]);
}

test("an answer that comes behind others to no question of ours is taken, and those are not", async () => {
  const forged = { answers: [{ type: "A", data: "203.0.113.66" }] };
  const ran = await verify((asked) => [
    answerTo(asked, { ...forged, id: (asked.id + 1) % 65_536 }),
    answerTo(asked, { ...forged, questions: [{ name: "other.example", type: asked.type }] }),
    answerTo(asked, { ...forged, questions: [{ name: asked.name, type: asked.type, class: "CH" }] }),
    answerTo(asked, { ...forged, questions: [] }),
    Buffer.from("nonsense"),
    Buffer.alloc(0),
    goodAnswer(asked),
  ]);
  expect(ran, ran.stdout).toMatchObject({ status: 0, stdout: "Verified: 2 answers as declared.\n" });
});

test("a server that answers other questions only counts as one that does not answer", async () => {
  const ran = await verify((asked) => [
    answerTo(asked, { id: (asked.id + 1) % 65_536, answers: good[asked.type] ?? [] }),
  ]);
  expect(ran.status).toBe(6);
  expect(ran.stdout).toContain("answered: no answer to this question");
});

test("a resolver that has failed is not believed while another one answers", async () => {
  const failing = await startServer((asked) => [answerTo(asked, { flags: 2 })]);
  const answering = await startServer((asked) => [goodAnswer(asked)], "127.0.0.2");
  onTestFinished(async () => void (await Promise.all([failing.stop(), answering.stop()])));
  const places = [failing, answering].map(({ place }) => ({ ...readPlace(place), isRecursive: true }) as Place);
  const question = { name: "shop.example", type: "A" };
  const ask = (asked: readonly Place[]) => askAny(asked, question, new AbortController().signal);
  expect(await ask(places)).toMatchObject({ place: places[1], answer: { code: "NOERROR" } });
  expect(await ask(places.slice(0, 1))).toMatchObject({ place: places[0], answer: { code: "SERVFAIL" } });
});

test("a silent resolver is not asked again for each mail host", async () => {
  const hosts = Array.from({ length: 24 }, (_, index) => `{ priority: ${index}, value: mx${index}.host.example. }`);
  const text = `version: 1\nname: a\ndns: { shop.example: { records: { "@": { MX: [${hosts.join(", ")}] } } } }\n`;
  const asked = new Set<string>();
  await withServer(
    ({ name }) => {
      asked.add(name);
      return [];
    },
    [],
    (args) => runInProcess(noAccount, args),
    text,
  );
  expect([...asked].filter((name) => name.startsWith("mx")).length).toBe(8);
});

test("a server that cannot be reached from here counts as one that does not answer", async () => {
  const folder = folderForTest();
  writeFileSync(join(folder, "a.yaml"), manifest);
  // No datagram may be sent to all machines; the same happens to IPv6 where no network has it.
  const flags = ["--resolver", "255.255.255.255:5353", "--timeout", "0"];
  const ran = exits(6, await runHostform(["verify", "-f", join(folder, "a.yaml"), ...flags]));
  expect(ran.stdout).toContain("answered: connect EACCES");
  expect(ran.stderr).toBe("");
});

const askingForAll = (signing: string) => `version: 1
name: a
dns:
  shop.example:
    dnssec: { ${signing} }
    records:
      "@": { A: 192.0.2.10, MX: { priority: 10, value: mx.host.example. } }
      alias: { ALIAS: shop.host.example. }
      off: { TXT: { values: [{ value: hello, disabled: true }] } }
`;

const failures = Object.entries({ FORMERR: 1, SERVFAIL: 2, NOTIMP: 4, REFUSED: 5 });

test.each(failures)("an answer %s is never as declared, whether or not dnssec is enabled", async (_code, flag) => {
  const flags = dnsPacket.RECURSION_AVAILABLE | flag;
  const respond: Respond = (asked) => [asked.type === "SOA" ? goodAnswer(asked) : answerTo(asked, { flags })];
  for (const signing of ["enabled: true", "enabled: false"]) {
    const run = (args: readonly string[]) => runInProcess(noAccount, args);
    const { stdout } = exits(2, await withServer(respond, [], run, askingForAll(signing)));
    expect(stdout).toContain("; 0 answers as declared");
  }
});

test("a server that is silent after its serial is asked no more, and ends with 6", async () => {
  const asked: string[] = [];
  const respond: Respond = (each) => {
    asked.push(each.type);
    return each.type === "SOA" ? [goodAnswer(each)] : [];
  };
  // Its process must end, too.
  const ran = exits(6, await withServer(respond, [], runHostform));
  expect(ran.stdout).toContain("answered: no answer\n");
  expect(asked.length).toBeLessThanOrEqual(5);
});

test("an answer that was cut off, perhaps within a record, is asked for over TCP", async () => {
  const ran = await verify((asked) => {
    const whole = goodAnswer(asked);
    if (asked.isTcp) return [overTcp(whole).subarray(0, 5), overTcp(whole).subarray(5)];
    const cut = answerTo(asked, { answers: good[asked.type] ?? [], flags: dnsPacket.TRUNCATED_RESPONSE });
    return [cut.subarray(0, cut.length - 3)];
  });
  expect(ran, ran.stdout).toMatchObject({ status: 0 });
});

test("an answer that is cut off over TCP, too, counts as none, also where no record is to be there", async () => {
  const off = manifest.replace("TXT: hello", "TXT: { values: [{ value: hello, disabled: true }] }");
  const respond: Respond = (asked) => {
    const flags = asked.type === "TXT" ? dnsPacket.TRUNCATED_RESPONSE : 0;
    const whole = answerTo(asked, { answers: good[asked.type] ?? [], flags });
    return [asked.isTcp ? overTcp(whole) : whole];
  };
  const ran = exits(6, await withServer(respond, [], (args) => runInProcess(noAccount, args), off));
  expect(ran.stdout).toContain("answered: no whole answer over TCP");
});

test("a connection that breaks off counts as no answer", async () => {
  const ran = await verify((asked) =>
    asked.isTcp ? [Buffer.of(255, 255, 1)] : [answerTo(asked, { flags: dnsPacket.TRUNCATED_RESPONSE })],
  );
  expect(ran.status).toBe(6);
  expect(ran.stdout).toContain("no whole answer over TCP");
});

test("what an answer holds is printed bounded, and drives no terminal", async () => {
  const evil = "\u001b[2J\u202e\n::error::x";
  const many = Array.from({ length: 200 }, (_, index) => ({
    type: "TXT",
    data: [`${evil}${index}${"x".repeat(180)}`],
  }));
  const respond = (asked: Asked) => {
    const whole = answerTo(asked, { answers: asked.type === "TXT" ? many : (good[asked.type] ?? []) });
    if (asked.isTcp) return [overTcp(whole)];
    return [asked.type === "TXT" ? answerTo(asked, { flags: dnsPacket.TRUNCATED_RESPONSE }) : whole];
  };
  const ran = exits(2, await verify(respond));
  expect(ran.stdout).toContain("and 190 more");
  expect(ran.stdout.length).toBeLessThan(6000);
  expect(ran.stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
  const json = await verify(respond, "--json");
  expect(checkEvents(eventsOf(json))).toEqual([]);
  expect(eventsOf(json)[1]).toMatchObject({ type: "mismatch", address: "dns_record/shop.example/@/TXT", serial: 9 });
});

test("a server that refuses, or that answers for another zone, differs", async () => {
  const refused = exits(2, await verify((asked) => [answerTo(asked, { flags: 5 - dnsPacket.AUTHORITATIVE_ANSWER })]));
  expect(refused.stdout).toContain("answered: REFUSED");
  exits(2, await verify((asked) => [answerTo(asked, { answers: [{ ...soa, name: "example" }] })]));
});

test.runIf(size.whole)("any bytes are an answer to a question or are not, and never throw", async () => {
  const question = { name: "shop.example", type: "MX" };
  const whole = answerTo(
    { id: 7, ...question, isTcp: false },
    {
      answers: [{ type: "MX", data: { preference: 1, exchange: "mx.shop.example" } }, soa],
    },
  );
  const altered = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 6 }).map((changes) => {
    const bytes = Buffer.from(whole);
    for (const [place, value] of changes) bytes[place] = value;
    return bytes;
  });
  const cut = fc.nat(whole.length).map((length) => whole.subarray(0, length));
  await forDraws(
    { numRuns: 5000 },
    fc.oneof(
      altered,
      cut,
      fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
    ),
    (bytes) => {
      const answer = readAnswer(bytes, question, 7);
      if (answer) recordsOf(answer, question);
    },
  );
  expect(writeQuestion(question, 7, false).readUInt16BE()).toBe(7);
});
