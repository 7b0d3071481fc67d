import { makeContext } from "../actions/context.ts";
import { isFields } from "../fields.ts";
import type { Service } from "../http/service.ts";
import { kinds } from "../kinds/index.ts";
import type { KindName } from "../kinds/kind-name.ts";
import { invalid, mergeErrors, HttpError, type FieldErrors } from "../refusal.ts";
import { insertSeedItem, type SeedContext } from "./insert-seed-item.ts";

/** No one mends more mistakes than this at once. */
const mostErrors = 100;

/**
 * Adds the objects of a seed in one transaction, all or none, and says how many. A seed is an object of lists by kind:
 * `{"service": […], "dns_zone": […], "dns_record": […]}`, with the kinds of the API. An item is a record as the API
 * lists it, of which only what creation needs must be there; read-only fields that it has are kept, its `id` too. What it
 * belongs to is named by `service_id` and `zone_id`, or by `service` and `zone` with the name. Passwords may be left out.
 * Nothing is pending in a seed unless its `status` says so. SOA records are left out: the service makes its own.
 * Throws an `HttpError` with the errors by `kind.index.field`.
 */
export function applySeed(service: Service, seed: unknown): number {
  const { lists, errors } = readLists(seed);
  return service.store.transaction(() => {
    const seeding = seedContextOf(service, false);
    for (const [name, items] of lists) {
      for (const [index, item] of items.entries()) {
        Object.assign(errors, insertOrExplain(seeding, name, item, `${name}.${index}`));
        refuseWrong(errors, mostErrors);
      }
    }
    refuseWrong(errors);
    return lists.reduce((sum, [, items]) => sum + items.length, 0);
  });
}

/** An item of a seed that a mirror cannot hold as it is: texts by dotted field, or by "" where it is about the whole of it. */
export interface SeedProblem {
  readonly kind: string;
  /** Its place in the list of its kind. */
  readonly index: number;
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** True where it is held without those fields, false where it is left out. */
  readonly held: boolean;
}

/**
 * Adds the objects of a seed as far as this service can hold them, and says which it cannot. Other than with `applySeed` nothing comes
 * along with them: what is not in the seed is not there.
 */
export function mirrorSeed(service: Service, seed: unknown): readonly SeedProblem[] {
  const { lists, errors } = readLists(seed);
  refuseWrong(errors);
  return service.store.transaction(() => {
    const seeding = seedContextOf(service, true);
    return lists.flatMap(([kind, items]) =>
      items.flatMap((item, index) => insertAsPossible(seeding, kind, item, index)),
    );
  });
}

function insertAsPossible(seeding: SeedContext, kind: KindName, item: unknown, index: number): SeedProblem[] {
  const errors = insertOrExplain(seeding, kind, item, "");
  const wrong = Object.keys(errors).map((field) => field.split(".")[1] ?? "");
  if (wrong.length === 0) return [];
  const rest = isFields(item) && Object.fromEntries(Object.entries(item).filter(([field]) => !wrong.includes(field)));
  const held = !wrong.includes("") && Object.keys(insertOrExplain(seeding, kind, rest, "")).length === 0;
  const byField = Object.entries(errors).map(([field, texts]) => [field.replace(".", ""), texts] as const);
  return [{ kind, index, errors: Object.fromEntries(byField), held }];
}

const seedContextOf = (service: Service, alone: boolean): SeedContext => ({
  validators: service.validators,
  alone,
  context: makeContext({ ...service, now: service.now(), asyncMs: 0, namePrefix: "" }),
});

function refuseWrong(errors: FieldErrors, most = 1): void {
  if (Object.keys(errors).length >= most) throw invalid(errors);
}

/** Returns the lists of a seed, those that others refer to first, and what is wrong with the others by their names. */
function readLists(seed: unknown): { readonly lists: [KindName, unknown[]][]; readonly errors: FieldErrors } {
  const known = (Object.keys(kinds) as KindName[]).filter((name) => name !== "job");
  if (!isFields(seed)) throw invalid({ seed: ["must be an object of lists by kind"] });
  const errors = mergeErrors();
  for (const [name, items] of Object.entries(seed)) {
    if (!known.some((kind) => kind === name)) errors[name] = [`is not a kind; there are ${known.join(", ")}`];
    else if (!Array.isArray(items)) errors[name] = ["must be a list of records"];
    refuseWrong(errors, mostErrors);
  }
  return { lists: known.map((name) => [name, Array.isArray(seed[name]) ? seed[name] : []]), errors };
}

/** Inserts an item, or returns what is wrong with it, by dotted field under its place in the seed. */
function insertOrExplain(seeding: SeedContext, kind: KindName, item: unknown, place: string): FieldErrors {
  if (!isFields(item)) return { [place]: ["must be a record"] };
  try {
    const errors = insertSeedItem(seeding, kind, structuredClone(item));
    return Object.fromEntries(Object.entries(errors).map(([field, texts]) => [`${place}.${field}`, texts]));
  } catch (error) {
    if (error instanceof HttpError) return { [place]: [error.message] };
    if (error instanceof Error && "code" in error && error.code === "SQLITE_CONSTRAINT_UNIQUE") {
      return { [`${place}.id`]: [`is the identifier of another object; it was ${JSON.stringify(item["id"])}`] };
    }
    throw error;
  }
}
