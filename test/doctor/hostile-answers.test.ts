import fc from "fast-check";
import { expect, test } from "vitest";
import type { Reader } from "../../src/api/connection.ts";
import { readAnswer } from "../../src/api/response.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { examineApi } from "../../src/doctor/examine-api.ts";
import type { Contract } from "../../src/model/contract.ts";
import type { Json } from "../../src/model/json.ts";
import { renderDoctor } from "../../src/render/doctor-text.ts";
import { size } from "../proofs/size.ts";
import { textOf } from "../support/text-of.ts";

const secret = "hunter2secret";
const keys = fc.constantFrom(
  "id",
  "name",
  "domain",
  "status",
  "data",
  "meta",
  "total",
  "password",
  "__proto__",
  "a/b",
  "~",
  "next",
  "type",
  "items",
);
const { tree: values } = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom<Json>(
      "",
      "..",
      "a/../b",
      "x",
      "active",
      "example.com",
      -1,
      0,
      1,
      1e300,
      true,
      null,
      "a".repeat(5000),
      "1",
    ),
    fc.array(tie("tree"), { maxLength: 4 }) as fc.Arbitrary<Json>,
    fc.array(fc.tuple(keys, tie("tree")), { maxLength: 6 }).map((entries) => Object.fromEntries(entries) as Json),
  ),
}));

/** An answer that a list may have, with anything in its records. */
const answers = fc.record({
  status: fc.constantFrom(200, 200, 200, 200, 202, 204, 206, 301, 400, 401, 403, 404, 429, 500),
  body: fc.oneof(
    values,
    fc.record({ data: fc.array(values, { maxLength: 3 }), meta: values }) as fc.Arbitrary<Json>,
    fc
      .array(fc.record({ id: values, name: values, domain: values, status: values, type: values }), { maxLength: 4 })
      .map((data) => ({ data: data as Json, meta: { total: data.length, per_page: 100, current_page: 1 } })),
  ),
  headers: fc.dictionary(
    fc.constantFrom("link", "date", "www-authenticate", "x-total-count", "x-ratelimit-left"),
    fc.string({ maxLength: 40 }),
  ),
});

function readerOf(
  contract: Contract,
  drawn: readonly { status: number; body: Json; headers: Record<string, string> }[],
) {
  let asked = 0;
  const reader: Reader = {
    get: async ({ path, rules = contract, onAnswer }) => {
      const { status, body, headers } = drawn[asked % drawn.length] ?? { status: 200, body: null, headers: {} };
      asked += 1;
      const header = (name: string | undefined) => (name === undefined ? undefined : headers[name.toLowerCase()]);
      onAnswer?.({ status, header, names: Object.keys(headers) });
      const answer = { status, header, body: textOf(Buffer.from(JSON.stringify(body))) };
      return readAnswer(rules, { method: "GET", path, attempts: 1 }, answer, (text) => text);
    },
  };
  return { reader, count: () => asked };
}

test("no answer makes it throw, ask more than 50 times, or print without end", { timeout: size.timeout }, async () => {
  const { contract } = await loadContract(undefined);
  await fc.assert(
    fc.asyncProperty(fc.array(answers, { minLength: 1, maxLength: 12 }), async (drawn) => {
      const { reader, count } = readerOf(contract as Contract, drawn);
      const report = await examineApi(reader, contract as Contract, () => 0);
      expect(count()).toBeLessThanOrEqual(50);
      expect(renderDoctor(report, { color: false }).length).toBeLessThan(200_000);
    }),
    { numRuns: size.draws(60) },
  );
});

test("no value of a field that may be secret is in the report", async () => {
  const { contract } = await loadContract(undefined);
  const record = {
    id: 1,
    domain: secret,
    name: secret,
    address: `${secret}@example.com`,
    password: secret,
    command: secret,
    status: `x${secret}=`,
  };
  const body = { data: [record], meta: { total: 9, token: secret }, message: secret };
  const { reader } = readerOf(contract as Contract, [{ status: 200, body, headers: {} }]);
  expect(JSON.stringify(await examineApi(reader, contract as Contract, () => 0))).not.toContain(secret);
});
