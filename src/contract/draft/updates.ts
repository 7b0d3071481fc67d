import type { Kind } from "../../kinds/kind.ts";
import type { FieldContract, KindContract, OperationContract } from "../../model/contract.ts";
import { sortOf } from "../spelling/fits.ts";
import type { Collection } from "./collections.ts";
import { findField } from "./find-field.ts";
import type { ItemPath } from "./item-requests.ts";
import type { Operation } from "./operations.ts";
import type { DraftParam, Findings } from "./params.ts";
import { asOperation, draftPath } from "./requests.ts";
import { vocabularies } from "./vocabulary.ts";
import { plainName } from "./words.ts";

/** Requests for single fields, and the fields that only they have. */
export interface DraftUpdates {
  readonly updateOf: NonNullable<KindContract["update_of"]>;
  readonly fields: Readonly<Record<string, FieldContract>>;
  readonly params: readonly DraftParam[];
}

const verbs = /^(?:change|set|reset|update|edit|modify)/u;

/** Drafts requests below the path of an object that are named like a field: `/mailboxes/{id}/password`, `/actions/change_ttl`. */
export function draftUpdates(
  findings: Findings,
  collection: Collection,
  item: ItemPath,
  { fields, update }: { fields: Readonly<Record<string, FieldContract>>; update: Operation | undefined },
): DraftUpdates {
  const { kind } = collection;
  const below = findings.operations.filter(
    ({ path, isDeprecated, method }) => path.startsWith(`${item.path}/`) && !isDeprecated && method !== "GET",
  );
  const updateOf: Record<string, NonNullable<KindContract["update_of"]>[string]> = {};
  const added: Record<string, FieldContract> = {};
  const params: DraftParam[] = [];
  for (const [name, { access }] of Object.entries(kind.fields)) {
    if (access !== "mutable" && access !== "write_only") continue;
    if (update?.request && findField(findings.schemas, kind, name, update.request)) continue;
    const named = below.filter((each) => isNamed(kind, name, each.path.slice(item.path.length + 1)));
    const found = draftUpdate(findings, collection, { name, named, item, field: fields[name] });
    if (!found) continue;
    updateOf[name] = found.update;
    if (found.field) added[name] = found.field;
    params.push(...found.params);
  }
  return { updateOf, fields: added, params };
}

function isNamed(kind: Kind, name: string, rest: string): boolean {
  const parts = rest.split("/");
  const last = plainName(parts.at(-1) ?? "");
  const synonyms = (vocabularies[kind.name]?.fields[name] ?? []).map(plainName);
  const isDirect = parts.length === 1 || (parts.length === 2 && parts[0] === "actions");
  return (
    isDirect &&
    (synonyms.includes(last) || synonyms.includes(last.replace(verbs, "")) || synonyms.includes(`is${last}ed`))
  );
}

interface WantedUpdate {
  readonly name: string;
  readonly named: readonly Operation[];
  readonly item: ItemPath;
  readonly field: FieldContract | undefined;
}

interface Drafted {
  readonly update: NonNullable<KindContract["update_of"]>[string];
  readonly field?: FieldContract;
  readonly params: readonly DraftParam[];
}

function draftUpdate(
  findings: Findings,
  collection: Collection,
  { name, named, item, field }: WantedUpdate,
): Drafted | undefined {
  const { kind } = collection;
  const of = (...methods: string[]) => methods.flatMap((method) => named.filter((each) => each.method === method))[0];
  const write = of("PATCH", "PUT", "POST");
  const off = of("DELETE");
  if (!write) return undefined;
  const request = draftPath(findings, collection, write, item.own);
  if ("unfilled" in request) return undefined;
  const { params } = request;
  if (off && !write.request && sortOf(kind, name) === "boolean" && field)
    return { update: { on: asOperation(request), off: asOperation({ ...request, operation: off }) }, params };
  const place = write.request && findField(findings.schemas, kind, name, write.request);
  if (!place && !(write.request && field?.keys !== undefined)) return undefined;
  const pointer = place?.pointer ?? "";
  const isMoved = field !== undefined && field.at !== pointer;
  const update: OperationContract = { ...asOperation(request), ...(isMoved && { send: { [name]: pointer } }) };
  return { update, params, ...(!field && { field: { at: pointer, assumed: true } }) };
}
