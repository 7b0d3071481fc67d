import { X509Certificate, randomBytes } from "node:crypto";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import Database from "libsql";
import { Agent, request } from "undici";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  EmulatorError,
  readOperations,
  startEmulator,
  type Emulator,
  type EmulatorOptions,
} from "../../src/emulator/index.ts";
import { folderForTest } from "../support/temporary-folder.ts";

const dayMs = 24 * 60 * 60 * 1000;

const newFile = () => join(folderForTest(), "data.db");

async function start(options: EmulatorOptions, ahead = 0): Promise<Emulator> {
  const emulator = await startEmulator(options, { now: () => Date.now() + ahead, random: randomBytes });
  onTestFinished(() => emulator.close());
  return emulator;
}

async function statusOf(emulator: Emulator, key: string, ca = emulator.caPem): Promise<number> {
  const dispatcher = new Agent({ connect: { ca } });
  const answer = await request(`${emulator.baseUrl}/v2026/services`, {
    dispatcher,
    headers: { authorization: `Bearer ${key}` },
  });
  await answer.body.dump();
  await dispatcher.close();
  return answer.statusCode;
}

async function refusal(options: EmulatorOptions): Promise<EmulatorError> {
  const outcome: unknown = await start(options).catch((error: unknown) => error);
  if (outcome instanceof EmulatorError) return outcome;
  throw new Error("it was not refused as an EmulatorError", { cause: outcome });
}

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

test("a store without a name is temporary, private, and gone after close", async () => {
  const emulator = await startEmulator({}, { now: Date.now, random: randomBytes });
  const folder = dirname(emulator.caFile);
  expect(modeOf(folder)).toBe("700");
  expect(readFileSync(emulator.caFile, "utf8")).toBe(emulator.caPem);
  await emulator.close();
  expect(() => statSync(folder)).toThrow("ENOENT");
});

test("secrets beside a data file are for its owner alone", async () => {
  const dataFile = newFile();
  const emulator = await start({ dataFile });
  expect(emulator.keyFile).toBe(`${dataFile}.key`);
  expect(emulator.keySource).toBe(`file ${dataFile}.key (mode 0600)`);
  expect(readFileSync(`${dataFile}.key`, "utf8").trim()).toBe(emulator.key);
  for (const file of [`${dataFile}.key`, `${dataFile}.key.pem`]) expect(modeOf(file)).toBe("600");
  expect(readdirSync(dirname(dataFile)).filter((file) => file.endsWith(".new"))).toEqual([]);
});

test("no key is stored in clear", async () => {
  const dataFile = newFile();
  const emulator = await startEmulator({ dataFile, key: "a-key-of-mine" }, { now: Date.now, random: randomBytes });
  await emulator.close();
  expect(readFileSync(dataFile).includes("a-key-of-mine")).toBe(false);
});

test("keys last: the made one and each given one", async () => {
  const dataFile = newFile();
  const first = await start({ dataFile });
  await first.close();
  const second = await start({ dataFile, key: "given" });
  expect([second.key, second.keySource]).toEqual(["given", "the one given with --key"]);
  await second.close();
  const third = await start({ dataFile });
  expect([third.key, third.keyFile]).toEqual([undefined, `${dataFile}.key`]);
  expect(await statusOf(third, first.key ?? "")).toBe(200);
  expect(await statusOf(third, "given")).toBe(200);
  expect(await statusOf(third, "other")).toBe(401);
});

test("a store whose only key was given says that it does not know it any more", async () => {
  const dataFile = newFile();
  await (await start({ dataFile, key: "given" })).close();
  const again = await start({ dataFile });
  expect([again.key, again.keyFile, again.keySource]).toEqual([
    undefined,
    undefined,
    "an earlier start; only its hash is kept",
  ]);
});

test("a client that does not trust the authority is not served", async () => {
  const [one, other] = [await start({ key: "k" }), await start({ key: "k" })];
  await expect(statusOf(one, "k", other.caPem)).rejects.toThrow(/self-signed|unable to verify|certificate/);
});

