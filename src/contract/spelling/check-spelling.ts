import type { Kind } from "../../kinds/kind.ts";
import { isPrioritised } from "../../kinds/shared/record-content.ts";
import type { FieldContract, KindContract } from "../../model/contract.ts";
import { partsOfType, typesInParts } from "./content-parts.ts";
import { codecsFor, misfit } from "./fits.ts";
import { isContent, priorityField } from "./place.ts";

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
  if (!isContent(kind, name))
    return [
      [["parts"], "only the content of DNS records has parts", "write at: with the one place of the field instead"],
    ];
  return Object.entries(parts).flatMap(([type, pointers]): FieldMistake[] => {
    const known = partsOfType(type);
    if (known.length === 0)
      return [
        [
          ["parts", type],
          `one of ${typesInParts.join(", ")}`,
          `write one of these types; the content of others stands whole at ${name}.at`,
        ],
      ];
    const all = isPrioritised(type) ? [priorityField, ...known] : known;
    const unknown = Object.keys(pointers).filter((part) => !all.includes(part));
    const hasPriority =
      (fields[priorityField]?.at !== undefined && fields[priorityField].absent !== true) || priorityField in pointers;
    const missing = (hasPriority ? known : all).filter((part) => !(part in pointers));
    return [
      ...unknown.map((part): FieldMistake => [
        ["parts", type, part],
        `a part of ${type} is one of ${all.join(", ")}`,
        `write one of them, or take ${part} out`,
      ]),
      ...(missing.length === 0
        ? []
        : [
            [
              ["parts", type],
              `${missing.join(", ")} of ${type} has no place`,
              `write its place in the record, such as ${missing[0] ?? ""}: /${missing[0] ?? ""}`,
            ] as const,
          ]),
    ];
  });
}
