/**
 * For every kind a manifest that declares one resource of it with what creation needs, and for every field that can be written two
 * values, as a manifest has them. `NAME` stands for a name that no other case uses.
 */
export interface Samples {
  /** What must be there besides, as sections of a manifest. */
  readonly parents: Readonly<Record<string, unknown>>;
  /** Where the resource's body stands in the manifest. */
  readonly path: readonly (string | number)[];
  readonly body: Readonly<Record<string, unknown>>;
  /** Where a field needs another body, such as a priority, which only an MX has. */
  readonly bodies?: Readonly<
    Record<string, { readonly path: readonly (string | number)[]; readonly body: Readonly<Record<string, unknown>> }>
  >;
  /** By the field's name: the path in the body where it differs, and two values. */
  readonly fields: Readonly<
    Record<
      string,
      {
        readonly at?: readonly string[];
        readonly values: readonly [unknown, unknown];
        readonly with?: Readonly<Record<string, unknown>>;
      }
    >
  >;
}

const service = { services: { NAME: { plan: "WEB-M", datacenter: "MAD1" } } };
const domain = { domains: { NAME: {} } };
const zone = { dns: { NAME: {} } };
const passwords = ["${env:FIRST_PASSWORD}", "${env:SECOND_PASSWORD}"] as const;
/** Files that the test writes beside the manifests. */
const certificates = ["${file:first.cert.pem}", "${file:second.cert.pem}"] as const;
const keys = ["${file:first.key.pem}", "${file:second.key.pem}"] as const;
const uploaded = { type: "uploaded", certificate: certificates[0], private_key: keys[0] };

