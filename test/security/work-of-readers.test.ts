import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { findCircle } from "../../src/manifest/read/check-references.ts";
import type { Json } from "../../src/model/json.ts";
import type { Plan } from "../../src/model/plan.ts";
import { renderMarkdownPage } from "../../src/render/markdown-page.ts";
import { itemsOfPlan, type PageSource } from "../../src/render/page/page-items.ts";
import { size } from "../proofs/size.ts";
import { accountForFile } from "../support/account.ts";
import { startWorkMeter, type WorkMeter } from "../support/count-work.ts";
import { enlarge, growths, pathsIn, type Growth, type Path } from "../support/enlarge.ts";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { planOfCustomers } from "../support/page-source.ts";

/** A file format: a document of it with one of everything, its text, and the command that reads it. */
interface Format {
  readonly document: Json;
  readonly write: (document: Json) => string;
  readonly file: string;
  readonly command: (path: string) => readonly string[];
}

const manifest = parse(`
version: 1
name: large
provider: { base_url: "https://hosting.test", contract: v2026 }
defaults: { ttl: 300 }
lint: { disable: [spf_lookups] }
policy: { protect: [cron], max_deletes: 5 }
removed: [{ address: mailbox/old@example.com, action: forget }]
services: { example.com: { plan: WEB-M, datacenter: MAD1, settings: { php_version: "8.3" } }, ignore: ["x*"] }
domains: { example.com: { service: example.com, nameservers: [ns1.a.test, ns2.a.test], contacts: { owner: c1 } } }
dns:
  example.com:
    ttl: 600
    dnssec: { algorithm: 13 }
    records:
      "@": { A: [192.0.2.1], MX: [{ priority: 10, value: mx.example.com. }], TXT: ["v=spf1 include:_spf.example.com -all"] }
      mx: { A: { ttl: 60, values: [{ value: 192.0.2.2, comment: x }] } }
      www: { CNAME: example.com. }
      c: { CAA: [{ tag: issue, value: ca.test }], SRV: [{ priority: 1, weight: 2, port: 3, target: mx.example.com. }] }
      d: { TXT: ['"a" "b"'] }
mail:
  example.com:
    mailboxes: { info: { password: "\${env:P}", quota: 1 GiB } }
    aliases: { all: { destinations: [info@example.com] } }
    settings: { catch_all: info@example.com, dkim: { enabled: true } }
ftp: { example.com: { accounts: { a: { password: "\${file:p}" } } } }
databases: { example.com: { databases: { a: { engine: mariadb } }, users: { u: { password: "\${env:P}", grants: { a: all } } } } }
crons: { example.com: { jobs: { n: { schedule: "0 3 * * *", command: "php \${ref:database/example.com/a.host}" } } } }
certificates: { example.com: [{ domains: [example.com, www.example.com] }] }
`) as Json;

const templates = parse(`
version: 1
name: large
variables: { ttl: { type: number, default: 60 }, list: { type: list, default: [a.test] } }
templates:
  zone:
    parameters: { domain: { type: string }, ttl: { default: 300 }, pw: { default: x } }
    dns: { "\${param:domain}": { records: { www: { A: { ttl: "\${param:ttl}", values: [192.0.2.1] } } } } }
    use: [{ template: mail, with: { d: "\${param:domain}", p: "\${param:pw}" } }]
  mail: { parameters: { d: , p: { default: y } }, mail: { "\${param:d}": { mailboxes: { a: { password: "\${param:p}" } } } } }
use:
  - { template: zone, for_each: "\${var:list}", with: { domain: "\${each}", ttl: "\${var:ttl}" } }
  - { template: zone, for_each: [{ domain: b.test }], with: { ttl: 5 } }
`) as Json;

const variables: Json = { ttl: 60, list: ["a.test", "b.test"] };

const contract = parse(`
contract: mine
extends: v2026
base_path: /v1
request: { headers: { X-A: b } }
kinds:
  domain: { fields: { name: { at: /name, as: [lower] } } }
  mailbox: { list: { path: /m, items: /data } }
`) as Json;

const octodns = parse(`
"": [{ type: A, ttl: 60, values: [192.0.2.1, 192.0.2.2] }, { type: MX, values: [{ exchange: mx.example.com., preference: 10 }] }, { type: TXT, value: a }]
www: { type: CNAME, value: example.com. }
s: { type: SRV, values: [{ priority: 1, weight: 2, port: 3, target: a.test. }], octodns: { healthcheck: { path: /x } } }
`) as Json;

const seed: Json = {
  service: [{ domain: "example.com", settings: { php_version: "8.1" } }],
  dns_zone: [{ name: "example.com" }],
  dns_record: [
    { zone: "example.com", name: "www", type: "A", content: "192.0.2.1" },
    { zone: "none.test", type: "TXT", content: "x" },
  ],
  mailbox: [{ address: "Info@example.com", usage_mb: 12 }],
  mail_alias: [{ address: "sales@example.com", destinations: ["info@example.com"] }],
};

