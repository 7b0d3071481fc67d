import { isDeepStrictEqual } from "node:util";
import { firstMistake, loadValidator } from "../lib/load-validator.ts";
import { spelling } from "../contract/request.ts";
import { builtInContract, builtInContracts, contractHash } from "../contract/load-contract.ts";
import { collectionOf, normaliseAddress } from "../kinds/derived/collection.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import { kindNamed } from "../kinds/index.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import { halfCharacter, holdsHalfCharacter, isDeeper, parseUnquoted } from "../lib/parse-json.ts";
import type { Kind } from "../kinds/kind.ts";
import { savedRefusal, type SavedRefusal, whyNoConsent } from "../messages/refusals.ts";
import { reasonWords } from "../messages/step-reasons.ts";
import { kindOf, toAddress, type Address } from "../model/address.ts";
import { knownValues } from "../model/body.ts";
import { addressOfMark } from "../model/inventory.ts";
import type { Json } from "../model/json.ts";
import { isObject } from "../model/json-pointer.ts";
import type { Key, TemplatePart } from "../model/resource.ts";
import type { PlanFile, SavedBody, SavedPlan, SavedResource } from "../model/saved-plan.ts";
import { canonicalJson, isSame } from "./lines.ts";
import { isIntact } from "./plan-hash.ts";
import { replan } from "./pin-live.ts";

export type ParsedPlan = { readonly plan: SavedPlan } | { readonly wrong: string };

/** No value of a plan is nested deeper than this; a file that is would end the call stack of whoever walks it. */
const deepest = 64;

/**
 * Reads the text of a saved plan, which may come from anyone: its shape (schemas/plan.schema.json), then that every address, key and
 * field is one that a manifest could have declared. The steps follow from that. Returns the first mistake as a sentence.
 */
export function parseSavedPlan(text: string): ParsedPlan {
  if (isDeeper(text, deepest)) return { wrong: `it is nested more than ${deepest} deep` };
  if (text.trim() === "") return { wrong: "it is empty" };
  let json: Json;
  try {
    json = parseUnquoted(text) as Json;
  } catch (error) {
    return { wrong: `it is not JSON: ${(error as Error).message}` };
  }
  if (holdsHalfCharacter(text, json)) return { wrong: halfCharacter };
  if (holdsKeyTwice(text, json)) return { wrong: "a key stands twice in one of its objects" };
  const format = isObject(json) ? json["format"] : undefined;
  // The refusals of format 2 were words; without refusals the formats are one.
  const isOlder = isObject(json) && format === 2 && isDeepStrictEqual(json["refusals"], []);
  if (typeof format === "number" && format !== 3 && !isOlder)
    return { wrong: `its format is ${format}; this version of Hostform reads format 3, so plan again` };
  const validate = loadValidator<PlanFile>("plan");
  if (!validate(json)) return { wrong: isObject(json) ? firstMistake(validate) : "it is not a map of keys and values" };
  const wrong = firstWrong(json);
  if (wrong !== undefined) return { wrong };
  // The order of keys in a file decides nothing, not even the order of members in a request body.
  const file = JSON.parse(canonicalJson(json)) as PlanFile;
  return planAgain({ ...file, ...(json.contract && { contract: json.contract }) });
}

/** Plans what the file holds. The planner is made for what manifests declare and servers answer, and a file may hold anything. */
function planAgain(file: PlanFile): ParsedPlan {
  const { name, hash } = { name: file.target.contract, hash: file.target.contractHash };
  const contract = file.contract ?? (builtInContracts.includes(name) ? builtInContract(name) : undefined);
  if (!contract) return { wrong: `this version of Hostform does not have its contract ${name}` };
  if (hash !== (file.contract && contractHash(file.contract)))
    return { wrong: "its contract is not the one whose hash it states" };
  try {
    const planned = replan(file, contract);
    return planned
      ? { plan: { ...file, ...planned } }
      : { wrong: otherVersion(file) ?? "its order is not that of the steps which it leads to" };
  } catch (error) {
    return { wrong: otherVersion(file) ?? `it cannot be planned: ${(error as Error).message}` };
  }
}

/** The mistake of a file that is as it was written, and that this version cannot plan as it was planned. */
const otherVersion = (file: PlanFile): string | undefined =>
  isIntact(file)
    ? `another version of Hostform saved it, and this version, with its built-in contract ${file.target.contract}, plans something else of it, so plan again`
    : undefined;

function firstWrong(plan: PlanFile): string | undefined {
  const addresses: readonly Address[] = [
    ...[plan.resources, plan.removals, plan.needs, plan.live, plan.refusals, plan.cannot_undo ?? []].flatMap((list) =>
      list.flatMap(({ address }) => address ?? []),
    ),
    ...Object.values(plan.consent).flat(),
    ...Object.values(plan.standing ?? {}).flat(),
    ...ownedIn(plan),
  ];
  const odd = addresses.find((address) => normaliseAddress(address) !== address);
  if (odd !== undefined) return `${JSON.stringify(odd)} is not an address`;
  const declared = [...plan.resources, ...plan.needs];
  const known = new Set<Address>();
  const twice = [...declared, ...plan.removals].find(({ address }) => known.size === known.add(address).size);
  if (twice) return `${twice.address} stands in it twice`;
  for (const { address, key } of declared) {
    if (!isKeyOf(address, key)) return `the key of ${address} is that of another resource`;
  }
  if (!plan.refusals.every(isRefusal)) return "one of its refusals is none of this version of Hostform";
  const needed = plan.needs.map(({ fields = {}, ...need }) => ({ ...need, fields, late: {} }));
  return [
    ...plan.resources.flatMap((each) => wrongResource(each) ?? []),
    ...needed.flatMap((each) => wrongBody(kindNamed(kindOf(each.address)), each.key, each.address, each) ?? []),
  ][0];
}

