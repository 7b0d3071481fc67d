import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadManifestFiles } from "../../src/engine/load-manifest.ts";
import { nodeHost } from "../../src/engine/node-host.ts";
import { loadRemembered } from "../../src/engine/remember-manifest.ts";
import type { Host } from "../../src/engine/host.ts";
import { size } from "../proofs/size.ts";

let place: string;
let count = 0;

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), "hostform-remember-"));
});
afterAll(() => rmSync(place, { recursive: true }));

/** A machine with a cache of its own. */
function newHost(
  env: Record<string, string> = {},
): Host & { readonly entries: () => string[]; readonly bytes: () => string } {
  const home = join(place, `home${++count}`);
  const folder = join(home, "hostform");
  const files = () => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  };
  return {
    ...nodeHost(),
    env: { ...env, XDG_CACHE_HOME: home },
    readStdin: async () => new Uint8Array(),
    onInterrupt: () => undefined,
    keepKey: () => undefined,
    keepSecret: () => undefined,
    isSecret: () => false,
    keepFormerSecret: () => undefined,
    keepPublic: () => undefined,
    mask: (text) => text,
    entries: () => files().filter((name) => name !== "salt"),
    bytes: () =>
      files()
        .map((name) => readFileSync(join(folder, name), "latin1"))
        .join("\n"),
  };
}

function write(...texts: readonly string[]): string[] {
  const folder = mkdtempSync(join(place, "m-"));
  return texts.map((text, index) => {
    const file = join(folder, `${index}.yaml`);
    writeFileSync(file, text);
    return file;
  });
}

const head = "version: 1\nname: test\n";
const options = (file: readonly string[]) => ({ file, allowFile: [], cache: true });

/** Loads a manifest twice, so that the second comes from the cache where it is kept, and compares it with a load without one. */
async function loadTwice(file: readonly string[], host: ReturnType<typeof newHost>) {
  await loadRemembered(options(file), host);
  const second = await loadRemembered(options(file), host);
  const { tree: _none, ...plain } = await loadManifestFiles(file, { allowFile: [] }, host);
  expect({ ...second.result, diagnostics: second.diagnostics }).toEqual({
    ...plain.result,
    // A frame is read when it is asked for.
    diagnostics: JSON.parse(JSON.stringify(plain.diagnostics)) as unknown,
  });
  expect([...(second.result?.desired.resources.keys() ?? [])]).toEqual([
    ...(plain.result?.desired.resources.keys() ?? []),
  ]);
  expect(second.files).toEqual(plain.files);
  const isHit = second.result !== undefined && second.written.size === 0 && plain.written.size > 0;
  expect(isHit).toBe(host.entries().length > 0 && plain.written.size > 0);
  return { isHit };
}

const name = fc.constantFrom("www", "shop", "mail", "_dmarc", "@", "bücher", "*");
const record = fc.oneof(
  fc.record({ A: fc.array(fc.ipV4(), { minLength: 1, maxLength: 3 }) }),
  fc.record({ TXT: fc.string() }),
  fc.record({ MX: fc.record({ priority: fc.nat(9), value: fc.constantFrom("mx1.host.test.", "MX1.host.test") }) }),
  fc.record({
    CNAME: fc.constantFrom("www", "Www.a.example.", "${ref:service/a.example.ip}"),
    ttl: fc.constantFrom(60, 3600),
  }),
);
const zone = fc.record({
  records: fc.dictionary(name, record, { maxKeys: 4 }),
  exclusive: fc.boolean(),
  ignore: fc.constantFrom([], ["x*"]),
});
const templates = {
  customer: { parameters: { domain: {} }, dns: { "${param:domain}": { records: { www: { A: "192.0.2.1" } } } } },
};
const manifest = fc.record({
  zones: fc.dictionary(fc.constantFrom("a.example", "b.example", "xn--bcher-kva.example"), zone, { maxKeys: 3 }),
  defaults: fc.constantFrom({}, { ttl: 300 }),
  removed: fc.constantFrom([], [{ address: "dns_record/a.example/old/A", action: "delete" }]),
  services: fc.constantFrom({}, { "a.example": { plan: "s", lifecycle: { prevent_destroy: true } } }),
  use: fc.constantFrom([], [{ template: "customer", with: { domain: "c.example" } }]),
  policy: fc.constantFrom({}, { protect: ["dns_record"], max_deletes: "10%" }),
});

