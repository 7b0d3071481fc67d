import { isReference } from "./body.ts";
import type { Json } from "./json.ts";
import type { FoundSecret, SecretValue, TemplatePart } from "./resource.ts";
import { sealSecret } from "./secret.ts";

/** Looks up what stands behind `${env:NAME}`, `${file:PATH}` and `${exec:NAME}`, or behind a reference. */
export type ReadSecret = (part: Exclude<TemplatePart, string>) => FoundSecret;

/** The text of all parts, or what is missing of it: first what the manifest may not name. */
export function resolveParts(parts: readonly TemplatePart[], readSecret: ReadSecret): FoundSecret {
  const found = parts.map((part) => (typeof part === "string" ? { value: part } : readSecret(part)));
  const missing = found.filter((each) => "missing" in each);
  return (
    missing.find(({ refused }) => refused) ??
    missing[0] ?? { value: found.map((each) => ("value" in each ? each.value : "")).join("") }
  );
}

/** Returns the secret that parts stand for, in its normal form; with references among them, it is there once their values are found. */
export function readSecretValue(
  parts: readonly TemplatePart[],
  readSecret: ReadSecret,
  normal: (text: string) => Json,
): SecretValue {
  const seal = (read: ReadSecret) => {
    const found = resolveParts(parts, read);
    return "value" in found ? sealSecret(normal(found.value)) : undefined;
  };
  if (parts.some(isReference))
    return { is: "secret", parts, late: (find) => seal((part) => (isReference(part) ? find : readSecret)(part)) };
  const secret = seal(readSecret);
  return { is: "secret", parts, ...(secret && { secret }) };
}
