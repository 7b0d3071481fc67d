import { isDeepStrictEqual } from "node:util";
import { isFields, type Fields } from "../fields.ts";
import { envelope, makeEtag, noContent, renderRecord, type Answer } from "../http/answer.ts";
import { refuseInvalid, mergeErrors, malformed, HttpError, type FieldErrors } from "../refusal.ts";
import type { StoredObject } from "../store/objects.ts";
import { kinds } from "../kinds/index.ts";
import { schemaOf, type KindName } from "../kinds/kind-name.ts";
import { checkBody, shownFields } from "../kinds/kind.ts";
import { answered } from "./answered.ts";
import { labelOf, type Action, type Call, type ActionTarget } from "./call.ts";

/** A page of a kind's records, oldest first. */
export function listAction({ kind, scope }: ActionTarget): Action {
  return (call) => {
    const page = Number(call.query["page"]);
    const perPage = Math.min(Number(call.query["per_page"]), call.perPageMax);
    const parent = scope(call);
    const { records, total } = call.context.objects.page(kind, parent, page, perPage);
    const items = renderPage(call, kind, parent ?? "", records).join(",");
    const meta = JSON.stringify({ current_page: page, per_page: perPage, total });
    const body = `{"data":[${items}],"meta":${meta},"message":${JSON.stringify(`${records.length} of ${total}.`)}}`;
    return conditional(call, body, makeEtag(body));
  };
}

function renderPage(call: Call, kind: KindName, scope: string, records: readonly string[]): string[] {
  if (call.spelling.size === 0) return records.map((text) => renderRecord(text).text);
  const formatted = records.map((text) => {
    const record = JSON.parse(text) as Fields;
    return renderRecord(text, JSON.stringify(answered(call, { kind, scope, record }))).text;
  });
  return call.spelling.has("shuffled") ? formatted.reverse() : formatted;
}

export function getAction({ kind, find }: ActionTarget): Action {
  return (call) => {
    const { text, etag } = renderObject(call, find(call));
    return conditional(call, envelope(text, `This is the ${labelOf(kind)}.`), etag);
  };
}

function conditional(call: Call, body: string, etag: string): Answer {
  return isNotModified(call.header("if-none-match"), etag)
    ? { status: 304, headers: { ETag: etag }, body: undefined }
    : { status: 200, headers: { ETag: etag }, body };
}

/** A new record; `presentNew` says what is answered with it, by default 201 and the record. */
export function createAction(
  { kind, scope }: ActionTarget,
  presentNew = (object: StoredObject, call: Call): Answer =>
    present(call, 201, object, `The ${labelOf(object.kind)} was created.`),
): Action {
  const rules = kinds[kind];
  return (call) => {
    const { context, body, validators } = call;
    const parent = scope(call) ?? "";
    const errors = validators.body(`${schemaOf(kind)}Create`, body);
    rules.normalise?.(body);
    refuseInvalid(checkBody(rules, body, context, parent, errors));
    const draft = rules.make?.(body, context, parent) ?? { record: body };
    const object = context.bring(kind, { ...draft, record: shownFields(kind, draft.record, validators) });
    rules.made?.(object, body, context);
    rules.touched?.(object, context);
    return presentNew(object, call);
  };
}

function renderObject(call: Call, object: StoredObject): ReturnType<typeof renderRecord> {
  const stored = JSON.stringify(object.record);
  return renderRecord(stored, call.spelling.size === 0 ? stored : JSON.stringify(answered(call, object)));
}

/** An object's record in its envelope, with its ETag. */
export function present(call: Call, status: number, object: StoredObject, message: string): Answer {
  const { text, etag } = renderObject(call, object);
  return { status, headers: { ETag: etag }, body: envelope(text, message) };
}

/** A record replaced by the whole writable record of the body. */
export function updateAction({ kind, find }: ActionTarget): Action {
  const rules = kinds[kind];
  return (call) => {
    const { context, body, validators } = call;
    const before = find(call);
    rules.guard?.(before);
    checkIfMatch(call.header("if-match"), etagOfRecord(before));
    if (call.spelling.size > 0) restoreRepeated(body, before.record, answered(call, before));
    const errors = validators.body(`${schemaOf(kind)}Update`, body);
    rules.normalise?.(body);
    const fixed = keepImmutable(body, before.record, validators.marked(`${schemaOf(kind)}Update`, "x-immutable"));
    refuseInvalid(checkBody(rules, body, context, before.scope, mergeErrors(errors, fixed)));
    const draft = rules.change?.(before.record, body, context, before.scope) ?? { record: body };
    const record = shownFields(kind, { ...before.record, ...draft.record }, validators);
    const after = context.save({ ...before, record, schedule: draft.schedule ?? before.schedule });
    rules.touched?.(after, context);
    return present(call, 200, after, `The ${labelOf(kind)} was changed.`);
  };
}

/** Takes a record away. */
export function removeAction({ kind, find }: ActionTarget): Action {
  const rules = kinds[kind];
  return (call) => {
    const { context } = call;
    const object = find(call);
    rules.guard?.(object);
    checkIfMatch(call.header("if-match"), etagOfRecord(object));
    rules.removing?.(object, context);
    context.objects.remove(object.id);
    rules.touched?.(object, context);
    return noContent;
  };
}

const etagOfRecord = ({ record }: StoredObject): string => makeEtag(JSON.stringify(record));

/** Fills immutable fields that were left out with what is stored, and names those that differ. */
function keepImmutable(input: Fields, before: Fields, names: readonly string[]): FieldErrors {
  const errors: FieldErrors = {};
  for (const name of names) {
    if (input[name] === undefined) input[name] = before[name];
    else if (!isDeepStrictEqual(input[name], before[name])) {
      errors[name] = [`cannot be changed after creation; it is ${JSON.stringify(before[name])}`];
    }
  }
  return errors;
}

/** Puts the stored value, in place, where a body only repeats the answer: a client sends back the fields that it leaves alone, too. */
function restoreRepeated(body: Fields, stored: Fields, answered: Fields): void {
  for (const [name, value] of Object.entries(stored)) {
    const [sent, shown] = [body[name], answered[name]];
    if (isDeepStrictEqual(sent, shown)) body[name] = value;
    else if (isFields(sent) && isFields(value) && isFields(shown)) restoreRepeated(sent, value, shown);
  }
}

const list = /^\s*(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*\s*$/;

/** Refuses with 412 when `If-Match` names other versions than the current one (RFC 9110 section 13.1.1: weak tags never match). */
function checkIfMatch(header: string | undefined, etag: string): void {
  if (header === undefined || tags("If-Match", header).some((tag) => tag === "*" || tag === etag)) return;
  throw new HttpError(
    412,
    "precondition_failed",
    `It changed since it was read: If-Match has ${header}, it is at ${etag}. Read it again.`,
    {
      headers: { ETag: etag },
    },
  );
}

/** Whether `If-None-Match` names the current version, so that 304 is the answer. */
function isNotModified(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return tags("If-None-Match", header).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);
}

function tags(name: string, header: string): readonly string[] {
  if (header.trim() === "*") return ["*"];
  if (list.test(header)) return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  throw malformed(`${name} must be * or quoted entity tags, such as "abc"; it was ${header}.`);
}