test("a manifest from the cache is the manifest without it, whatever it declares", async () => {
  const host = newHost();
  let hits = 0;
  const property = fc.asyncProperty(manifest, async ({ zones, ...rest }) => {
    const file = write(head, JSON.stringify({ dns: zones }), JSON.stringify({ templates, ...rest }));
    hits += Number((await loadTwice(file, host)).isHit);
    rmSync(join(place, `home${count}`), { recursive: true, force: true });
  });
  await fc.assert(property, { numRuns: size.draws(160) });
  expect(hits).toBeGreaterThan(0);
});

const kinds = readdirSync("examples/kinds").map((each) => join("examples/kinds", each));

test("the examples of each kind come out of the cache as they went in", async () => {
  const hits: string[] = [];
  for (const file of kinds) if ((await loadTwice([file], newHost())).isHit) hits.push(file);
  // The others hold passwords, an auth code, a private key or a command.
  expect(hits.map((file) => basename(file, ".yaml"))).toEqual([
    "certificate",
    "database",
    "dns_record",
    "dns_zone",
    "dnssec",
    "domain",
    "service",
  ]);
});

const records = "dns: { a.example: { records: { www: { A: 192.0.2.1 } } } }\n";

test("a change to a file, its name, the contract or a variable is a miss", async () => {
  const host = newHost();
  const load = async (file: readonly string[], more = {}, env = {}) => {
    const loaded = await loadRemembered({ ...options(file), ...more }, { ...host, env: { ...host.env, ...env } });
    return { isHit: loaded.result !== undefined && loaded.written.size === 0, ...loaded };
  };
  const [file = ""] = write(head + records);
  expect((await load([file])).isHit).toBe(false);
  expect((await load([file])).isHit).toBe(true);
  expect((await load([file], {}, { HOSTFORM_VAR_TTL: "60" })).isHit).toBe(false);
  expect((await load([file], { contract: "hetzner-cloud" })).isHit).toBe(false);
  expect((await load([file], { cache: false })).isHit).toBe(false);
  expect((await load(write(head + records))).isHit).toBe(false);
  writeFileSync(file, head + records.replace("192.0.2.1", "192.0.2.2"));
  const changed = await load([file]);
  expect(changed.isHit).toBe(false);
  expect(JSON.stringify([...(changed.result?.desired.resources.values() ?? [])])).toContain("192.0.2.2");
});

const password = "correct-horse-7";
const withSecrets: Readonly<Record<string, string>> = {
  "a password that is written out": `mail: { a.example: { mailboxes: { info: { password: ${password}, quota: 1 GB } } } }`,
  "a password from a variable":
    'mail: { a.example: { mailboxes: { info: { password: "${env:MAILBOX}", quota: 1 GB } } } }',
  "a password from a variable that is not set":
    'mail: { a.example: { mailboxes: { info: { password: "${env:NONE}", quota: 1 GB } } } }',
  "a record from a variable": 'dns: { a.example: { records: { _x: { TXT: "${env:MAILBOX}" } } } }',
  "an auth code": `domains: { a.example: { transfer: { auth_code: ${password} } } }`,
  "a command": `services: { a.example: { plan: s } }\ncron: { a.example: { x: { schedule: "0 1 * * *", command: curl https://u:${password}@a.example/ } } }`,
  "a password under a key that is none": `mail: { a.example: { mailboxes: { info: { pasword: ${password} } } } }`,
  "a variable with a value from outside":
    "variables: { ttl: { type: string } }\ndns: { a.example: { records: { _x: { TXT: '${var:ttl}' } } } }",
};

test.each(Object.entries(withSecrets))("no entry holds %s", async (_case, text) => {
  const env = { MAILBOX: password, HOSTFORM_VAR_ttl: password };
  const host = newHost(text.startsWith("variables:") ? env : { MAILBOX: password });
  const file = write(head + records, text);
  await loadRemembered(options(file), host);
  await loadRemembered(options(file), host);
  expect(host.entries()).toEqual([]);
  expect(host.bytes()).not.toContain(password);
});
