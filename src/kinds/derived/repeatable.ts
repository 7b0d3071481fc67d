import type { Kind } from "../kind.ts";
import type { CreateCall, HttpCall } from "../../model/http-call.ts";
import type { Fields } from "../../model/resource.ts";

/** Returns whether a deleted object of this kind can be created again from its record alone: it holds no data and no secret beside that. */
export const comesBack = (kind: Kind): boolean =>
  kind.guard?.protected !== true && !Object.values(kind.fields).some(({ access }) => access === "write_only");

/** Why a call is never sent again while it is not known whether it was done; undefined where a second one does no harm. */
export function whyNotRetried(kind: Kind, call: HttpCall): string | undefined {
  if (call.operation === "renew") return "it costs money, so it is not sent again";
  if (call.operation !== "create") return undefined;
  if (kind.listing?.newest !== undefined) return "a second one would stand beside the first, so it is not sent again";
  return kind.guard?.purchase?.(writtenFields(call)) === true ? "it costs money, so it is not sent again" : undefined;
}

/** The fields that a creation sends, but for those that only the run knows. */
export const writtenFields = ({ values }: Pick<CreateCall, "values">): Fields =>
  Object.fromEntries(values.flatMap((value) => ("value" in value ? [[value.field, value.value]] : [])));
