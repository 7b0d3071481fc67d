import { isPrioritised } from "../../kinds/dns/record-content.ts";
import { nearest } from "../../model/nearest.ts";
import { defaultContract } from "../entry.ts";
import { isInMember } from "../sets.ts";
import { isJoinable } from "../spelling/content-parts.ts";
import { codecsFor, holdsList, misfit } from "../spelling/fits.ts";
import { isContent, isRecordName, priorityField } from "../spelling/special-fields.ts";
import { fieldOf } from "../spelling/read-field.ts";
import type { Nodes, RuleTable } from "./nodes.ts";
import { isOfName } from "./walk.ts";

export const suggestion = (name: string, known: readonly string[], near = nearest(name, known)): string =>
  near === undefined ? `one of ${known.join(", ")}` : `did you mean ${near}?`;

/** Returns why objects need a field that a contract leaves out; undefined if they do not. */
function needOf({ kind, entry, field, rules }: Nodes["missing"]): string | undefined {
  const { create, set, zone } = entry.operations;
  const isMade = (create !== undefined && create !== "implicit") || set !== undefined || zone !== undefined;
  if (Object.hasOwn(entry.fields, field) || fieldOf(entry, field)) return undefined;
  if (rules.required === true && isMade) return `no ${kind.name} can be declared without it`;
  const prioritised = Object.values(entry.fields).flatMap(({ values = [] }) => values.filter(isPrioritised));
  return field === priorityField && prioritised.length > 0
    ? `records of the type ${prioritised.join(" and ")} have one`
    : undefined;
}

