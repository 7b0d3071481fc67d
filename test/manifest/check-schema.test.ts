import { describe, expect, test } from "vitest";
import { dataOf, loadText, places } from "./load-text.ts";

const head = "version: 1\nname: agency-main\n";
const load = (body: string) => loadText(head + body);
const inZone = (records: string) => `dns:\n  example.com:\n    records:\n${records.replaceAll(/^/gmu, "      ")}`;

describe("a manifest that is as the schema says", () => {
  test.each([
    [
      "every kind in short",
      "services: {example.com: null, b.example: {}}\ndomains: {example.com: }\ndns: {example.com: }\nmail: {example.com: }\ncrons: {example.com: }",
    ],
    ["zones as a collection", "dns: {exclusive: true, ignore: ['*.test'], example.com: {}}"],
    [
      "provider and defaults",
      "provider: {base_url: 'https://x', contract: v2026, ca_file: ca.pem}\ndefaults: {ttl: 30}",
    ],
    [
      "a service",
      "services: {example.com: {plan: WEB-M, datacenter: MAD1, settings: {php_version: '8.3', https_redirect: true, backups: false}}, exclusive: true, ignore: ['a*']}",
    ],
    [
      "a domain",
      "domains: {example.com: {service: null, auto_renew: true, nameservers: [a.test, b.test], transfer_lock: true, privacy: false, contacts: {owner: c1}, transfer: {auth_code: x}, period_years: 10}}",
    ],
    [
      "names in every alphabet",
      "domains: {bücher.example: {}, 例え.jp: {}}\ndns: {_x.example.com: {}, 0/25.2.0.192.in-addr.arpa: {}}",
    ],
    [
      "records as text, list, map and long form",
      inZone(
        "www:\n  A: 192.0.2.1\n  AAAA: ['2001:db8::1', {value: '2001:db8::2', comment: x, disabled: true}]\n  TXT: {ttl: 60, values: [a, b]}\n  CAA: [{tag: issue, value: a.b}, 0 issue \"x\"]",
      ),
    ],
    [
      "mail and service records",
      inZone(
        "'@':\n  MX: {priority: 0, value: '.'}\n'*.dev':\n  SRV: {ttl: 60, values: {priority: 65535, weight: 0, port: 1, target: a.b.}}",
      ),
    ],
    [
      "one target, as text, in a list and in the long form",
      inZone("a: {CNAME: x.}\nb: {CNAME: [x.]}\nc: {ALIAS: {ttl: 60, values: x.}}"),
    ],
    [
      "quotas",
      "mail: {example.com: {mailboxes: {a: {quota: 1}, b: {quota: unlimited}, c: {quota: 2 GiB}, d: {quota: 1.5GB}, e: null}}}",
    ],
    [
      "a cron",
      "crons: {example.com: {exclusive: true, jobs: {n: {schedule: 0 3 * * *, command: x, enabled: false, timezone: Europe/Madrid, email: null, timeout_s: 86400}}}}",
    ],
    [
      "removals and policy",
      "removed: [{address: mailbox/a@b.c, action: forget}]\npolicy: {max_deletes: 0, protect: [cron, dns_record]}",
    ],
    ["a budget in percent", "policy: {max_deletes: 100%}"],
    [
      "interpolations where a text has a form",
      "domains: {example.com: {nameservers: ['${env:NS1}', '${env:NS2}']}}\nmail: {example.com: {mailboxes: {a: {quota: '${env:Q}'}}}}",
    ],
  ])("has no diagnostics: %s", async (_, body) => {
    expect((await load(body)).diagnostics).toEqual([]);
  });

  test("keeps the source text of plain scalars where a text is wanted, and numbers where numbers are", async () => {
    const loaded = await load(
      `services: {example.com: {settings: {php_version: 8.10}}}\n${inZone("a: {TXT: [19, 0x1F, true, {value: 1e3, comment: on}]}\nb: {MX: {priority: 010, value: a.}}")}`,
    );
    expect(loaded.diagnostics).toEqual([]);
    expect(dataOf(loaded)).toMatchObject({
      services: { "example.com": { settings: { php_version: "8.10" } } },
      dns: {
        "example.com": {
          records: { a: { TXT: ["19", "0x1F", "true", { value: "1e3", comment: "on" }] }, b: { MX: { priority: 10 } } },
        },
      },
    });
  });
});

