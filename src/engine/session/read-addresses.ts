import { inputError } from "./input-error.ts";
import { addressMistake, allKinds, nearKind } from "../../kinds/derived/address-mistake.ts";
import { normaliseAddress } from "../../kinds/derived/collection.ts";
import { findKind, kinds } from "../../kinds/index.ts";
import { kindOf, type Address } from "../../model/address.ts";
import { didYouMean } from "../../model/nearest.ts";
import type { Consent, Selection } from "../../model/plan-input.ts";

/** The addresses of a change as the command line has them. */
export interface AddressOptions {
  readonly allowDelete: readonly string[];
  readonly allowPurchase: readonly string[];
  readonly retry: readonly string[];
  readonly rotate: readonly string[];
  readonly rollback: boolean;
  readonly only: readonly string[];
  readonly except: readonly string[];
}

/** Options of the engine before their addresses are read. */
export type WithAddressTexts<Options> = Omit<Options, "consent" | "selection"> & AddressOptions;

/** Returns the options with the addresses that they name, as the engine takes them. Throws an InputError for one that is none. */
export function withAddresses<T extends AddressOptions>(
  options: T,
): T & { readonly consent: Consent; readonly selection: Selection } {
  const { only, except } = options;
  // Addresses in the spelling of plans; patterns as they are.
  return { ...options, consent: readConsent(options), selection: { only: readGlobs(only), except: readGlobs(except) } };
}

/** Throws an InputError for an address that is none. */
function readConsent({ allowDelete, allowPurchase, retry, rotate, rollback }: AddressOptions): Consent {
  const counts = allowDelete.filter((text) => countPattern.test(text));
  return {
    deletes: readAddresses(
      "--allow-delete",
      allowDelete.filter((text) => !countPattern.test(text)),
    ),
    purchases: readAddresses("--allow-purchase", allowPurchase),
    deleteCounts: new Map(counts.map(readCount)),
    retries: readAddresses("--retry", retry),
    rotations: readRotations(rotate),
    rollback,
  };
}

export const readGlobs = (texts: readonly string[]) => texts.map((text) => normaliseAddress(text) ?? text);

/** `PATTERN=N`, with a `*` in the pattern, or `NAME=N` for all under a service or domain: exactly that many deletions. */
const countPattern = /^([^/]+\/.*\*.*|[^/]+)=(\d+)$/u;

function readCount(text: string): [scope: string, count: number] {
  const [, scope = "", count] = countPattern.exec(text) ?? [];
  if (!Number.isSafeInteger(Number(count)))
    throw inputError("bad_address", `--allow-delete ${text}: the count is too large`, "write the number of deletions");
  return [readScope(text, scope), Number(count)];
}

function readScope(text: string, scope: string): string {
  const [kind = "", ...rest] = scope.split("/");
  if (rest.length === 0) {
    const name = normaliseAddress(`domain/${scope}`)?.slice("domain/".length);
    if (name !== undefined && !findKind(name)) return name;
    throw inputError(
      "bad_address",
      `--allow-delete ${text}: ${scope} is not the name of a service or domain`,
      findKind(scope)
        ? `write '${scope}/*=${text.slice(scope.length + 1)}' for all of this kind`
        : "write KIND/*=N, or NAME=N for all under the service or domain NAME",
    );
  }
  if (findKind(kind)) return rest.join("/") === "*" ? kind : scope;
  const hint = didYouMean(nearKind(kind), "") ?? allKinds;
  throw inputError("bad_address", `--allow-delete ${text}: the kind ${kind} does not exist`, hint);
}

function readRotations(texts: readonly string[]): ReadonlySet<Address> {
  const rotating = kinds.filter(({ fields }) => Object.values(fields).some(({ rotates }) => rotates === true));
  const addresses = readAddresses("--rotate", texts);
  for (const address of addresses) {
    if (rotating.some(({ name }) => name === kindOf(address))) continue;
    throw inputError(
      "bad_rotation",
      `--rotate ${address}: a ${kindOf(address)} has nothing that is only written and can be sent again`,
      `name one of these kinds: ${rotating.map(({ name }) => name).join(", ")}`,
    );
  }
  return addresses;
}

const readAddresses = (flag: string, texts: readonly string[]): ReadonlySet<Address> =>
  new Set(texts.map((text) => readAddress(flag, text)));

/** Returns the address in a text. `flag`: the flag that has it, if any. Throws an InputError for a text that is none. */
export function readAddress(flag: string | undefined, text: string): Address {
  const address = normaliseAddress(text);
  if (address !== undefined) return address;
  const { summary, hint } = (flag === "--allow-delete" ? wrongCount(text) : undefined) ?? addressMistake(text);
  throw inputError("bad_address", `${flag === undefined ? "" : `${flag}: `}${text} ${summary}`, hint);
}

/** Returns the mistake of a text that may be meant as a pattern with a count, or as a name with one; undefined for another text. */
function wrongCount(text: string): { readonly summary: string; readonly hint: string } | undefined {
  const [, scope = text, count] = /^(.*?)=([^=]*)$/su.exec(text) ?? [];
  const isPattern = scope.includes("*");
  if (!isPattern && count === undefined) return undefined;
  const form = isPattern || !scope.includes("/") ? scope : `${scope}/*`;
  const number = /^\d+$/u.test(count ?? "") ? count : "N";
  const hint = `write '${form}=${number}'${number === "N" ? ", N being the number of deletions to allow" : ""}`;
  if (count === undefined) return { summary: "is a pattern without the number of deletions that it allows", hint };
  if (number === "N") return { summary: `has ${count === "" ? "nothing" : `"${count}"`} for a number after =`, hint };
  return { summary: "has a count, but is neither a pattern with * nor the name of a service or domain", hint };
}
