import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { bindKind } from "../../../src/contract/bound-kind.ts";
import { layOver } from "../../../src/contract/lay-over.ts";
import type { ProbedList } from "../../../src/contract/probe/finding.ts";
import { probeContract } from "../../../src/contract/probe/probe-contract.ts";
import { sortOf } from "../../../src/contract/spelling/fits.ts";
import { kindNamed } from "../../../src/kinds/index.ts";
import type { Contract } from "../../../src/model/contract.ts";
import type { ProbeFinding } from "../../../src/model/contract-summary.ts";
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { getPointer, setPointer } from "../../../src/model/json-pointer.ts";
import { agencyLists } from "./agency-lists.ts";
import { forDraws } from "../../support/for-draws.ts";

const answers = { requestId: true, totalHeader: true, nextPage: true };
let contract: Contract;
let lists: readonly ProbedList[];
let right: readonly ProbeFinding[];
beforeAll(async () => {
  ({ contract, lists } = await agencyLists());
  right = probeContract(contract, lists, answers);
});

const outcomes = (findings: readonly ProbeFinding[]) =>
  new Map(findings.map(({ path, is }) => [path.join("."), is] as const));

/** The fields that the account shows, each with its place in a record. */
const seenFields = () =>
  right.flatMap(({ path: [root, kind = "", part, name = ""], is }) => {
    const at = contract.kinds[kind]?.fields[name]?.at;
    return root === "kinds" && part === "fields" && is === "seen" && at !== undefined ? [{ kind, name, at }] : [];
  });

const oneOf = <T>(all: readonly T[]) => fc.nat().map((index) => all[index % all.length] as T);

