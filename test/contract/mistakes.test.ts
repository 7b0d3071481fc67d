import { expect, test } from "vitest";
import { loadContract } from "../../src/contract/load-contract.ts";
import { summariseContract } from "../../src/contract/summarise-contract.ts";
import { setContract } from "../support/set-vendor.ts";
import { contractFile } from "../support/contract-file.ts";

const { load } = contractFile();

const over = (kind: string, words: string) => `contract: 1
name: other
extends: v2026
kinds:
  ${kind}:
${words}
`;

/** Each mistake, with its line, its message and its hint. */
test.each([
  [
    "a field without a place",
    over("cron", "    id: /id\n    fields:\n      command:\n        at: null"),
    ["9 kinds.cron.fields.command does not say where the field stands (write at: /…, or absent: true)"],
  ],
  [
    "a content that stands in parts alone",
    over(
      "dns_record",
      "    etag: /etag\n    fields:\n      content: { at: null, parts: { CAA: { flags: /f, tag: /t, value: /v } } }",
    ),
    ["8 kinds.dns_record.fields.content does not say where the field stands (write at: /…, or absent: true)"],
  ],
  [
    "the id of an object that has none",
    over("cron", "    etag: /etag\n    id: null"),
    [
      "6 kinds.cron.operations.read uses {id}, as do operations.update and operations.delete, and kinds.cron does not say where an object holds its id (write kinds.cron.id, such as id: /id)",
    ],
  ],
  [
    "a kind without names, to which others belong by its id",
    over("service", "    etag: /etag\n    named_by: plan"),
    [
      "7 kinds.service.named_by: domain belongs to service by its id, and one without a name has no address to belong to (take named_by out, and write the place of its name)",
    ],
  ],
  [
    "an update of a field that it does not have",
    over("cron", "    update_of:\n      comand: { method: PUT, path: /crons }"),
    ["7 there is no kinds.cron.update_of.comand (did you mean command?)"],
  ],
  [
    "an update of a field that the API does not have",
    over(
      "cron",
      "    fields: { command: { absent: true } }\n    update_of:\n      command: { method: PUT, path: /crons }",
    ),
    [
      "8 kinds.cron.update_of.command changes a field that has no entry in kinds.cron.fields (one of service, name, schedule, enabled, timezone, email, timeout_s)",
    ],
  ],
  [
    "a field that the kind does not have, at its name",
    over("cron", "    fields:\n      comand:\n        at: /c"),
    ["7 there is no kinds.cron.fields.comand (did you mean command?)"],
  ],
  [
    "a kind that has the wrong form, and rules for all that contradict each other",
    "contract: 1\nname: other\nextends: v2026\nrequest: { headers: { idempotency-key: x } }\nkinds:\n  cron: { etag: 5 }\n",
    [
      '6 kinds > cron > etag is 5 (write "5", in quotes)',
      "4 request.headers.idempotency-key sets the header idempotency-key, which request.idempotency.header sets as well (take one of the two out)",
    ],
  ],
  [
    "an alias of YAML",
    "contract: 1\nname: &name mine\nextends: *name\n",
    ["3 A contract has no aliases (write the value out)"],
  ],
  [
    "a list that is read in another way than with GET",
    over("cron", "    operations:\n      list:\n        path: /crons\n        method: POST"),
    [
      "9 kinds.cron.operations.list has the method POST: Hostform reads with GET only (write method: GET; if the API reads in another way, an adapter can translate it)",
    ],
  ],
  [
    "a parent without its key",
    over("dns_record", "    etag: /etag\n    params:\n      zone: { id_of: dns_zone, key: {} }"),
    [
      "8 kinds.dns_record.params.zone does not name one dns_zone: its key has the part name (write key: { name: … }, each a part of the key of the dns_record (zone, name, type))",
    ],
  ],
  [
    "a parent without the whole of its key",
    over("cron", "    etag: /etag\n    params:\n      service_id: { id_of: dns_record, key: { zone: service } }"),
    [
      "8 kinds.cron.params.service_id does not name one dns_record: its key has the parts zone, name, type (write key: { zone: …, name: …, type: … }, each a part of the key of the cron (service, name))",
    ],
  ],
  [
    "parameters from fields that are not in the key, one of them secret",
    over(
      "mailbox",
      "    etag: /etag\n    params:\n      secret: { field: password }\n      quota: { field: quota_mb }\n" +
        '    operations: { create: { query: { p: "{secret}", q: "{quota}" } } }',
    ),
    [
      "8 kinds.mailbox.params.secret is filled from the field password of a mailbox, which is secret, and paths and queries stand in logs (send password in the body, where fields.password.at places it; a parameter can be filled from address)",
      "9 kinds.mailbox.params.quota is filled from the field quota_mb of a mailbox, which is not in the key (send quota_mb in the body, where fields.quota_mb.at places it; a parameter can be filled from address)",
    ],
  ],
  [
    "texts that hold more than one parameter",
    over(
      "cron",
      '    etag: /etag\n    operations:\n      create: { query: { s: "n-{service_id}" }, body: { /a: "{n}/{n}" } }\n    params: { n: { key: name } }',
    ),
    [
      '8 kinds.cron.operations.create.query.s holds text beside the id {service_id} (write one parameter alone, such as "{service_id}"; if the API wants more, an adapter can translate it)',
      '8 kinds.cron.operations.create.body./a holds several parameters (write one parameter alone, such as "{n}"; if the API wants more, an adapter can translate it)',
    ],
  ],
  [
    "texts that hold more than a parameter where a list is compared and looked up",
    over(
      "cron",
      '    etag: /etag\n    operations:\n      list: { where: [{ pointer: /s, equals: ["n-{service_id}"] }] }\n' +
        '    params:\n      found: { lookup: { path: /all, at: /id, query: { s: "n-{service_id}" }, where: [{ pointer: /t, equals: [x, "{t}{t}"] }] } }\n' +
        "      t: { key: service }",
    ),
    [
      '8 kinds.cron.operations.list.where.0.equals.0 holds text beside the id {service_id} (write one parameter alone, such as "{service_id}"; if the API wants more, an adapter can translate it)',
      '10 kinds.cron.params.found.lookup.query.s holds text beside the id {service_id} (write one parameter alone, such as "{service_id}"; if the API wants more, an adapter can translate it)',
      '10 kinds.cron.params.found.lookup.where.0.equals.1 holds several parameters (write one parameter alone, such as "{t}"; if the API wants more, an adapter can translate it)',
    ],
  ],
  [
    "a list of a parent that asks for a part of one object",
    over("cron", "    operations:\n      list: { path: '/crons/{name}' }\n    params: { name: { key: name } }"),
    [
      "7 kinds.cron.operations.list uses {name}, which is made of name: that belongs to one cron, but the list is that of a service (leave it out of this request, or read the list below a parent with for_each)",
    ],
  ],
  [
    "a request after the writes of a list that names one object",
    over(
      "cron",
      '    etag: /etag\n    after: { method: POST, path: "/reload/{id}/{name}" }\n    params: { name: { key: name } }',
    ),
    [
      "7 kinds.cron.after uses {id}, which kinds.cron.params does not define (write params: { id: { key: PART } } with a part of the key of the cron (service, name), or { id_of: KIND, key: { … } } for the id of a parent)",
      "7 kinds.cron.after uses {name}, which is made of name: that belongs to one cron, but the request is that of a service (leave it out of this request, or read the list below a parent with for_each)",
    ],
  ],
  [
    "a list of the account that asks for a part of one object",
    over(
      "service",
      "    operations:\n      list: { path: '/services/{domain}' }\n    params: { domain: { key: domain } }",
    ),
    [
      "7 kinds.service.operations.list uses {domain}, which is made of domain: that belongs to one service, but the list is that of the whole account (leave it out of this request, or read the list below a parent with for_each)",
    ],
  ],
  [
    "a parameter from a field without an entry",
    over("cron", "    etag: /etag\n    params:\n      command: { field: comand }"),
    ["8 kinds.cron.params.command is filled from the field comand, which has no entry (did you mean command?)"],
  ],
  [
    "a request after all others with a parameter that nothing fills",
    over("cron", "    etag: /etag\n    after: { method: POST, path: '/crons/{nothing}/refresh' }"),
    [
      "7 kinds.cron.after uses {nothing}, which kinds.cron.params does not define (write params: { nothing: { key: PART } } with a part of the key of the cron (service, name), or { id_of: KIND, key: { … } } for the id of a parent)",
    ],
  ],
  [
    "an id in a field that does not name one such object",
    over("database_user", "    etag: /etag\n    fields:\n      grants: { at: /database_id, id_of: database }"),
    [
      "8 kinds.database_user.fields.grants.id_of reads grants as the id of a database, and the grants of a database_user does not name one database (take id_of out)",
    ],
  ],
  [
    "a field that is sent as the whole body, and is not an object",
    over("mailbox", '    etag: /etag\n    operations:\n      update: { send: { quota_mb: "" } }'),
    [
      "8 kinds.mailbox.operations.update sends quota_mb, which is not an object, as the whole body (write its place in the body, such as quota_mb: /quota_mb)",
    ],
  ],
  [
    "a list that needs itself",
    over(
      "certificate",
      "    etag: /etag\n    operations:\n      list: { path: '/c/{x}', for_each: { x: certificate } }",
    ),
    [
      "8 kinds.certificate.operations.list.for_each.x needs the list of certificate, which is its own (fill it from the key, { key: PART }, or with a lookup)",
    ],
  ],
  [
    "two lists that need each other",
    over(
      "domain",
      "    operations:\n      list: { path: '/d/{x}', for_each: { x: dns_zone } }\n  dns_zone:\n    operations:\n      list: { path: '/z/{x}', for_each: { x: domain } }",
    ),
    [
      "7 kinds.domain.operations.list.for_each.x needs the list of dns_zone, and that list needs the list of domain (fill it from the key, { key: PART }, or with a lookup)",
      "10 kinds.dns_zone.operations.list.for_each.x needs the list of domain, and that list needs the list of dns_zone (fill it from the key, { key: PART }, or with a lookup)",
    ],
  ],
  [
    "lists for each object of a kind that has many lists",
    over("certificate", "    etag: /etag\n    operations:\n      list: { path: '/c/{x}', for_each: { x: database } }"),
    [
      "8 kinds.certificate.operations.list.for_each.x is the id of each database, and each service has a list of its own (write a kind that is listed for the whole account, such as service)",
    ],
  ],
  [
    "a path with a name that may be empty",
    over(
      "dns_record",
      "    params: { name: { field: name } }\n    fields:\n      name: { as: [relative_name, empty_apex] }\n    operations:\n      update: { path: '/records/{name}' }",
    ),
    [
      "10 kinds.dns_record.operations.update.path uses {name}, whose field is not a text of its own, or is empty, for some values: no part of a path can be empty (write {name} in the query or in the body, or the id of the object in the path)",
    ],
  ],
  [
    "requests for one set that name none, or only a part of its name",
    setContract("rrset")
      .replace('DELETE, path: "/zones/{zone}/sets/{name}/{type}"', 'DELETE, path: "/zones/{zone}/sets/{name}"')
      .replace("/sets/{name}/{type}/ttl", "/sets/ttl"),
    [
      "31 operations.set.delete names no dns_record: DELETE /zones/{zone}/sets/{name}",
      "30 operations.set.update.1 names no dns_record: POST /zones/{zone}/sets/ttl",
    ].map(
      (each) =>
        `${each.replace(" ", " kinds.dns_record.")} would reach all that stand there (write {name} and {type} into its path, or send: [name, type] if its body names the set)`,
    ),
  ],
  [
    "a request for one set that writes with GET, which is one mistake",
    setContract("rrset").replace(
      'DELETE, path: "/zones/{zone}/sets/{name}/{type}"',
      'GET, path: "/zones/{zone}/sets/{name}"',
    ),
    [
      "31 kinds.dns_record.operations.set.delete has the method GET: a GET is repeated freely, so it must not write (write POST, PUT, PATCH or DELETE; if the API writes with GET, an adapter can translate it)",
    ],
  ],
  [
    "a set whose requests send no TTL",
    setContract("rrset").replace("send: [ttl] ", "send: [comment] "),
    [
      "29 no request of kinds.dns_record.operations.set.update sends ttl, so it could never be changed (add ttl to the send: of a request, or write fields.ttl: { absent: true })",
    ],
  ],
])("a contract with %s is refused at its line", async (_, text, expected) => {
  const { diagnostics } = await load(text);
  expect(diagnostics.map(({ at, summary, hint }) => `${at?.line} ${summary} (${hint})`)).toEqual(expected);
});

