/** A vendor whose API a contract describes. */
export interface Vendor {
  readonly name: string;
  readonly key: string;
  readonly headers: Record<string, string>;
  /** What a user's own contract adds to the shipped one, such as the number of his account. */
  readonly own?: string;
}

/** A kind that a vendor offers, and the manifests that go through its life. */
export interface VendorPair {
  readonly vendor: string;
  readonly kind: string;
  /** Sections of manifests: what is made, what is changed, and what is gone. Absent: the API does not offer it. */
  readonly made: string;
  readonly changed?: string;
  readonly gone?: string;
  readonly env?: Record<string, string>;
  /** What `gone` may delete. Default: one of the kind. */
  readonly consent?: readonly string[];
  /** True where `npm test` drives the pair, too. */
  readonly quick?: true;
  /** True where the stand-in has it from the start. */
  readonly isThere?: true;
  /** An object that does not exist, and that the API cannot create. */
  readonly absent?: string;
  /** True where it takes the adapter of examples/adapter/. */
  readonly adapter?: true;
}

export const vendors: readonly Vendor[] = [
  {
    name: "cloudflare",
    key: "cf-token",
    headers: { authorization: "Bearer cf-token" },
    own: "kinds: { dns_zone: { operations: { create: { base: { account: { id: abc } } } } } }",
  },
  { name: "hetzner-cloud", key: "hc-token", headers: { authorization: "Bearer hc-token" } },
  { name: "hostinger", key: "hs-token", headers: { authorization: "Bearer hs-token" } },
  { name: "mittwald", key: "mw-token", headers: { "x-access-token": "mw-token" } },
];

const records = {
  made: `dns:
  bakery.example:
    records:
      "@":
        A: { ttl: 3600, values: [192.0.2.10, 192.0.2.11] }
        AAAA: { ttl: 3600, values: [2001:db8::10] }
        MX: { ttl: 3600, values: [{ priority: 10, value: mx1.host.example. }, { priority: 20, value: mx2.host.example. }] }
        TXT: { ttl: 3600, values: ["v=spf1 mx -all"] }
        CAA: { ttl: 3600, values: [{ tag: issue, value: letsencrypt.org }] }
      www: { CNAME: { ttl: 3600, values: [bakery.example.] } }
      api: { A: { ttl: 300, values: [192.0.2.12] } }
      sip: { A: { ttl: 3600, values: [192.0.2.14] } }
      _sip._tcp: { SRV: { ttl: 3600, values: [{ priority: 0, weight: 5, port: 5060, target: sip.bakery.example. }] } }`,
  changed: `dns:
  bakery.example:
    records:
      "@":
        A: { ttl: 3600, values: [192.0.2.10, 192.0.2.99] }
        MX: { ttl: 3600, values: [{ priority: 10, value: mx1.host.example. }, { priority: 30, value: mx3.host.example. }] }
        TXT: { ttl: 3600, values: ["v=spf1 mx a -all"] }
      www: { CNAME: { ttl: 3600, values: [api.bakery.example.] } }
      api: { A: { ttl: 600, values: [192.0.2.12] } }`,
  gone: `dns:
  bakery.example:
    exclusive: true
    records:
      "@":
        A: { ttl: 3600, values: [192.0.2.10] }`,
  consent: ["dns_record/*=4"],
};
const services = "services: { bakery.example: {} }\n";

const users = 'users: { shop: { password: "${env:DATABASE_PASSWORD}", grants: { shop: all } } }';
const databases = (shop: string) =>
  `${services}databases: { bakery.example: { databases: { shop: {${shop}} }, ${users} } }`;
const removedUser = "{ address: database_user/bakery.example/shop@localhost, action: delete }";
const inOneRequest = { adapter: true, env: { DATABASE_PASSWORD: "Secret-of-shop-1" } } as const;
const database = {
  kind: "database",
  gone: `${services}removed: [${removedUser}, { address: database/bakery.example/shop, action: delete }]`,
  consent: ["database_user/*=1", "database/*=1"],
  ...inOneRequest,
};
const databaseUser = {
  kind: "database_user",
  made: databases(""),
  gone: `${services}databases: { bakery.example: { databases: { shop: {} } } }\nremoved: [${removedUser}]`,
  ...inOneRequest,
};