/** Lines of words. */
const zone: Json = [
  ["$ORIGIN", "example.com."],
  ["$TTL", "1h"],
  ["@", "IN", "SOA", "ns.a.test.", "h.a.test.", "(", "1", "2", "3", "4", "5", ")"],
  ["@", "300", "IN", "NS", "ns.a.test."],
  ["www", "IN", "A", "192.0.2.1"],
  ["@", "MX", "10", "mx.example.com."],
  ["t", "TXT", '"a b"', '"c"', ";", "why"],
  ["s", "SVCB", "1", ".", 'alpn="h2"'],
];

const writeZone = (document: Json): string =>
  (Array.isArray(document) ? document : [document])
    .map((line) =>
      (Array.isArray(line) ? line : [line])
        .map((word) => (typeof word === "string" ? word : JSON.stringify(word)))
        .join(" "),
    )
    .join("\n");

const json = (document: Json) => JSON.stringify(document, undefined, 1);
const yaml = (document: Json) => stringify(document, { aliasDuplicateObjects: false });

const account = accountForFile();
let meter: WorkMeter;
let formats: Readonly<Record<string, Format>>;

beforeAll(async () => {
  const { folder, write } = account;
  const first = write(
    "first.yaml",
    "version: 1\nname: large\ndns: { example.com: { records: { www: { A: 192.0.2.1 }, '@': { TXT: [a, b] }, old: { A: 192.0.2.3 } } } }\n",
  );
  const next = write(
    "next.yaml",
    "version: 1\nname: large\ndns: { example.com: { records: { www: { A: 192.0.2.2 }, '@': { TXT: [a] } } } }\n",
  );
  const ours = ["--inventory", join(folder, "inventory.json")];
  const run = async (...args: readonly string[]) => {
    exits(0, await runInProcess(account, args));
  };
  await run("apply", "-f", first, "--auto-approve", ...ours);
  await run("snapshot", "--out", join(folder, "live.json"));
  await run("plan", "-f", next, ...ours, "--out", join(folder, "saved.json"));
  const read = (name: string) =>
    JSON.parse(readFileSync(join(folder, name), "utf8").replace('"manifests": []', '"manifests": ["m.yaml"]')) as Json;
  const offline = ["plan", "-f", next, "--live"];
  mkdirSync(join(folder, "octo"));
  formats = {
    manifest: { document: manifest, write: yaml, file: "m.yaml", command: (path) => ["validate", "-f", path] },
    "manifest on few lines": {
      document: manifest,
      write: JSON.stringify,
      file: "j.yaml",
      command: (path) => ["validate", "-f", path],
    },
    templates: { document: templates, write: yaml, file: "t.yaml", command: (path) => ["validate", "-f", path] },
    variables: {
      document: variables,
      write: yaml,
      file: "v.yml",
      command: (path) => ["validate", "-f", write("u.yaml", yaml(templates)), "--var-file", path],
    },
    contract: { document: contract, write: yaml, file: "c.yaml", command: (path) => ["contract", "check", path] },
    octodns: {
      document: octodns,
      write: yaml,
      file: "octo/example.com.yaml",
      command: () => ["import", join(folder, "none"), "--from", "octodns", join(folder, "octo")],
    },
    zone: {
      document: zone,
      write: writeZone,
      file: "example.com.zone",
      command: (path) => ["import", join(folder, "none"), "--from", "zone-file", path],
    },
    seed: {
      document: seed,
      write: json,
      file: "seed.json",
      command: (path) => ["plan", "-f", next, "--emulator", "--seed", path],
    },
    inventory: {
      document: read("inventory.json"),
      write: json,
      file: "i.json",
      command: (path) => [...offline, join(folder, "live.json"), "--inventory", path],
    },
    snapshot: { document: read("live.json"), write: json, file: "l.json", command: (path) => [...offline, path] },
    "saved plan": { document: read("saved.json"), write: json, file: "s.json", command: (path) => ["show", path] },
  };
  meter = await startWorkMeter();
});
afterAll(() => meter?.stop());

async function workOf({ write, file, command }: Format, document: Json): Promise<number> {
  const path = join(account.folder, file);
  writeFileSync(path, write(document));
  // An import reads nothing if what the one before has written stands there.
  rmSync(join(account.folder, "none"), { recursive: true, force: true });
  return meter.count(() => runInProcess(noAccount, command(path), { P: "some-long-word" }));
}

const sizes = [200, 400, 800];
/** A square shows the better, the larger it is beside the rest of the work. */
const largeSizes = [1000, 2000, 4000];

/** Returns the work of three sizes, each twice the one before; undefined if the value at the path does not grow in this way. */
async function worksOf(
  name: string,
  path: Path,
  how: string,
  partsOf: readonly number[],
): Promise<readonly number[] | undefined> {
  const format = formats[name] as Format;
  const works: number[] = [];
  // The first run of a command loads what it needs.
  for (const parts of [1, ...partsOf]) {
    const grown = enlarge(format.document, path, growths[how] as Growth, parts);
    if (grown === undefined) return undefined;
    works.push(await workOf(format, grown));
  }
  return works.slice(1);
}

