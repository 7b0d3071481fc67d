import { isDeepStrictEqual } from "node:util";
import { declareAccount } from "../import/declare-account.ts";
import { applyEdits, editsTo, NotInPlace, removals, type Edit } from "../manifest/yaml/edit-written.ts";
import { holdsKnownSecret } from "../model/credentials.ts";
import { looksSecret } from "../kinds/derived/looks-secret.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import { kindNamed } from "../kinds/index.ts";
import type { WrittenResource } from "../manifest/read/read-resources.ts";
import { readSources } from "../manifest/sources.ts";
import { positionOf, toJson, type WrittenMap } from "../manifest/yaml/written.ts";
import type { Address } from "../model/address.ts";
import { bodiesOf, secretFields } from "../model/body.ts";
import type { Position } from "../model/diagnostic.ts";
import type { DriftItem } from "../model/drift.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { getPointer, isObject, setPointer } from "../model/json-pointer.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { Desired, Fields } from "../model/resource.ts";
import { plan } from "../plan/plan.ts";
import { prepare } from "../plan/prepare.ts";
import { rulesOf, saveEdited } from "./import/import-destination.ts";
import type { Ending, Session } from "./session/host.ts";
import { InputError } from "./session/input-error.ts";
import { allowedFolders, loadManifestFiles, type FileOptions } from "./session/load-manifest.ts";
import { findDrift, type DriftRules, type FoundDrift } from "./run/find-drift.ts";
import { planRequest, withOpenManifest, type PlanRequest } from "./session/open-manifest.ts";
import type { SourceOptions } from "./session/open-snapshot.ts";
import { readAddress } from "./session/read-addresses.ts";
import type { OwnershipOptions } from "./session/ownership.ts";
import { checkPattern } from "./status.ts";

export interface DriftOptions extends SourceOptions, FileOptions, OwnershipOptions, DriftRules {
  /** The address of a resource whose live values are written into the manifest. */
  readonly accept?: string | undefined;
}

/** Compares the live state with the manifest as it was last applied. Only reads, unless a resource is accepted. */
export async function showDrift(options: DriftOptions, io: Session): Promise<Ending> {
  const accepted = options.accept === undefined ? undefined : readAddress("--accept", options.accept);
  options.tolerate.forEach(checkPattern);
  return withOpenManifest(options, io, async (open) => {
    const found = await findDrift(open, planRequest(open), options, io);
    if (typeof found === "string") return found;
    if (accepted !== undefined) {
      await acceptDrift(accepted, found, planRequest(open), options, io);
      return "done";
    }
    io.emit({ type: "drift", drift: found.drift });
    if (found.drift.incomplete.length > 0) return "refused";
    return found.drift.items.length > 0 ? "changes" : "done";
  });
}

/**
 * Writes the live values of a resource that has drifted into the manifest, in place, or takes its block out if it is gone. Throws an InputError,
 * and writes nothing, where the result would not be a manifest that plans nothing for it.
 */
async function acceptDrift(
  address: Address,
  { drift: { items, tolerated }, live }: FoundDrift,
  request: PlanRequest,
  options: FileOptions & { readonly file: readonly string[] },
  io: Session,
): Promise<void> {
  const item = [...items, ...tolerated].find((each) => each.address === address);
  const { file: paths, allowFile } = options;
  const isUnmanaged = !item && live.resources.has(address) && !request.desired.resources.has(address);
  if (isUnmanaged || item?.is === "appeared")
    throw new InputError({ type: "accept_by_import", address, path: paths[0] ?? "" });
  if (!item) throw new InputError({ type: "not_drifted", address });
  const read = await readSources(paths, { readStdin: io.readStdin, flag: "-f", allowed: allowedFolders(allowFile) });
  const { written, tree } = await loadManifestFiles(paths, { ...options, read }, io);
  const block = written.get(address);
  if (!block || !tree) throw new InputError({ type: "accept_undeclared", address });
  const at = positionOf(block.keySpan);
  const input = { ...request, live, now: io.now() };
  const gone = [...items, ...tolerated].filter(({ is }) => is === "gone");
  const apart = new Set([item, ...(item.is === "gone" ? gone : [])].map((each) => each.address));
  for (const edits of editsFor(item, block, tree, { ...input, mask: io.mask })) {
    const sources = read.sources.map((source) => ({ ...source, text: applyEdits(source, edits) }));
    const edited = await loadManifestFiles(paths, { ...options, read: { ...read, sources } }, io);
    if (!edited.result || !isAccepted(item, apart, input, edited.result.desired)) continue;
    for (const [index, source] of read.sources.entries())
      if (sources[index]?.text !== source.text) saveEdited(source, sources[index]?.text ?? "");
    return io.emit({ type: "accepted", address, file: at.file, line: at.line });
  }
  throw notInPlace(item, at);
}

