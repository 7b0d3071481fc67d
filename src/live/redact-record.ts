import { entryOf } from "../contract/binding.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Contract } from "../model/contract.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { getPointer, isObject, omitPointer, setPointer } from "../model/json-pointer.ts";

/** What is secret beyond what a record itself shows. */
export interface Secrecy {
  /** Fields whose value the manifest takes from outside. */
  readonly fields: ReadonlySet<string>;
  /** Masks the secrets of this run in a text; a text without any stays as it is. */
  readonly mask: (text: string) => string;
}

/**
 * The part of a live record that may be kept in a file: what the contract names, since a server may send anything beside it, less
 * write-only fields and what is or looks secret. `redacted` names the fields that are there and are left out.
 */
export function redactRecord(
  contract: Contract,
  kind: Kind,
  raw: JsonObject,
  secrecy: Secrecy,
): { readonly record: JsonObject; readonly redacted: readonly string[] } {
  const { id, etag, fields } = entryOf(contract, kind);
  const told = [id, etag].flatMap((at) => (at === undefined ? [] : [{ name: at.slice(1), at }]));
  const named = Object.entries(fields).map(([name, { at }]) => ({ name, at }));
  const isSecret = secretTest(kind, raw, secrecy);
  // They go first, since one may stand within another field.
  const writeOnly = named.filter(({ name, at }) => isWriteOnly(kind, name) && (getPointer(raw, at) ?? null) !== null);
  const readable = writeOnly.reduce((rest, { at }) => omitPointer(rest, at), raw);
  const redacted = writeOnly.map(({ name }) => name);
  let record: JsonObject = {};
  for (const { name, at } of [...told, ...named]) {
    const value = getPointer(readable, at);
    if (value === undefined) continue;
    if (isSecret(name, value)) redacted.push(name);
    else record = setPointer(record, at, value);
  }
  return { record, redacted };
}

const isWriteOnly = (kind: Kind, name: string) => kind.fields[name]?.access === "write_only";

function secretTest(kind: Kind, raw: JsonObject, { fields, mask }: Secrecy): (name: string, value: Json) => boolean {
  // Most records hold no secret of the run, and one look at the whole tells so.
  const whole = JSON.stringify(raw);
  const isMasked = mask(whole) === whole ? () => false : (text: string) => mask(text) !== text;
  return (name, value) => {
    const field = kind.fields[name];
    if (value === null) return false;
    if (fields.has(name)) return true;
    const test = field?.mayHoldCredentials === true ? looksLikeCredentials : () => false;
    return holds(value, (text) => isMasked(text) || privateKey.test(text) || test(text));
  };
}

/** Whether any text in a value is told on by `test`, or stands under a key that says so itself. */
function holds(value: Json, test: (text: string) => boolean): boolean {
  if (typeof value === "string") return test(value);
  if (Array.isArray(value)) return value.some((each) => holds(each, test));
  return isObject(value) && Object.entries(value).some(([key, each]) => secretKey.test(key) || holds(each, test));
}

const privateKey = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/u;
const secretKey = /pass(word|wd|phrase)?$|secret|token|private_?key|auth_?code|api_?key/iu;

// Rather too many than too few: what is taken for a credential is only not compared. Repetitions are bounded, so that no text is slow.
const credentials: readonly RegExp[] = [
  /:\/\/[^\s/@]{1,200}@/u, // https://user:password@host
  /[?&][^\s=&#]{1,200}=/u, // https://host/run?token=…
  /(pass[a-z_-]{0,20}|pwd|secret[a-z_-]{0,20}|token|bearer|authori[sz]ation|cookie|credentials?)["']?\s{0,4}[=:\s]/iu,
  /(key|auth|sig|signature)["']?\s{0,4}[=:]/iu,
  /\s-p[^\s-]/u, // mysqldump -pPASSWORD
  /\s(-u|--user)[\s=]{0,4}[^\s:]{1,200}:/u, // curl -u user:password
];
const longWord = /[\w+=-]{20,}/gu;

/** `php bin/backup.php` does not; `curl https://example.com/hook?token=…` does, and so does any long word with digits in it. */
function looksLikeCredentials(text: string): boolean {
  return (
    credentials.some((pattern) => pattern.test(text)) || (text.match(longWord) ?? []).some((word) => /\d/u.test(word))
  );
}
