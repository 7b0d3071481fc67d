import { X509Certificate, createPrivateKey, hash, type KeyObject } from "node:crypto";
import { makeSet, type Fields } from "../fields.ts";
import type { FieldErrors } from "../refusal.ts";
import type { Objects } from "../store/objects.ts";
import { isoTime, pending, belongsToService, type Context, type Draft, type Kind } from "./kind.ts";

type Input = {
  readonly service_id: string;
  readonly domains: readonly string[];
  readonly type: "managed" | "uploaded";
  readonly certificate: string | null;
  readonly chain: string | null;
  readonly private_key?: string;
};

const dayMs = 24 * 60 * 60 * 1000;

/** A certificate. An uploaded one must parse, cover its names and fit its key, which is then dropped. */
export const certificate: Kind<Input> = {
  idPrefix: "crt",
  normalise: (input) => makeSet(input, "domains", (name) => name.toLowerCase()),
  checks: [belongsToService, { fields: ["type", "domains", "certificate", "chain", "private_key"], run: checkUpload }],
  scope: ({ service_id }) => service_id,
  make(input, context): Draft<Input & Fields> {
    const none = { error: null, not_before: null, not_after: null, fingerprint: null };
    const record = { ...input, created_at: isoTime(context.now), status: "pending", ...none };
    if (input.type === "uploaded") return { record: { ...record, ...readUploaded(input.certificate ?? "") } };
    const { fields, schedule } = pending(context, "pending", obtain(input.domains, context));
    return { record: { ...record, ...fields }, schedule };
  },
};

function checkUpload({ type, domains, certificate, chain, private_key }: Input): FieldErrors {
  if (type === "managed") {
    const sent = Object.entries({ certificate, chain, private_key }).filter(
      ([, value]) => value !== null && value !== undefined,
    );
    return Object.fromEntries(sent.map(([field]) => [field, ["must be left out of a managed certificate"]]));
  }
  const errors: FieldErrors = {};
  if (certificate === null) errors["certificate"] = ["is required for an uploaded certificate"];
  if (private_key === undefined) errors["private_key"] = ["is required for an uploaded certificate"];
  if (certificate === null || private_key === undefined) return errors;
  const parsed = attempt(() => new X509Certificate(certificate));
  const key = attempt((): KeyObject => createPrivateKey(private_key));
  if (parsed === undefined) errors["certificate"] = ["must be a PEM certificate"];
  if (key === undefined) errors["private_key"] = ["must be a PEM private key without passphrase"];
  if (parsed === undefined || key === undefined) return errors;
  if (!parsed.checkPrivateKey(key)) errors["private_key"] = ["does not belong to the certificate"];
  const missing = domains.filter((name) => parsed.checkHost(name.replace("*", "any")) === undefined);
  if (missing.length > 0) errors["domains"] = [`are not all in the certificate: ${missing.join(", ")}`];
  return errors;
}

/** The result of a parser, or undefined where the text is not for it: what it says of it tells a client nothing more. */
function attempt<Result>(parse: () => Result): Result | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

function readUploaded(pem: string): Fields {
  const { validFrom, validTo, fingerprint256 } = new X509Certificate(pem);
  return {
    status: "issued",
    not_before: isoTime(Date.parse(validFrom)),
    not_after: isoTime(Date.parse(validTo)),
    fingerprint: fingerprint256.replaceAll(":", "").toLowerCase(),
  };
}

/** Returns the final answer of the authority: a certificate for 90 days, or the reason for none. */
function obtain(domains: readonly string[], { objects, now, asyncMs }: Context): Fields {
  const foreign = domains.filter((name) => !isOwn(name, objects));
  if (foreign.length > 0) {
    const message = `Not a domain, a service's domain or a zone of the account: ${foreign.join(", ")}.`;
    return { status: "failed", error: { code: "domain_not_found", message } };
  }
  const issued = now + asyncMs;
  return {
    status: "issued",
    not_before: isoTime(issued),
    not_after: isoTime(issued + 90 * dayMs),
    fingerprint: hash("sha256", `${domains.join(" ")} ${issued}`),
  };
}

/** Whether a name, or one that it lies under, belongs to the account. */
function isOwn(name: string, objects: Objects): boolean {
  const labels = name.replace("*.", "").split(".");
  return labels.some((_, index) => {
    const candidate = labels.slice(index).join(".");
    return ["domain", "service", "dns_zone"].some((kind) => objects.byKey(`${kind} ${candidate}`) !== undefined);
  });
}