test("the certificate has what strict clients ask for", async () => {
  const dataFile = newFile();
  await start({ dataFile, host: "localhost" });
  const server = new X509Certificate(readFileSync(`${dataFile}.cert.pem`));
  const authority = new X509Certificate(readFileSync(`${dataFile}.ca.pem`));
  expect(authority.ca).toBe(true);
  expect(server.ca).toBe(false);
  expect(server.checkIssued(authority)).toBe(true);
  expect(server.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  expect(server.subjectAltName).toBe("DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1");
  expect(Date.parse(server.validTo) - Date.parse(server.validFrom)).toBeLessThan(399 * dayMs);
});

test("the certificate is kept while it is good, and created again when it is not", async () => {
  const dataFile = newFile();
  const restart = async (options: EmulatorOptions = {}, ahead = 0): Promise<string> => {
    const emulator = await start({ dataFile, ...options }, ahead);
    await emulator.close();
    return emulator.caPem;
  };
  const first = await restart();
  expect(await restart()).toBe(first);
  const wider = await restart({ host: "127.0.0.2" });
  expect(wider).not.toBe(first);
  expect(new X509Certificate(readFileSync(`${dataFile}.cert.pem`)).checkIP("127.0.0.2")).toBe("127.0.0.2");
  const renewed = await restart({}, 366 * dayMs);
  expect(renewed).not.toBe(wider);
  writeFileSync(`${dataFile}.key.pem`, "not a key");
  expect(await restart({}, 366 * dayMs)).not.toBe(renewed);
});

test("a port that is taken is named, with what to do", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const error = await refusal({ port });
  expect(error.message).toBe(`Listening on 127.0.0.1 port ${port} failed: EADDRINUSE.`);
  expect(error.hint).toContain("another port");
});

test("a port that there cannot be is refused", async () => {
  expect((await refusal({ port: 65_536 })).hint).toContain("0 to 65535");
});

test("an address of another machine is named", async () => {
  expect((await refusal({ host: "192.0.2.1" })).message).toContain("192.0.2.1");
});

test("a damaged file is reported, wherever its damage shows", async () => {
  const dataFile = newFile();
  await (await start({ dataFile })).close();
  const whole = readFileSync(dataFile);
  const page = 4096;
  let told = 0;
  for (let begin = page; begin < whole.length; begin += page) {
    const pattern = Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 7) & 255));
    writeFileSync(dataFile, Buffer.concat([whole.subarray(0, begin), pattern, whole.subarray(begin + 3000)]));
    const opened: unknown = await start({ dataFile }).catch((error: unknown) => error);
    if (!(opened instanceof Error)) continue;
    expect(opened).toMatchObject({ name: "EmulatorError", hint: expect.stringContaining("damaged") });
    told += 1;
  }
  expect(told).toBeGreaterThan(1);
});

test("a file that is not a database stays unchanged", async () => {
  const dataFile = newFile();
  writeFileSync(
    dataFile,
    "a letter to a friend, long enough to be more than a header of one hundred bytes, or so one would think",
  );
  const error = await refusal({ dataFile });
  expect(error.hint).toContain("not an SQLite file");
  expect(readFileSync(dataFile, "utf8")).toContain("a letter");
});

test("a database of another program is left as it is", async () => {
  const dataFile = newFile();
  const database = new Database(dataFile);
  database.exec("CREATE TABLE letters (text TEXT)");
  database.close();
  expect((await refusal({ dataFile })).message).toContain("of another program");
});

test("a store of another layout is left as it is", async () => {
  const dataFile = newFile();
  await (await start({ dataFile })).close();
  const database = new Database(dataFile);
  database.exec("PRAGMA user_version = 99");
  database.close();
  const error = await refusal({ dataFile });
  expect(error.message).toContain("has layout 99");
  expect(error.hint).toContain("name a new file");
});

test("a folder that is not there is named", async () => {
  const dataFile = join(dirname(newFile()), "none", "data.db");
  const error = await refusal({ dataFile });
  expect(error.message).toContain(dataFile);
  expect(error.cause).toBeDefined();
});

test("a key that no header can carry is refused", async () => {
  expect((await refusal({ key: "two words" })).hint).toContain("without spaces");
});

test("a refused start leaves no temporary store behind", async () => {
  // A folder of its own: other tests make stores beside this one.
  const folder = folderForTest();
  vi.stubEnv("TMPDIR", folder);
  try {
    await refusal({ host: "192.0.2.1" });
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
  }
});

// Longer than a timer of Node counts: it would end at once.
test.each([3_600_000, 2 ** 31])("close does not wait for connections that are kept open (%i ms)", async (latencyMs) => {
  const dataFile = newFile();
  const emulator = await start({ dataFile, key: "k", latencyMs });
  const dispatcher = new Agent({ connect: { ca: emulator.caPem } });
  const pending = request(`${emulator.baseUrl}/v2026/services`, { dispatcher, headers: { authorization: "Bearer k" } });
  const outcome = pending.catch((error: unknown) => error);
  await expect.poll(() => [...readOperations(dataFile)]).toHaveLength(1);
  // If it waited for its answer, it would outlast the test.
  await emulator.close();
  expect(await outcome).toBeInstanceOf(Error);
  await dispatcher.destroy();
});
