import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { open as openFile, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { journaled } from "../../src/apply/journaled-connection.ts";
import { parseJournal } from "../../src/journal/parse-journal.ts";
import { resolveInFlight } from "../../src/journal/resolve-in-flight.ts";
import type { Begin, Intent, JournalRecord, Write, Journal } from "../../src/model/journal.ts";
import { takeLock } from "../../src/journal/take-lock.ts";
import { writeJournal } from "../../src/journal/write-journal.ts";
import type { CountedConnection } from "../../src/apply/write-ledger.ts";
import { collectionOf } from "../../src/kinds/derived/collection.ts";
import { locate } from "../../src/kinds/derived/locate.ts";
import type { Address } from "../../src/model/address.ts";
import type { RunningApply } from "../../src/model/inventory.ts";
import type { Plan, Step } from "../../src/model/plan.ts";
import type { Fields, PreparedLive, RemoteId } from "../../src/model/resource.ts";
import { plan } from "../../src/plan/plan.ts";
import { buildInput } from "../plan/build-input.ts";
import { sealedLines } from "../support/sealed-lines.ts";

const top = mkdtempSync(join(tmpdir(), "hostform-journal-"));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(top, "t"));
});
afterAll(() => rmSync(top, { recursive: true }));

const noon = "2026-06-01T12:00:00.000Z";
const begin: Begin = { type: "begin", version: 1, target: "t-0", by: "ann@desk", host: "desk", pid: 7, since: noon };
const www = "dns_record/a.example/www/A" as Address;
const write: Write = {
  step: "s",
  address: www,
  operation: "create",
  method: "POST",
  path: "/r",
  identity: "192.0.2.1",
};
const intent = (n: number, more: Partial<Intent> = {}): Intent => ({ type: "intent", n, at: noon, ...write, ...more });
const outcome = (n: number, is: "done" | "failed" | "unknown"): JournalRecord => ({ type: "outcome", n, is });
const textOf = sealedLines;
/** A text as it is read: in parts that end anywhere. */
const partsOf = (text: string) => {
  const bytes = Buffer.from(text);
  const length = 1 + (bytes.length % 61);
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  );
};
const inFlightIn = (text: string) => {
  const parsed = parseJournal(partsOf(text));
  return "journal" in parsed ? parsed.journal.inFlight.map((each) => each.intent.n) : parsed.wrong;
};

