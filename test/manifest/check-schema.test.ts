import { describe, expect, test } from "vitest";
import { dataOf, inZone, loadBody, loadText, mistakesIn, places } from "./load-text.ts";

describe("a mistake", () => {
  test.each([
    [
      "a misspelt key",
      "servces: {}",
      "unknown_key 3:1",
      /There is no key "servces" in the manifest/u,
      /one of certificates, crons, databases, defaults, dns/u,
      'did you mean "services"?',
    ],
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
      "a misspelt lifecycle beside the record types, where none can stand",
      inZone("www: {lifecyle: {prevent_destroy: true}, A: 192.0.2.1}"),
      "unknown_key 6:13",
      /"lifecyle" in dns > example.com > records > www/u,
      /A, AAAA, ALIAS/u,
      'did you mean "lifecycle"? a lifecycle belongs to one type of record: write it in the long form, such as A: { values: [ … ], lifecycle: { … } }',
    ],
    [
      "a TTL beside the record types",
      inZone("www: {ttl: 60, A: 192.0.2.1}"),
      "unknown_key 6:13",
      /"ttl"/u,
      /A, AAAA, ALIAS/u,
      "a TTL belongs to one type of record: write it in the long form, such as A: { ttl: 60, values: [ … ] }",
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
      'write a space after "password:"',
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
      inZone("'@': {MX: mx.example.com.}"),
      "wrong_type 6:17",
      /the text "mx.example.com."/u,
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
    async (_, body, place, summary, detail, hint) => {
      const expected = { place, summary: expect.stringMatching(summary), detail: expect.stringMatching(detail), hint };
      expect(await mistakesIn(body)).toEqual([expected]);
    },
  );

  test("is told of another version of the format", async () => {
    const { diagnostics } = await loadText("version: 2\nname: a\n");
    expect(places(diagnostics)).toEqual(["wrong_value 1:10"]);
    expect(diagnostics[0]).toMatchObject({
      summary: '"version" is 2',
      detail: "the number 1 (The version of this format)",
    });
  });

  test("names the first of two equal items", async () => {
    const { diagnostics } = await loadBody("domains: {a.b: {nameservers: [x.y, x.y]}}");
    expect(diagnostics[0]?.related).toEqual([
      { at: expect.objectContaining({ line: 3, col: 31 }), message: "first written here" },
    ]);
  });

  test("never shows a secret that is of the wrong type or form", async () => {
    const { diagnostics } = await loadBody(
      "mail: {a.b: {mailboxes: {a: {password: [hunter2], pasword: hunter2}}}}\nprovider: {token: hunter2}\nftp: {a.b: {accounts: {x: {password: {hunter2: }}}}}\ncertificates: {a.b: [{domains: [a.b], private_key: {hunter2: }}]}",
    );
    expect(diagnostics).toHaveLength(5);
    expect(JSON.stringify(diagnostics)).not.toContain("hunter2");
  });

  test.each([
    ["true", "true", "transfer: true"],
    ["12345678", "(sensitive)", "transfer: (sensitive)"],
    ["hunter2", "(sensitive)", "transfer: (sensitive)"],
    ['"true"', "(sensitive)", "transfer: (sensitive)"],
  ])("shows under a key that may hold a secret what cannot be one: %s", async (value, told, excerpt) => {
    const { diagnostics } = await loadBody(`domains: { t.example: { transfer: ${value} } }`);
    expect(diagnostics.map(({ summary }) => summary)).toEqual([`"transfer" in domains > t.example is ${told}`]);
    expect(diagnostics[0]?.frame).toContain(`{ ${excerpt} }`);
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
    const { diagnostics } = await loadBody("policy: {max_deletes: -1}\ndefaults: {ttl: 1, tll: 2}\n");
    expect(places(diagnostics)).toEqual(["out_of_range 3:23", "out_of_range 4:17", "unknown_key 4:20"]);
  });

  test("is left out of the tree, and what cannot do without it too", async () => {
    const loaded = await loadBody(
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
