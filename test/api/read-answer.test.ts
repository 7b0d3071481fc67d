import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAnswer } from "../../src/api/response.ts";
import { listAll, listSingle } from "../../src/api/read-list.ts";
import type { Reader } from "../../src/api/connection.ts";
import type { AnswerRules } from "../../src/model/contract.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { forDraws } from "../support/for-draws.ts";
import { textOf } from "../support/text-of.ts";

/** Reads an answer by the built-in contract with other rules for answers. */
const readBy = (answer: Partial<AnswerRules>, status: number, ...parts: readonly Uint8Array[]) =>
  readAnswer(
    { ...builtIn, answer: { ...builtIn.answer, ...answer } },
    { method: "GET", path: "/x", attempts: 1 },
    { status, header: () => undefined, body: textOf(...parts) },
    (text) => text,
  );

/** A character may be cut in two by the network. */
const read = (status: number, bytes: Uint8Array) =>
  readBy({}, status, bytes.subarray(0, Math.floor(bytes.length / 2)), bytes.subarray(Math.floor(bytes.length / 2)));

const names = fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 });
/** Any byte, and letters, which mostly leave an answer what it was: UTF-8, and JSON. */
const byte = fc.oneof(fc.nat(255), { weight: 2, arbitrary: fc.integer({ min: 97, max: 122 }) });
const cut = fc.nat(5).map((drawn) => drawn === 0);
const mutations = fc.array(fc.record({ at: fc.nat(), byte, cut }), { maxLength: 3 });

describe("an answer of success", () => {
  test("keeps every digit of a whole number that JavaScript would round, as a text, and everything else as in JSON", async () => {
    const digits = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
    const texts = fc.oneof(fc.string(), fc.constantFrom('"12345678901234567890,', "\\", '\\"', "98765432109876543210"));
    await forDraws(
      { numRuns: 500 },
      fc.array(fc.oneof(digits, texts, fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }))),
      (items) => {
        const spelt = items.map((item) => (typeof item === "bigint" ? String(item) : JSON.stringify(item)));
        const isWhole = (item: unknown) => typeof item === "bigint" && Number.isSafeInteger(Number(item));
        const expected = items.map((item, index) => {
          if (typeof item !== "bigint") return JSON.parse(spelt[index] ?? "") as unknown;
          return isWhole(item) ? Number(item) : String(item);
        });
        const answer = read(200, Buffer.from(`{ "data": [${spelt.join(", ")}] }`));
        expect(answer).toMatchObject({ ok: true, value: { body: { data: expected } } });
      },
    );
  });

  test("is believed only where its bytes are UTF-8 and JSON, and then holds exactly what they say", () =>
    forDraws({ numRuns: 500 }, names, mutations, async (all, changes) => {
      let bytes = Buffer.from(JSON.stringify({ data: all.map((name) => ({ name, note: "größe 日本" })) }));
      for (const { at, byte, cut } of changes) {
        bytes[at % bytes.length] = byte;
        if (cut) bytes = bytes.subarray(0, -1);
      }
      const answer = read(200, bytes);
      let expected: unknown;
      try {
        expected = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
      } catch {
        expect(answer).toMatchObject({ ok: false, error: { sort: "malformed" } });
        return;
      }
      expect(answer).toMatchObject({ ok: true, value: { body: expected } });
    }));

  test("is refused for bytes that are another encoding's, with the reason", async () => {
    const latin1 = Buffer.from('{"data":[{"name":"größe"}]}', "latin1");
    expect(read(200, latin1)).toMatchObject({ ok: false, error: { message: expect.stringMatching(/UTF-8/u) } });
    // An error is one in any encoding.
    expect(read(422, latin1)).toMatchObject({ ok: false, error: { sort: "invalid", status: 422 } });
  });

  test("is refused for half a character in a text or a key, wherever it stands, and believed for whole ones", async () => {
    const half = fc.constantFrom("\\ud800", "\\uDBFF", "\\udc00", "\\uDFFFx", "\\ud83d \\ude00", "\\ude00\\ud83d");
    const whole = fc.constantFrom("\\ud83d\\ude00", "\\\\ud800", "\\u00e4", "\\ufffd", "x");
    const wrap = fc.constantFrom<(text: string) => string>(
      (text) => `"${text}"`,
      (text) => `{"${text}":1}`,
      (text) => `[1,{"a":[{"name":"before ${text}"}]}]`,
    );
    await forDraws(
      { numRuns: 200 },
      fc.oneof(
        half.map((text) => [text, false] as const),
        whole.map((text) => [text, true] as const),
      ),
      wrap,
      async ([text, isWhole], inside) => {
        const answer = read(200, Buffer.from(`{"data":${inside(text)}}`));
        expect(answer.ok).toBe(isWhole);
        if (!answer.ok)
          expect(answer.error).toMatchObject({
            sort: "malformed",
            message: expect.stringMatching(/unpaired surrogate/u),
          });
      },
    );
  });

  test("is not a whole one with status 206", async () => {
    expect(read(206, Buffer.from('{"data":[]}'))).toMatchObject({ ok: false, error: { sort: "malformed" } });
  });
});

