import { describe, expect, test } from "vitest";
import { inZone, mistakesIn } from "../load-text.ts";

/** Matches a text in which `…` stands for any text. */
const like = (text: string) =>
  expect.stringMatching(
    new RegExp(`^${text.replaceAll(/[.*+?^$(){}|[\]\\]/gu, String.raw`\$&`).replaceAll("…", ".*")}$`, "u"),
  );

/** Each wrong manifest, with its place, what was there, what was expected, and what to do. */
describe("a mistake", () => {
  test.each([
    [
      "a misspelt key",
      "servces: {}",
      'unknown_key 3:1 There is no key "servces" in the manifest | one of certificates, crons, databases, defaults, dns… | did you mean "services"?',
    ],
    [
      "a record type in lower case",
      inZone("www: {mx: x}"),
      'unknown_key 6:13 There is no key "mx" in dns > example.com > records > www | one of A, AAAA, ALIAS, CAA, CNAME, DHCID… | did you mean "MX"?',
    ],
    [
      "a SOA record",
      inZone("www: {SOA: x}"),
      `unknown_key 6:13 There is no key "SOA" in dns > example.com > records > www | one of A, AAAA, ALIAS, CAA, CNAME, DHCID… | the SOA record is the platform's own; its TTL follows the zone's`,
    ],
    [
      "a misspelt lifecycle beside the record types, where none can stand",
      inZone("www: {lifecyle: {prevent_destroy: true}, A: 192.0.2.1}"),
      'unknown_key 6:13 There is no key "lifecyle" in dns > example.com > records > www | one of A, AAAA, ALIAS, CAA, CNAME, DHCID… | did you mean "lifecycle"? a lifecycle belongs to one type of record: write it in the long form, such as A: { values: [ … ], lifecycle: { … } }',
    ],
    [
      "a TTL beside the record types",
      inZone("www: {ttl: 60, A: 192.0.2.1}"),
      'unknown_key 6:13 There is no key "ttl" in dns > example.com > records > www | one of A, AAAA, ALIAS, CAA, CNAME, DHCID… | a TTL belongs to one type of record: write it in the long form, such as A: { ttl: 60, values: [ … ] }',
    ],
    [
      "a key in the provider",
      "provider: {api_key: hf_123456}",
      'unknown_key 3:12 There is no key "api_key" in provider | one of base_url, ca_file, contract | the API key never stands in a manifest: set HOSTFORM_API_KEY or use --key-file',
    ],
    [
      "a TTL beside a single value",
      inZone("www: {A: {ttl: 60, value: 192.0.2.1}}"),
      'unknown_key 6:17 There is no key "ttl" in dns > example.com > records > www > A | one of comment, disabled, value | a TTL belongs to the whole RRset: write { ttl: 60, values: [ … ] }',
    ],
    [
      "a misspelt key of a collection",
      "services: {exlusive: true}",
      'unknown_key 3:12 "exlusive" is not a key of services | a domain name such as example.com | did you mean "exclusive"?',
    ],
    [
      "a name that is no domain",
      "domains: {example: {}}",
      'unknown_key 3:11 "example" is not a key of domains | a domain name such as example.com',
    ],
    [
      "a key named constructor",
      "constructor: {}",
      'unknown_key 3:1 There is no key "constructor" in the manifest | one of certificates, crons, databases, defaults…',
    ],
    [
      "a forgotten blank",
      "mail: {a.b: {mailboxes: {a: {password:hunter2}}}}",
      'unknown_key 3:30 There is no key "password:(sensitive)" in mail > a.b > mailboxes > a | one of lifecycle, password, quota, rotate_after, sending_enabled | write a space after "password:"',
    ],
    [
      "an empty record name",
      inZone('"": {A: 192.0.2.1}'),
      'unknown_key 6:7 "" is not a key of dns > example.com > records | a name relative to the zone; the apex is written @',
    ],
    [
      "a missing key",
      inZone("'@': {MX: [{priority: 10}]}"),
      'missing_key 6:18 "value" is missing in dns > example.com > records > @ > MX > item 1 | { priority: 10, value: mx1.host.test. }… | write value: mx1.host.test.',
    ],
    [
      "a misspelt required key",
      inZone("'@': {MX: [{priorty: 10, value: a.}]}"),
      'unknown_key 6:19 There is no key "priorty" in dns > example.com > records > @ > MX > item 1 | one of comment, disabled, priority, value | did you mean "priority"?',
    ],
    [
      "text for a number",
      "defaults: {ttl: 1h}",
      'wrong_type 3:17 "ttl" in defaults is the text "1h" | a whole number of seconds (Seconds that resolvers…',
    ],
    [
      "a quoted number",
      "defaults: {ttl: '60'}",
      'wrong_type 3:17 "ttl" in defaults is the text "60" | a whole number of seconds (Seconds that resolvers… | write the number without quotes',
    ],
    [
      "yes for true",
      "domains: {example.com: {auto_renew: yes}}",
      'wrong_type 3:37 "auto_renew" in domains > example.com is the text "yes" | true or false (Whether the platform renews… | write true or false, without quotes',
    ],
    [
      "nothing after a key",
      "mail: {example.com: {mailboxes: {a: {password: }}}}",
      'wrong_type 3:38 "password" in mail > example.com > mailboxes > a is null | text (Sent when the mailbox is created, and… | write a value, or leave the key out',
    ],
    [
      "text for a mail server",
      inZone("'@': {MX: mx.example.com.}"),
      'invalid_value 6:17 dns_record priority cannot be "mx.example.com." | a priority from 0 to 65535 before the content, such as 10 mx1.host.test.…',
    ],
    [
      "a list for a map",
      "services: [example.com]",
      'wrong_type 3:11 "services" is a list of 1 | a map or null (Hosting services, keyed by…',
    ],
    [
      "a map for a text",
      "services: {example.com: {plan: {}}}",
      `wrong_type 3:32 "plan" in services > example.com is an empty map | text (The plan's code (hosting.id_service_type…`,
    ],
    [
      "a number too large",
      inZone("'@': {MX: {priority: 65536, value: a.}}"),
      "invalid_value 6:28 dns_record priority cannot be 65536 | a priority from 0 to 65535 before the content…",
    ],
    [
      "a TTL too small",
      "defaults: {ttl: 29}",
      "not_taken 3:17 dns_record ttl cannot be 29: the contract v2026 does not allow it | a number of 30 or more and 604800 or less | write another value, or correct kinds.dns_record.fields.ttl in the contract",
    ],
    [
      "a weight that is too large",
      inZone("'@': {SRV: {priority: 0, weight: 70000, port: 1, target: a.}}"),
      'invalid_value 6:40 dns_record content cannot be "70000 1 a." | weight, port and target: the weight is a number from 0 to 65535',
    ],
    [
      "an action that is none",
      "removed: [{address: cron/a.b/c, action: delte}]",
      'wrong_value 3:41 "action" in removed > item 1 is the text "delte" | one of delete, forget | did you mean "delete"?',
    ],
    [
      "a kind that is none",
      "policy: {protect: [mailbx]}",
      'wrong_value 3:20 Item 1 of policy > protect is the text "mailbx" | one of service, domain, dns_zone, dns_record, dnssec, mailbox… | did you mean "mailbox"?',
    ],
    [
      "a quota that is none",
      "mail: {a.b: {mailboxes: {a: {quota: 2 GX}}}}",
      'invalid_value 3:37 mailbox quota_mb cannot be "2 GX" | a whole number of MB, a number with a unit (MB, MiB, GB, GiB, TB, TiB), or unlimited',
    ],
    [
      "two targets of a CNAME",
      inZone("a: {CNAME: [x., y.]}"),
      "several_targets 6:18 CNAME a in example.com has 2 targets | one item: a CNAME, DNAME or ALIAS has one target only",
    ],
    [
      "an empty list",
      inZone("a: {A: []}"),
      'wrong_count 6:14 "A" in dns > example.com > records > a is an empty list | a list of at least one item',
    ],
    [
      "a name without records",
      inZone("a: {}"),
      'wrong_count 6:10 "a" in dns > example.com > records is an empty map | record types with their content, such as…',
    ],
    [
      "one name server",
      "domains: {a.b: {nameservers: [x.y]}}",
      'invalid_value 3:30 domain nameservers cannot be ["x.y"] | 2 to 13 different host names',
    ],
    [
      "one name server twice",
      "domains: {a.b: {nameservers: [x.y, z.y, x.y]}}",
      'duplicate_item 3:41 "nameservers" in domains > a.b holds one item twice | a list of different host names (The name… | remove one of the two',
    ],
    [
      "a longer budget than all",
      "policy: {max_deletes: 101%}",
      'wrong_format 3:23 "max_deletes" in policy is the text "101%" | a whole number, or a percentage such as 10%…',
    ],
    [
      "an algorithm that does not sign",
      "dns: {a.b: {dnssec: {algorithm: 5}}}",
      "not_taken 3:33 dnssec algorithm cannot be 5: the contract v2026 does not allow it | one of 8, 13, 14, 15 | write another value, or correct kinds.dnssec.fields.algorithm in the contract",
    ],
    [
      "an alias to nowhere",
      "mail: {a.b: {aliases: {x: {destinations: []}}}}",
      'wrong_count 3:42 "destinations" in mail > a.b > aliases > x is an empty list | a list of at least one mail address, each…',
    ],
    [
      "an alias to one address twice",
      "mail: {a.b: {aliases: {x: {destinations: [a@b.c, a@b.c]}}}}",
      'duplicate_item 3:50 "destinations" in mail > a.b > aliases > x holds one item twice | a list of at least one mail address, each once… | remove one of the two',
    ],
    [
      "an alias to a name",
      "mail: {a.b: {aliases: {x: {destinations: [info]}}}}",
      'invalid_value 3:43 mail_alias destinations cannot be "info" | a mail address, such as info@example.com',
    ],
    [
      "false for no catch-all",
      "mail: {a.b: {settings: {catch_all: 'no'}}}",
      'invalid_value 3:36 mail_settings catch_all cannot be "no" | a mail address, such as info@example.com, or null',
    ],
    [
      "a day without a time",
      "mail: {a.b: {settings: {autoresponder: {ends_at: 2027-01-07}}}}",
      'invalid_value 3:50 mail_settings autoresponder.ends_at cannot be "2027-01-07" | a date and time that there is, such as 2026-12-24T18:00:00Z, or null',
    ],
    [
      "an FTP permission that is none",
      "ftp: {a.b: {accounts: {x: {permissions: [read, wrte]}}}}",
      'not_taken 3:48 ftp_account permissions cannot be "wrte": the contract v2026 does not allow it | one of read, write | did you mean "write"?',
    ],
    [
      "a quota in the API's words",
      "ftp: {a.b: {accounts: {x: {quota_mb: 5}}}}",
      'unknown_key 3:28 There is no key "quota_mb" in ftp > a.b > accounts > x | one of enabled, home, lifecycle, password, permissions, quota | write it as quota: 2 GiB, a number of MB, or unlimited',
    ],
    [
      "FTP accounts without the key accounts",
      "ftp: {a.b: {deploy: {home: /www}}}",
      'unknown_key 3:13 There is no key "deploy" in ftp > a.b | one of accounts, exclusive, ignore',
    ],
    [
      "a database engine that is none",
      "databases: {a.b: {databases: {x: {engine: mariadbb}}}}",
      'not_taken 3:43 database engine cannot be "mariadbb": the contract v2026 does not allow it | one of mysql, mariadb, postgresql | did you mean "mariadb"?',
    ],
    [
      "a host beside the user",
      "databases: {a.b: {users: {x: {host: '%'}}}}",
      'unknown_key 3:31 There is no key "host" in databases > a.b > users > x | one of grants, lifecycle, password | the host stands in the key: user@host',
    ],
    [
      "a time of rotation where the platform tells none",
      "databases: {a.b: {users: {x: {rotate_after: 2026-05-01}}}}",
      'unknown_key 3:31 There is no key "rotate_after" in databases > a.b > users > x | one of grants, lifecycle, password | the platform does not tell when this password was set: send it again with --rotate ADDRESS',
    ],
    [
      "a lifecycle that says nothing",
      "crons: {a.b: {jobs: {x: {lifecycle: {}}}}}",
      'wrong_count 3:37 "lifecycle" in crons > a.b > jobs > x is an empty map | { prevent_destroy: true } or { ignore_changes:…',
    ],
    [
      "a lifecycle inside of an RRset's item",
      "dns: {a.b: {records: {x: {A: [{value: 192.0.2.1, lifecycle: {prevent_destroy: true}}]}}}}",
      'unknown_key 3:50 There is no key "lifecycle" in dns > a.b > records > x > A > item 1 | one of comment, disabled, value | a lifecycle belongs to the whole RRset: write { values: [ … ], lifecycle: { … } }',
    ],
    [
      "grants as a list",
      "databases: {a.b: {users: {x: {grants: [shop]}}}}",
      'wrong_type 3:39 "grants" in databases > a.b > users > x is a list of 1 | a map of databases, such as { shop: all }…',
    ],
    [
      "privileges that are none",
      "databases: {a.b: {users: {x: {grants: {shop: readonly}}}}}",
      'wrong_format 3:46 "shop" in databases > a.b > users > x > grants is the text "readonly" | all, read_only, or a list of privileges such…',
    ],
    [
      "a certificate for nothing",
      "certificates: {a.b: [{type: managed}]}",
      'missing_key 3:22 "domains" is missing in certificates > a.b > item 1 | a list of domain names, each once (The names…',
    ],
    [
      "a certificate for an address",
      "certificates: {a.b: [{domains: ['https://a.b']}]}",
      'invalid_key 3:32 "https://a.b" does not name a certificate | labels of letters, digits, hyphens and underscores…',
    ],
    [
      "one certificate without a list",
      "certificates: {a.b: {domains: [a.b]}}",
      'wrong_type 3:21 "a.b" in certificates is a map | a list of certificates, such as [{ domains:…',
    ],
    [
      "a time before the end in months",
      "domains: {a.b: {renew_before: 1 month}}",
      'invalid_value 3:31 domain renew_before cannot be "1 month" | a number of days, such as 30d',
    ],
  ])("is one diagnostic with what was there, what was expected and what to do: %s", async (_, body, told) => {
    expect(await mistakesIn(body)).toEqual([like(told)]);
  });
});
