import fc, { type Arbitrary } from "fast-check";
import { misfit } from "../../src/contract/spelling/fits.ts";
import { codecs } from "../../src/contract/spelling/codecs.ts";
import type { FieldScope } from "../../src/contract/spelling/read-field.ts";
import type { Kind } from "../../src/kinds/kind.ts";
import type { Codec, FieldContract } from "../../src/model/contract.ts";
import type { Json } from "../../src/model/json.ts";
import type { Key } from "../../src/model/resource.ts";
import { anyCharacter } from "../support/any-character.ts";

const names = Object.keys(codecs) as Codec[];

const operations = { list: { method: "GET", path: "/x" } } as const;

/** Draws a list of codecs that fit a field, in any order. */
export const codecsFor = (kind: Kind, field: string): Arbitrary<Codec[]> =>
  fc
    .shuffledSubarray(names.filter((codec) => misfit(kind, field, [codec]) === undefined || codec === "final_dot"))
    .filter((drawn) => misfit(kind, field, drawn) === undefined);

/** Texts that servers send, odd ones too. */
export const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: anyCharacter }),
  fc.constantFrom(
    "",
    "1",
    "007",
    "true",
    "null",
    "info@example.com",
    "info",
    "@",
    "example.com",
    "a.example.com.",
    "-1",
    "1e3",
    "9007199254740993",
    '"a"',
  ),
);

/** Values of any type. */
export const anything: Arbitrary<Json> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }) as Arbitrary<Json>,
  texts,
  fc.integer(),
  fc.constant(null),
);

/** How these fields of a kind are spelt, for one key. */
export const speltAs = (kind: Kind, fields: Readonly<Record<string, FieldContract>>, key: Key): FieldScope => ({
  kind: { ...kind, entry: { fields, operations } },
  key,
});
