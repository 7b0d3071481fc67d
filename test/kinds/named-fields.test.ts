import { expect, test } from "vitest";
import { kinds } from "../../src/kinds/index.ts";
import type { Kind } from "../../src/kinds/kind.ts";

/** The fields that the rules of a kind name. */
const namedFields = ({ relations, listing, serverMade, availability, renewal, rotation, members, naming }: Kind) =>
  [
    relations?.references?.field,
    listing?.newest,
    serverMade?.ownFlag,
    ...Object.keys(serverMade?.absent ?? {}),
    availability?.delegates?.servers,
    renewal?.expires,
    rotation?.after,
    rotation?.last,
    members?.identity,
    ...(members?.shared ?? []),
    ...Object.keys(members?.always ?? {}),
    ...(naming.optional ?? []),
    naming.relative?.field,
  ].filter((name) => name !== undefined);

test.each(kinds.map((kind) => [kind.name, kind] as const))("the rules of %s name fields of its own", (_, kind) => {
  expect(namedFields(kind).filter((name) => !Object.hasOwn(kind.fields, name))).toEqual([]);
});