test("a contract whose update never sends a field is taken, with a warning at its line", async () => {
  const update =
    "    update_of: { disabled: { method: PUT, path: '/off/{id}' } }\n    operations:\n      update: { send: [content] }";
  const { contract, warnings = [] } = await load(over("dns_record", update));
  expect(contract).toBeDefined();
  const unsent = (field: string) =>
    `8 no request of kinds.dns_record.operations.update sends ${field}, so it could never be changed`;
  expect(warnings.map(({ at, summary }) => `${at?.line} ${summary}`)).toEqual(["ttl", "comment"].map(unsent));
});

const alone = (kind: string, words: string) => `contract: 1
name: alone
request: { auth: { header: Authorization, scheme: Bearer } }
answer: { record: "", list: "", error: { message: /message } }
paging: { style: none }
kinds:
  ${kind}:
    fields:
${words}
    operations:
      list: { method: GET, path: /all }
      read: { method: GET, path: "/all/{id}" }
      delete: { method: DELETE, path: "/all/{id}" }
`;

test.each(["service", "domain", "dns_zone", "database"])(
  "a %s without ids and its name: one mistake each, at its line",
  async (kind) => {
    const { diagnostics } = await load(alone(kind, "      status: { at: /status }"));
    expect(diagnostics.filter(({ summary }) => summary.includes("{id}"))).toHaveLength(1);
    const unnamed = diagnostics.filter(({ summary }) => summary.includes("has no place for"));
    expect(unnamed.map(({ at }) => at?.line)).toEqual([8]);
  },
);

