import fc from "fast-check";
import { expect, test } from "vitest";
import { bindAddress, bindKind } from "../../src/contract/bound-kind.ts";
import { buildBody, buildDeleteBody, buildUpdateBody } from "../../src/apply/build-body.ts";
import { putBack } from "../../src/apply/exchanges/put-back.ts";
import { buildSetBody } from "../../src/apply/set-body.ts";
import { createCall, deleteCall, restoreCall, updateCall } from "../../src/contract/binding.ts";
import { checkContract } from "../../src/contract/check/check-contract.ts";
import { setCalls } from "../../src/contract/set-calls.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import type { Address } from "../../src/model/address.ts";
import { knownValues } from "../../src/model/body.ts";
import type { Contract, KindContract, OperationContract } from "../../src/model/contract.ts";
import type { HeldRecord } from "../../src/model/journal.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { getPointer, setPointer } from "../../src/model/json-pointer.ts";
import type { RemoteId } from "../../src/model/resource.ts";
import { buildInput } from "../plan/build-input.ts";
import { answerOf, failureOf, fakeContext } from "../support/fake-context.ts";
import { forDraws } from "../support/for-draws.ts";

const { contract: builtIn, live } = await buildInput("", {});

/** A request with an object at a drawn place, and a constant beside it, in it or deep in it. */
const drawn = fc.record({
  at: fc.constantFrom("", "/set", "/sets/0", "/a/b/0"),
  below: fc.constantFrom("/constant", "/extra/constant", "/list/0/constant"),
  isInside: fc.boolean(),
  word: fc.constantFrom("base" as const, "body" as const),
  value: fc.constantFrom<Json>("REPLACE", true, 7, null),
  send: fc.constantFrom("record" as const, "managed" as const, "list" as const, "places" as const, undefined),
  isParameter: fc.boolean(),
});

/** The words of a request, and where its constant must be found. `fields` have the places in `send` below `at`, too. */
function requestOf(
  {
    at,
    below,
    isInside,
    word,
    value,
    send,
    isParameter,
  }: typeof drawn extends fc.Arbitrary<infer Words> ? Words : never,
  places: Readonly<Record<string, string>>,
): { operation: OperationContract; pointer: string; expected: Json } {
  const pointer = isInside ? at + below : `/beside${below}`;
  const isFilled = word === "body" && isParameter;
  const constant = isFilled ? "{param}" : value;
  const placed = Object.fromEntries(Object.entries(places).map(([name, place]) => [name, at + place]));
  const whole = send === "places" ? placed : send === "list" ? Object.keys(places) : send;
  return {
    pointer,
    expected: isFilled ? "from-the-key" : value,
    operation: {
      method: "POST",
      path: "/all",
      ...(word === "body" ? { body: { [pointer]: constant } } : { base: setPointer({}, pointer, constant) }),
      ...(send === "places" ? {} : { at }),
      ...(whole !== undefined && { send: whole }),
    },
  };
}

const inContract = (kind: string, entry: KindContract): Contract => ({
  ...builtIn,
  kinds: { [kind]: entry },
});
const inContext = (contract: Contract) =>
  fakeContext({ contract, live }, { reads: () => failureOf("not_found") }).context;

/** Returns the body of the request that puts an object back of which only the journal of an earlier apply knows. */
async function bodyFromJournal(contract: Contract, held: Pick<HeldRecord, "address" | "id" | "record">) {
  const server = { reads: () => failureOf("not_found"), writes: [answerOf({})] };
  const { context, sent } = fakeContext({ contract, live }, server);
  const request = { method: "POST", path: "/all", query: {}, key: "k", withheld: [] } as const;
  await putBack(context, { ...held, ...request, successor: held.address, call: undefined }, "");
  return sent[0]?.body as JsonObject | undefined;
}
const idOf = () => "s1";

