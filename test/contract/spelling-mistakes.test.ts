import { expect, test } from "vitest";
import { contractFile } from "../support/contract-file.ts";

const own = contractFile();

/** Loads the built-in contract with other words for one field: on line 5. */
async function load(kind: string, field: string, words: string) {
  const { contract, diagnostics } = await own.load(
    `contract: 1\nname: own\nextends: v2026\nkinds: { ${kind}: { fields: {\n  "${field}": ${words}\n  }}}\n`,
  );
  const hints = diagnostics.map(({ hint = "" }) => hint);
  return { contract, hints, told: diagnostics.map(({ at, summary }) => `${at?.line}: ${summary}`) };
}

test.each([
  ["mailbox", "status", "{ as: [bytes] }", "as: bytes is not a spelling of status"],
  ["mailbox", "status", "{ as: [string] }", "as: string is not a spelling of status"],
  ["dns_record", "ttl", "{ as: [integer] }", "as: integer is not a spelling of ttl"],
  ["dns_record", "comment", "{ as: [plain_text] }", "as: plain_text is not a spelling of comment"],
  ["dns_record", "content", "{ as: [whole_name] }", "as: whole_name is not a spelling of content"],
  ["dns_record", "name", "{ as: [final_dot] }", "as: final_dot of a name needs whole_name beside it"],
  [
    "dns_record",
    "name",
    "{ as: [whole_name, relative_name] }",
    "as: whole_name and relative_name contradict each other",
  ],
  ["cron", "name", "{ as: [local_part] }", "as: local_part is not a spelling of name"],
  ["mailbox", "status", "{ map: { active: on, pending: on } }", 'map.pending: "on" stands for active as well'],
  ["mailbox", "quota_mb", "{ sentinel: -1, map: { 5: -1 } }", "map.5: -1 stands for null as well"],
  ["domain", "service", "{ map: { a: b } }", "map: an id has no words"],
  [
    "mailbox",
    "status",
    "{ parts: { MX: { target: /a } } }",
    "parts: only the name and the content of DNS records have parts",
  ],
  ["mailbox", "status", "{ item: /x }", "item: item is for lists, and status holds one value"],
  ["cron", "command", '{ keys: "c{n}" }', "keys: keys is for lists, and command holds one value"],
  ["dns_record", "name", "{ parts: { TXT: { _service: /s, _protocol: /p } } }", "parts.TXT: one of SRV"],
  ["dns_record", "name", "{ parts: { SRV: { _service: /s } } }", "parts.SRV: _protocol of SRV has no place"],
  [
    "dns_record",
    "name",
    "{ parts: { SRV: { _service: /s, _protocol: /p, port: /q } } }",
    "parts.SRV.port: a part of SRV is one of ",
  ],
  [
    "dns_record",
    "content",
    '{ parts: { SRV: { "priority target": /a, "weight port": /b } } }',
    "parts.SRV.priority target: only numbers stand in one text, and target of SRV is not a number",
  ],
  [
    "dns_record",
    "content",
    '{ parts: { SRV: { "priority weight port": /a, port: /b, target: /t } } }',
    "parts.SRV.port: port of SRV has two places",
  ],
  ["dns_record", "content", "{ parts: { LOC: { size: /a } } }", "parts.LOC: one of A, "],
  [
    "dns_record",
    "content",
    '{ parts: { CAA: { flags: /a, tag: /b, value: "" } } }',
    "parts.CAA.value: a part is not the whole record",
  ],
  ["dns_record", "content", "{ parts: { CAA: { flags: /a, tag: /b } } }", "parts.CAA: value of CAA has no place"],
  [
    "dns_record",
    "content",
    "{ parts: { MX: { target: /a, weight: /b } } }",
    "parts.MX.weight: a part of MX is one of priority, target",
  ],
])("%s %s: %s is refused at its line", async (kind, field, words, summary) => {
  const { told, hints } = await load(kind, field, words);
  expect(hints).toEqual([expect.stringMatching(/^(?:write|take) .+/u)]);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain(`5: kinds.${kind}.fields.${field}.${summary}`);
});

test.each([
  [
    "dns_record",
    "content",
    "{ as: [plain_text, no_final_dot, priority_inside], parts: { CAA: { flags: /f, tag: /t, value: /v } } }",
  ],
  ["dns_record", "name", "{ as: [final_dot, whole_name] }"],
  ["mailbox", "quota_mb", "{ as: [bytes, string], sentinel: -1 }"],
  ["service", "plan", "{ as: [integer] }"],
  ["mailbox", "status", "{ map: { active: [ok, fine], pending: new } }"],
])("%s %s: %s is taken", async (kind, field, words) => {
  expect((await load(kind, field, words)).told).toEqual([]);
});
