import type { Kind } from "../../kinds/kind.ts";
import { isPrioritised } from "../../kinds/dns/record-content.ts";
import type { FieldContract, KindContract } from "../../model/contract.ts";
import { isJoinable, namesOfPart, type PartPointers, partsOfType, typesInParts } from "./content-parts.ts";
import { codecsFor, holdsList, misfit } from "./fits.ts";
import { labelsOfName, typesWithLabels } from "./name-parts.ts";
import { isContent, isRecordName, priorityField } from "./place.ts";

/** A mistake in a contract, and the path to it. */
interface SpellingMistake {
  readonly path: readonly string[];
  readonly summary: string;
  readonly hint: string;
}

/** Finds spellings that make no sense: codecs on other fields than theirs, words that are two values, contents whose parts are not theirs. */
export function checkSpelling(kind: Kind, entry: KindContract): SpellingMistake[] {
  const own = kind.serverMade?.ownFlag;
  const path = ["kinds", kind.name];
  const hasFlag = entry.managed_when === undefined || own !== undefined;
  return [
    ...(hasFlag
      ? []
      : [
          {
            path: [...path, "managed_when"],
            summary: `kinds.${kind.name}.managed_when: the platform has no ${kind.name} of its own`,
            hint: "take managed_when out; where of the list leaves out records that are not to be seen",
          },
        ]),
    ...Object.entries(entry.fields).flatMap(([name, field]) =>
      mistakesOf(kind, name, field, entry).map(([word, summary, hint]) => ({
        path: [...path, "fields", name, ...word],
        summary: `kinds.${kind.name}.fields.${[name, ...word].join(".")}: ${summary}`,
        hint,
      })),
    ),
  ];
}

type FieldMistake = readonly [word: readonly string[], summary: string, hint: string];

function mistakesOf(kind: Kind, name: string, field: FieldContract, entry: KindContract): FieldMistake[] {
  if (field.absent === true || !kind.fields[name]) return [];
  const wrong = misfit(kind, name, field.as ?? []);
  const isId = field.id_of !== undefined && field.map !== undefined;
  return [
    ...(field.at === ""
      ? [[["at"], "a field is not the whole record", `write its place in the record, such as at: /${name}`] as const]
      : []),
    ...(wrong === undefined
      ? []
      : [[["as"], wrong, `write one of ${codecsFor(kind, name).join(", ")}, or take it out`] as const]),
    ...(isId ? [[["map"], "an id has no words", "take map out, or id_of if the field holds words"] as const] : []),
    ...ambiguousWords(field),
    ...listWords(kind, name, field),
    ...(field.parts ? checkParts(kind, name, field.parts, entry) : []),
  ];
}

/** Finds a word of the API that stands for two values. */
function ambiguousWords({ map = {}, sentinel }: FieldContract): FieldMistake[] {
  const seen = new Map<string, string>(sentinel === undefined ? [] : [[String(sentinel), "null"]]);
  return Object.entries(map).flatMap(([ours, theirs]) =>
    (Array.isArray(theirs) ? (theirs as readonly unknown[]) : [theirs]).flatMap((word): FieldMistake[] => {
      const other = seen.get(String(word));
      seen.set(String(word), ours);
      return other === undefined || other === ours
        ? []
        : [
            [
              ["map", ours],
              `${JSON.stringify(word)} stands for ${other} as well`,
              `write another word of the API for ${ours}, or only one of the two`,
            ],
          ];
    }),
  );
}

