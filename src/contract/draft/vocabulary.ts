/** Words for one kind: what paths call its lists, and what records call its fields. */
export interface Vocabulary {
  /** Paths of lists, with the weight of each: constants only, singular, without the base path. */
  readonly paths: readonly (readonly [pattern: RegExp, weight: number])[];
  /** Fields without which a list is not one of this kind. */
  readonly needs: readonly string[];
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** One object to a parent. */
  readonly single?: true;
}

const created = ["created_at", "created", "created_on", "created_date", "creation_date", "date_created"];
const status = ["status", "state"];
const enabled = ["enabled", "is_enabled", "active", "is_active"];
const password = ["password", "new_password", "passwd", "secret"];
const quota = ["quota_mb", "quota", "quota_bytes", "quota_in_bytes", "max_size", "disk_quota", "mailbox_size"];
const service = ["service_id", "service", "website_id", "site_id", "project_id", "hosting_id", "webspace_id"];
const expires = ["expires_at", "expires", "expires_on", "expiration_date", "expiry_date", "valid_until"];

/** The vocabulary of each kind, in the order of preference. Names that differ in case, hyphens or plural only are one. */
export const vocabularies: Readonly<Record<string, Vocabulary>> = {
  service: {
    paths: [
      [/(?:^|\/)(?:web-?site|web-?space|hosting|v-?host|virtual-host|web-?hosting)$/u, 6],
      [/(?:^|\/)service$/u, 5],
      [/(?:^|\/)(?:project|site|subscription|package|hosting-account)$/u, 4],
    ],
    needs: ["domain"],
    fields: {
      domain: ["domain", "domain_name", "primary_domain", "main_domain", "hostname", "name", "description"],
      plan: ["plan", "plan_id", "id_service_type", "package", "package_id", "product_id", "order_id"],
      datacenter: ["datacenter", "datacenter_code", "region", "location"],
      register: ["register"],
      "settings.php_version": ["php_version"],
      "settings.https_redirect": ["https_redirect", "force_https"],
      "settings.backups": ["backups"],
      "resources.disk_mb": ["disk_mb", "disk_limit"],
      "resources.disk_used_mb": ["disk_used_mb", "disk_usage"],
      "resources.bandwidth_mb": ["bandwidth_mb", "bandwidth"],
      type: ["type"],
      status,
      created_at: created,
    },
  },
  domain: {
    paths: [
      [/(?:^|\/)(?:domain|domain-name|registration)$/u, 6],
      [/(?:^|\/)domain\/(?:v\d+\/)?(?:portfolio|list|registration)$/u, 7],
    ],
    needs: ["name"],
    fields: {
      name: ["domain", "domain_name", "name", "fqdn"],
      service,
      auto_renew: ["auto_renew", "auto_renewal", "renew_auto", "is_auto_renew"],
      nameservers: ["nameservers", "ns"],
      transfer_lock: ["transfer_lock", "is_locked", "locked", "transfer_locked", "registrar_lock", "domain_lock"],
      privacy: ["privacy", "privacy_protection", "whois_privacy", "is_privacy_protected"],
      "contacts.owner": ["owner", "contacts_owner", "owner_id", "owner_contact", "registrant"],
      "contacts.admin": ["admin", "contacts_admin", "admin_id", "admin_contact"],
      "contacts.tech": ["tech", "tech_id", "tech_contact"],
      "contacts.billing": ["billing", "billing_id", "billing_contact"],
      register: ["register"],
      transfer: ["transfer"],
      auth_code: ["auth_code"],
      period_years: ["period_years", "years", "period"],
      status,
      expires_at: expires,
    },
  },
  dns_zone: {
    paths: [
      [/(?:^|\/)dns(?:-|\/(?:v\d+\/)?)(?:zone|domain)$/u, 7],
      [/(?:^|\/)(?:hosted-)?zone$/u, 6],
    ],
    needs: ["name"],
    fields: {
      name: ["name", "domain", "domain_name", "zone", "zone_name", "origin"],
      ttl: ["ttl", "default_ttl", "zone_ttl"],
      nameservers: ["nameservers", "assigned", "ns"],
      serial: ["serial", "soa_serial"],
      status,
    },
  },
  dns_record: {
    paths: [
      [/(?:^|\/)(?:dns-)?(?:rrset|rr-set|record-?set|resource-record-set)$/u, 8],
      [/(?:^|\/)dns-?record$/u, 7],
      [/(?:zone|dns|domain)(?:\/.*)?\/(?:resource-)?record$/u, 7],
      [/(?:^|\/)dns(?:-|\/(?:v\d+\/)?)zone$/u, 5],
    ],
    needs: ["name", "type", "content"],
    fields: {
      name: ["name", "host", "hostname", "record_name", "subdomain", "subname", "label"],
      type: ["type", "record_type", "rr_type"],
      content: ["content", "value", "data", "rdata", "target", "answer", "address"],
      ttl: ["ttl"],
      priority: ["priority", "prio", "preference", "mx_priority"],
      disabled: ["disabled", "is_disabled"],
      comment: ["comment", "note"],
      managed: ["managed", "is_managed", "read_only", "is_system", "locked"],
    },
  },
  dnssec: {
    paths: [[/(?:^|\/)dns-?sec$/u, 6]],
    needs: [],
    single: true,
    fields: {
      enabled,
      algorithm: ["algorithm"],
      status,
      ds_records: ["ds_records", "ds"],
    },
  },
  mailbox: {
    paths: [
      [/(?:^|\/)(?:e?mail-?)?mail-?box$/u, 7],
      [/(?:^|\/)e?-?mail(?:-|\/(?:v\d+\/)?)(?:account|user|box|address)$/u, 6],
      [/(?:^|\/)e-?mail$/u, 3],
    ],
    needs: ["address"],
    fields: {
      address: ["address", "email", "email_address", "mail_address", "local_part", "username", "login", "name"],
      password,
      quota_mb: [...quota, "limit", "storage_limit", "size_limit"],
      sending_enabled: ["sending_enabled", "can_send", "send_enabled", "smtp_enabled"],
      status,
      usage_mb: ["usage_mb", "usage", "used", "used_bytes", "used_mb", "disk_usage"],
      password_updated_at: ["password_updated_at", "password_changed_at"],
    },
  },
  mail_alias: {
    paths: [
      [/(?:^|\/)e?-?mail.*(?:alias|forward|forwarder|forwarding)$/u, 7],
      [/(?:^|\/)(?:alias|forwarder|redirection)$/u, 3],
    ],
    needs: ["address", "destinations"],
    fields: {
      address: ["address", "alias", "email", "source", "from", "local_part", "name"],
      destinations: ["destinations", "forward_addresses", "targets", "goto", "forward_to", "to"],
      keep_copy: ["keep_copy", "store_copy"],
      status,
    },
  },
  mail_settings: {
    paths: [[/(?:^|\/)e?-?mail.*setting$/u, 6]],
    needs: [],
    single: true,
    fields: {
      catch_all: ["catch_all"],
      "autoresponder.enabled": ["autoresponder_enabled"],
      "autoresponder.subject": ["autoresponder_subject"],
      "autoresponder.message": ["autoresponder_message"],
      "autoresponder.starts_at": ["autoresponder_starts_at"],
      "autoresponder.ends_at": ["autoresponder_ends_at"],
      "dkim.enabled": ["dkim_enabled"],
      "dkim.selector": ["dkim_selector"],
      "dkim.record": ["dkim_record"],
      sending_limit_per_hour: ["sending_limit_per_hour", "hourly_limit"],
    },
  },
  ftp_account: {
    paths: [[/(?:^|\/)(?:s?ftp|ssh)(?:(?:-|\/)(?:account|user))?$/u, 6]],
    needs: ["username"],
    fields: {
      service,
      username: ["username", "login", "user", "name"],
      password,
      home: ["home", "home_directory", "home_dir", "directory", "path", "root", "work_directory"],
      quota_mb: quota,
      permissions: ["permissions", "access_level", "access"],
      enabled,
      primary: ["primary", "is_primary", "is_main"],
    },
  },
  database: {
    paths: [[/(?:^|\/)(?:my-?sql-?|maria-?db-?|postgres(?:ql)?-?|sql-?)?(?:database|db)$/u, 6]],
    needs: ["name"],
    fields: {
      service,
      name: ["name", "database_name", "db_name", "database"],
      engine: ["engine", "db_type", "database_type"],
      charset: ["charset", "character_set", "encoding"],
      collation: ["collation"],
      version: ["version", "engine_version"],
      status,
      host: ["host", "hostname"],
      port: ["port"],
      size_mb: ["size_mb", "size", "disk_usage"],
    },
  },
  database_user: {
    paths: [[/(?:^|\/)(?:my-?sql-?)?(?:database|db)(?:-|\/)user$/u, 6]],
    needs: ["username"],
    fields: {
      service,
      username: ["username", "login", "user", "name"],
      host: ["host", "remote_host", "allowed_host", "access_ip_mask"],
      password,
      grants: ["grants", "privileges"],
    },
  },
  cron: {
    paths: [[/(?:^|\/)(?:cron|cron-?job|cron-?tab|scheduled-(?:task|job)|task)$/u, 6]],
    needs: ["command"],
    fields: {
      service,
      name: ["name", "title", "label", "description"],
      schedule: ["schedule", "interval", "expression", "cron_expression", "time", "timing"],
      command: ["command", "cmd", "script", "path", "url"],
      enabled,
      timezone: ["timezone", "tz"],
      email: ["email", "mail_to", "notify_email"],
      timeout_s: ["timeout_s", "timeout", "timeout_seconds"],
    },
  },
  certificate: {
    paths: [[/(?:^|\/)(?:(?:ssl|tls)-?)?(?:certificate|cert)$/u, 6]],
    needs: ["domains"],
    fields: {
      service,
      domains: ["domains", "domain_names", "hostnames", "hosts", "dns_names", "common_names", "alternative_names"],
      type: ["type"],
      certificate: ["certificate", "cert", "certificate_pem"],
      chain: ["chain", "ca_bundle", "intermediate", "bundle"],
      private_key: ["private_key", "key"],
      status,
      "error.code": ["error_code"],
      "error.message": ["error_message"],
      created_at: created,
      not_before: ["not_before", "not_valid_before", "valid_from", "issued_on"],
      not_after: ["not_after", "not_valid_after", ...expires],
      fingerprint: ["fingerprint", "thumbprint"],
    },
  },
};

/** Names that mean something only in the record itself, not in an object inside of it. */
export const generic: ReadonlySet<string> = new Set(
  "name status state type host hostname port size description domain user email value content data enabled active version comment path target address time key access location to from url limit used usage years period owner admin label id".split(
    " ",
  ),
);

/** Fields whose values are lists. */
export const lists: ReadonlySet<string> = new Set([
  "domain.nameservers",
  "dns_zone.nameservers",
  "mail_alias.destinations",
  "certificate.domains",
  "dnssec.ds_records",
  "database_user.grants",
]);
