import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import type { Reader } from "../../src/api/connection.ts";
import { checkContract } from "../../src/contract/check/check-contract.ts";
import { isAbsence } from "../../src/kinds/derived/server-made.ts";
import { kindNamed, kinds } from "../../src/kinds/index.ts";
import type {
  Contract,
  FieldContract,
  KindContract,
  OperationContract,
  ParamContract,
} from "../../src/model/contract.ts";
import type { Plan } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, readerOf, type Lists } from "./build-input.ts";
import { lists, manifestOf, type Respeller } from "./spelling-account.ts";
import { size } from "../proofs/size.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { forDraws } from "../support/for-draws.ts";

const asItIs: Respeller = {
  name: (name) => name,
  recordName: (name) => name,
  mail: (address) => address,
  mails: (all) => all,
  names: (names) => names,
  words: (words) => words,
  content: (_type, content) => content,
  quota: (mib) => mib,
  schedule: () => "30 8 * 1-3 1,5",
  time: (time) => time,
};

/** An API that lacks some of what the built-in contract has. */
interface Lacking {
  readonly kinds: readonly string[];
  /** As `KIND NAME`. */
  readonly operations: readonly string[];
  readonly fields: readonly string[];
}

const names = kinds.map(({ name }) => name);
const each = (part: (entry: KindContract) => object): string[] =>
  names.flatMap((name) => Object.keys(part(builtIn.kinds[name] as KindContract)).map((key) => `${name} ${key}`));
const operations = each((entry) => entry.operations).filter((text) => !text.endsWith(" list"));
const ofKey = new Set(
  kinds.flatMap(({ name, naming, members }) =>
    [...Object.keys(naming.toFields({})), members?.identity ?? ""].map((field) => `${name} ${field}`),
  ),
);
const fields = each((entry) => entry.fields).filter((text) => !ofKey.has(text));

const some = (all: readonly string[], most: number) => fc.subarray([...all], { maxLength: most });
const drawLacking = fc.record({ kinds: some(names, 5), operations: some(operations, 12), fields: some(fields, 12) });

/** The contract of such an API. What would name a lacking parent by its id names it by its key. */
function contractOf(lacking: Lacking): Contract {
  const isThere = (parent: string | undefined) => parent === undefined || !lacking.kinds.includes(parent);
  const narrow = (name: string, entry: KindContract): KindContract => ({
    ...entry,
    params: Object.fromEntries(
      Object.entries(entry.params ?? {}).map(([param, source]): [string, ParamContract] => [
        param,
        "id_of" in source && !isThere(source.id_of) ? { key: Object.values(source.key)[0] ?? "" } : source,
      ]),
    ),
    fields: Object.fromEntries(
      Object.entries(entry.fields).filter(
        ([field, { id_of: parent }]) => isThere(parent) && !lacking.fields.includes(`${name} ${field}`),
      ),
    ),
    operations: Object.fromEntries(
      Object.entries(entry.operations).filter(([operation]) => !lacking.operations.includes(`${name} ${operation}`)),
    ) as KindContract["operations"],
  });
  return {
    ...builtIn,
    kinds: Object.fromEntries(
      Object.entries(builtIn.kinds).map(([name, entry]) => [
        name,
        entry && !lacking.kinds.includes(name) ? narrow(name, entry) : null,
      ]),
    ),
  };
}

/** The account, without the lists that are drawn as empty, and with the parents' names in the place of ids that the API lacks. */
function listsOf(empty: readonly string[], changed: readonly string[], lacking: Lacking): Lists {
  const id = (kind: string, own: string) => (lacking.kinds.includes(kind) ? "example.com" : own);
  return Object.fromEntries(
    Object.entries(lists).map(([path, items]) => [
      path.replace("/z1/", `/${id("dns_zone", "z1")}/`).replace("=s1", `=${id("service", "s1")}`),
      empty.includes(path) ? [] : items.map((item) => (changed.includes(path) ? { ...item, ...changes } : item)),
    ]),
  );
}

/** Values that no sample has, for fields at the top of a record. */
const changes = {
  ttl: 60,
  quota_mb: 1,
  comment: "other",
  keep_copy: true,
  enabled: false,
  engine: "mysql",
  home: "/other",
  auto_renew: false,
  catch_all: null,
  algorithm: 8,
  hosting: { id_service_type: "WEB-S" },
};

const drawCase = fc.record({
  lacking: drawLacking,
  empty: some(Object.keys(lists), 8),
  changed: some(Object.keys(lists), 8),
});

interface Drawn {
  readonly lacking: Lacking;
  readonly empty: readonly string[];
  readonly changed: readonly string[];
}

async function planOf({ lacking, empty, changed }: Drawn) {
  const contract = contractOf(lacking);
  const read: string[] = [];
  const inner = readerOf(listsOf(empty, changed, lacking));
  const reader: Reader = {
    get: async (request) => {
      read.push(request.path);
      return inner.get(request);
    },
  };
  const all = Object.keys(builtIn.kinds).map((kind) => `${kind}/*`);
  const input = await buildInput(stringify(manifestOf(asItIs)), reader, { deletes: addresses(...all) }, undefined, {
    contract,
  });
  return { contract, input, read, made: plan(input) };
}