describe("the probe of a contract", () => {
  test("refutes nothing of a right contract, and sees most of its fields", () => {
    expect(right.filter(({ is }) => is === "refuted")).toEqual([]);
    expect(seenFields().length).toBeGreaterThan(80);
    expect(outcomes(right).get("request.auth")).toBe("seen");
    expect(outcomes(right).get("kinds.cron.fields.service")).toBe("seen");
  });

  test("sees the read of one object where the list needs it for each", () => {
    const detailed = layOver(contract as unknown as Json, {
      kinds: { cron: { operations: { list: { detail: "read" } } } },
    }) as unknown as Contract;
    const bound = lists.map((list) => ({ ...list, kind: bindKind(detailed, list.kind.name) }));
    const readIn = (found: readonly ProbeFinding[]) => outcomes(found).get("kinds.cron.operations.read");
    expect([readIn(right), readIn(probeContract(detailed, bound, answers))]).toEqual(["unseen", "seen"]);
  });

  test("sees nothing of a kind none of whose lists holds an object, or was asked for", async () => {
    const emptied = fc.array(fc.constantFrom("empty", "unasked", "kept"), { minLength: 100, maxLength: 100 });
    await forDraws(100, emptied, (fates) => {
      const some = lists.flatMap((list, index) => {
        const fate = fates[index % fates.length];
        return fate === "unasked" ? [] : [fate === "empty" ? { ...list, items: [] } : list];
      });
      const full = new Set(some.filter(({ items }) => items.length > 0).map(({ kind }) => kind.name));
      const found = probeContract(contract, some, answers);
      const seen = found.filter(
        ({ path: [root, kind = ""], is }) => root === "kinds" && is === "seen" && !full.has(kind),
      );
      expect(seen).toEqual([]);
    });
  });

  test("does not see a field at a place where no object holds a value", () =>
    forDraws(150, oneOf(seenFields()), fc.constantFrom("x", "/inner", "_at"), ({ kind, name, at }, end) => {
      const moved = layOver(contract as unknown as Json, {
        kinds: { [kind]: { fields: { [name]: { at: at + end } } } },
      }) as unknown as Contract;
      const read = lists.map((list) => ({ ...list, kind: bindKind(moved, list.kind.name) }));
      const found = probeContract(moved, read, answers);
      const path = ["kinds", kind, "fields", name];
      const reason = expect.stringMatching(/^no object holds (?:a value at \/|the id of a )/u);
      expect(found).toContainEqual({ path, is: "unseen", reason });
    }));

  test("refutes each field whose values have another form than a plan can use", () => {
    const wrongForm = (kind: string, name: string): readonly Json[] => {
      const sort = sortOf(kindNamed(kind), name);
      const { holdsObjects, normalise } = kindNamed(kind).fields[name] ?? {};
      if (sort === "number") return [{ value: 1 }, "many", [1]];
      if (sort === "boolean") return [{ value: true }, "maybe", [true]];
      // A map by name is a form of objects. Of what is shown as it comes, no members are known.
      if (holdsObjects) return ["many", [["a.example"]], ...(normalise ? [[{ name: "a.example" }]] : [])];
      return [{ name: "a.example" }, [{ name: "a.example" }], [["a.example"]]];
    };
    const isReferenced = (kind: string, name: string) => contract.kinds[kind]?.fields[name]?.id_of !== undefined;
    const fields = seenFields().filter(({ kind, name }) => !isReferenced(kind, name));
    for (const { kind, name, at } of fields)
      for (const value of wrongForm(kind, name)) {
        const broken = (item: JsonObject) => (getPointer(item, at) === undefined ? item : setPointer(item, at, value));
        const found = outcomes(
          probeContract(
            contract,
            lists.flatMap((list) => (list.kind.name === kind ? [{ ...list, items: list.items.map(broken) }] : [])),
            answers,
          ),
        );
        expect([kind, name, value, found.get(`kinds.${kind}.fields.${name}`)]).toEqual([kind, name, value, "refuted"]);
      }
  });

  test("refutes no grants because of the name of a database", () => {
    const parts = fc.array(fc.constantFrom("null", "x", "_", "undefined"), { minLength: 1, maxLength: 3 });
    const users = lists.filter(({ kind }) => kind.name === "database_user");
    return forDraws(20, parts, (name) => {
      const grants = [{ database: name.join(""), privileges: "all" }];
      const named = users.map((list) => ({ ...list, items: list.items.map((item) => ({ ...item, grants })) }));
      const found = outcomes(probeContract(contract, named, answers));
      expect(found.get("kinds.database_user.fields.grants")).toBe("seen");
    });
  });

  test("refutes a field whose values are spelled otherwise than the contract says", () => {
    const spelt = layOver(contract as unknown as Json, {
      kinds: { dns_record: { fields: { ttl: { map: { 3600: 1 } } } } },
    }) as unknown as Contract;
    const read = lists.map((list) => ({ ...list, kind: bindKind(spelt, list.kind.name) }));
    expect(probeContract(spelt, read, answers).filter(({ is }) => is === "refuted")).toEqual([
      {
        path: ["kinds", "dns_record", "fields", "ttl"],
        is: "refuted",
        expected: "a number in the spelling that the contract states (as:, map: or sentinel:)",
        found: "3600",
      },
    ]);
  });

  test.each(["not_found", "invalid", "malformed"] as const)("refutes a list that failed as %s", (sort) => {
    const failed = {
      kind: bindKind(contract, "domain"),
      scope: {},
      items: [],
      incomplete: "GET /domains failed",
      failure: { sort },
    };
    const found = probeContract(contract, [failed], answers).find(
      ({ path }) => path.join(".") === "kinds.domain.operations.list",
    );
    expect(found).toMatchObject({ is: "refuted", found: "GET /domains failed" });
  });

  test.each(["forbidden", "rate_limited", "server_error"] as const)(
    "says nothing of a list that failed as %s",
    (sort) => {
      const failed = {
        kind: bindKind(contract, "domain"),
        scope: {},
        items: [],
        incomplete: "GET /domains failed",
        failure: { sort },
      };
      const found = probeContract(contract, [failed], answers);
      expect(found.filter(({ is }) => is === "refuted")).toEqual([]);
      expect(found.find(({ path }) => path.join(".") === "kinds.domain.fields.name")).toMatchObject({
        is: "unseen",
        reason: "GET /domains failed",
      });
    },
  );
});