/** Returns the edits that may declare what is live, the smallest first. */
function editsFor(item: DriftItem, block: WrittenResource, tree: WrittenMap, input: MaskedInput): readonly Edit[][] {
  const { keySpan, body, kind, resource } = block;
  const { key } = resource;
  const fieldsOf = (fields: Fields) =>
    Object.entries(fields).map(([name, value]) => [name, normalValue(kind, name, value, key)]);
  const normal = (item: Json) =>
    kind.members?.read(item, key).members.flatMap(({ fields }) => fieldsOf(fields)) ?? item;
  try {
    if (item.is === "gone") return removals(tree, keySpan, body).map((edit) => [edit]);
    const value = liveBody(item, block, tree, input);
    return value === undefined ? [] : [editsTo(body, value, normal)];
  } catch (error) {
    throw error instanceof NotInPlace ? notInPlace(item, positionOf(error.span)) : error;
  }
}

const notInPlace = ({ address, is, changes }: DriftItem, at: Position) => {
  const fields = is === "gone" ? [] : [...new Set(changes.map(({ path }) => path))];
  return new InputError({ type: "accept_by_hand", address, fields, at });
};

type MaskedInput = PlanInput & Pick<Session, "mask">;

/** The body that declares what is live: of a set all of it, of one object only the fields that differ. Undefined where a value is or looks secret. */
function liveBody(
  { address, changes }: DriftItem,
  { body, kind }: WrittenResource,
  tree: WrittenMap,
  input: MaskedInput,
): Json | undefined {
  const isWhollySecret = kind.members && secretFields(input.desired.resources.get(address)).size > 0;
  if (isWhollySecret || changes.some(({ after }) => after.is === "sensitive")) return undefined;
  const { live } = prepare(input);
  const rules = {
    ...rulesOf({ ...input, live }, tree),
    isWanted: (other: Address) => other === address,
    isTaken: (other: Address) => other !== address,
  };
  const { blocks } = declareAccount(live, { ...rules, contract: input.contract, mask: input.mask });
  const whole = blocks.find((each) => each.address === address)?.body;
  if (kind.members) return whole;
  const fields = live.resources.get(address)?.remotes[0]?.fields ?? {};
  const json = toJson(body);
  let next: JsonObject = isObject(json) ? json : {};
  for (const { path } of changes) {
    const field = kindNamed(kind.name).fields[path];
    const pointer = `/${(field?.from ?? path).replaceAll(".", "/")}`;
    const value = fields[path] ?? null;
    if (looksSecret(kind, path, value) || holdsKnownSecret(value, input.mask)) return undefined;
    next = setPointer(next, pointer, getPointer(whole ?? {}, pointer) ?? field?.spell?.(value) ?? value);
  }
  return next;
}

/** Whether a manifest changes nothing of what has drifted, and declares all else as before. `apart`: what it may leave out. */
function isAccepted(
  { is, address, changes }: DriftItem,
  apart: ReadonlySet<Address>,
  input: PlanInput,
  desired: Desired,
) {
  const drifted = new Set(changes.map(({ path }) => path));
  // With its parent a resource is made anew as it is.
  const stays = ({ path, before, after }: DriftItem["changes"][number]) =>
    !drifted.has(path) || isDeepStrictEqual(before, after);
  const own = plan({ ...input, desired }).steps.filter((step) => step.address === address);
  const rest = ({ resources }: Desired) =>
    [...resources].flatMap(([of, each]) => (apart.has(of) ? [] : [of, bodiesOf(each).map(({ fields }) => fields)]));
  return (
    own.every((step) => is === "differs" && step.changes.every(stays)) &&
    isDeepStrictEqual(rest(input.desired), rest(desired))
  );
}