describe("a journal that is read", () => {
  test("has in flight what has no outcome, or one that does not tell", () => {
    const records = [begin, intent(1), intent(2), intent(3), intent(4), outcome(1, "done"), outcome(2, "failed")];
    expect(inFlightIn(textOf([...records, outcome(3, "unknown")]))).toEqual([3, 4]);
    expect(inFlightIn(textOf([...records, outcome(3, "unknown"), outcome(3, "done")]))).toEqual([4]);
  });

  test("keeps of a write that is done only the fields that find what it made, in whatever order writes end", () => {
    const operation = fc.constantFrom<Intent["operation"]>("create", "update", "delete");
    const writesOf = fc.array(fc.tuple(operation, fc.boolean(), fc.nat(), fc.nat()), { minLength: 1, maxLength: 30 });
    const full = { ids: [], write_only: ["x"], key: "k", body: "0".repeat(64) };
    fc.assert(
      fc.property(writesOf, (writes) => {
        const numbers = writes.map((_, index) => index + 1);
        const byDraw = (place: 2 | 3) =>
          numbers.toSorted((a, b) => (writes[a - 1]?.[place] ?? 0) - (writes[b - 1]?.[place] ?? 0));
        const [starts, ends] = [byDraw(2), byDraw(3)];
        const text = textOf([
          begin,
          ...starts.map((n) => intent(n, { ...full, operation: writes[n - 1]?.[0] ?? "create" })),
          ...ends.map((n) => (writes[n - 1]?.[1] ? { ...outcome(n, "done"), id: `id${n}` } : outcome(n, "failed"))),
        ]);
        const parsed = parseJournal(partsOf(text));
        const made = "journal" in parsed ? parsed.journal.made : [];
        const { step: _step, ...found } = write;
        const created = ends.filter((n) => writes[n - 1]?.[0] === "create" && writes[n - 1]?.[1]);
        expect(made).toEqual(created.map((n) => ({ ...found, id: `id${n}` })));
        expect(parsed).toMatchObject({ journal: { inFlight: [], failed: [], held: [], removedValues: [] } });
      }),
      { numRuns: 100 },
    );
  });

  test("keeps the id of an answer that does not tell, unless a later outcome does", () => {
    const records = [
      begin,
      intent(1),
      intent(2),
      { ...outcome(1, "unknown"), id: "a" },
      { ...outcome(2, "unknown"), id: "b" },
    ];
    const parsed = parseJournal(partsOf(textOf([...records, { ...outcome(2, "done"), id: "b" }])));
    expect(parsed).toMatchObject({ journal: { inFlight: [{ intent: { n: 1 }, answered: "a" }], made: [{ id: "b" }] } });
  });

  test("counts beside a write in flight the creations at its address that are done, with an id and without", () => {
    const other = intent(3, { address: "dns_record/a.example/x/A" as Address });
    const records = [begin, intent(1), intent(2), other, intent(4), { ...outcome(1, "done"), id: "a" }];
    const parsed = parseJournal(partsOf(textOf([...records, outcome(2, "done")])));
    const inFlight = "journal" in parsed ? parsed.journal.inFlight : [];
    expect(inFlight.map(({ intent: { n }, doneBeside }) => [n, doneBeside])).toEqual([
      [3, 0],
      [4, 2],
    ]);
  });

  test("cut off anywhere, has in flight whatever it does not say to be done", () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { minLength: 1 });
    fc.assert(
      fc.property(numbers, fc.double({ min: 0, max: 1, noNaN: true }), (order, part) => {
        const text = textOf([begin, ...order.flatMap((n) => [intent(n), outcome(n, "done")])]);
        const cut = text.slice(0, textOf([begin]).length + Math.floor(part * (text.length / 2)));
        const whole = cut.slice(0, cut.lastIndexOf("\n") + 1);
        const begun = order.filter((n) => whole.includes(`"intent","n":${n},`));
        const done = order.filter((n) => whole.includes(`"outcome","n":${n},`));
        expect(inFlightIn(cut)).toEqual(begun.filter((n) => !done.includes(n)));
      }),
      { numRuns: 100 },
    );
  });

  test("is damaged where any line but the last is altered, missing, doubled or moved", () => {
    const lines = textOf([begin, ...[1, 2, 3, 4].flatMap((n) => [intent(n), outcome(n, "done")])])
      .trimEnd()
      .split("\n");
    const at = fc.nat(lines.length - 2);
    const damage = fc.oneof(
      at.map((index) => lines.toSpliced(index, 1)),
      at.map((index) => lines.toSpliced(index, 0, lines[index] ?? "")),
      at.map((index) => lines.toSpliced(index, 2, lines[index + 1] ?? "", lines[index] ?? "")),
      at.map((index) => lines.toSpliced(index, 0, "")),
      fc.tuple(at, fc.nat(), fc.integer({ min: 1, max: 255 })).map(([index, place, flip]) => {
        const line = Buffer.from(lines[index] ?? "", "latin1");
        const byte = place % line.length;
        line[byte] = (line[byte] ?? 0) ^ flip;
        return lines.with(index, line.toString("latin1"));
      }),
    );
    fc.assert(
      fc.property(damage, (damaged) => {
        expect(parseJournal(partsOf(`${damaged.join("\n")}\n`))).toHaveProperty("wrong");
      }),
      { numRuns: 500 },
    );
  });

  test("is none where a line is anything else", () => {
    const isNone = (text: string) => text.trim() === "" || "wrong" in parseJournal(partsOf(text));
    const line = fc.oneof(fc.string({ unit: "binary", minLength: 1 }), fc.json());
    const property = fc.property(line, (each) => isNone(`${each}\n`) && isNone(`${textOf([begin])}${each}x\n`));
    expect(fc.check(property, { numRuns: 100 }).counterexample).toBe(null);
  });

  test.each<[string, string]>([
    ["no JSON", "no\n"],
    ["without a beginning", textOf([intent(1)])],
    ["of a later version", textOf([{ ...begin, version: 2 }])],
    ["with two beginnings", textOf([begin, begin])],
    ["with a foreign field", textOf([begin, { ...intent(1), password: "x" }])],
    ["with an address that is none", textOf([begin, { ...intent(1), address: "planet/mars" }])],
    ["with a key that would end a header", textOf([begin, { ...intent(1), key: "a\r\nx: y" }])],
    ["with a number twice", textOf([begin, intent(1), intent(1)])],
    ["with an outcome of nothing", textOf([begin, outcome(1, "done")])],
    ["nested without end", `${"[".repeat(200_000)}\n`],
  ])("%s, is none", (_name, text) => {
    expect(parseJournal(partsOf(text))).toHaveProperty("wrong");
  });
});