describe("the code of an error", () => {
  const sorts = ["conflict", "invalid", "rate_limited", "not_found"] as const;
  const code = fc.oneof(fc.integer(), fc.string({ unit: "grapheme", maxLength: 5 }), fc.double({ noNaN: true }));
  const readAs = (codes: Record<string, (typeof sorts)[number]>, status: number, body: object) =>
    readBy(
      { error: { message: "/message", code: "/errors/0/code", codes } },
      status,
      Buffer.from(JSON.stringify(body)),
    );

  test("is a number or a text: shown as a text, and looked up as that", () =>
    forDraws(
      { numRuns: 200 },
      code.filter(
        (each) => Number.isFinite(Number(JSON.parse(JSON.stringify(each)) ?? "x")) || typeof each === "string",
      ),
      fc.constantFrom(...sorts),
      fc.constantFrom(200, 400, 409, 422, 500),
      async (each, sort, status) => {
        const told = JSON.parse(JSON.stringify(each)) as string | number;
        const answer = readAs({ [String(told)]: sort }, status, { errors: [{ code: told }], message: "no" });
        expect(answer).toMatchObject({ ok: false, error: { sort, code: String(told), message: "no" } });
      },
    ));

  test("that the contract does not know tells a failure in an answer of success, unless it is 0 or the status", async () => {
    const body = (told: unknown) => ({ errors: [{ code: told }], message: "no" });
    expect(readAs({}, 200, body(1004))).toMatchObject({
      ok: false,
      error: { sort: "server_error", code: "1004", message: "no" },
    });
    for (const told of [0, 200, null, false, {}]) expect(readAs({}, 200, body(told))).toMatchObject({ ok: true });
    expect(readAs({ 0: "conflict" }, 200, body(0))).toMatchObject({ ok: false, error: { sort: "conflict" } });
    expect(readAs({}, 200, { ...body(1004), data: { id: 1 } })).toMatchObject({ ok: true });
  });
});

describe("an answer of success that the contract calls a failure", () => {
  const failure = { pointer: "/success", equals: [false] };
  const readAs = (body: object | null, error: object = { message: "/errors/0/message", code: "/errors/0/code" }) =>
    readBy(
      { failed_when: failure, error: { message: "", ...error } },
      200,
      ...(body ? [Buffer.from(JSON.stringify(body))] : []),
    );
  const refused = { success: false, errors: [{ code: 81058, message: "An identical record already exists." }] };

  test("is one, with its message and the meaning of its code, whatever stands beside them", async () => {
    const error = { code: "81058", message: "An identical record already exists." };
    for (const data of [null, [], { id: 1 }]) {
      expect(readAs({ ...refused, data })).toMatchObject({ ok: false, error: { sort: "invalid", ...error } });
      const codes = { message: "/errors/0/message", code: "/errors/0/code", codes: { 81058: "conflict" } };
      expect(readAs({ ...refused, data }, codes)).toMatchObject({ error: { sort: "conflict", ...error } });
    }
    expect(readAs({ success: false })).toMatchObject({
      ok: false,
      error: { message: "the answer is an error, though its status is one of success" },
    });
  });

  test("is none where the condition does not hold, whatever code stands there", async () => {
    for (const body of [null, { ...refused, success: true }, { errors: [{ code: 7 }] }, { success: "false" }])
      expect(readAs(body)).toMatchObject({ ok: true, value: { body } });
  });
});

test("a list is whole only with the status 200", () =>
  forDraws({ numRuns: 100 }, fc.integer({ min: 200, max: 299 }), fc.nat(3), async (status, count) => {
    const data = Array.from({ length: count }, (_, index) => ({ id: `r${index}` }));
    const reader = (body: object): Reader => ({
      get: async () => ({
        ok: true,
        value: {
          status,
          body: JSON.parse(JSON.stringify(body)),
          location: undefined,
          requestId: undefined,
          attempts: 1,
        },
      }),
    });
    const list = await listAll(reader({ data, meta: { total: count } }), builtIn, {
      path: "/x",
      query: {},
      idOf: ({ id }) => JSON.stringify(id),
    });
    const single = await listSingle(reader({ data: { id: "x" } }), builtIn, "/x", {});
    for (const { incomplete } of [list, single])
      if (status === 200) expect(incomplete).toBeUndefined();
      else expect(incomplete).toMatch(String(status));
  }));
