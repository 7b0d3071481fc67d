import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { makeServerIdentity } from "../../src/emulator/tls/certificate.ts";
import { kinds } from "../../src/kinds/index.ts";
import type { Field, Kind } from "../../src/kinds/kind.ts";
import { accountForFile } from "../support/account.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { eventsOf, exits, type Ran, runInProcess } from "../support/run-hostform.ts";
import { parseFieldTable } from "./field-table.ts";
import { samples, type Samples } from "./samples.ts";
import { size } from "../proofs/size.ts";

/**
 * Every kind and every field, from the kinds' own metadata: created with it and nothing to do after; a mutable field changed is one PUT
 * that keeps the rest; an immutable one a replace that names it (or a new object, where the API has no other way); a read-only one in a
 * manifest is a mistake; a write-only one is sent once and never compared, printed or kept. What has no sample here fails.
 */
const account = accountForFile();
let putBack: () => void;
beforeAll(async () => {
  putBack = account.mirror.keep();
  // Another text of one certificate and of its key: any certificate fits either key, as the service asks.
  const { cert, key } = makeServerIdentity(caseNames, Date.now(), randomBytes);
  for (const [name, before] of [
    ["first", ""],
    ["second", "issued again\n"],
  ] as const) {
    account.write(`${name}.cert.pem`, before + cert);
    account.write(`${name}.key.pem`, before + key);
  }
});
afterEach(() => putBack());

const secrets = { FIRST_PASSWORD: "first secret value", SECOND_PASSWORD: "second secret value" };
type Json = Record<string, unknown>;

const byAccess = (access: Field["access"]) =>
  kinds.flatMap((kind) =>
    Object.entries(kind.fields)
      .filter(([name, field]) => field.access === access && !isKey(kind, name))
      .map(([name]) => [kind.name, name] as const),
  );

/** Fields that the address says already: another value is another resource. */
const isKey = ({ naming }: Kind, name: string) => name in naming.toFields({}) || name === naming.beside;

let cases = 0;
const caseNames = Array.from({ length: 200 }, (_, index) => `case-${index + 1}.example`);
/** A manifest with the sample's field at its first or second value, on names that only this case uses. */
function build(kind: string, field: string | undefined): { write: (which: 0 | 1 | undefined) => string; name: string } {
  const sample = samples[kind];
  if (!sample) throw new Error(`There is no sample for ${kind}`);
  cases += 1;
  const name = `case-${cases}.example`;
  return {
    name,
    write: (which) => {
      const { path, body: plain } = sample.bodies?.[field ?? ""] ?? sample;
      const body = structuredClone(plain) as Json;
      if (field !== undefined && which !== undefined) setField(body, field, sample, which);
      const manifest = structuredClone(sample.parents) as Json;
      setAt(manifest, path, body);
      const text = stringify({ version: 1, name: "table", ...manifest })
        .replaceAll("NAME", name)
        .replaceAll("SHORT", String(cases));
      return account.write(`case-${cases}-${which ?? "base"}.yaml`, text);
    },
  };
}

function setField(body: Json, field: string, sample: Samples, which: 0 | 1): void {
  const { at = field.split("."), values, with: more = {} } = sample.fields[field] ?? {};
  if (!values) throw new Error(`There is no sample for the field ${field}`);
  Object.assign(body, structuredClone(more));
  setAt(body, at, values[which]);
}

/** Lists appear where the next step is a number. */
function setAt(target: Json, path: readonly (string | number)[], value: unknown): void {
  let here = target;
  for (const [index, step] of path.entries()) {
    if (index === path.length - 1) {
      here[step] = value;
      return;
    }
    here[step] ??= typeof path[index + 1] === "number" ? [] : {};
    here = here[step] as Json;
  }
}

const buys = (name: string) => ["--allow-purchase", `domain/${name}`, "--allow-purchase", `service/${name}`];
const apply = (file: string, name: string, ...flags: string[]) =>
  runInProcess(account, ["apply", "-f", file, "--auto-approve", "--settle", "0", ...buys(name), ...flags], secrets);
