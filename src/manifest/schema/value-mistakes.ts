import type { BoundKind } from "../../contract/bound-kind.ts";
import type { Kind } from "../../kinds/kind.ts";
import { shorten } from "../../lib/shorten.ts";
import { advice } from "../../messages/advice.ts";
import type { Address } from "../../model/address.ts";
import { isReference } from "../../model/body.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { jsonText, type Json } from "../../model/json.ts";
import { didYouMean, nearest } from "../../model/nearest.ts";
import type { TemplatePart } from "../../model/resource.ts";
import { templateText } from "../../model/template-text.ts";
import { diagnosticAt } from "../yaml/diagnostic-at.ts";
import type { ReadValue } from "../read/read-value.ts";
import type { Span } from "../yaml/written.ts";

/** The values that an API takes for the fields of one kind. */
export interface Limits {
  readonly contract: string;
  readonly kind: BoundKind;
  readonly names: ReadonlySet<string>;
  /** Returns the place of a field in the block of a parent. */
  readonly inheritedAt: (parent: Address, name: string) => Span | undefined;
  /** Places whose value was refused: many records may inherit one. */
  readonly refused: Set<Span>;
  /** Takes the mistakes. */
  readonly diagnostics: Diagnostic[];
}

const longestShown = 200;

/** Says at a value that the API does not take it, once for each place: many records inherit one. */
export function refuse(span: Span, value: InvalidValue, expected: string, limits: Limits): void {
  const { contract, kind: bound, refused, diagnostics } = limits;
  if (refused.has(span)) return;
  refused.add(span);
  const { kind, name, isSecret } = value;
  const isWord = typeof value.value === "string" && !isSecret;
  const near = isWord ? nearest(value.value, bound.entry.fields[name]?.values ?? []) : undefined;
  diagnostics.push(
    diagnosticAt(span, {
      code: "not_taken",
      summary: `${kind.name} ${name} cannot be ${shownValue(value)}: the contract ${contract} does not allow it`,
      detail: expected,
      hint: didYouMean(near) ?? `write another value, or correct kinds.${kind.name}.fields.${name} in the contract`,
    }),
  );
}

export function missingValue(
  span: Span,
  name: string,
  { missing, source, refused }: NonNullable<ReadValue["missing"]>,
): Diagnostic {
  if (refused)
    return diagnosticAt(span, {
      code: `refused_${refused}`,
      summary: `${name} has no value: ${missing}`,
      hint: refused === "file" ? advice.allowFolderOfFile : advice.allowCommand(source),
    });
  return diagnosticAt(span, {
    severity: "notice",
    code: "unset",
    summary: `${name} has no value yet: ${missing}`,
    hint: "it is needed only by an apply that sends it",
    source,
  });
}

export interface InvalidValue {
  readonly kind: Kind;
  readonly name: string;
  readonly value: Json;
  readonly isSecret?: boolean;
  readonly parts?: readonly TemplatePart[] | undefined;
}

function shownValue({ isSecret, value, parts }: InvalidValue): string {
  const text = JSON.stringify(value);
  if (isSecret) return `the value ${parts === undefined ? "that is written here" : `of ${sourcesOf(parts)}`}`;
  return text.length > longestShown ? `${shorten(text, longestShown)} (${text.length} characters)` : text;
}

export function invalidValue(span: Span, written: InvalidValue, expected: string): Diagnostic {
  const { kind, name, isSecret, value, parts } = written;
  return diagnosticAt(span, {
    code: "invalid_value",
    summary: `${kind.name} ${name} cannot be ${shownValue(written)}`,
    // Some expectations repeat the value that they are about.
    ...(!(isSecret && expected.includes(jsonText(value))) && { detail: expected }),
    // A name is not taken out of the value, which may be a password that begins so.
    ...(isSecret && !parts && /^\$\w+$/u.test(jsonText(value)) && { hint: 'a variable is written as "${env:NAME}"' }),
  });
}

const sourcesOf = (parts: readonly TemplatePart[]): string =>
  parts.flatMap((part) => (typeof part === "string" || isReference(part) ? [] : templateText([part]))).join(" and ");

export function plainSecret(span: Span, name: string): Diagnostic {
  return diagnosticAt(span, {
    severity: "warning",
    code: "plain_secret",
    summary: `${name} is written in the manifest, where everyone who reads the repository sees it`,
    hint: 'write "${env:NAME}", "${file:path}" or "${exec:NAME}" instead, and change the secret if it was ever committed',
  });
}
