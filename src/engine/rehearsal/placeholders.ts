import { randomBytes } from "node:crypto";
import { makeServerIdentity } from "../../emulator/index.ts";
import { locate } from "../../kinds/derived/collection.ts";
import { normalValue } from "../../kinds/derived/normal-value.ts";
import { kindNamed } from "../../kinds/index.ts";
import { resolveParts, type ReadSecret } from "../../model/template-parts.ts";
import type { Address } from "../../model/address.ts";
import { mapValues } from "../../model/body.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { BodyValue } from "../../model/http-call.ts";
import type { Plan, Step } from "../../model/plan.ts";
import type { Desired, TemplatePart, Resource } from "../../model/resource.ts";
import { sealSecret } from "../../model/secret.ts";

type OutsidePart = Exclude<TemplatePart, string>;
type Late = Extract<BodyValue, { readonly parts: readonly TemplatePart[] }>;

const madeUp = "rehearsal-placeholder";

/**
 * Returns the secrets for a rehearsal: those that are set, and something of the same form for those that are not; and a diagnostic for each
 * value that nothing made up can stand for.
 * @param now ms since 1970: from when a certificate that is made up is valid.
 */
export function withPlaceholders({ steps }: Plan, readSecret: ReadSecret, now: number) {
  const pems = new Map<string, string>();
  const missingOf = (part: TemplatePart): string | undefined => {
    const found = typeof part === "string" || "ref" in part ? undefined : readSecret(part);
    return found && "missing" in found ? found.missing : undefined;
  };
  const diagnostics = steps.flatMap((step) => {
    const unset = lateValues(step).filter(({ parts }) => parts.some((part) => missingOf(part) !== undefined));
    for (const [part, pem] of certificateFor(step, unset, now)) pems.set(nameOf(part), pem);
    return unset.flatMap((value) => {
      const expected = value.parts.some((part) => pems.has(nameOf(part))) ? undefined : misfit(step, value);
      const missing = value.parts.map(missingOf).find((each) => each !== undefined) ?? "";
      return expected === undefined ? [] : [noPlaceholder(step, value, missing, expected)];
    });
  });
  const readOrMakeUp: ReadSecret = (part) => {
    const found = readSecret(part);
    return "missing" in found && !("ref" in part) ? { value: pems.get(nameOf(part)) ?? madeUp } : found;
  };
  return { readSecret: readOrMakeUp, diagnostics };
}

/** Returns the desired state with a value, set or made up, for each secret that comes from outside. */
export function withValues(desired: Desired, readSecret: ReadSecret): Desired {
  const resources = [...desired.resources].map(([address, resource]): [Address, Resource] => [
    address,
    mapValues(resource, (value, name) => {
      if (value.is !== "secret" || !value.parts || value.secret) return value;
      const found = resolveParts(value.parts, readSecret);
      if ("missing" in found) return value;
      return { ...value, secret: sealSecret(normalValue(kindNamed(resource.kind), name, found.value, resource.key)) };
    }),
  ]);
  return { ...desired, resources: new Map(resources) };
}

const nameOf = (part: TemplatePart) => JSON.stringify(part);

const lateValues = ({ calls }: Step): Late[] =>
  calls.flatMap((call) => (call.operation === "delete" ? [] : [...call.values].filter((value) => "parts" in value)));

/** A certificate and its key, where both are to come from outside: they must fit each other and the names. */
function certificateFor({ address }: Step, unset: readonly Late[], now: number): [TemplatePart, string][] {
  const partOf = (name: string): OutsidePart | undefined => {
    const [part, ...more] = unset.find(({ field }) => field === name)?.parts ?? [];
    return typeof part === "object" && more.length === 0 ? part : undefined;
  };
  const [certificate, key] = [partOf("certificate"), partOf("private_key")];
  if (!certificate || !key) return [];
  const names = (locate(address).key["domains"] ?? "").split("+");
  const identity = makeServerIdentity(names, now, randomBytes);
  return [
    [certificate, identity.cert],
    [key, identity.key],
  ];
}

/** Returns the expected form of a value if the made-up text does not have it. */
function misfit({ address }: Step, { field, parts }: Late): string | undefined {
  const { kind, key } = locate(address);
  if (field === "private_key" || field === "certificate") return "one half of a certificate, and must fit the other";
  const text = parts.map((part) => (typeof part === "string" ? part : madeUp)).join("");
  // A field of another resource is known only when that is there.
  if (parts.some((part) => typeof part === "object" && "ref" in part)) return undefined;
  return kind.fields[field]?.check?.(text, key);
}

const noPlaceholder = ({ address, at }: Step, { field }: Late, missing: string, expected: string): Diagnostic => ({
  severity: "error",
  code: "unset",
  summary: `${address} cannot be rehearsed: ${missing}`,
  detail: `its ${field} is ${expected}`,
  hint: "set it: a placeholder cannot replace this value",
  ...(at && { at }),
});