export const samples: Readonly<Record<string, Samples>> = {
  service: {
    parents: {},
    path: ["services", "NAME"],
    body: { plan: "WEB-M", datacenter: "MAD1" },
    fields: {
      plan: { values: ["WEB-M", "WEB-L"] },
      datacenter: { values: ["MAD1", "BCN1"] },
      register: { values: [true, false] },
      "settings.php_version": { values: ["8.2", "8.3"] },
      "settings.https_redirect": { values: [true, false] },
      "settings.backups": { values: [false, true] },
    },
  },
  domain: {
    parents: {
      services: { NAME: { plan: "WEB-M", datacenter: "MAD1" }, "other-NAME": { plan: "WEB-M", datacenter: "MAD1" } },
    },
    path: ["domains", "NAME"],
    body: {},
    fields: {
      service: { values: ["NAME", "other-NAME"] },
      auto_renew: { values: [true, false] },
      nameservers: {
        values: [
          ["ns1.host.test", "ns2.host.test"],
          ["NS3.host.test.", "ns1.host.test"],
        ],
      },
      transfer_lock: { values: [true, false] },
      privacy: { values: [false, true] },
      "contacts.owner": { values: ["c1", "c2"] },
      "contacts.admin": { values: ["c1", "c2"] },
      "contacts.tech": { values: ["c1", "c2"] },
      "contacts.billing": { values: ["c1", "c2"] },
      register: { values: [true, false] },
      transfer: { at: ["transfer"], values: [{ auth_code: passwords[0] }, { auth_code: passwords[1] }] },
      auth_code: { at: ["transfer", "auth_code"], values: passwords },
      period_years: { values: [1, 2], with: { register: true } },
      renew_before: { values: ["30d", "60d"] },
    },
  },
  dns_zone: { parents: {}, path: ["dns", "NAME"], body: {}, fields: { ttl: { values: [7200, 300] } } },
  dns_record: {
    parents: {},
    path: ["dns", "NAME", "records", "www", "TXT"],
    body: { values: { value: "one" } },
    bodies: {
      priority: {
        path: ["dns", "NAME", "records", "@", "MX"],
        body: { values: [{ value: "mx.host.test.", priority: 5 }] },
      },
    },
    fields: {
      content: { at: ["values", "value"], values: ["one", "two; three"] },
      ttl: { values: [60, 120] },
      priority: { at: ["values", "0", "priority"], values: [10, 20] },
      disabled: { at: ["values", "disabled"], values: [true, false] },
      comment: { at: ["values", "comment"], values: ["old office", "new office"] },
    },
  },
  dnssec: {
    parents: zone,
    path: ["dns", "NAME", "dnssec"],
    body: { enabled: true },
    fields: { enabled: { values: [true, false] }, algorithm: { values: [13, 15] } },
  },
  mailbox: {
    parents: domain,
    path: ["mail", "NAME", "mailboxes", "info"],
    body: { password: passwords[0] },
    fields: {
      password: { values: passwords },
      quota_mb: { at: ["quota"], values: ["2 GiB", "unlimited"] },
      sending_enabled: { values: [false, true] },
      rotate_after: { values: ["2026-01-01", "2026-02-01T12:00:00+01:00"] },
    },
  },
  mail_alias: {
    parents: domain,
    path: ["mail", "NAME", "aliases", "sales"],
    body: { destinations: ["info@NAME"] },
    fields: {
      destinations: { values: [["info@NAME"], ["Info@NAME", "b@NAME"]] },
      keep_copy: { values: [true, false] },
    },
  },
  mail_settings: {
    parents: domain,
    path: ["mail", "NAME", "settings"],
    body: {},
    fields: {
      catch_all: { values: ["info@NAME", null] },
      "autoresponder.enabled": {
        values: [true, false],
        with: { autoresponder: { subject: "Away", message: "Until Monday" } },
      },
      "autoresponder.subject": { values: ["Away", "Gone"] },
      "autoresponder.message": { values: ["Until Monday", "Until Tuesday"] },
      "autoresponder.starts_at": { values: ["2026-01-01T00:00:00Z", null] },
      "autoresponder.ends_at": { values: ["2026-02-01T00:00:00Z", null] },
      "dkim.enabled": { values: [true, false] },
    },
  },
  ftp_account: {
    parents: service,
    path: ["ftp", "NAME", "accounts", "deploy_SHORT"],
    body: { password: passwords[0] },
    fields: {
      password: { values: passwords },
      home: { values: ["/www", "/site"] },
      quota_mb: { at: ["quota"], values: [500, "1 GiB"] },
      permissions: { values: [["write", "read"], ["read"]] },
      enabled: { values: [false, true] },
    },
  },
  database: {
    parents: service,
    path: ["databases", "NAME", "databases", "shop"],
    body: { engine: "mariadb" },
    fields: {
      engine: { values: ["mariadb", "postgresql"] },
      charset: { values: ["utf8mb4", "latin1"] },
      collation: { values: ["utf8mb4_unicode_ci", "utf8mb4_general_ci"] },
    },
  },
  database_user: {
    parents: { ...service, databases: { NAME: { databases: { shop: { engine: "mariadb" } } } } },
    path: ["databases", "NAME", "users", "shop@10.0.0.1"],
    body: { password: passwords[0] },
    fields: { password: { values: passwords }, grants: { values: [{ shop: "all" }, { shop: ["SELECT", "insert"] }] } },
  },
  cron: {
    parents: service,
    path: ["crons", "NAME", "jobs", "nightly"],
    body: { schedule: "0 3 * * *", command: "php x.php" },
    fields: {
      schedule: { values: ["@daily", "*/5 * * * mon"] },
      command: { values: ["php a.php", "php b.php"] },
      enabled: { values: [false, true] },
      timezone: { values: ["Europe/Madrid", "UTC"] },
      email: { values: ["ops@example.com", null] },
      timeout_s: { values: [60, 120] },
    },
  },
  certificate: {
    parents: service,
    path: ["certificates", "NAME", 0],
    body: { domains: ["NAME"] },
    fields: {
      certificate: { values: certificates, with: uploaded },
      chain: { values: certificates, with: uploaded },
      private_key: { values: keys, with: uploaded },
      renew_before: { values: ["10d", "20d"] },
    },
  },
};

/** The sections of a manifest with the samples of all kinds at one name; not certificates, with which a service cannot go. */
export function wholeAccount(): Record<string, Record<string, unknown>> {
  const whole: Record<string, Record<string, unknown>> = {};
  for (const [kind, { path, body }] of Object.entries(samples)) {
    if (kind === "certificate") continue;
    const place = path.reduce<Record<string, unknown>>((here, step) => (here[step] ??= {}) as typeof whole, whole);
    Object.assign(place, body);
  }
  return whole;
}
