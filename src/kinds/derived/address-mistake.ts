import { splitAddress, toAddress } from "../../model/address.ts";
import { nearest } from "../../model/nearest.ts";
import type { Key } from "../../model/resource.ts";
import { findKind, kinds } from "../index.ts";
import type { Kind } from "../kind.ts";

const names = kinds.map(({ name }) => name);

/** Returns what is wrong with a text that is not an address, as the rest of a sentence that begins with the text, and what to write. */
export function addressMistake(text: string): { readonly summary: string; readonly hint: string } {
  const summary = "is not an address";
  const word = text.split("/", 1)[0] ?? "";
  const kind = findKind(word);
  if (!kind) {
    const near = nearKind(word);
    return {
      summary: text.includes("/") ? `${summary}: the kind "${word}" does not exist` : summary,
      hint:
        near === undefined
          ? `write KIND/NAME, such as mailbox/old@example.com; ${allKinds}`
          : `did you mean ${near}${text.slice(word.length)}?`,
    };
  }
  const parts = splitAddress(text)?.parts ?? [];
  const key = kind.naming.fromParts(parts);
  const expected = key && kind.naming.check(kind.naming.normalise(key));
  if (expected !== undefined) return { summary, hint: `expected ${expected}` };
  const form = formOf(kind);
  const such = kind.name === "dns_record" && parts.length === 2 ? `, such as ${text}/A` : "";
  const more = text.split("/").length > form.split("/").length ? ", with %2F for a / in a name" : such;
  return { summary, hint: `write ${text.includes("/") ? "" : "KIND/NAME, here "}${form}${more}` };
}

export const allKinds = `the kinds are ${names.join(", ")}`;

/** Returns the kind that a wrong name most likely stands for: by its spelling, or by one word of it, such as "record". */
export function nearKind(name: string): string | undefined {
  const [only, ...others] = names.filter((each) => each.split("_").includes(name));
  return others.length === 0 && only !== undefined ? only : nearest(name, names);
}

/** Returns the form of a kind's addresses, such as `dns_record/ZONE/NAME/TYPE`. */
const formOf = ({ name, naming }: Kind) => toAddress(name, naming.addressParts(upperKey));

const upperKey = new Proxy<Key>({}, { get: (_, part) => String(part).toUpperCase() });