export const pairs: readonly VendorPair[] = [
  {
    vendor: "cloudflare",
    kind: "dns_zone",
    made: "dns: { florist.example: { records: { www: { A: { ttl: 3600, values: [192.0.2.10] } } } } }",
    gone: "removed: [{ address: dns_zone/florist.example, action: delete }, { address: dns_record/florist.example/www/A, action: delete }]",
    consent: ["dns_zone/florist.example", "dns_record/florist.example/www/A"],
  },
  { vendor: "cloudflare", kind: "dns_record", quick: true, ...records },
  {
    vendor: "hetzner-cloud",
    kind: "dns_zone",
    quick: true,
    made: "dns: { florist.example: { ttl: 300 } }",
    changed: "dns: { florist.example: { ttl: 600 } }",
    gone: "removed: [{ address: dns_zone/florist.example, action: delete }]",
  },
  { vendor: "hetzner-cloud", kind: "dns_record", quick: true, ...records },
  {
    vendor: "hostinger",
    kind: "service",
    made: 'services: { florist.example: { plan: "4711", datacenter: uk-fast-a61 } }',
    gone: "removed: [{ address: service/florist.example, action: delete }]",
  },
  {
    vendor: "hostinger",
    kind: "domain",
    quick: true,
    made: "domains: { bakery.example: { transfer_lock: false, nameservers: [ns1.example.net, ns2.example.net] } }",
    changed: "domains: { bakery.example: { transfer_lock: true, nameservers: [ns1.example.net, ns3.example.net] } }",
  },
  {
    vendor: "hostinger",
    kind: "dns_zone",
    quick: true,
    made: "dns: { bakery.example: {} }",
    isThere: true,
    absent: "dns: { nowhere.example: { records: { www: { A: { ttl: 300, values: [192.0.2.1] } } } } }",
  },
  { vendor: "hostinger", kind: "dns_record", quick: true, ...records },
  {
    vendor: "hostinger",
    kind: "mailbox",
    quick: true,
    made: `${services}mail: { bakery.example: { mailboxes: { anna: { password: "\${env:MAIL_PASSWORD}" } } } }`,
    gone: `${services}removed: [{ address: mailbox/anna@bakery.example, action: delete }]`,
    env: { MAIL_PASSWORD: "Secret-of-anna-1" },
  },
  {
    vendor: "hostinger",
    kind: "cron",
    made: `${services}crons: { bakery.example: { jobs: { nightly: { schedule: "0 3 * * *", command: /html/bin/nightly.php } } } }`,
    changed: `${services}crons: { bakery.example: { jobs: { nightly: { schedule: "30 4 * * *", command: /html/bin/nightly.php } } } }`,
    gone: `${services}crons: { bakery.example: { exclusive: true } }`,
  },
  { vendor: "hostinger", made: databases(""), ...database },
  { vendor: "hostinger", quick: true, ...databaseUser },
  {
    vendor: "mittwald",
    kind: "service",
    made: "services: { florist.example: {} }",
    gone: "removed: [{ address: service/florist.example, action: delete }]",
  },
  {
    vendor: "mittwald",
    kind: "domain",
    made: "domains: { bakery.example: { nameservers: [ns1.example.net, ns2.example.net] } }",
    changed: "domains: { bakery.example: { nameservers: [ns1.example.net, ns3.example.net] } }",
  },
  {
    vendor: "mittwald",
    kind: "dns_zone",
    made: "dns: { bakery.example: {} }",
    isThere: true,
    absent: "dns: { nowhere.example: {} }",
    gone: "removed: [{ address: dns_zone/bakery.example, action: delete }]",
  },
  {
    vendor: "mittwald",
    kind: "mailbox",
    quick: true,
    made: `${services}mail: { bakery.example: { mailboxes: { anna: { password: "\${env:MAIL_PASSWORD}", quota: 2 GiB } } } }`,
    changed: `${services}mail: { bakery.example: { mailboxes: { anna: { password: "\${env:MAIL_PASSWORD}", quota: 3 GiB } } } }`,
    gone: `${services}removed: [{ address: mailbox/anna@bakery.example, action: delete }]`,
    env: { MAIL_PASSWORD: "Secret-of-anna-1" },
  },
  {
    vendor: "mittwald",
    kind: "mail_alias",
    made: `${services}mail: { bakery.example: { aliases: { info: { destinations: [anna@example.net] } } } }`,
    changed: `${services}mail: { bakery.example: { aliases: { info: { destinations: [bert@example.net] } } } }`,
    gone: `${services}removed: [{ address: mail_alias/info@bakery.example, action: delete }]`,
  },
  {
    vendor: "mittwald",
    kind: "cron",
    made: `${services}crons: { bakery.example: { jobs: { nightly: { schedule: "0 3 * * *", command: /html/bin/nightly.php, enabled: true } } } }`,
    changed: `${services}crons: { bakery.example: { jobs: { nightly: { schedule: "30 4 * * *", command: /html/bin/nightly.php, enabled: true } } } }`,
    gone: `${services}crons: { bakery.example: { exclusive: true } }`,
  },
  {
    vendor: "mittwald",
    made: databases("charset: utf8mb4, collation: utf8mb4_unicode_ci"),
    changed: databases("charset: latin1, collation: latin1_swedish_ci"),
    ...database,
  },
  // The stand-in has no request that unlocks a user: it is deleted with its database only.
  { vendor: "mittwald", ...database, kind: "database_user", made: databases("") },
  { vendor: "mittwald", kind: "dns_record", adapter: true, ...records },
];
