import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { builtInContract, builtInContracts } from "../../src/contract/load-contract.ts";
import { offers } from "../../src/contract/entry.ts";
import { readOffered } from "../../src/engine/session/load-manifest.ts";
import { kinds } from "../../src/kinds/index.ts";
import type { WrittenMap } from "../../src/manifest/yaml/written.ts";
import type { FieldContract } from "../../src/model/contract.ts";
import { samples, type Samples } from "../kinds/samples.ts";
import { loadText } from "../manifest/load-text.ts";
import { size } from "../proofs/size.ts";
import { openAccount, type Account } from "../support/account.ts";
import { recordForms } from "../support/forms/record-forms.ts";
import { writtenRecord } from "../support/forms/written-record.ts";
import { eventsOf, exits, type Ran, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

/**
 * A limit of a field has one home, the contract: a manifest, a plan and the embedded service in the shape of that contract take the same
 * values. The service is asked by a copy of the contract without its limits, so that it is the service that refuses.
 */
const runs = size.limitRuns;
type Json = Record<string, unknown>;

/** Values at the edges of a limit, and others around it. */
function drawn(field: FieldContract, shown: unknown): unknown[] {
  const { min, max, also = [], max_length: most, values } = field;
  const sample = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.sample(arbitrary, { numRuns: runs, seed: 1 });
  if (values) {
    const words = values.map((word) => (/^\d+$/u.test(word) ? Number(word) : word));
    const others = typeof words[0] === "number" ? [0, 9] : ["other"];
    return [...words, ...others].map((word) => (Array.isArray(shown) ? [word] : word));
  }
  if (most !== undefined) {
    const lengths = [most, most + 1, ...sample(fc.integer({ min: 1, max: 2 * most }))];
    return lengths.map((length) => `/${"x".repeat(length)}`.slice(0, length));
  }
  const [low, high] = [min ?? 0, max ?? 1_000_000];
  const edges = [low - 1, low, high, high + 1, ...also];
  return [...edges, ...sample(fc.integer({ min: low - 100, max: low + 100 }))].filter((value) => value >= 0);
}

/** A resource with a value in one field, in a manifest of its own. */
interface Case {
  readonly what: string;
  readonly name: string;
  /** Sections of a manifest, without the parents. */
  readonly own: Json;
  readonly parents: Json;
}

function caseOf(kind: string, field: string, value: unknown, name: string): Case {
  const { parents, ...plain } = samples[kind] as Samples;
  const { path, body } = plain.bodies?.[field] ?? plain;
  const { at = field.split("."), with: more = {} } = plain.fields[field] ?? {};
  const written: Json = structuredClone({ ...body, ...more });
  setAt(written, at, value);
  const own: Json = {};
  setAt(own, path, written);
  const named = (sections: unknown) =>
    JSON.parse(
      JSON.stringify(sections)
        .replaceAll("NAME", name)
        .replaceAll("SHORT", name.split(".")[0] ?? ""),
    ) as Json;
  return {
    what: `${kind} ${field} ${JSON.stringify(value).slice(0, 80)}`,
    name,
    own: named(own),
    parents: named(parents),
  };
}

function setAt(target: Json, path: readonly (string | number)[], value: unknown): void {
  const [step = "", ...rest] = path;
  if (rest.length === 0) target[step] = value;
  else setAt((target[step] ??= typeof rest[0] === "number" ? [] : {}) as Json, rest, value);
}

const limitWords = ["min", "max", "max_length", "values"];
/** The type of a certificate decides which files it needs; the types of records have a test of their own; quotes lengthen a content. */
const apart = new Set(["dns_record type", "dns_record content", "certificate type"]);

/** One case for each drawn value of each field that a contract limits. */
function casesOf(contract: string): Case[] {
  const { kinds: entries, ...rest } = builtInContract(contract);
  let count = 0;
  return kinds.flatMap((kind) =>
    Object.entries(entries[kind.name]?.fields ?? {}).flatMap(([name, field]) => {
      const sample = samples[kind.name]?.fields[name];
      const isLimited = limitWords.some((word) => word in field) && !apart.has(`${kind.name} ${name}`);
      if (
        !isLimited ||
        !sample ||
        field.as?.includes("integer") ||
        !offers({ ...rest, kinds: entries }, kind, "create")
      )
        return [];
      return drawn(field, sample.values[0]).map((value) => {
        count += 1;
        return caseOf(kind.name, name, value, `case-${count}.example`);
      });
    }),
  );
}

function mergeInto(all: Json, more: Json): Json {
  for (const [key, value] of Object.entries(more))
    all[key] =
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? mergeInto((all[key] ?? {}) as Json, value as Json)
        : value;
  return all;
}

/** The embedded service makes DNSSEC of no zone by itself, so it speaks this contract without it. */
const withoutDnssec: Readonly<Record<string, string>> = { powerdns: "dnssec" };

/** A contract without the limits of another. */
function laxly(contract: string): string {
  const free = { min: -1e12, max: 1e12, also: null, max_length: 1e6, values: ["*"] };
  const entries = Object.entries(builtInContract(contract).kinds).map(([kind, entry]) => {
    const fields = Object.entries(entry?.fields ?? {}).flatMap(([name, field]) => {
      const words = Object.entries(free).filter(([word]) => word in field);
      return words.length === 0 ? [] : [[name, Object.fromEntries(words)]];
    });
    return [kind, kind === withoutDnssec[contract] ? null : { fields: Object.fromEntries(fields) as Json }];
  });
  return stringify(
    { contract: 1, name: `${contract}-lax`, extends: contract, kinds: Object.fromEntries(entries) },
    { aliasDuplicateObjects: false },
  );
}

const seeds = { services: "service", domains: "domain", dns: "dns_zone" } as const;

const parentSections = ({ what, own, parents }: Case) => (what.startsWith("dns_record ") ? own : parents);

/** Lists of the parents of cases, as the embedded service is filled with them. */
const parentsOf = (cases: readonly Case[]): Json =>
  Object.fromEntries(
    Object.entries(seeds).map(([section, kind]) => [
      kind,
      [...new Set(cases.flatMap((each) => Object.keys((parentSections(each)[section] ?? {}) as Json)))].map((name) =>
        kind === "service" ? { domain: name, hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1" } : { name },
      ),
    ]),
  );

/** The parents of cases that an API has, as a manifest declares them without managing them. */
const declared = (cases: readonly Case[], contract: string): Json =>
  Object.fromEntries(
    Object.entries(seeds).flatMap(([section, kind]) => {
      const names = cases.flatMap(({ parents }) => Object.keys((parents[section] ?? {}) as Json));
      return names.length > 0 && builtInContract(contract).kinds[kind]
        ? [[section, Object.fromEntries(names.map((name) => [name, {}]))]]
        : [];
    }),
  );

const manifestOf = (cases: readonly Case[], contract: string): string =>
  stringify(
    cases.reduce<Json>((all, { own }) => mergeInto(all, own), {
      version: 1,
      name: "limits",
      ...declared(cases, contract),
    }),
  );

const fill = (account: Account, seed: Json) => expect(account.mirror.fill(seed)).toEqual([]);

/** Whether a contract takes the values of a manifest. */
async function isTaken(text: string, contract: string): Promise<boolean> {
  const { tree, diagnostics } = await loadText(text);
  expect(diagnostics, text.slice(0, 500)).toEqual([]);
  const read = readOffered(tree as WrittenMap, () => ({ value: "a long password" }), builtInContract(contract));
  const errors = read.diagnostics.filter(({ severity }) => severity === "error");
  const said = errors.map(({ summary, detail }) => `${summary.slice(0, 80)}: ${detail}`).join("; ");
  expect(
    ["", "not_taken", "unlisted_value"],
    `draw values in \`drawn\` of this test that nothing but their limit makes wrong (${said})`,
  ).toContain([...new Set(errors.map(({ code }) => code))].join());
  return errors.length === 0;
}

const errorsOf = (ran: Ran) =>
  JSON.stringify(eventsOf(ran).filter(({ severity }) => severity === "error")).slice(0, 2000);

/** Applies a manifest under a contract without limits, and returns the addresses that the service refused. */
async function refusedByService(account: Account, text: string, contract: string, cases: readonly Case[]) {
  const bought = cases.filter(({ what }) => /^domain (?:auth_code|period_years) /u.test(what));
  const purchases = bought.flatMap(({ name }) => ["--allow-purchase", `domain/${name}`]);
  const lax = account.write("lax.yaml", laxly(contract));
  const flags = account.flags.map((flag, index) => (account.flags[index - 1] === "--contract" ? lax : flag));
  const file = account.write("limits.yaml", text);
  const args = ["apply", "-f", file, "--auto-approve", "--json", "--settle", "0", ...purchases];
  const ran = await runInProcess({ flags, env: account.env }, args, { FIRST_PASSWORD: "a long password" });
  expect([0, 5, 8], errorsOf(ran) + ran.stderr + ran.stdout.slice(-600)).toContain(ran.status);
  const ended = eventsOf(ran).filter(({ type }) => type === "step_end");
  return ended.flatMap(({ address, outcome }) => (outcome === "done" ? [] : [String(address)]));
}

describe.each(size.every(6, builtInContracts))("the limits of the contract %s", (contract) => {
  let account: Account;
  const folder = folderForFile();
  beforeAll(async () => {
    const shape = join(folder, "shape.yaml");
    writeFileSync(shape, `contract: 1\nname: shape\nextends: ${contract}\nkinds: { dnssec: null }\n`);
    account = await openAccount({ contract: contract in withoutDnssec ? shape : contract });
  });
  afterAll(() => account.close());

  test("are the same for a manifest, a plan and the embedded service, for drawn values of each field", async () => {
    const cases = casesOf(contract);
    expect(cases.length).toBeGreaterThan(1);
    fill(account, parentsOf(cases));
    const taken = new Set<Case>();
    for (const each of cases) if (await isTaken(manifestOf([each], contract), contract)) taken.add(each);
    expect(taken.size).toBeGreaterThan(0);
    const refused = await refusedByService(account, manifestOf(cases, contract), contract, cases);
    const isRefused = ({ name }: Case) => refused.some((address) => address.includes(name));
    expect(cases.filter(isRefused).map(({ what }) => what)).toEqual(
      cases.filter((each) => !taken.has(each)).map(({ what }) => what),
    );
    const kept = account.write("kept.yaml", manifestOf([...taken], contract));
    const planned = await runInProcess(account, ["plan", "-f", kept], { FIRST_PASSWORD: "a long password" });
    expect(planned.stdout, planned.stderr).toContain("No changes.");
  });

  test("are the same for the types of records", async () => {
    const record = (type: string) => {
      const contents = fc.sample(recordForms[type]?.good ?? fc.constant(""), { numRuns: 20, seed: 1 });
      return contents.flatMap((content) => writtenRecord(type, content) ?? [])[0];
    };
    const zone = (types: readonly string[]) =>
      ["version: 1", "name: types", "dns:", "  types.example:", "    records:"]
        .concat(types.map((type) => `      n-${type.toLowerCase()}: { ${record(type)} }`))
        .join("\n");
    const types = builtInContract(contract).kinds["dns_record"] ? Object.keys(recordForms) : [];
    fill(account, { dns_zone: [{ name: "types.example" }] });
    const untaken: string[] = [];
    for (const type of types) if (!(await isTaken(zone([type]), contract))) untaken.push(type);
    const refused = types.length > 0 ? await refusedByService(account, zone(types), contract, []) : [];
    expect(new Set(refused.map((address) => address.split("/").at(-1)))).toEqual(new Set(untaken));
  });
});

test("A TTL of 1 in an account at Cloudflare is imported, changes nothing in a plan, is valid, and can be written.", async () => {
  const account = await openAccount({ contract: "cloudflare" });
  onTestFinished(account.close);
  fill(account, {
    dns_zone: [{ name: "a.test" }],
    dns_record: [{ zone: "a.test", name: "www", type: "A", content: "192.0.2.1", ttl: 1 }],
  });
  const place = join(account.folder, "imported");
  exits(0, await runInProcess(account, ["import", place]));
  const file = join(place, "a.test.yaml");
  expect(readFileSync(file, "utf8")).toContain("ttl: 1");
  expect((await runInProcess(account, ["plan", "-f", place])).stdout).toContain("No changes.");
  exits(0, await runInProcess({ flags: ["--contract", "cloudflare"], env: {} }, ["validate", "-f", place]));
  const more = "dns: { a.test: { records: { new: { A: { ttl: 1, values: [192.0.2.2] } } } } }\n";
  writeFileSync(join(place, "more.yaml"), more);
  exits(0, await runInProcess(account, ["apply", "-f", place, "--auto-approve"]));
});