test("a request that writes a set keeps its constants, wherever they stand in its body, or the check refuses it", async () => {
  const kind = kindNamed("dns_record");
  const address = "dns_record/a.test/www/A" as Address;
  const key = { zone: "a.test", name: "www", type: "A" };
  const set = { extra: { own: 1 }, list: [{ own: 1 }], name: "www", type: "A", ttl: 60 };
  const raw = { ...set, records: { value: "192.0.2.1", weight: 7 } };
  const remote = { id: "1" as RemoteId, etag: undefined, raw, fields: { ...key, ttl: 60, content: "192.0.2.1" } };
  const form = fc.constantFrom("create" as const, "update" as const, "delete" as const);
  const lists = fc.constantFrom("of sets", "of members", "of a zone");
  await forDraws(1000, drawn, form, lists, (words, made, sort) => {
    const { operation, pointer, expected } = requestOf(words, {
      name: "/name",
      type: "/type",
      ttl: "/ttl",
      content: "/records",
    });
    const entry: KindContract = {
      params: { param: { key: "zone" } },
      fields: {
        name: { at: "/name" },
        type: { at: "/type" },
        ttl: { at: "/ttl" },
        content: { at: "/records/value" },
      },
      operations: {
        list: { method: "GET", path: "/sets", ...(sort !== "of members" && { explode: "/records" }) },
        ...(sort === "of a zone"
          ? { zone: operation }
          : { set: { create: operation, update: [operation], delete: operation } }),
      },
    };
    const contract = inContract("dns_record", entry);
    if (checkContract(contract, new Set(), false).some(({ summary }) => summary.includes("they would be lost"))) {
      expect([words.at, sort]).not.toContain("of sets");
      return;
    }
    const stays = { stays: remote, fields: {} };
    const added = { fields: knownValues({ content: "192.0.2.2" }) };
    const [call] = setCalls({ contract, idOf }, bindKind(contract, kind.name), {
      address,
      key,
      live: made === "create" ? [] : [remote],
      members: made === "delete" ? [] : made === "create" ? [added] : [stays, added],
      shared: knownValues({ ttl: 300 }),
      changed: new Set(["content", "ttl"]),
    });
    if (!call) throw new Error("Expected a request");
    const seen = { remotes: made === "create" ? [] : [remote], items: [] };
    const body = buildSetBody(inContext(contract), bindAddress(contract, address), call, seen) ?? {};
    expect(getPointer(body, pointer)).toEqual(expected === "from-the-key" ? "a.test" : expected);
    const { at, send } = words;
    if (made === "delete" || sort !== "of sets") return;
    expect(getPointer(body, `${at}/ttl`)).toBe(300);
    expect(getPointer(body, `${at}/records`)).toHaveLength(made === "create" ? 1 : 2);
    if (made === "update" && send === "record") expect(getPointer(body, `${at}/extra/own`)).toBe(1);
  });
});

test("a request that writes one object keeps its constants, wherever they stand in its body", async () => {
  const address = "cron/a.test/nightly" as Address;
  const key = { service: "a.test", name: "nightly" };
  const own = { schedule: "0 3 * * *", command: "run" };
  const raw: JsonObject = { id: "c1", extra: { own: 1 }, list: [{ own: 1 }], name: "nightly", ...own };
  const remote = { id: "c1" as RemoteId, etag: undefined, raw, fields: { ...key, ...own } };
  const form = fc.constantFrom(
    "create" as const,
    "update" as const,
    "delete" as const,
    "restore" as const,
    "left" as const,
  );
  await forDraws(1000, drawn, form, async (words, made) => {
    const { operation, pointer, expected } = requestOf(words, { schedule: "/schedule", command: "/command" });
    const entry: KindContract = {
      id: "/id",
      params: { param: { key: "service" } },
      fields: { name: { at: "/name" }, schedule: { at: "/schedule" }, command: { at: "/command" } },
      operations: {
        list: { method: "GET", path: "/all" },
        create: operation,
        update: operation,
        delete: operation,
      },
    };
    const contract = inContract("cron", entry);
    const binding = { contract, idOf };
    const bound = bindAddress(contract, address);
    const { kind } = bound;
    const fields = knownValues(own);
    const context = inContext(contract);
    const restored = () => {
      const call = restoreCall(binding, kind, key, remote);
      return buildUpdateBody(context, bound, call, raw);
    };
    const body: JsonObject | undefined =
      made === "create"
        ? buildBody(context, bound, createCall(binding, kind, key, { fields, owner: undefined } as never))
        : made === "update"
          ? buildUpdateBody(context, bound, updateCall(binding, { address, kind, key, remote }, { fields }), raw)
          : made === "delete"
            ? buildDeleteBody(context, bound, deleteCall(binding, kind, key, remote))
            : made === "restore"
              ? restored()
              : await bodyFromJournal(contract, { address, id: remote.id, record: raw });
    expect(getPointer(body ?? {}, pointer)).toEqual(expected === "from-the-key" ? "a.test" : expected);
    if (made !== "delete") expect(getPointer(body ?? {}, `${words.at}/schedule`)).toBe(own.schedule);
    if (made === "update" && words.send === "record") expect(getPointer(body ?? {}, `${words.at}/extra/own`)).toBe(1);
  });
});