describe("a journal that is written", () => {
  const path = () => join(folder, "x.journal");
  const open = (again: readonly Intent[] = []) =>
    writeJournal(
      path(),
      begin,
      { again, held: [], removedValues: [], unconfirmed: [] },
      { now: () => Date.parse(noon), countOnce: async () => undefined },
    );

  test("has each intent on the disk before its number is given, however many come at once", async () => {
    const journal = await open();
    const numbers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const intended = await journal.intend({ ...write, identity: `192.0.2.${index}` });
        expect(readFileSync(path(), "utf8")).toContain(`"192.0.2.${index}"`);
        return intended.ok ? intended.value : 0;
      }),
    );
    expect(inFlightIn(readFileSync(path(), "utf8"))).toEqual(numbers);
    for (const n of numbers.slice(1)) journal.ended(n, { is: "done" });
    await journal.close(undefined);
    expect(inFlightIn(readFileSync(path(), "utf8"))).toEqual([numbers[0]]);
  });

  test("waits for the disk, once for all that come meanwhile", async () => {
    const file = await openFile(join(folder, "any"), "w");
    const sync = vi.spyOn(Object.getPrototypeOf(file) as FileHandle, "datasync");
    onTestFinished(() => sync.mockRestore());
    await file.close();
    let diskIsDone = () => undefined as void;
    sync.mockImplementationOnce(() => new Promise((resolve) => (diskIsDone = resolve)));
    const journal = await open();
    let isWritten = false;
    const first = journal.intend(write).then(() => (isWritten = true));
    await vi.waitFor(() => expect(sync).toHaveBeenCalledOnce());
    const others = Array.from({ length: 200 }, () => journal.intend(write));
    expect(isWritten).toBe(false);
    diskIsDone();
    await Promise.all([first, ...others]);
    expect(sync).toHaveBeenCalledTimes(2);
    await journal.close(undefined);
  });

  test("is gone once nothing is open: what was unknown is settled with its step", async () => {
    const journal = await open();
    const intended = await journal.intend(write);
    if (intended.ok) journal.ended(intended.value, { is: "unknown" });
    journal.settled("s", "done");
    await journal.close(undefined);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("leaves what an earlier apply has left, until it sends something itself", async () => {
    writeFileSync(path(), textOf([begin, intent(1)]));
    const journal = await open();
    await journal.close(undefined);
    expect(inFlightIn(readFileSync(path(), "utf8"))).toEqual([1]);
    const next = await open();
    const intended = await next.intend(write);
    if (intended.ok) next.ended(intended.value, { is: "done" });
    await next.close(undefined);
    expect(existsSync(path())).toBe(false);
  });

  test("does not write through a link that is in its way", async () => {
    writeFileSync(join(folder, "precious"), "precious");
    symlinkSync(join(folder, "precious"), `${path()}.new`);
    symlinkSync(join(folder, "precious"), path());
    const journal = await open();
    await journal.intend(write);
    await journal.close(undefined);
    expect(readFileSync(join(folder, "precious"), "utf8")).toBe("precious");
    expect(inFlightIn(readFileSync(path(), "utf8"))).toEqual([1]);
  });

  test("keeps what was made until that very object is deleted, though objects of other addresses have the same id", async () => {
    const addresses = [www, "mailbox/a@a.example", "certificate/a.example/managed"] as Address[];
    const { identity: _identity, ...sample } = write;
    const oneWrite = fc.record({
      address: fc.constantFrom(...addresses),
      id: fc.constantFrom("1", "2"),
      isMade: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(oneWrite, { maxLength: 8 }), async (writes) => {
        rmSync(path(), { force: true });
        const journal = await open();
        const made = new Set<string>();
        for (const { address, id, isMade } of writes) {
          const object = `${address} ${id}`;
          const sent: Write = isMade
            ? { ...sample, address, once: true }
            : { ...sample, address, operation: "delete", method: "DELETE", ids: [id] };
          const intended = await journal.intend(sent);
          if (intended.ok) journal.ended(intended.value, { is: "done", ...(isMade && { id: id as RemoteId }) });
          if (isMade) made.add(object);
          else made.delete(object);
        }
        const nameOf = ({ address, id }: { address: Address; id?: string | undefined }) => `${address} ${id}`;
        expect(new Set(journal.unconfirmed().map(nameOf))).toEqual(made);
        await journal.close(undefined);
        expect(existsSync(path())).toBe(made.size > 0);
        if (made.size === 0) return;
        const parsed = parseJournal(partsOf(readFileSync(path(), "utf8")));
        expect("journal" in parsed && new Set(parsed.journal.made.map(nameOf))).toEqual(made);
      }),
      { numRuns: 60 },
    );
  });

  test("gives an earlier key once, and only to the same request with the same body", async () => {
    const body = "0".repeat(64);
    const journal = await open([intent(1, { key: "then", body }), intent(2, { key: "secret" })]);
    expect(journal.keyOf({ ...write, body: "1".repeat(64) })).toBe(undefined);
    expect(journal.keyOf({ ...write, body, path: "/other" })).toBe(undefined);
    expect(journal.keyOf(write), "what is secret in it may be another").toBe(undefined);
    expect(journal.keyOf({ ...write, body })).toBe("then");
    expect(journal.keyOf({ ...write, body })).toBe(undefined);
    await journal.close(undefined);
  });
});