const offered = (contract: Contract, kind: string, operation: string): OperationContract | "implicit" | undefined =>
  (contract.kinds[kind]?.operations as Record<string, OperationContract | undefined> | undefined)?.[operation];

const errorsAt = ({ diagnostics }: Plan, address: string) =>
  diagnostics.filter(({ severity, summary }) => severity === "error" && summary.split(/[\s:]/u).includes(address));

describe("an API that lacks kinds, fields and operations", () => {
  // All properties are proved of the same draws, each planned for once.
  const [seed] = fc.sample(fc.integer(), 1);
  const planned = new Map<string, ReturnType<typeof planOf>>();
  const planOnce = (drawn: Drawn) => {
    const text = JSON.stringify(drawn);
    const known = planned.get(text) ?? planOf(drawn);
    planned.set(text, known);
    return known;
  };
  const prove = (check: (found: Awaited<ReturnType<typeof planOf>>) => void) =>
    forDraws({ numRuns: size.draws(180), ...(seed !== undefined && { seed }) }, drawCase, async (drawn) =>
      check(await planOnce(drawn)),
    );

  test("has a contract that is complete, and is planned for without a throw", () =>
    prove(({ contract }) => {
      expect(checkContract(contract).filter(({ isWarning }) => isWarning !== true)).toEqual([]);
    }));

  test("is asked for no kind that it lacks", () =>
    prove(({ contract, read }) => {
      const paths = names
        .filter((name) => !contract.kinds[name])
        .map((name) => builtIn.kinds[name]?.operations.list.path ?? "");
      const patterns = paths.map((path) => new RegExp(`^/v2026${path.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u"));
      expect(read.filter((path) => patterns.some((pattern) => pattern.test(path)))).toEqual([]);
    }));

  test("is sent only requests that it offers, with fields that it has", () =>
    prove(({ contract, made }) => {
      for (const { address, calls } of made.steps) {
        const kind = address.split("/", 1)[0] ?? "";
        for (const call of calls) {
          expect([address, call.operation, typeof offered(contract, kind, call.operation)]).toEqual([
            address,
            call.operation,
            "object",
          ]);
          const sent = call.operation === "delete" ? [] : call.values.map(({ field }) => field);
          expect(sent.filter((field) => !Object.hasOwn(contract.kinds[kind]?.fields ?? {}, field))).toEqual([]);
        }
      }
    }));

  test("gets no warning for an absent resource that needs nothing, or only a change", () =>
    prove(({ contract, input, made }) => {
      for (const resource of input.desired.resources.values()) {
        const { address, kind: name } = resource;
        if (input.live.resources.has(address) || isAbsence(resource)) continue;
        const errors = errorsAt(made, address);
        const steps = made.steps.filter((step) => step.address === address);
        const isContainer = name === "dns_zone" && (contract.kinds["dns_record"] ?? contract.kinds["dnssec"]);
        if (!contract.kinds[name]) {
          expect(steps).toEqual([]);
          if (!isContainer) expect(errors).toMatchObject([{ code: "not_offered", at: expect.anything() }]);
          continue;
        }
        const create = offered(contract, name, "create");
        if (create === undefined) {
          expect(steps).toEqual([]);
          expect(errors.map(({ code }) => code)).toContain("not_offered");
        } else if (errors.length === 0) {
          expect([address, steps.map(({ action }) => action)]).toEqual([
            address,
            [create === "implicit" ? "update" : "create"],
          ]);
        }
      }
    }));

  test("is changed where a field that it has differs, or the plan says why not", () =>
    prove(({ input, made }) => {
      for (const resource of input.desired.resources.values()) {
        const live = input.live.resources.get(resource.address);
        const kind = kindNamed(resource.kind);
        const [remote, ...more] = live?.remotes ?? [];
        if (!remote || more.length > 0 || !input.contract.kinds[kind.name]) continue;
        const differing = Object.entries(changes).filter(
          ([name, value]) =>
            resource.fields[name]?.is === "known" &&
            kind.fields[name]?.access === "mutable" &&
            remote.fields[name] === value &&
            JSON.stringify(resource.fields[name].value) !== JSON.stringify(value),
        );
        if (differing.length === 0) continue;
        const told =
          made.steps.some(({ address }) => address === resource.address) || errorsAt(made, resource.address).length > 0;
        expect([resource.address, differing, told]).toEqual([resource.address, differing, true]);
      }
    }));

  test("gets an error for every field that it lacks and a manifest writes", () =>
    prove(({ contract, input, made }) => {
      for (const { address, kind, fields: written, members = [] } of input.desired.resources.values()) {
        const entry: Readonly<Record<string, FieldContract>> | undefined = contract.kinds[kind]?.fields;
        if (!entry) continue;
        const names = [written, ...members.map((member) => member.fields)].flatMap((each) => Object.keys(each));
        const missing = names.filter(
          (name) => !Object.hasOwn(entry, name) && name !== "ttl" && name !== "renew_before" && name !== "rotate_after",
        );
        const isTold = errorsAt(made, address).some(({ code }) => code === "not_offered");
        expect([address, missing, isTold]).toEqual([address, missing, missing.length > 0 || isTold]);
      }
    }));
});
