import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { journaled } from "../../src/apply/journaled-connection.ts";
import type { Contract } from "../../src/model/contract.ts";
import type { Journal, Write } from "../../src/model/journal.ts";
import type { CountedConnection } from "../../src/apply/write-ledger.ts";
import { plan } from "../../src/plan/plan.ts";
import { buildInput } from "../plan/build-input.ts";
import { declareJobs, liveJobs } from "../plan/crons.ts";
import { builtIn } from "../support/built-in-contract.ts";

const contextOf = <Input>(input: Input, isSecret = false) => ({
  ...input,
  moved: new Map(),
  made: new Map(),
  owners: new Map(),
  isSecret: () => isSecret,
});

describe("a connection with a journal", () => {
  const zoneStep = async () => {
    const input = await buildInput("dns: { a.example: { records: { www: { A: 192.0.2.1 } } } }", { "/dns/zones": [] });
    const step = plan(input).steps.find(({ address }) => address === "dns_zone/a.example");
    const [call] = step?.calls ?? [];
    if (!step || !call) throw new Error("Expected a step with a call");
    return { input: contextOf(input), place: { step, call } };
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

  test("notes the value by which an object without a name is found, but no secret one", async () => {
    const cron = { ...builtIn.kinds["cron"], named_by: "command" } as Contract["kinds"][string];
    const contract = { ...builtIn, kinds: { ...builtIn.kinds, cron } };
    const noted = async (isSecret: boolean) => {
      const manifest = declareJobs('x: { schedule: "@daily", command: /bin/x }');
      const input = await buildInput(manifest, liveJobs(), {}, undefined, { contract });
      const [step] = plan(input).steps;
      const [call] = step?.calls ?? [];
      if (!step || !call) throw new Error("Expected a step with a call");
      const writes: Write[] = [];
      const intend: Journal["intend"] = async (write) => ({ ok: true, value: writes.push(write) });
      const context = contextOf(input, isSecret);
      await journaled(noting().connection, { ...quiet, intend }, { step, call }, context).send(request);
      return writes.map(({ identity }) => identity);
    };
    expect(await noted(false)).toEqual(["/bin/x"]);
    expect(await noted(true)).toEqual([undefined]);
  });

  test("notes a hash of the body without its secrets, against which guesses could be tried", async () => {
    const hashOf = async (SECRET: string, schedule: string) => {
      const manifest = declareJobs(`x: { schedule: "@daily", command: "\${env:SECRET}" }`);
      const input = await buildInput(manifest, liveJobs(), {}, undefined, {}, { SECRET });
      const [step] = plan(input).steps;
      const [call] = step?.calls ?? [];
      if (!step || !call) throw new Error("Expected a step with a call");
      let body: string | undefined;
      const intend: Journal["intend"] = async (intent) => {
        ({ body } = intent);
        return { ok: true, value: 1 };
      };
      const { send } = journaled(noting().connection, { ...quiet, intend }, { step, call }, contextOf(input));
      await send({ ...request, body: { schedule, command: SECRET } });
      return body ?? "";
    };
    const first = await hashOf("a secret", "0 0 * * *");
    expect(first).toMatch(/^[0-9a-f]{64}$/u);
    expect(await hashOf("another secret", "0 0 * * *")).toBe(first);
    expect(await hashOf("a secret", "0 1 * * *")).not.toBe(first);
  });
});
