import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joinParts, partsOfType, splitParts } from "../../src/contract/spelling/content-parts.ts";
import { readZone } from "../../src/import/zone-file/read-zone.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import { recordTypes } from "../../src/kinds/dns/record-types.ts";
import { setPointer } from "../../src/model/json-pointer.ts";
import { jsonText, type Json, type JsonObject } from "../../src/model/json.ts";
import { size } from "../proofs/size.ts";
import { forDraws } from "../support/for-draws.ts";
import { recordForms } from "../support/forms/record-forms.ts";

const { fields, members } = kindNamed("dns_record");
const keyOf = (type: string) => ({ zone: "example.com", name: "www", type });
const normal = (type: string, content: Json) => jsonText(fields["content"]?.normalise?.(content, keyOf(type)));

const oddWords = ["-1", "a..b", "%", "no=yes"];

/** Returns a record after it was written in one form and read from it. Without parts in JSON it is as it was. */
const ways: Readonly<Record<string, (type: string, record: JsonObject) => JsonObject>> = {
  "an item of a manifest": (type, record) => {
    const written = members?.write({}, [record], keyOf(type)) ?? null;
    return { priority: null, ...members?.read(written, keyOf(type)).members[0]?.fields };
  },
  "a line of a zone file": (type, { content, priority }) => {
    const text = `$ORIGIN example.com.\nwww 60 IN ${type} ${priority === null ? "" : `${jsonText(priority)} `}${jsonText(content)}\n`;
    const [read] =
      readZone({ file: "zone", text }, () => ({ expected: "no $INCLUDE", found: "one" })).zone?.records ?? [];
    return { content: read?.content ?? null, priority: read?.priority ?? null };
  },
  "parts in JSON": (type, { content = null, priority = null }) => {
    const pointers = Object.fromEntries(partsOfType(type).map((name) => [name, `/${name}`]));
    const parts = splitParts(type, pointers, jsonText(content));
    const raw = (parts ?? []).reduce<JsonObject>((all, [pointer, value]) => setPointer(all, pointer, value), {});
    return { content: parts ? (joinParts(type, pointers, raw) ?? null) : content, priority };
  },
};

describe.each([...recordTypes].map(([type, row]) => [type, row] as const))("a record of type %s", (type, row) => {
  test("of which each word is wrong is refused with the expected form of each", () => {
    const wrong = row.parts.map(({ check }) => oddWords.find((word) => check(word) !== undefined) ?? "0");
    const expected = row.parts.flatMap(({ check }, index) => check(wrong[index] ?? "") ?? []);
    const found = fields["content"]?.check?.(wrong.join(" "), keyOf(type)) ?? "";
    for (const each of expected) expect(found).toContain(each);
  });

  test.each(Object.entries(ways))("that was written as %s is read as the same record", (_form, readBack) =>
    forDraws(
      { numRuns: size.recordForms },
      recordForms[type]?.good ?? fc.constant(""),
      fc.nat({ max: 65_535 }),
      (written, number) => {
        const record = { content: normal(type, written), priority: row.hasPriority === true ? number : null };
        const { content, priority } = readBack(type, record);
        expect({ content: normal(type, content ?? null), priority }).toEqual(record);
      },
    ),
  );
});

const root = new URL("../../", import.meta.url);
/** The files that name each record type beside its row, and the type there. */
const places: Readonly<Record<string, (type: string) => RegExp>> = {
  "schemas/manifest.schema.json": (type) => new RegExp(String.raw`"${type}": \{\s+"\$ref": "#/\$defs/\w+_rrset"`, "u"),
  "schemas/contracts/v2026.yaml": (type) => new RegExp(String.raw`values: \[(?=A, AAAA).*\b${type}\b`, "u"),
  "schemas/hosting-api.openapi.yaml": (type) => new RegExp(String.raw`pattern: \^\((?=A\|AAAA).*\b${type}\b`, "u"),
  "test/support/forms/record-forms.ts": (type) => new RegExp(String.raw`\b${type}:`, "u"),
};

test.each(Object.entries(places))("%s names every record type that has a row", (file, named) => {
  const text = readFileSync(new URL(file, root), "utf8");
  expect([...recordTypes.keys()].filter((type) => !named(type).test(text))).toEqual([]);
});
