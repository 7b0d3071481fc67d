import type { BoundKind } from "../contract/bound-kind.ts";
import { namedPart } from "../kinds/derived/matches-ignore.ts";
import { toAddress, type Address } from "../model/address.ts";
import { looksLikeCredentials } from "../model/credentials.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Key, LiveResource } from "../model/resource.ts";

/** Gives names to objects that have none in the API, such as scheduled tasks with an id and a command. */
export function nameChooser(isTaken: (address: Address) => boolean): (kind: BoundKind, resource: LiveResource) => Key {
  const given = new Set<Address>();
  return (kind, { key, remotes: [remote] }) => {
    const field = kind.entry.named_by;
    if (field === undefined) return key;
    const name = nameFrom(remote?.fields[field] ?? null);
    for (let number = 1; ; number += 1) {
      const chosen = { ...key, [namedPart(kind)]: number === 1 ? name : `${name}-${number}` };
      const address = toAddress(kind.name, kind.naming.addressParts(chosen));
      if (given.has(address) || isTaken(address)) continue;
      given.add(address);
      return chosen;
    }
  };
}

const longest = 40;

/** Returns a name made of a value: of a command, its file without the folder and the ending. */
function nameFrom(value: Json): string {
  const text = jsonText(value);
  if (looksLikeCredentials(text)) return "job";
  const [word = ""] = text.split("/").at(-1)?.split(/[\s.]/u) ?? [];
  const name = word
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-|-$/gu, "")
    .slice(0, longest);
  return name === "" ? "job" : name;
}
