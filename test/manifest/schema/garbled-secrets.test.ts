import { describe, expect, test } from "vitest";
import { renderDiagnostics } from "../../../src/render/diagnostics.ts";
import { errorsIn } from "../load-text.ts";

const secret = "s3ntinel-Pa55";

/** Collections of resources that have a secret, with the name of one resource and of its secret field. */
const kinds: Readonly<Record<string, readonly [before: string, collection: string, name: string, field: string]>> = {
  mailbox: ["mail: { a.example: {", "mailboxes", "info", "password"],
  ftp_account: ["ftp: { a.example: {", "accounts", "bob", "password"],
  database_user: ["databases: { a.example: {", "users", "bob", "password"],
  domain: ["", "domains", "a.example", "transfer"],
  certificate: ["", "certificates", "a.example", "private_key"],
};

/** Ways in which people write a resource and its secret, none of which is right. */
const garbled: Readonly<Record<string, (name: string, field: string) => string>> = {
  "the secret in place of the resource": (name) => `{ ${name}: ${secret} }`,
  "the quoted secret in place of the resource": (name) => `{ ${name}: "${secret}" }`,
  "a list of names and secrets": (name) => `["${name}:${secret}"]`,
  "a list of texts": (name) => `[${name}, ${secret}]`,
  "a list of maps with the name as key": (name) => `[{ ${name}: ${secret} }]`,
  "a list of maps": (name, field) => `[{ name: ${name}, ${field}: ${secret} }]`,
  "a text in place of the collection": (name) => `"${name} ${secret}"`,
  "a list in place of the resource": (name) => `{ ${name}: [${secret}] }`,
  "a list of fields": (name, field) => `{ ${name}: [{ ${field}: ${secret} }] }`,
  "a misspelled field": (name, field) => `{ ${name}: { ${field.slice(0, -1)}: ${secret} } }`,
  "a field without a blank": (name, field) => `{ ${name}: { "${field}:${secret}": 1 } }`,
  "a list in place of the secret": (name, field) => `{ ${name}: { ${field}: [${secret}] } }`,
  "a map in place of the secret": (name, field) => `{ ${name}: { ${field}: { is: ${secret} } } }`,
  "the key twice": (name, field) => `{ ${name}: { ${field}: x, ${field}: ${secret} } }`,
  "a text that is not closed": (name, field) => `{ ${name}: { ${field}: "${secret} } }`,
};

/** Where a text in place of a resource is no secret: people write names there. */
const isName = (kind: string, what: string) =>
  ["domain", "certificate"].includes(kind) && !/field|of the secret|a list of maps$|twice|closed/u.test(what);

const cases = Object.entries(kinds).flatMap(([kind, place]) =>
  Object.entries(garbled).flatMap(([what, write]) => (isName(kind, what) ? [] : [{ kind, place, what, write }])),
);

test.each(["mail", "ftp"])("a record of the name %s is shown", async (name) => {
  const errors = await errorsIn(`dns: { a.example: { records: { ${name}: 192.0.2.77 } } }\n`);
  expect(renderDiagnostics(errors, { color: false, width: 200, mask: String }, true)).toMatch(/192.*192/su);
});

describe("no message shows a secret that is written in a wrong form", () => {
  test.each(cases)("$kind: $what", async ({ place: [before, collection, name, field], write }) => {
    const body = `${before}${collection}: ${write(name, field)}${" }".repeat(before.split("{").length - 1)}\n`;
    const errors = await errorsIn(body);
    expect(errors.length).toBeGreaterThan(0);
    const page = { color: false, width: 200, mask: String };
    expect(renderDiagnostics(errors, page, true)).not.toContain("s3ntinel");
    expect(JSON.stringify(errors.map(({ at: _at, ...rest }) => rest))).not.toContain("s3ntinel");
  });
});