const plan = (file: string, name: string, ...flags: string[]) =>
  runInProcess(account, ["plan", "-f", file, "--json", ...buys(name), ...flags], secrets);
const planned = (ran: Ran) => eventsOf(ran).filter(({ type }) => type === "planned") as unknown as Planned[];
interface Planned {
  readonly address: string;
  readonly action: string;
  readonly changes: { readonly path: string; readonly forcesReplace?: boolean }[];
  readonly calls: { readonly method: string; readonly path: string; readonly params: Record<string, string> }[];
}

/** A transfer waits for its registry: 8. All else is done: 0. */
const applied = [0, 8];

/** Makes the resource with the field's first value, and holds that nothing is to be done after. */
async function make(kind: string, field: string): Promise<{ second: string; name: string; output: string }> {
  const { write, name } = build(kind, field);
  const first = write(0);
  const made = await apply(first, name);
  expect(applied, made.stdout + made.stderr).toContain(made.status);
  expect(planned(await plan(first, name)), "nothing to do after").toEqual([]);
  return { second: write(1), name, output: made.stdout + made.stderr };
}

/** A record's priority and content are shown as one value. */
const shownAs: Readonly<Record<string, string>> = { "dns_record content": "value", "dns_record priority": "value" };
/** Consents to what a change of these fields needs. */
const consent = (kind: string, name: string) => (kind === "dnssec" ? ["--allow-delete", `dnssec/${name}`] : []);

describe.each(size.every(12, byAccess("mutable")))("%s: the mutable field %s", (kindName, field) => {
  test("is created, is left alone, and is changed by one PUT that keeps everything else", async () => {
    const { second, name } = await make(kindName, field);
    const flags = consent(kindName, name);
    const [step, ...more] = planned(await plan(second, name, ...flags));
    expect(more).toEqual([]);
    expect(step?.changes.map(({ path }) => path)).toEqual([shownAs[`${kindName} ${field}`] ?? field]);
    expect(step?.calls.map(({ method }) => method)).toEqual(["PUT"]);
    const path = fillPath(step?.calls[0]);

    const before = await read(path);
    const logged = (await account.operations()).length;
    exits(0, await apply(second, name, ...flags));
    const writes = (await account.operations()).slice(logged).filter(({ method }) => method !== "GET");
    expect(writes.map(({ method, path: sent, status }) => [method, sent, status])).toEqual([["PUT", path, 200]]);
    expect(differences(kindName, before, await read(path))).toEqual([pointerOf(kindName, field)]);
  });
});

describe.each(size.every(6, byAccess("immutable")))("%s: the immutable field %s", (kindName, field) => {
  test("is created, is left alone, and a change of it is planned again and named", async () => {
    const { second, name } = await make(kindName, field);
    const ran = await plan(second, name);
    const making = planned(ran).find(({ action }) => action === "create");
    const refused = eventsOf(ran).filter(({ type }) => type === "refused");
    expect(making?.changes.find(({ path }) => path === field)).toMatchObject({ forcesReplace: true });
    if (kindName === "certificate") expect(planned(ran).map(({ action }) => action)).toEqual(["create"]);
    else expect(refused.map(({ summary }) => summary).join()).toContain(field);
  });
});

describe.each(size.every(6, byAccess("write_only")))("%s: the write-only field %s", (kindName, field) => {
  test("is sent once, and never compared, printed or kept", async () => {
    const { second, name, output } = await make(kindName, field);
    const ran = await plan(second, name);
    expect(planned(ran)).toEqual([]);
    const text = output + ran.stdout + ran.stderr + JSON.stringify(await account.operations());
    for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
  });
});

describe.each(byAccess("manifest_only"))("%s: the field %s steers the plan", (kindName, field) => {
  test("and is neither sent nor compared", async () => {
    const { second, name } = await make(kindName, field);
    expect(planned(await plan(second, name))).toEqual([]);
  });
});

