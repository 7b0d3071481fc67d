import { fieldNames, fieldOf, spellingContextOf, placesOf, type Spelt } from "../../contract/spelling/read-field.ts";
import { sortOf } from "../../contract/spelling/fits.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { KindContract, Pointer } from "../../model/contract.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { getPointer } from "../../model/json-pointer.ts";
import { judgeSpelling } from "./judge-spelling.ts";
import { lastToken, likeliest, likelihood, valuesByPointer } from "./pointers.ts";
import { counted, jsonTypeOf } from "./say.ts";

/** The judgement of one field. `write` stands at the field. */
export type FieldJudgement =
  | { readonly is: "confirmed" }
  | { readonly is: "not_tested"; readonly reason: string }
  | { readonly is: "refuted"; readonly expected: string; readonly found: string; readonly write?: JsonObject };

/** Records of one list, all of which have the same fields. */
export interface Sample {
  readonly spelt: Spelt;
  readonly records: readonly JsonObject[];
}

/** Whether an API gives a field in its answers. */
export const isReadable = (kind: Kind, name: string): boolean =>
  !["write_only", "manifest_only"].includes(kind.fields[name]?.access ?? "");

/** Returns the share of the fields that the records have. */
export function shareOfFields({ entry, kind }: Spelt, records: readonly JsonObject[]): number {
  const places = fieldNames(entry).flatMap((name) => {
    const field = isReadable(kind, name) ? entry.fields[name] : undefined;
    return field && field.absent !== true ? [placesOf(field)] : [];
  });
  const isThere = (pointers: readonly Pointer[]) =>
    records.some((record) => pointers.some((pointer) => getPointer(record, pointer) !== undefined));
  return places.length === 0 ? 1 : places.filter(isThere).length / places.length;
}

/** Judges each field of a kind by the records of its list. */
export function judgeFields(sample: Sample): ReadonlyMap<string, FieldJudgement> {
  const { entry } = sample.spelt;
  const values = valuesByPointer(sample.records);
  const all = new Map<string, FieldJudgement>();
  const taken = new Set([
    ...[entry.id, entry.etag].filter((at) => at !== undefined),
    ...Object.values(entry.fields).flatMap(placesOf),
  ]);
  for (const name of Object.keys(entry.fields)) {
    const judgement = judgeMoved(sample, name, judgeField(sample, name, { values, taken }));
    if (judgement.is === "refuted" && typeof judgement.write?.["at"] === "string") taken.add(judgement.write["at"]);
    all.set(name, judgement);
  }
  return all;
}

/** Judges the values at the place that a field is moved to. */
function judgeMoved({ spelt, records }: Sample, name: string, judgement: FieldJudgement): FieldJudgement {
  const at = judgement.is === "refuted" ? judgement.write?.["at"] : undefined;
  const field = spelt.entry.fields[name];
  if (judgement.is !== "refuted" || typeof at !== "string" || !field) return judgement;
  const entry = { ...spelt.entry, fields: { ...spelt.entry.fields, [name]: { ...field, at } } };
  const misspelt = judgeSpelling({ ...spelt, entry }, name, records);
  if (!misspelt) return judgement;
  const found = `${judgement.found}; ${misspelt.found}, not ${misspelt.expected}`;
  return { ...judgement, found, write: { at, ...misspelt.write } };
}

interface ListedValues {
  readonly values: ReadonlyMap<Pointer, readonly Json[]>;
  readonly taken: ReadonlySet<Pointer>;
}

function judgeField({ spelt, records }: Sample, name: string, places: ListedValues): FieldJudgement {
  const { entry, kind } = spelt;
  const field = fieldOf(entry, name);
  if (!field) return { is: "not_tested", reason: "the contract says that the API lacks it" };
  if (!isReadable(kind, name)) return { is: "not_tested", reason: "answers do not hold it, since it is only written" };
  // A type in parts has no content at the field's own place.
  const whole = records.filter((record) => field.parts?.[spellingContextOf(spelt, name, record).type] === undefined);
  const pointers = whole.length > 0 ? [field.at] : placesOf(field);
  const isThere = pointers.some((pointer) => records.some((record) => getPointer(record, pointer) !== undefined));
  if (!isThere) return judgeMissing({ entry, kind, name, at: field.at }, records.length, places);
  const other = otherPlace({ entry, kind, name, at: field.at }, places);
  if (other) return other;
  const misspelt = judgeSpelling(spelt, name, records);
  return misspelt ? { is: "refuted", ...misspelt } : { is: "confirmed" };
}

interface PlacedField {
  readonly entry: KindContract;
  readonly kind: Kind;
  readonly name: string;
  readonly at: Pointer;
}

/** Whether values may be those of a field, by their type. */
function fits(kind: Kind, name: string, values: readonly Json[]): boolean {
  const [value] = values;
  const sort = sortOf(kind, name);
  if (value === undefined || sort === "any") return true;
  if (sort === "text") return typeof value !== "boolean";
  return typeof value !== "object" && (sort === "boolean" || !Number.isNaN(Number(value)));
}

const freePlaces = ({ kind, name }: PlacedField, { values, taken }: ListedValues): Pointer[] =>
  [...values].flatMap(([pointer, each]) => (!taken.has(pointer) && fits(kind, name, each) ? [pointer] : []));

function judgeMissing(placed: PlacedField, count: number, places: ListedValues): FieldJudgement {
  const { kind, name, at } = placed;
  const near = likeliest(freePlaces(placed, places), { pointer: at, name });
  const expected = `a value at ${at}`;
  if (near !== undefined) {
    const value = places.values.get(near)?.[0] ?? null;
    return { is: "refuted", expected, found: `nothing there; ${jsonTypeOf(value)} at ${near}`, write: { at: near } };
  }
  const found = `nothing there in ${counted(count, "object")}`;
  const isKey = Object.hasOwn(kind.naming.toFields({}), name) && kind.naming.optional?.includes(name) !== true;
  if (isKey) return { is: "refuted", expected, found };
  return { is: "not_tested", reason: `${found}; an API may leave out a value that is empty` };
}

/** Finds a better place for a field that stands where another one does, or an object does. */
function otherPlace(placed: PlacedField, places: ListedValues): FieldJudgement | undefined {
  const { entry, kind, name, at } = placed;
  const values = places.values.get(at) ?? [];
  const isInside = values.some((value) => typeof value === "object" && !Array.isArray(value));
  const isShared =
    [entry.id, entry.etag].includes(at) ||
    Object.entries(entry.fields).some(([other, field]) => other !== name && placesOf(field).includes(at));
  const isWrong = (isInside && isPlain(entry, name) && sortOf(kind, name) !== "any") || !fits(kind, name, values);
  if (!isShared && !isWrong) return undefined;
  const own = likelihood(`/${lastToken(at)}`, { pointer: `/${name}`, name });
  const near = likeliest(freePlaces(placed, places), { pointer: isWrong ? at : `/${name}`, name });
  if (near === undefined || (!isWrong && likelihood(near, { pointer: `/${name}`, name }) <= own)) return undefined;
  const found = `${jsonTypeOf(values[0])} at ${at}; ${jsonTypeOf(places.values.get(near)?.[0] ?? null)} at ${near}`;
  return { is: "refuted", expected: `the value of ${name} at ${at}`, found, write: { at: near } };
}

/** Whether a field is one value at one place. */
const isPlain = ({ fields }: KindContract, name: string) =>
  fields[name]?.keys === undefined && fields[name]?.parts === undefined;
