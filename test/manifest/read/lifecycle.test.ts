import { describe, expect, test } from "vitest";
import { readDesired } from "../../../src/manifest/read/desired.ts";
import { loadBody } from "../load-text.ts";

async function read(body: string) {
  const { tree, diagnostics: shape } = await loadBody(body);
  if (!tree || shape.length > 0) throw new Error(JSON.stringify(shape));
  const { desired, diagnostics } = readDesired(tree, () => ({ missing: "not needed" }));
  const [resource] = [...desired.resources.values()].filter(({ lifecycle }) => lifecycle);
  return { lifecycle: resource?.lifecycle, fields: resource?.fields, diagnostics };
}

describe("a lifecycle", () => {
  test.each([
    ["a service", "services: {a.b: {lifecycle: L}}", "settings.php_version", "settings.php_version"],
    ["a domain", "domains: {a.b: {lifecycle: L}}", "contacts.owner", "contacts.owner"],
    ["a zone", "dns: {a.b: {lifecycle: L}}", "ttl", "ttl"],
    ["DNSSEC", "dns: {a.b: {dnssec: {lifecycle: L}}}", "algorithm", "algorithm"],
    ["an RRset", "dns: {a.b: {records: {x: {A: {values: 192.0.2.1, lifecycle: L}}}}}", "values", "content"],
    [
      "an MX",
      "dns: {a.b: {records: {x: {MX: {values: {priority: 1, value: m.}, lifecycle: L}}}}}",
      "priority",
      "priority",
    ],
    ["a mailbox", "domains: {a.b: }\nmail: {a.b: {mailboxes: {x: {lifecycle: L}}}}", "quota", "quota_mb"],
    ["an alias", "domains: {a.b: }\nmail: {a.b: {aliases: {x: {lifecycle: L}}}}", "destinations", "destinations"],
    ["mail settings", "domains: {a.b: }\nmail: {a.b: {settings: {lifecycle: L}}}", "dkim.enabled", "dkim.enabled"],
    ["an FTP account", "services: {a.b: }\nftp: {a.b: {accounts: {x: {lifecycle: L}}}}", "home", "home"],
    ["a database", "services: {a.b: }\ndatabases: {a.b: {databases: {x: {lifecycle: L}}}}", "engine", "engine"],
    ["a database user", "services: {a.b: }\ndatabases: {a.b: {users: {x: {lifecycle: L}}}}", "grants", "grants"],
    ["a cron", "services: {a.b: }\ncrons: {a.b: {jobs: {x: {lifecycle: L}}}}", "schedule", "schedule"],
    ["a certificate", "services: {a.b: }\ncertificates: {a.b: [{domains: [a.bc], lifecycle: L}]}", "chain", "chain"],
  ])("can stand in the block of %s", async (_, body, word, field) => {
    const text = `{prevent_destroy: true, ignore_changes: [${word}]}`;
    const { lifecycle, diagnostics } = await read(body.replace("L", text));
    expect(diagnostics).toEqual([]);
    expect(lifecycle).toEqual({ preventDestroy: true, ignoreChanges: [field] });
  });

  test.each([
    ["misspelt", "quotta", 'did you mean "quota"?'],
    ["in the API's word", "quota_mb", 'did you mean "quota"?'],
    ["only written", "password", undefined],
    ["only for the manifest", "rotate_after", undefined],
  ])("names a field that is %s: a mistake, at its place", async (_, word, hint) => {
    const { diagnostics } = await read(
      `domains: {a.b: }\nmail: {a.b: {mailboxes: {x: {lifecycle: {ignore_changes: [${word}]}}}}}`,
    );
    expect(diagnostics).toMatchObject([
      { code: "unknown_field", detail: "one of quota, sending_enabled", at: { line: 4, col: 59 } },
    ]);
    expect(diagnostics[0]?.hint).toBe(hint);
  });
});