/** Returns whether the words of a refusal can be made of what the file holds of it. */
function isRefusal(refusal: SavedRefusal): boolean {
  const { step, entry } = refusal.from;
  if (step && !reasonWords.includes(step.reason.is)) return false;
  if (entry && !Object.hasOwn(whyNoConsent, entry.why)) return false;
  const said = orUndefined(() => savedRefusal(refusal));
  return said !== undefined && said.code === refusal.code && said.flag === refusal.flag;
}

const ownedIn = ({ ownership }: PlanFile): readonly Address[] =>
  ownership
    ? [
        ...[ownership.ours, ownership.not_ours, ownership.prevent_destroy, ownership.not_prevent_destroy].flat(),
        ...[ownership.removed ?? [], ownership.not_removed ?? [], ownership.forgotten ?? []].flat(),
        ...[ownership.adopts ?? [], ownership.lasting ?? []].flat(),
        ...[ownership.secret_fields ?? [], ownership.not_secret_fields ?? []].flat().map(addressOfMark),
      ]
    : [];

function isKeyOf(address: Address, key: Key): boolean {
  const kind = kindNamed(kindOf(address));
  const normal = kind.naming.normalise(key);
  // Every list in which it would be looked for must be named, and all that it would be created with.
  const named = [...Object.values(collectionOf(kind, normal).scope), ...Object.values(kind.naming.toFields(normal))];
  return (
    !named.includes("") &&
    kind.naming.check(normal) === undefined &&
    toAddress(kind.name, kind.naming.addressParts(normal)) === address
  );
}

function wrongResource({ address, key, members, ...body }: SavedResource): string | undefined {
  const kind = kindNamed(kindOf(address));
  if ((members !== undefined) !== (kind.members !== undefined)) return `${address} is not a set, or has no members`;
  return [body, ...(members ?? [])].flatMap((each) => wrongBody(kind, key, address, each) ?? [])[0];
}

function wrongBody(
  kind: Kind,
  key: Key,
  address: Address,
  { fields, late, written = {} }: SavedBody,
): string | undefined {
  for (const name of [...Object.keys(fields), ...Object.keys(late)]) {
    const field = Object.hasOwn(kind.fields, name) ? kind.fields[name] : undefined;
    if (!field || field.access === "read_only") return `${address} has no field ${JSON.stringify(name)} to be set`;
    const value = fields[name];
    if (value === undefined) continue;
    if (field.access === "write_only" && typeof value === "string" && !late[name])
      return `${name} of ${address} is a secret, and is written out`;
    if (late[name]) return `${name} of ${address} stands in it twice`;
    const expected = value === null ? undefined : field.check?.(value, key);
    if (expected !== undefined) return `${name} of ${address} is not ${expected}`;
    if (!isSame(normalValue(kind, name, value, key), value)) return `${name} of ${address} is not in its normal form`;
  }
  const sent = spelling(kind, key, knownValues(fields, written));
  for (const [name, value] of Object.entries(written)) {
    const isOwn = Object.hasOwn(fields, name) && isSame(normalValue(kind, name, value, key), fields[name]);
    if (!isOwn || !isSame(sent[name], value))
      return `the written ${JSON.stringify(name)} of ${address} is not a spelling of its value`;
  }
  return Object.entries(late).flatMap(([name, source]) => wrongSource(`${name} of ${address}`, source) ?? [])[0];
}

/** A secret comes from outside, and what comes from outside is secret: so it is shown, and so it is kept. */
function wrongSource(name: string, { parts, sensitive }: SavedBody["late"][string]): string | undefined {
  const sources = parts.filter((part) => typeof part === "object");
  const odd = sources.find((part) => "ref" in part && !isReadable(part));
  if (odd) return `${name} refers to ${JSON.stringify(odd)}, which names no field to be read`;
  if (sources.some((part) => "env" in part && part.env === "HOSTFORM_API_KEY"))
    return `${name} would send the API key as a value, where others may read it`;
  if (sources.length === 0) return `${name} comes from nowhere else, and is not a plain value`;
  const isSecret = sources.some((part) => !("ref" in part));
  if (isSecret === sensitive) return undefined;
  return isSecret
    ? `${name} comes from outside, and is not secret`
    : `${name} is secret, and does not come from outside`;
}

function isReadable({ ref, field }: Extract<TemplatePart, { readonly ref: Address }>): boolean {
  return normaliseAddress(ref) === ref && kindNamed(kindOf(ref)).fields[field]?.access === "read_only";
}

/**
 * Whether a key stands twice in one object of a JSON text, at any depth. Readers disagree about such a text: most take the last value,
 * and a person sees the first. A string before a colon is a key, and there is one for each key of what was read.
 */
function holdsKeyTwice(text: string, json: Json): boolean {
  let keys = 0;
  for (const [, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/gu)) if (colon) keys += 1;
  return keys !== countKeys(json);
}

const countKeys = (json: Json): number =>
  typeof json !== "object" || json === null
    ? 0
    : Object.values(json).reduce<number>(
        (sum, inner) => sum + countKeys(inner),
        Array.isArray(json) ? 0 : Object.keys(json).length,
      );