describe.each(size.every(6, byAccess("read_only")))("%s: the read-only field %s", (kindName, field) => {
  test("is a mistake in a manifest", async () => {
    const { write } = build(kindName, undefined);
    const file = write(undefined);
    const manifest = parse(readFileSync(file, "utf8")) as Json;
    const body = followPath(manifest, samples[kindName]?.path ?? [], basename(file));
    setAt(body, field.split("."), "x");
    writeFileSync(file, stringify(manifest));
    const ran = exits(3, await runInProcess(account, ["plan", "-f", file, "--json"], secrets));
    const errors = eventsOf(ran).filter(({ severity }) => severity === "error");
    expect(JSON.stringify(errors)).toContain(field.split(".")[0]);
  });
});

test("every kind has a sample, every sample a kind, and every field that can be written two values", () => {
  expect(Object.keys(samples).sort()).toEqual(kinds.map(({ name }) => name).sort());
  for (const kind of kinds) {
    const writable = Object.entries(kind.fields).flatMap(([name, { access }]) =>
      access === "read_only" || isKey(kind, name) ? [] : [name],
    );
    expect(Object.keys(samples[kind.name]?.fields ?? {}).sort(), kind.name).toEqual(writable.sort());
  }
});

const documented = fileURLToPath(new URL("../../../shared/spec/API.md", import.meta.url));
/** Where a field's word in the manifest is not the API's. */
const renamed: Readonly<Record<string, string>> = { service_id: "service", "domain.register": "register" };

test.skipIf(!existsSync(documented))("the kinds' fields are those of API.md section 2, with the same access", () => {
  const table = parseFieldTable(readFileSync(documented, "utf8"));
  expect([...table.keys()].sort(), `write the fields of each kind into section 2 of ${documented}`).toEqual(
    kinds.map(({ name }) => name).sort(),
  );
  for (const kind of kinds) {
    const expected = (table.get(kind.name) ?? [])
      .filter(({ name }) => name !== "id")
      .map(({ name, access }) => `${renamed[name] ?? name} ${access}`);
    const actual = Object.entries(kind.fields).flatMap(([name, { access }]) =>
      access === "manifest_only" ? [] : [`${name} ${access}`],
    );
    // An account is always of one type, so the vendor's `type` of a service is only read.
    const known = expected.map((line) =>
      kind.name === "service" && line === "type immutable" ? "type read_only" : line,
    );
    // One service holds a domain or none, but a domain may move between services.
    const moving = known.map((line) => (kind.name === "domain" && line === "name mutable" ? "name immutable" : line));
    expect(actual.sort(), kind.name).toEqual(moving.sort());
  }
});

function fillPath(call: Planned["calls"][number] | undefined): string {
  return (call?.path ?? "").replaceAll(/\{(\w+)\}/gu, (_, name: string) => call?.params[name] ?? "");
}

async function read(path: string): Promise<Json> {
  const { body } = await account.byHand("GET", path);
  return body["data"] as Json;
}

/** Pointers at which two records differ, but for what the server alone writes. */
function differences(kind: string, before: Json, after: Json): string[] {
  const { fields = {} } = builtIn.kinds[kind] ?? {};
  const readOnly = new Set(
    Object.entries(fields).flatMap(([name, { at }]) =>
      kinds.find((each) => each.name === kind)?.fields[name]?.access === "read_only" ? [at] : [],
    ),
  );
  const flat = (value: unknown, at = ""): [string, string][] =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([key, child]) => flat(child, `${at}/${key}`))
      : [[at, JSON.stringify(value)]];
  const [left, right] = [new Map(flat(before)), new Map(flat(after))];
  return [...new Set([...left.keys(), ...right.keys()])].filter(
    (at) =>
      left.get(at) !== right.get(at) && at !== "/etag" && ![...readOnly].some((pointer) => at.startsWith(pointer)),
  );
}

const pointerOf = (kind: string, field: string) => builtIn.kinds[kind]?.fields[field]?.at;

/** The resource's body in a written manifest, whatever name the case has. */
function followPath(manifest: Json, path: readonly (string | number)[], file: string): Json {
  const number = /case-(\d+)-/u.exec(file)?.[1] ?? "";
  return path.reduce<Json>((here, step) => {
    const key = String(step).replaceAll("NAME", `case-${number}.example`).replaceAll("SHORT", number);
    here[key] ??= {};
    return here[key] as Json;
  }, manifest);
}