function checkParts(
  kind: Kind,
  name: string,
  parts: NonNullable<FieldContract["parts"]>,
  { fields }: KindContract,
): FieldMistake[] {
  const placeOfAll = Object.entries(parts).flatMap(([type, pointers]) =>
    Object.entries(pointers).flatMap(([part, pointer]): FieldMistake[] =>
      pointer === ""
        ? [[["parts", type, part], "a part is not the whole record", `write its place in the record, such as /${part}`]]
        : [],
    ),
  );
  if (placeOfAll.length > 0) return placeOfAll;
  if (isRecordName(kind, name)) return Object.entries(parts).flatMap(labelMistakes);
  if (!isContent(kind, name))
    return [
      [
        ["parts"],
        "only the name and the content of DNS records have parts",
        "write at: with the one place of the field instead",
      ],
    ];
  return Object.entries(parts).flatMap(([type, pointers]): FieldMistake[] => {
    const known = partsOfType(type);
    if (known.length === 0)
      return [unknownType(type, typesInParts, "the content of others stands whole at content.at")];
    const all = isPrioritised(type) ? [priorityField, ...known] : known;
    const given = Object.keys(pointers).flatMap(namesOfPart);
    const hasPriority =
      (fields[priorityField]?.at !== undefined && fields[priorityField].absent !== true) ||
      given.includes(priorityField);
    const missing = (hasPriority ? known : all).filter((part) => !given.includes(part));
    return [
      ...unknownParts(type, given, all),
      ...textMistakes(type, pointers),
      ...(missing.length === 0 ? [] : [placeless(type, missing)]),
    ];
  });
}

const unknownType = (type: string, known: readonly string[], others: string): FieldMistake => [
  ["parts", type],
  `one of ${known.join(", ")}`,
  `write one of these types; ${others}`,
];

const unknownParts = (type: string, given: readonly string[], known: readonly string[]): FieldMistake[] =>
  given
    .filter((part) => !known.includes(part))
    .map((part) => [
      ["parts", type, part],
      `a part of ${type} is one of ${known.join(", ")}`,
      `write one of them, or take ${part} out`,
    ]);

const placeless = (type: string, missing: readonly string[]): FieldMistake => [
  ["parts", type],
  `${missing.join(", ")} of ${type} has no place`,
  `write its place in the record, such as ${missing[0] ?? ""}: /${missing[0] ?? ""}`,
];

/** Finds texts of several parts that cannot be taken apart again, and parts that have two places. */
function textMistakes(type: string, pointers: PartPointers): FieldMistake[] {
  const seen = new Set<string>();
  return Object.keys(pointers).flatMap((key): FieldMistake[] => {
    const names = namesOfPart(key);
    const twice = names.find((name) => seen.has(name));
    for (const name of names) seen.add(name);
    if (twice !== undefined)
      return [[["parts", type, key], `${twice} of ${type} has two places`, "write it in one of them only"]];
    const wide = names.find((name) => name !== priorityField && !isJoinable(type, name));
    return names.length === 1 || wide === undefined
      ? []
      : [
          [
            ["parts", type, key],
            `only numbers stand in one text, and ${wide} of ${type} is not a number`,
            `write a place of its own for ${wide}`,
          ],
        ];
  });
}

/** Finds first labels of a name that stand nowhere, or that no name of the type has. */
function labelMistakes([type, pointers]: readonly [string, PartPointers]): FieldMistake[] {
  if (!typesWithLabels.includes(type))
    return [unknownType(type, typesWithLabels, "the names of others stand whole at name.at")];
  const given = Object.keys(pointers);
  const missing = labelsOfName.filter((names) => names.every((name) => !given.includes(name)));
  return [
    ...unknownParts(type, given, labelsOfName.flat()),
    ...(missing.length === 0
      ? []
      : [
          placeless(
            type,
            missing.map(([withUnderscore]) => withUnderscore),
          ),
        ]),
  ];
}

/** Finds words for lists at fields that hold one value, and items that would be the whole of their objects. */
function listWords(kind: Kind, name: string, { keys, item }: FieldContract): FieldMistake[] {
  const word = item === undefined ? (keys === undefined ? undefined : "keys") : "item";
  if (word === undefined) return [];
  if (!holdsList(kind, name))
    return [[[word], `${word} is for lists, and ${name} holds one value`, `take ${word} out`]];
  return item === ""
    ? [[["item"], "a value is not the whole of its object", "write its place, such as item: /name"]]
    : [];
}
