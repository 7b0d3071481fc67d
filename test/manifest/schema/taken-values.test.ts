import { expect, test } from "vitest";
import { readDesired } from "../../../src/manifest/read/desired.ts";
import type { WrittenMap } from "../../../src/manifest/yaml/written.ts";
import { loadText } from "../load-text.ts";
import { contractFile } from "../../support/contract-file.ts";

const { load } = contractFile();

/** The mistakes of a manifest under a contract with other words for one field, with their lines. */
async function mistakes(kind: string, field: string, words: string, manifest: string) {
  const fields = `{ "${field}": ${words} }`;
  const { contract, diagnostics } = await load(
    `contract: 1\nname: own\nextends: v2026\nkinds: { ${kind}: { fields: ${fields} } }\n`,
  );
  expect(diagnostics).toEqual([]);
  if (!contract) throw new Error("The contract is wrong");
  const { tree } = await loadText(manifest);
  const read = readDesired(tree as WrittenMap, () => ({ value: "a long password" }), contract);
  return read.diagnostics
    .filter(({ code: sort }) => sort === "not_taken")
    .map(({ at, code, summary, detail }) => [at?.line, code, summary, detail]);
}

test("no text in quotes is suggested in place of a number, which would be refused in its turn", async () => {
  const { contract } = await load("contract: 1\nname: own\nextends: v2026\n");
  const { tree } = await loadText(
    "version: 1\nname: x\ndns: { a.example: { dnssec: { enabled: true, algorithm: 133 } } }\n",
  );
  const [refused] = readDesired(tree as WrittenMap, () => ({ value: "" }), contract).diagnostics;
  expect(refused).toMatchObject({ code: "not_taken", detail: "one of 8, 13, 14, 15" });
  expect(refused?.hint).not.toContain("did you mean");
});

const zone = (record: string) =>
  `version: 1\nname: x\ndns:\n  example.com:\n    records:\n      www:\n        ${record}\n`;
const mail = (words: string) =>
  `version: 1\nname: x\nmail:\n  example.com:\n    mailboxes:\n      info:\n        ${words}\n`;

test.each([
  [
    "dns_record",
    "ttl",
    "{ min: 60, max: 86400, also: [1] }",
    zone("A: { ttl: 30, values: [192.0.2.1] }"),
    "a number of 60 or more and 86400 or less (or 1)",
  ],
  [
    "dns_record",
    "ttl",
    "{ min: 60 }",
    zone("A: { ttl: 30, values: [192.0.2.1] }"),
    "a number of 60 or more and 604800 or less",
  ],
  ["dns_record", "content", "{ max_length: 10 }", zone('TXT: ["0123456789"]'), "at most 10 characters"],
  [
    "dns_record",
    "content",
    "{ as: [plain_text] }",
    zone(String.raw`TXT: ['"\200"']`),
    "a value that the API can hold as the contract spells it",
  ],
  ["dns_record", "comment", "{ map: { a: b } }", zone("A: [{ value: 192.0.2.1, comment: c }]"), "one of a"],
  ["mailbox", "password", "{ max_length: 8 }", mail('{ password: "${env:P}" }'), "at most 8 characters"],
  [
    "mailbox",
    "quota_mb",
    "{ sentinel: 5 }",
    mail('{ password: "${env:P}", quota: 5 }'),
    "a value that the API can hold as the contract spells it",
  ],
])("%s %s %s: a value beyond it is refused at its line", async (kind, field, words, manifest, expected) => {
  const found = await mistakes(kind, field, words, manifest);
  expect(JSON.stringify(found)).not.toContain("a long password");
  expect(found).toEqual([[7, "not_taken", expect.stringContaining(`${kind} ${field} cannot be`), expected]]);
});

test.each([
  ["dns_record", "ttl", "{ min: 60, max: 86400, also: [1] }", zone("A: { ttl: 1, values: [192.0.2.1] }")],
  ["dns_record", "content", "{ as: [plain_text], max_length: 10 }", zone('TXT: ["0123456789"]')],
  [
    "dns_record",
    "content",
    "{ as: [priority_inside, no_final_dot] }",
    zone("MX: [{ value: mx.host.test., priority: 5 }]"),
  ],
  ["dns_record", "type", "{ map: { ALIAS: ANAME } }", zone("A: [192.0.2.1]")],
  ["mailbox", "quota_mb", "{ sentinel: -1, as: [bytes] }", mail('{ password: "${env:P}", quota: unlimited }')],
])("%s %s %s: a value within it is taken", async (kind, field, words, manifest) => {
  expect(await mistakes(kind, field, words, manifest)).toEqual([]);
});
