import type { Fields } from "../fields.ts";
import { pending, type Context, type Draft, type Kind } from "./kind.ts";

type Input = { readonly enabled: boolean; readonly algorithm: number };

export const dnssec: Kind<Input> = {
  naturalKey: (_, zone) => `dnssec ${zone}`,
  scope: (_, zone) => zone,
  make: (input, context, scope) => draft(input, context, scope),
  change: (before, input, context, scope) =>
    before.enabled === input.enabled ? { record: {}, scope } : draft(input, context, scope),
};

function draft({ enabled, algorithm }: Input, context: Context, zone: string): Draft<Input & Fields> {
  const ds_records = enabled ? [dsRecord(zone, algorithm, context)] : [];
  const { fields, schedule } = enabled
    ? pending(context, "pending", { status: "active" })
    : pending(context, "disabling", { status: "disabled" });
  return { record: { enabled, algorithm, status: "active", ds_records, ...fields }, schedule, scope: zone };
}

function dsRecord(zone: string, algorithm: number, { digest }: Context): Fields {
  const bytes = digest(`ds ${zone} ${algorithm}`, 34);
  return {
    key_tag: bytes.readUInt16BE(32),
    algorithm,
    digest_type: 2,
    digest: bytes.subarray(0, 32).toString("hex").toUpperCase(),
  };
}