describe("a connection with a journal", () => {
  const zoneStep = async () => {
    const input = await buildInput("dns: { a.example: { records: { www: { A: 192.0.2.1 } } } }", { "/dns/zones": [] });
    const step = plan(input).steps.find(({ address }) => address === "dns_zone/a.example");
    const [call] = step?.calls ?? [];
    if (!step || !call) throw new Error("Expected a step with a call");
    return { input: { ...input, moved: new Map(), made: new Map(), owners: new Map() }, place: { step, call } };
  };
  const request = { method: "POST", path: "/v2026/dns/zones", body: { name: "a.example" }, idempotencyKey: "new" };

  /** A connection that only notes with which keys it was asked, and answers that it was done. */
  function noting() {
    const keys: (string | undefined)[] = [];
    const answer = { status: 201, body: {}, location: undefined, requestId: undefined, attempts: 1 };
    const send: CountedConnection["send"] = async ({ idempotencyKey }) => {
      keys.push(idempotencyKey);
      return { ok: true, value: answer };
    };
    return { keys, connection: { send } as CountedConnection };
  }
  const quiet: Journal = {
    intend: async () => ({ ok: true, value: 1 }),
    ended: () => undefined,
    settled: () => undefined,
    keyOf: () => undefined,
    hold: () => undefined,
    release: () => undefined,
    noteRemoved: () => undefined,
    noteRewritten: () => undefined,
  };

  test("sends nothing before the journal has it", async () => {
    const { input, place } = await zoneStep();
    const { keys, connection } = noting();
    let isWritten: (() => void) | undefined;
    const intend: Journal["intend"] = () =>
      new Promise((resolve) => (isWritten = () => resolve({ ok: true, value: 1 })));
    const sending = journaled(connection, { ...quiet, intend }, place, input).send(request);
    await wait(0);
    expect(keys).toEqual([]);
    isWritten?.();
    await sending;
    expect(keys).toEqual(["new"]);
  });

  test("sends nothing that the journal cannot take", async () => {
    const { input, place } = await zoneStep();
    const { keys, connection } = noting();
    const intend: Journal["intend"] = async () => ({ ok: false, error: "no space" });
    const sent = await journaled(connection, { ...quiet, intend }, place, input).send(request);
    expect(sent).toMatchObject({
      ok: false,
      error: { sort: "unrecorded", message: expect.stringContaining("no space") },
    });
    expect(keys).toEqual([]);
  });

  test("keeps to the earlier key where the same request is sent again", async () => {
    const { input, place } = await zoneStep();
    const { keys, connection } = noting();
    const earlier = ["then"];
    const { send } = journaled(connection, { ...quiet, keyOf: () => earlier.pop() }, place, input);
    for (const idempotencyKey of ["new", "new", "another"]) await send({ ...request, idempotencyKey });
    expect(keys).toEqual(["then", "then", "another"]);
  });
});

