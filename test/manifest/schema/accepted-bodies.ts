import { inZone } from "../load-text.ts";

/** Manifests without a mistake, below their first two lines, each with what it shows. */
export const acceptedBodies: readonly (readonly [string, string])[] = [
  [
    "every kind in short",
    "services: {example.com: null, b.example: {}}\ndomains: {example.com: }\ndns: {example.com: {dnssec: {}}}\nmail: {example.com: {mailboxes: {a: }, aliases: {b: }, settings: }}\nftp: {example.com: {accounts: {a: }}}\ndatabases: {example.com: {databases: {a: }, users: {a: {}}}}\ncrons: {example.com: }\ncertificates: {example.com: []}",
  ],
  ["sections in short", "dns: {a.b: }\nmail: {a.b: }\nftp: {a.b: }\ndatabases: {a.b: }\ncrons: {a.b: }"],
  ["zones as a collection", "dns: {exclusive: true, ignore: ['*.test'], example.com: {}}"],
  ["provider and defaults", "provider: {base_url: 'https://x', contract: v2026, ca_file: ca.pem}\ndefaults: {ttl: 30}"],
  [
    "a service",
    "services: {example.com: {plan: WEB-M, datacenter: MAD1, settings: {php_version: '8.3', https_redirect: true, backups: false}, register: true}, exclusive: true, ignore: ['a*']}",
  ],
  [
    "a domain",
    "domains: {example.com: {service: null, auto_renew: true, nameservers: [a.test, b.test], transfer_lock: true, privacy: false, contacts: {owner: c1}, transfer: {auth_code: x}, period_years: 10, renew_before: 30d}}",
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
    "DNSSEC beside the records of a zone",
    "dns: {example.com: {dnssec: {enabled: true, algorithm: 15}, records: {'@': {A: 192.0.2.1}}}}",
  ],
  [
    "aliases and mail settings",
    "mail: {example.com: {aliases: {sales: {destinations: [a@b.c, bücher@例え.jp], keep_copy: true}}, settings: {catch_all: a@b.c, autoresponder: {enabled: true, subject: x, message: y, starts_at: 2026-12-24T18:00:00Z, ends_at: '2027-01-07T08:00:00.5+01:00'}, dkim: {enabled: true}}}}",
  ],
  [
    "mail settings that are empty on purpose",
    "mail: {a.b: {settings: {catch_all: null, autoresponder: {subject: null, message: null, starts_at: null, ends_at: null}}}}",
  ],
  [
    "FTP accounts",
    "ftp: {example.com: {exclusive: true, ignore: [x*], accounts: {deploy: {password: x, home: /www, quota: 500 MB, permissions: [write, read], enabled: false}, jane@example.com: {permissions: [read]}}}}",
  ],
  [
    "databases and their users",
    "databases: {example.com: {exclusive: false, ignore: [x*], databases: {shop: {engine: postgresql, charset: UTF8, collation: C.UTF-8}}, users: {shop: {password: x, grants: {shop: all}}, report@%: {grants: {shop: read_only, archive: [select, CREATE VIEW]}}}}}",
  ],
  [
    "certificates",
    "certificates: {example.com: [{domains: [example.com, '*.example.com'], renew_before: 30 d}, {domains: [example.com], type: uploaded, certificate: x, chain: y, private_key: z}]}",
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
    "domains: {example.com: {nameservers: ['${env:NS1}', '${env:NS2}'], renew_before: '${env:D}'}}\nmail: {example.com: {mailboxes: {a: {quota: '${env:Q}'}}, aliases: {b: {destinations: ['${env:A}']}}, settings: {catch_all: '${env:A}', autoresponder: {ends_at: '${env:T}'}}}}",
  ],
];