/** Beyond what the reading takes in any case. Where the work is the square of the size, it grows by four times as much. */
const isLinear = ([small = 0, middle = 0, large = 0]: readonly number[]) =>
  large - middle < 3 * Math.max(middle - small, 50_000);

test("twice as much of anything is twice the work, in any file", async () => {
  const drawn = fc.constantFrom(...Object.keys(formats)).chain((name) => {
    const paths = fc.constantFrom(...pathsIn((formats[name] as Format).document));
    return fc.tuple(fc.constant(name), paths, fc.constantFrom(...Object.keys(growths)));
  });
  await fc.assert(
    fc.asyncProperty(drawn, async ([name, path, how]) => {
      const works = await worksOf(name, path, how, sizes);
      fc.pre(works !== undefined);
      // What a first mistake loads is counted once, and a square each time.
      expect(isLinear(works) ? works : await worksOf(name, path, how, sizes)).toSatisfy(isLinear);
    }),
    { numRuns: size.draws(32), endOnFailure: true },
  );
});

test.each(
  size.every(9, [
    ["seed", [], "unknown keys"],
    ["contract", [], "unknown keys"],
    ["octodns", [], "more keys"],
    ["inventory", ["last_apply", "manifests"], "other items"],
  ] as const),
)("%s: %j with many of %s is read in linear work", async (name, path, how) => {
  expect(await worksOf(name, path, how, largeSizes)).toSatisfy(isLinear);
});

const eachOf = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join(", ");

test.each(
  size.every(6, [
    ["a syntax error at each character of a line", (count: number) => `use: [${",".repeat(count)}]`],
    [
      "equal records in one list",
      (count: number) =>
        `dns: { example.com: { records: { a: { MX: [${"{ priority: 1, value: a.example.com. }, ".repeat(count)}] } } } }`,
    ],
    [
      "wrong records in one list",
      (count: number) => `dns: { example.com: { records: { a: { A: [${"x, ".repeat(count)}] } } } }`,
    ],
    [
      "references to what is not declared",
      (count: number) =>
        `services: { a.test: {} }\ndatabases: { a.test: { databases: { ${eachOf(count, (index) => `a${index}: { engine: mariadb }`)} } } }\n` +
        `crons: { a.test: { jobs: { ${eachOf(count, (index) => `j${index}: { command: "\${ref:database/a.test/bcd${index}.host}", schedule: 0 3 * * * }`)} } } }`,
    ],
    [
      "parents that are not declared",
      (count: number) =>
        `domains: { ${eachOf(count, (index) => `a${index}.test: {}`)} }\n` +
        `mail: { ${eachOf(count, (index) => `bcd${index}.test: { mailboxes: { info: {} } }`)} }`,
    ],
  ]),
)("%s: twice as many take twice the work", async (_, write) => {
  const manifest = { ...(formats["manifest"] as Format), write: String };
  const works: number[] = [];
  for (const count of largeSizes) works.push(await workOf(manifest, `version: 1\nname: x\n${write(count)}\n`));
  expect(works).toSatisfy(isLinear);
});

/** Names of which none is like another, so that each is a name of its own. */
const nameAt = (index: number) => `n${String(index).repeat(4)}`;

test.runIf(size.whole).each<[string, (count: number) => string]>([
  [
    "beside each other",
    (count) => eachOf(count, (index) => `p${index}: { password: "\${param:${nameAt(index)}}", x: 1 }`),
  ],
  [
    "that give each other, the last one first",
    (count) =>
      `${eachOf(count, (index) => `${nameAt(count - index - 1)}: "\${param:${nameAt(count - index)}}"`)}, password: "\${param:${nameAt(0)}}"`,
  ],
])("names of secrets %s: twice as many take twice the work", async (_, write) => {
  const manifest = { ...(formats["manifest"] as Format), write: String };
  const works: number[] = [];
  for (const count of [1, 100, 200, 400])
    works.push(await workOf(manifest, `version: 1\nname: x\nuse: [{ template: none, with: { ${write(count)} } }]\n`));
  expect(works.slice(1)).toSatisfy(isLinear);
});

test("a chain of references or aliases twice as long takes twice the work", async () => {
  const works: number[] = [];
  for (const count of largeSizes)
    works.push(await meter.count(() => findCircle(0, (at) => (at < count ? [at + 1] : []), new Set())));
  expect(works).toSatisfy(isLinear);
});

test.each<[string, (source: PageSource) => unknown]>([
  ["as Markdown", (source) => renderMarkdownPage(source, "plan:x", String, 0)],
  ["as a page", (source) => itemsOfPlan(source.plan as Plan, undefined, { color: false, width: 100, mask: String })],
])("a plan %s: twice as many changes take twice the work", async (_, render) => {
  const works: number[] = [];
  for (const count of [100, 200, 400]) {
    const source = { plan: planOfCustomers(count), diagnostics: [], notices: [] };
    works.push(await meter.count(() => render(source)));
  }
  expect(works).toSatisfy(isLinear);
});