describe("the lock of a journal", () => {
  const running = (pid: number): RunningApply => ({ by: "x", host: "h", pid, since: noon, until: noon });
  const take = (pid: number, dead: readonly number[]) =>
    takeLock(join(folder, "x.lock"), {
      own: running(pid),
      staleness: (other) => (dead.includes(other.pid) ? "dead" : undefined),
      newId: () => `${pid}-${Math.random()}`,
      sleep: async (milliseconds) => {
        await wait(milliseconds);
      },
    });

  test.each([
    ["free", []],
    ["of a dead process", [99]],
    ["of a dead process, that another died in taking over", [99, 98]],
  ])("%s, goes to one of twenty that try at once", async (_name, dead) => {
    for (let round = 0; round < 10; round += 1) {
      const [holder, over] = dead;
      const lock = (pid: number) => `${JSON.stringify({ type: "lock", ...running(pid) })}\n`;
      if (holder !== undefined) writeFileSync(join(folder, "x.lock"), lock(holder));
      if (over !== undefined) writeFileSync(join(folder, "x.lock.over"), lock(over));
      const taken = await Promise.all(Array.from({ length: 20 }, (_, pid) => take(pid + 1, dead)));
      const winners = taken.flatMap((each, index) => (each.is === "ours" ? [{ ...each, pid: index + 1 }] : []));
      expect(winners.length).toBe(1);
      for (const each of taken) if (each.is === "held") expect(each.by?.pid).toBe(winners[0]?.pid);
      await winners[0]?.release();
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test("that does not tell whose it is, is held", async () => {
    writeFileSync(join(folder, "x.lock"), "no lock");
    expect(await take(1, [])).toEqual({ is: "held", by: undefined });
    expect(readdirSync(folder)).toEqual(["x.lock"]);
  });
});

describe("what was in flight", () => {
  const box = "mailbox/info@a.example" as Address;
  const certificate = "certificate/a.example/managed" as Address;
  const domain = "domain/a.example" as Address;
  const later = "2027-06-01T00:00:00Z";

  function live(
    address: Address,
    remotes: readonly { id: string; fields?: Fields }[],
    incomplete?: string,
  ): PreparedLive {
    const { kind, key } = locate(address);
    const { id, scope } = collectionOf(kind, key);
    const whole = remotes.map((each) => ({
      id: each.id as RemoteId,
      etag: undefined,
      raw: {},
      fields: each.fields ?? {},
    }));
    return {
      resources: new Map(whole.length === 0 ? [] : [[address, { address, kind: kind.name, key, remotes: whole }]]),
      collections: new Map([
        [id, { id, kind: kind.name, scope, addresses: [address], ...(incomplete !== undefined && { incomplete }) }],
      ]),
      reads: 1,
    } as Partial<PreparedLive> as PreparedLive;
  }
  const planOf = (address: Address, ...operations: readonly Intent["operation"][]): Plan => {
    const calls = operations.map((operation) => ({ operation }));
    const step = { id: "s", address, calls } as unknown as Step;
    return { steps: operations.length === 0 ? [] : [step] } as unknown as Plan;
  };
  const fate = (more: Partial<Intent>, state: PreparedLive, ...planned: readonly Intent["operation"][]) => {
    const { identity: _identity, ...plain } = intent(1);
    const of = { ...plain, ...more };
    return resolveInFlight({ intent: of, doneBeside: 0 }, state, planOf(of.address, ...planned));
  };
  const done = { is: "done" };
  const plannedAgain = { is: "not_done", planned: true };

  test("a creation is done where what it makes is there", () => {
    expect(fate({ address: box, ids: [] }, live(box, [{ id: "m1" }]))).toEqual(done);
    expect(fate({ address: box, ids: [] }, live(box, []), "create")).toEqual(plannedAgain);
    expect(fate({ address: box, ids: [] }, live(box, []))).toEqual({ is: "not_done", planned: false });
  });

  test("a creation that was answered is found under another name, and is done once that is what the manifest has", () => {
    const other = "mailbox/Info@a.example" as Address;
    const sent = { ...intent(1), address: box, ids: [] };
    const answered = "m1" as RemoteId;
    const found = (state: PreparedLive, plan: Plan) =>
      resolveInFlight({ intent: sent, doneBeside: 0, answered }, state, plan);
    const leftOut = { ...planOf(box), leftOut: [box] };
    const without = { ...planOf(box), leftOut: [] };
    const renamed = { is: "renamed", id: answered, name: other };
    expect(found(live(other, [{ id: "m1" }]), planOf(box, "create"))).toEqual({ ...renamed, wanted: true });
    expect(found(live(other, [{ id: "m1" }]), leftOut)).toEqual({ ...renamed, wanted: true });
    expect(found(live(other, [{ id: "m1" }]), without)).toEqual({ ...renamed, wanted: false });
    expect(found(live(other, [{ id: "m2" }]), planOf(box, "create"))).toEqual(plannedAgain);
    expect(found(live(box, [{ id: "m1" }]), planOf(box))).toEqual(done);
  });

  test("a record is known by its content, one that is secret by its being new", () => {
    const record = (id: string, content: string) => ({ id, fields: { content } });
    expect(fate({ identity: "192.0.2.1" }, live(www, [record("r", "192.0.2.1")]))).toEqual(done);
    expect(fate({ identity: "192.0.2.1" }, live(www, [record("r", "192.0.2.9")]), "create")).toEqual(plannedAgain);
    expect(fate({ ids: ["r"] }, live(www, [record("r", "x"), record("s", "y")]))).toEqual(done);
    const { identity: _identity, ...secret } = intent(1, { ids: ["r"] });
    const beside = { intent: secret, doneBeside: 1 };
    expect(
      resolveInFlight(beside, live(www, [record("r", "x"), record("s", "y")]), planOf(www, "create")),
      "the new one is of a creation before it",
    ).toEqual(plannedAgain);
  });

  test("a certificate is done where a newer one is listed", () => {
    expect(fate({ address: certificate, ids: ["c1"] }, live(certificate, [{ id: "c2" }]))).toEqual(done);
    expect(fate({ address: certificate, ids: ["c1"] }, live(certificate, [{ id: "c1" }]), "create")).toEqual(
      plannedAgain,
    );
  });

  test("a renewal is done where its expiry is later, and else nobody knows", () => {
    const renew: Partial<Intent> = {
      address: domain,
      operation: "renew",
      before: { field: "expires_at", value: noon },
    };
    expect(fate(renew, live(domain, [{ id: "d", fields: { expires_at: later } }]))).toEqual(done);
    expect(fate(renew, live(domain, [{ id: "d", fields: { expires_at: noon } }]), "renew")).toMatchObject({
      is: "untold",
      again: true,
    });
  });

  test("a deletion is done where that object is gone, though another has its name", () => {
    const gone: Partial<Intent> = { address: box, operation: "delete", ids: ["m1"] };
    expect(fate(gone, live(box, [{ id: "m2" }]))).toEqual(done);
    expect(fate(gone, live(box, [{ id: "m1" }]), "delete")).toEqual(plannedAgain);
  });

  test("an update is done where nothing is left of it to do; one of a password where the server tells so", () => {
    expect(fate({ address: box, operation: "update" }, live(box, [{ id: "m1" }]))).toEqual(done);
    expect(fate({ address: box, operation: "update" }, live(box, [{ id: "m1" }]), "update")).toEqual(plannedAgain);
    const password: Partial<Intent> = { address: box, operation: "update", write_only: ["password"] };
    const before = { field: "password_updated_at", value: noon };
    const told = live(box, [{ id: "m1", fields: { password_updated_at: later } }]);
    expect(fate({ ...password, before }, told)).toEqual(done);
    expect(fate({ ...password, before: { ...before, value: later } }, told)).toMatchObject({
      is: "not_done",
      hint: `to send its password again: --rotate ${box}`,
    });
    expect(fate(password, live(box, [{ id: "m1" }]))).toMatchObject({ is: "untold", again: false });
  });

  test("in a list that was not read whole, it cannot be told; what may be sent twice stops nothing", () => {
    expect(fate({ address: box }, live(box, [], "GET: 500"), "create")).toMatchObject({ is: "untold", again: true });
    expect(fate({ address: box, operation: "delete" }, live(box, [], "GET: 500"))).toMatchObject({ again: false });
  });
});