/** Rules for the names, the places and the spelling of fields. */
export const fieldRules: RuleTable = {
  name: ({ name, word, words }) => [
    words.includes(word) || [
      `there is no ${name}`,
      suggestion(word, words, nearestField(word, words)),
      { isKey: true },
    ],
  ],
  missing: (node) => {
    const { name, field, kind, entry, contract } = node;
    const isNamed = isOfName(node, field);
    const isWhole = contract.extends === defaultContract;
    const need = isWhole || isNamed ? undefined : needOf(node);
    return [
      !isNamed || [
        `${name} has no place for ${field}, by which a ${kind.name} is known`,
        `write ${field}: { at: /… }; if the API has nothing like it, Hostform cannot manage this kind there`,
        { isKey: true },
      ],
      !isWhole ||
        isNamed ||
        Object.hasOwn(entry.fields, field) || [
          `${name} has no entry for ${field}`,
          `write its place, or ${field}: { absent: true }`,
          { isKey: true },
        ],
      need === undefined || [
        `${name} has no entry for ${field}: ${need}`,
        `write ${field}: { at: /… }; if the API has nothing like it, write ${field}: { absent: true }`,
        { isKey: true, isWarning: true, code: "contract_incomplete" },
      ],
    ];
  },
  field: ({ name, kind, entry, field, own, rules, other }) => {
    // A file may have left it out.
    const { at, as = [], id_of: parent, map, keys, item, parts }: Partial<typeof own> = own;
    const wrong = misfit(kind, field, as);
    const word = item === undefined ? "keys" : "item";
    const { explode = "" } = entry.operations.list;
    return [
      at !== undefined || [`${name} does not say where the field stands`, "write at: /…, or absent: true"],
      at !== "" || [
        `${name}.at: a field is not the whole record`,
        `write its place in the record, such as at: /${field}`,
        { below: ["at"] },
      ],
      other === undefined || [
        `${name} stands at ${at ?? ""}, where ${other} stands: one would overwrite the other`,
        "write a place of its own, or absent: true for what the API lacks",
        { below: ["at"] },
      ],
      !rules.listed ||
        own.values !== undefined || [
          `${name} lists no values that the API takes`,
          "write values: [ … ], such as values: [A, AAAA, CNAME, MX, TXT] for the type of a DNS record",
        ],
      wrong === undefined || [
        `${name}.as: ${wrong}`,
        `write one of ${codecsFor(kind, field).join(", ")}, or take it out`,
        { below: ["as"] },
      ],
      !parent ||
        !map || [
          `${name}.map: an id has no words`,
          "take map out, or id_of if the field holds words",
          { below: ["map"] },
        ],
      (keys ?? item) === undefined ||
        holdsList(kind, field) || [
          `${name}.${word}: ${word} is for lists, and ${field} holds one value`,
          `take ${word} out`,
          { below: [word] },
        ],
      !parts ||
        isContent(kind, field) ||
        isRecordName(kind, field) || [
          `${name}.parts: only the name and the content of DNS records have parts`,
          "write at: with the one place of the field instead",
          { below: ["parts"] },
        ],
      at === undefined ||
        !isContent(kind, field) ||
        isInMember(entry, at) || [
          `${name} stands at ${at}, outside the members of a set at ${explode}`,
          `write at: ${explode}, or a place below it such as ${explode}/value`,
          { below: ["at"] },
        ],
    ];
  },
  value: ({ kind, field, rules, value }) => [
    rules.listed?.isWord(value) !== false ||
      value.includes("*") || [
        `kinds.${kind.name}.fields.${field} takes ${value}, which is not a ${field} that Hostform knows`,
        "check its spelling; the content of an unknown one is text that Hostform does not check",
        { isWarning: true },
      ],
  ],
  word: ({ name, word, ours, other = ours }) => [
    other === ours || [
      `${name}: ${word} stands for ${other} as well`,
      `write another word of the API for ${ours}, or only one of the two`,
    ],
  ],
  type: ({ name, field, type, types, missing }) => [
    types.length === 0 ||
      types.includes(type) || [
        `${name}: one of ${types.join(", ")}`,
        `write one of these types; the ${field} of others stands whole at ${field}.at`,
      ],
    !types.includes(type) ||
      missing.length === 0 || [
        `${name}: ${missing.join(", ")} of ${type} has no place`,
        `write its place in the record, such as ${missing[0] ?? ""}: /${missing[0] ?? ""}`,
      ],
  ],
  part: ({ name, type, types, parts, part, pointer, names, others }) => {
    const isKnown = types.includes(type);
    const twice = names.find((each) => others.includes(each));
    const wide = names.find((each) => each !== priorityField && parts.includes(each) && !isJoinable(type, each));
    return [
      pointer !== "" || [`${name}: a part is not the whole record`, `write its place in the record, such as /${part}`],
      !isKnown ||
        names.every((each) => parts.includes(each)) || [
          `${name}: a part of ${type} is one of ${parts.join(", ")}`,
          `write one of them, or take ${part} out`,
        ],
      twice === undefined || [`${name}: ${twice} of ${type} has two places`, "write it in one of them only"],
      !isKnown ||
        names.length === 1 ||
        wide === undefined || [
          `${name}: only numbers stand in one text, and ${wide} of ${type} is not a number`,
          `write a place of its own for ${wide}`,
        ],
    ];
  },
};

const singular = (name: string) => name.toLowerCase().replaceAll("_", "-").replace(/s$/u, "");

/** Words of vendors for kinds and fields, in singular and with hyphens. */
const synonyms: Readonly<Record<string, string>> = {
  hosting: "service",
  project: "service",
  site: "service",
  website: "service",
  webspace: "service",
  "max-size": "quota_mb",
  "expiry-date": "expires_at",
  "valid-until": "expires_at",
};

/** Returns the known name that a made-up name of a kind or a field most likely means: a similar one, or that for which APIs have this word. */
function nearestField(name: string, known: readonly string[]): string | undefined {
  const word = singular(name);
  const synonym = Object.hasOwn(synonyms, word) ? synonyms[word] : undefined;
  return nearest(name, known) ?? known.find((each) => each === synonym) ?? holding(word, known);
}

const partsOf = (text: string) => text.toLowerCase().split(/[^a-z0-9]+/u);

/** Returns the name that holds a word, or that a longer word holds; undefined unless there is only one. */
function holding(word: string, known: readonly string[]): string | undefined {
  const own = partsOf(word);
  const found = known.filter((name) => {
    const parts = partsOf(name);
    return own.every((part) => parts.includes(part)) || parts.every((part) => own.includes(part));
  });
  return found.length === 1 ? found[0] : undefined;
}