test.each([
  ["kinds", "site", "service"],
  ["kinds", "website", "service"],
  ["kinds", "zone", "dns_zone"],
  ["kinds", "email_alias", "mail_alias"],
  ["kinds", "ftp", "ftp_account"],
  ["kinds", "ssl_certificates", "certificate"],
  ["mailbox", "quota", "quota_mb"],
  ["mailbox", "max_size", "quota_mb"],
  ["mailbox", "usage", "usage_mb"],
  ["domain", "nameserver", "nameservers"],
  ["domain", "expiry_date", "expires_at"],
  ["service", "php_version", "settings.php_version"],
])("a made-up name is answered with the one that is meant: %s %s", async (kind, name, meant) => {
  const text = kind === "kinds" ? alone(name, "      name: { at: /name }") : alone(kind, `      ${name}: { at: /x }`);
  const { diagnostics } = await load(text);
  expect(diagnostics.map(({ hint }) => hint)).toContain(`did you mean ${meant}?`);
});

test("no hint only points at a schema", async () => {
  const whole = alone("mailbox", "      address: { at: /a }");
  for (const [from, to] of [
    ["paging: { style: none }", "pages: { style: none }"],
    ["contract: 1", "contract: one"],
    ["operations:", "requests:"],
    ["path: /all }", "}"],
    ["at: /a }", "at: 7 }"],
    ["{ style: none }", "{ style: sideways }"],
    ["/all/{id}", "/all/{nothing}"],
  ]) {
    const { diagnostics } = await load(whole.replace(from as string, to as string));
    expect(diagnostics.length, to).toBeGreaterThan(0);
    for (const { hint } of diagnostics) expect(hint ?? "").not.toMatch(/see schemas/u);
  }
});

test("the summary of a contract names the request after all others", async () => {
  const { contract } = await load(over("cron", "    after: { method: POST, path: /crons/refresh }"));
  const offers = contract && summariseContract(contract).kinds.find(({ kind }) => kind === "cron")?.offers;
  expect(offers).toEqual(["list", "read", "create", "update", "delete", "after"]);
});

test.each([
  [undefined, "check the path; "],
  ["in provider.contract", "check the path in provider.contract; "],
])("of a contract that cannot be read, given %s, the hint is: %s", async (place, hint) => {
  const { diagnostics } = await loadContract("nope.yaml", place);
  expect(diagnostics.map((each) => each.hint)).toEqual([expect.stringContaining(hint)]);
});
