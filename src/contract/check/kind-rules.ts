import { findKind } from "../../kinds/index.ts";
import { nearest } from "../../model/nearest.ts";
import { lookupsIn, operationsIn, parametersIn, textsOf } from "../operations-in.ts";
import { writesSets } from "../sets.ts";
import { fieldNames, fieldOf } from "../spelling/read-field.ts";
import { suggestion } from "./field-rules.ts";
import type { KindPlace, Nodes, RuleTable } from "./nodes.ts";
import { isAbsent, isOnly, parentsIn, partsOfKey } from "./walk.ts";
import { isWriteOnly } from "../../kinds/derived/field-access.ts";

/** Returns the part of its scope that no record of a kind tells, neither in a field of its own nor in its name. */
function unsaidPart({ kind: { naming, scope }, entry }: KindPlace): string | undefined {
  const isShort = Object.values(entry.fields).some(({ as = [] }) => as.includes("local_part"));
  return scope.find((part) => {
    const ofName = naming.toFields({ [part]: "example.com" });
    const isInName = !isShort && !Object.hasOwn(ofName, part) && naming.ofLive(ofName, {})[part] === "example.com";
    return !isInName && fieldOf(entry, part) === undefined;
  });
}

/** Returns the texts of all requests of a kind, also of those that look parameters up. */
const textsOfKind = ({ entry }: KindPlace): string =>
  [
    ...operationsIn(entry).map(([, operation]) => textsOf(operation)),
    ...lookupsIn(entry).map(([, lookup]) => textsOf(lookup)),
  ].join(" ");

/** Whether two lists of words are the same, in any order. */
const isSame = (one: readonly string[], other: readonly string[]) =>
  one.every((word) => other.includes(word)) && other.every((word) => one.includes(word));

/** Whether the value of a field is the name of one object of another kind. */
function isNameOf({ kind, by, parent }: Nodes["parent"]): boolean {
  const { requires = [], references } = kind.relations ?? {};
  const other = findKind(parent);
  return (
    !other ||
    (other.scope.length === 0 &&
      partsOfKey(other).length === 1 &&
      (requires.flat().some((each) => each.kind === parent && Object.values(each.key).includes(by)) ||
        (references?.kind === parent && references.field === by)))
  );
}

/** Returns the kinds whose lists are read before that of a kind. */
function readBefore({ contract }: KindPlace, kind: string): string[] {
  const entry = contract.kinds[kind];
  if (!entry || !findKind(kind)) return [];
  const used = parametersIn(textsOf(entry.operations.list));
  return parentsIn(entry).flatMap((each) => (each.in === "params" && !used.includes(each.by) ? [] : [each.parent]));
}

/** Whether the lists of two kinds need each other: none of them could ever be read. */
function isCircle(node: Nodes["parent"]): boolean {
  const seen = new Set<string>();
  const leadsBack = (name: string): boolean => {
    if (name === node.kind.name) return true;
    if (seen.has(name)) return false;
    seen.add(name);
    return readBefore(node, name).some(leadsBack);
  };
  return readBefore(node, node.kind.name).includes(node.parent) && leadsBack(node.parent);
}

