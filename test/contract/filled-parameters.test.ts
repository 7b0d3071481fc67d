import fc from "fast-check";
import { expect, test } from "vitest";
import { bindKind } from "../../src/contract/bound-kind.ts";
import { fillRequest } from "../../src/api/fill-request.ts";
import { partsOfKey } from "../../src/contract/check/walk.ts";
import { checkContract } from "../../src/contract/check/check-contract.ts";
import { buildRequest } from "../../src/contract/request.ts";
import { kinds } from "../../src/kinds/index.ts";
import type { Kind } from "../../src/kinds/kind.ts";
import type { Contract, OperationContract, ParamContract } from "../../src/model/contract.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { forDraws } from "../support/for-draws.ts";

const { extends: _, ...plain } = builtIn;

const operations = ["list", "create", "update", "delete"] as const;
const places = ["query", "body"] as const;

/** A source of any sort: a part of the key, a field of any access, the id of a parent, or what stands in its record. */
function source(kind: Kind): fc.Arbitrary<ParamContract> {
  const parent = kind.scope[0] === "service" ? { id_of: "service", key: { domain: "service" } } : undefined;
  return fc.oneof(
    fc.constantFrom(...partsOfKey(kind)).map((key) => ({ key })),
    fc.constantFrom(...Object.keys(kind.fields)).map((field) => ({ field })),
    ...(parent ? [fc.constantFrom(parent, { ...parent, at: "/username" })] : []),
  );
}

/** A text with one parameter, with text around it, or with two. */
const text = fc.constantFrom("{drawn}", "all-{drawn}", "{drawn}-all", "{drawn}/{drawn}", "{drawn}/{other}");

const drawn = fc.constantFrom(...kinds).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    params: fc.record({ drawn: source(kind), other: source(kind) }),
    operation: fc.constantFrom(...operations),
    place: fc.constantFrom(...places),
    text,
  }),
);

/** A key whose parts all have a value. */
const keyOf = (kind: Kind) =>
  kind.naming.normalise(Object.fromEntries(partsOfKey(kind).map((part) => [part, `${part}.example`])));

test("no request of a contract without mistakes is sent with an empty parameter, or with a name in braces", async () => {
  let accepted = 0;
  await forDraws({ numRuns: 500 }, drawn, ({ kind, params, operation: name, place, text: value }) => {
    const entry = plain.kinds[kind.name];
    const own = entry?.operations[name];
    if (!entry || !own || own === "implicit") return;
    const words = place === "query" ? { query: { q: value } } : { body: { "/q": value } };
    const operation: OperationContract = { ...own, ...words };
    const all: Contract["kinds"][string] = {
      ...entry,
      params: { ...entry.params, ...params },
      operations: { ...entry.operations, [name]: operation },
    };
    const { service = null, dns_zone = null } = plain.kinds;
    const contract: Contract = { ...plain, kinds: { service, dns_zone, [kind.name]: all } };
    const mistakes = checkContract(contract).filter(({ isWarning }) => !isWarning);
    if (mistakes.length > 0) return;
    accepted += 1;
    const request = buildRequest(
      { contract, idOf: () => undefined },
      { kind: bindKind(contract, kind.name), key: keyOf(kind), id: "i1" },
      operation,
    );
    const { query } = fillRequest(
      { ...request, query: { ...request.query, ...request.inBody } },
      () => "from-a-record",
    );
    for (const sent of Object.values(query)) expect(sent).toMatch(/^[^{}]+$/u);
    const around = value.replaceAll(/\{\w+\}/gu, "");
    expect(query["q"] ?? query["/q"]).toContain(around);
  });
  expect(accepted).toBeGreaterThan(60);
});