describe("a mistake", () => {
  test.each([
    [
      "a misspelt key",
      "servces: {}",
      "unknown_key 3:1",
      /There is no key "servces" in the manifest/u,
      /one of crons, defaults, dns/u,
      'did you mean "services"?',
    ],
    ["a key of a later age", "ftp: {}", "unknown_key 3:1", /"ftp"/u, /services/u, undefined],
    [
      "a record type in lower case",
      inZone("www: {mx: x}"),
      "unknown_key 6:13",
      /"mx" in dns > example.com > records > www/u,
      /A, AAAA, ALIAS/u,
      'did you mean "MX"?',
    ],
    [
      "a SOA record",
      inZone("www: {SOA: x}"),
      "unknown_key 6:13",
      /"SOA"/u,
      /one of/u,
      "the SOA record is the platform's own; its TTL follows the zone's",
    ],
    [
      "a key in the provider",
      "provider: {api_key: hf_123456}",
      "unknown_key 3:12",
      /"api_key" in provider/u,
      /base_url/u,
      "the API key never stands in a manifest: set HOSTFORM_API_KEY or use --key-file",
    ],
    [
      "a TTL beside a single value",
      inZone("www: {A: {ttl: 60, value: 192.0.2.1}}"),
      "unknown_key 6:17",
      /"ttl"/u,
      /value/u,
      "a TTL belongs to the whole RRset: write { ttl: 60, values: [ … ] }",
    ],
    [
      "a misspelt key of a collection",
      "services: {exlusive: true}",
      "unknown_key 3:12",
      /"exlusive" is no key for services/u,
      /domain name/u,
      'did you mean "exclusive"?',
    ],
    [
      "a name that is no domain",
      "domains: {example: {}}",
      "unknown_key 3:11",
      /"example" is no key for domains/u,
      /domain name/u,
      undefined,
    ],
    [
      "a key named constructor",
      "constructor: {}",
      "unknown_key 3:1",
      /"constructor" in the manifest/u,
      /crons/u,
      undefined,
    ],
    [
      "a forgotten blank",
      "mail: {a.b: {mailboxes: {a: {password:hunter2}}}}",
      "unknown_key 3:30",
      /"password:\(sensitive\)"/u,
      /quota/u,
      'write a blank after "password:"',
    ],
    [
      "an empty record name",
      inZone('"": {A: 192.0.2.1}'),
      "unknown_key 6:7",
      /"" is no key/u,
      /apex is written @/u,
      undefined,
    ],
    [
      "a missing key",
      inZone("'@': {MX: [{priority: 10}]}"),
      "missing_key 6:18",
      /"value" is missing in .* > MX > item 1/u,
      /\{ priority: 10, value/u,
      "write value: mx1.host.test.",
    ],
    [
      "a misspelt required key",
      inZone("'@': {MX: [{priorty: 10, value: a.}]}"),
      "unknown_key 6:19",
      /"priorty"/u,
      /priority/u,
      'did you mean "priority"?',
    ],
    [
      "text for a number",
      "defaults: {ttl: 1h}",
      "wrong_type 3:17",
      /"ttl" in defaults is the text "1h"/u,
      /seconds from 30 to 604800/u,
      undefined,
    ],
    [
      "a quoted number",
      "defaults: {ttl: '60'}",
      "wrong_type 3:17",
      /"60"/u,
      /seconds/u,
      "write the number without quotes",
    ],
    [
      "yes for true",
      "domains: {example.com: {auto_renew: yes}}",
      "wrong_type 3:37",
      /the text "yes"/u,
      /true or false \(Whether/u,
      "write true or false, without quotes",
    ],
    [
      "nothing after a key",
      "mail: {example.com: {mailboxes: {a: {password: }}}}",
      "wrong_type 3:38",
      /"password" .* is null/u,
      /text/u,
      "write a value, or leave the key out",
    ],
    [
      "text for a mail server",
      inZone("'@': {MX: 10 mx.example.com.}"),
      "wrong_type 6:17",
      /the text "10 mx.example.com."/u,
      /\{ priority: 10, value: mx1.host.test. \}/u,
      undefined,
    ],
    [
      "a list for a map",
      "services: [example.com]",
      "wrong_type 3:11",
      /"services" is a list of 1/u,
      /a map \(Hosting services/u,
      undefined,
    ],
    [
      "a map for a text",
      "services: {example.com: {plan: {}}}",
      "wrong_type 3:32",
      /is an empty map/u,
      /text/u,
      undefined,
    ],
    [
      "a number too large",
      inZone("'@': {MX: {priority: 65536, value: a.}}"),
      "out_of_range 6:28",
      /is 65536/u,
      /0 to 65535/u,
      undefined,
    ],
    ["a TTL too small", "defaults: {ttl: 29}", "out_of_range 3:17", /is 29/u, /30 to 604800/u, undefined],
    ["another version", "", "wrong_value 1:10", /"version" is 2/u, /the number 1/u, undefined],
    [
      "an action that is none",
      "removed: [{address: a/b, action: delte}]",
      "wrong_value 3:34",
      /the text "delte"/u,
      /delete, forget/u,
      'did you mean "delete"?',
    ],
    [
      "a kind that is none",
      "policy: {protect: [mailbx]}",
      "wrong_value 3:20",
      /Item 1 of policy > protect/u,
      /mailbox/u,
      'did you mean "mailbox"?',
    ],
    [
      "a quota that is none",
      "mail: {a.b: {mailboxes: {a: {quota: 2 GX}}}}",
      "wrong_format 3:37",
      /the text "2 GX"/u,
      /unlimited/u,
      undefined,
    ],
    ["an empty text", inZone("a: {TXT: ''}"), "wrong_format 6:16", /the text ""/u, /content/u, undefined],
    [
      "two targets of a CNAME",
      inZone("a: {CNAME: [x., y.]}"),
      "wrong_count 6:18",
      /a list of 2/u,
      /one target only/u,
      undefined,
    ],
    ["an empty list", inZone("a: {A: []}"), "wrong_count 6:14", /an empty list/u, /at least one/u, undefined],
    ["a name without records", inZone("a: {}"), "wrong_count 6:10", /an empty map/u, /record types/u, undefined],
    [
      "one name server",
      "domains: {a.b: {nameservers: [x.y]}}",
      "wrong_count 3:30",
      /a list of 1/u,
      /2 to 13/u,
      undefined,
    ],
    [
      "one name server twice",
      "domains: {a.b: {nameservers: [x.y, z.y, x.y]}}",
      "duplicate_item 3:41",
      /holds one item twice/u,
      /different/u,
      "remove one of the two",
    ],
    ["a longer budget than all", "policy: {max_deletes: 101%}", "wrong_format 3:23", /101%/u, /percentage/u, undefined],
  ])(
    "is one diagnostic with what was there, what was expected and what to do: %s",
    async (name, body, place, summary, detail, hint) => {
      const { diagnostics } = await (name === "another version" ? loadText("version: 2\nname: a\n") : load(body));
      expect(places(diagnostics)).toEqual([place]);
      expect(diagnostics[0]).toMatchObject({
        summary: expect.stringMatching(summary),
        detail: expect.stringMatching(detail),
      });
      expect(diagnostics[0]?.hint).toBe(hint);
    },
  );

  test("names the first of two equal items", async () => {
    const { diagnostics } = await load("domains: {a.b: {nameservers: [x.y, x.y]}}");
    expect(diagnostics[0]?.related).toEqual([
      { at: expect.objectContaining({ line: 3, col: 31 }), message: "first written here" },
    ]);
  });

  test("never shows a secret that is of the wrong type or form", async () => {
    const { diagnostics } = await load(
      "mail: {a.b: {mailboxes: {a: {password: [hunter2], pasword: hunter2}}}}\nprovider: {token: hunter2}",
    );
    expect(diagnostics).toHaveLength(3);
    expect(JSON.stringify(diagnostics)).not.toContain("hunter2");
  });

  test("at the root is told once for all files: version and name", async () => {
    const { diagnostics } = await loadText("services: {}\n");
    expect(diagnostics.map(({ summary }) => summary)).toEqual([
      '"version" is missing in the manifest',
      '"name" is missing in the manifest',
    ]);
    expect(diagnostics.map(({ hint }) => hint)).toEqual(["write version: 1", "write name: agency-main"]);
  });

  test("does not hide another one: they are sorted by place", async () => {
    const { diagnostics } = await load("policy: {max_deletes: -1}\ndefaults: {ttl: 1, tll: 2}\n");
    expect(places(diagnostics)).toEqual(["out_of_range 3:23", "out_of_range 4:17", "unknown_key 4:20"]);
  });

  test("is left out of the tree, and what cannot do without it too", async () => {
    const loaded = await load(
      `${inZone("a: {A: 192.0.2.1, MX: [{priority: x, value: a.}]}\nb: {TXT: []}\n'@': {MX: [{priority: 1, value: a.}, {value: b.}]}")}\nservices: {example.com: {plan: [], datacenter: X}}`,
    );
    expect(loaded.diagnostics).toHaveLength(4);
    expect(dataOf(loaded)).toEqual({
      version: 1,
      name: "agency-main",
      dns: { "example.com": { records: { a: { A: "192.0.2.1" }, "@": { MX: [{ priority: 1, value: "a." }] } } } },
      services: { "example.com": { datacenter: "X" } },
    });
  });
});