/** Rules for whole kinds, for their lists and parameters, and for how their objects belong to others. */
export const kindRules: RuleTable = {
  kind: ({ name, kind, entry, contract }) => {
    const { managed_when: managed, named_by: namedBy, operations } = entry;
    const word = operations.zone ? "zone" : "set";
    const parents = Object.entries(contract.kinds).flatMap(([child, each]) => (each ? [{ child, each }] : []));
    const child = parents.find(({ each }) => parentsIn(each).some(({ parent }) => parent === kind.name))?.child;
    return [
      managed === undefined ||
        kind.serverMade?.ownFlag !== undefined || [
          `${name}.managed_when: the platform has no ${kind.name} of its own`,
          "take managed_when out; where of the list leaves out records that are not to be seen",
          { below: ["managed_when"] },
        ],
      namedBy === undefined ||
        fieldOf(entry, namedBy) !== undefined || [
          `${name}.named_by is ${namedBy}, which has no entry in its fields`,
          suggestion(namedBy, fieldNames(entry)),
          { below: ["named_by"] },
        ],
      namedBy === undefined ||
        child === undefined || [
          `${name}.named_by: ${child} belongs to ${kind.name} by its id, and one without a name has no address to belong to`,
          "take named_by out, and write the place of its name",
          { below: ["named_by"] },
        ],
      kind.members !== undefined ||
        !writesSets(entry) || [
          `${name}.operations.${word} writes sets, and ${kind.name} has none`,
          "write update instead",
          { below: ["operations", word] },
        ],
    ];
  },
  ownUpdate: ({ name, kind, entry, field }) => [
    fieldOf(entry, field) !== undefined || [
      `${name} changes a field that has no entry in kinds.${kind.name}.fields`,
      suggestion(field, fieldNames(entry)),
      { isKey: true },
    ],
  ],
  list: (node) => {
    const { name, kind, entry, list } = node;
    const { single = false, explode, detail, keyed_by: keyedBy, where = [], for_each: each } = list;
    const { id, fields, operations } = entry;
    const holdsOne = kind.scope.length === 0 || isOnly(node);
    const unsaid = list.scope === "mixed" ? unsaidPart(node) : undefined;
    const read = [id, ...Object.values(fields).map(({ at }) => at), ...where.map(({ pointer }) => pointer)];
    return [
      // Of the records of a zone there are several for certain.
      !single ||
        explode !== undefined ||
        each !== undefined ||
        holdsOne || [
          `${name} is single, so there is at most one ${kind.name} for each ${kind.scope.join(" and ")}`,
          "take single out if the answer is a list",
          { below: ["single"], isWarning: !kind.members },
        ],
      unsaid === undefined || [
        `${name} is mixed, and no ${kind.name} tells its ${unsaid}: each list would hold those of all`,
        `take scope out, and choose by a condition, such as where: [{ pointer: /${unsaid}, equals: ["{${unsaid}}"] }]`,
        { below: ["scope"] },
      ],
      detail === undefined ||
        operations.read !== undefined || [
          `${name} has detail: read, and there is no operation read`,
          "write operations.read, such as read: { method: GET, path: … }, or take detail out",
        ],
      detail === undefined ||
        (id ?? "") !== "" || [
          `${name} has detail: read, and the kind has no id`,
          "write id: with the pointer to the id of an object, such as id: /id",
        ],
      !single ||
        (detail ?? keyedBy) === undefined || [
          `${name} is single, so it has neither detail nor keyed_by`,
          "take detail and keyed_by out, or take single out if the answer holds several objects",
        ],
      keyedBy !== "" || [
        `${name} has an empty keyed_by, where no key can be put`,
        "write the pointer of the field that the key holds, such as keyed_by: /name",
      ],
      keyedBy === undefined ||
        read.includes(keyedBy) || [
          `${name}.keyed_by puts the key at ${keyedBy}, which no field, id or condition reads`,
          `write the same pointer at the field that the key holds, such as name: { at: ${keyedBy} }`,
          { below: ["keyed_by"], isWarning: true },
        ],
    ];
  },
  param: (node) => {
    const { name, kind, entry, param, source } = node;
    const { field, id_of: parent, key = {} } = source as { field?: string; id_of?: string; key?: string | object };
    const inKey = Object.keys(kind.naming.toFields({}));
    // A request is made from the key of its object: a parameter from any other field would be empty.
    const isOutside = field !== undefined && !isAbsent(entry, field) && !inKey.includes(field);
    const isSecret = isWriteOnly(kind, field ?? "");
    const other = findKind(parent ?? "");
    const theirs = other ? partsOfKey(other) : [];
    return [
      !Object.keys(source).every((word) => word === "at") || [
        `${name} does not say what fills it`,
        "write { key: PART } with a part of the key, { id_of: KIND, key: { … } }, { field: NAME } or { lookup: { … } }",
      ],
      field === undefined ||
        !isAbsent(entry, field) || [
          `${name} is filled from the field ${field}, which has no entry`,
          suggestion(field, Object.keys(entry.fields)),
        ],
      !isOutside || [
        `${name} is filled from the field ${field} of a ${kind.name}, which is ${isSecret ? "secret, and paths and queries stand in logs" : "not in the key"}`,
        `send ${field} in the body, where fields.${field}.at places it${inKey.length === 0 ? "" : `; a parameter can be filled from ${inKey.join(" or ")}`}`,
      ],
      other === undefined ||
        isSame(theirs, Object.keys(key)) || [
          `${name} does not name one ${other.name}: its key has the ${theirs.length === 1 ? "part" : "parts"} ${theirs.join(", ")}`,
          `write key: { ${theirs.map((part) => `${part}: …`).join(", ")} }, each a part of the key of the ${kind.name} (${partsOfKey(kind).join(", ")})`,
          { below: ["key"] },
        ],
      parametersIn(textsOfKind(node)).includes(param) || [
        `${name} is used by no request`,
        `write {${param}} in the path of a request or in its query, such as query: { ${param}: "{${param}}" }, in its body or in a condition of where, or take ${param} out`,
        { isKey: true, isWarning: true },
      ],
    ];
  },
  keyPart: ({ kind, param, part }) => [
    partsOfKey(kind).includes(part) || [
      `kinds.${kind.name}.params.${param} is filled from ${part}, which is not a part of the key of a ${kind.name}`,
      suggestion(part, partsOfKey(kind)),
    ],
  ],
  parent: (node) => {
    const { name, path, contract, known, kind, entry, in: place, by, parent, isOther } = node;
    const near = nearest(parent, known);
    const other = findKind(parent);
    const own = other && contract.kinds[parent];
    const isEach = place === "for_each";
    return [
      known.includes(parent) || [
        `${name} names ${parent}, which the contract has no kind of`,
        near === undefined ? `add kinds.${parent}, or fill it from the key: { key: PART }` : `did you mean ${near}?`,
      ],
      isOther ||
        !own ||
        own.id !== undefined || [
          `${name} is the id of a ${parent}, and kinds.${parent} does not say where an object holds its id`,
          `write kinds.${parent}.id, such as id: /id`,
        ],
      place !== "fields" ||
        isNameOf(node) || [
          `${name} reads ${by} as the id of a ${parent}, and the ${by} of a ${kind.name} does not name one ${parent}`,
          "take id_of out",
        ],
      !isEach ||
        !other ||
        other.scope.length === 0 || [
          `${name} is the id of each ${parent}, and each ${other.scope.join()} has a list of its own`,
          "write a kind that is listed for the whole account, such as service",
        ],
      !isEach ||
        Object.keys(entry.operations.list.for_each ?? {})[0] === by || [
          `${path.slice(0, -1).join(".")} names two parameters, and a list is read for each object of one kind`,
          `take ${by} out`,
          { isKey: true },
        ],
      !isCircle(node) || [
        `${name} needs the list of ${parent}, ${parent === kind.name ? "which is its own" : `and that list needs the list of ${kind.name}`}`,
        "fill it from the key, { key: PART }, or with a lookup",
      ],
    ];
  },
};
