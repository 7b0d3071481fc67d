import { advice, notRotated } from "../messages/advice.ts";
import { kindNamed } from "../kinds/index.ts";
import { givenTime } from "../kinds/shared/timestamp.ts";
import type { Kind } from "../kinds/kind.ts";
import { kindOf, type Address } from "../model/address.ts";
import { openValue } from "../model/body.ts";
import { clearValue } from "../model/clear-values.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { nearest } from "../model/nearest.ts";
import type { Body, Remote, Resource } from "../model/resource.ts";
import type { RotationReason } from "../messages/step-reasons.ts";
import type { PlanInput } from "../model/plan-input.ts";

/** Write-only fields that are to be sent again, and why. */
export interface Rotation {
  readonly fields: readonly string[];
  readonly reason: RotationReason;
}

/** Finds the rotation that `--rotate` asks for, or that is due by the manifest's own time. A time to come waits until it is there. */
export function rotationOf(
  { consent, now }: PlanInput,
  kind: Kind,
  resource: Resource,
  remote: Remote,
): Rotation | undefined {
  const fields = rotatable(kind, resource);
  if (fields.length === 0) return undefined;
  if (consent.rotations.has(resource.address)) return { fields, reason: { is: "rotation_requested" } };
  const { after = "", last = "" } = kind.rotation ?? {};
  const [due, sent] = [seconds(clearValue(resource.fields[after])), seconds(remote.fields[last])];
  if (due === undefined || sent === undefined || sent >= due || now < due * 1000) return undefined;
  return {
    fields,
    reason: {
      is: "rotation_due",
      due: `${after} ${jsonText(openValue(resource.fields[after]) ?? "(sensitive)")}`,
      last: `${last} ${jsonText(remote.fields[last])}`,
    },
  };
}

/** Returns the obstacles to rotations, and to renewals: nothing to send, or a server that does not tell the time that decides. */
export function rotationMistakes({ desired, live, consent }: PlanInput): Diagnostic[] {
  const asked = [...consent.rotations].flatMap((address): Diagnostic[] => {
    const resource = desired.resources.get(address);
    if (resource && rotatable(kindNamed(resource.kind), resource).length > 0) return [];
    const { summary, hint } = whyNotRotated(address, resource, nearest(address, [...desired.resources.keys()]));
    return [{ severity: "error", code: "bad_rotation", summary, hint, ...(resource && { at: resource.at }) }];
  });
  const unknown = [...desired.resources.values()].flatMap((resource): Diagnostic[] => {
    const { rotation, renewal } = kindNamed(resource.kind);
    const { after, last } = rotation ?? { after: "renew_before", last: renewal?.expires ?? "" };
    const remote = resource.fields[after] && live.resources.get(resource.address)?.remotes[0];
    const given = remote?.fields[last] ?? null;
    if (!remote || seconds(given) !== undefined) return [];
    // A certificate that is not issued has no end yet, and a domain that is not registered has none.
    if (!rotation && given === null) return [];
    const why = rotation ? `does not tell ${last}` : `gives ${last} as ${jsonText(given)}`;
    const summary = `${resource.address}: ${after} has no effect, since the server ${why}`;
    const hint = rotation
      ? advice.rotate(resource.address)
      : `renew it by hand before, and ask the vendor for that time`;
    const code = rotation ? "rotation_unknown" : "renewal_unknown";
    return [{ severity: "warning", code, summary, hint, at: resource.at }];
  });
  return [...asked, ...unknown];
}

function whyNotRotated(
  address: Address,
  resource: Resource | undefined,
  near: string | undefined,
): Pick<Diagnostic, "summary"> & { hint: string } {
  const { name, fields } = kindNamed(kindOf(address));
  const noun = name.replaceAll("_", " ");
  const [field] = Object.keys(fields).filter((each) => fields[each]?.rotates === true);
  if (field === undefined) return { summary: notRotated.noPassword(address, noun), hint: "leave this flag out" };
  const hint = `declare it with its ${field}: "\${env:NAME}"`;
  if (resource) return { summary: notRotated.noField(address, field, noun), hint };
  return { summary: notRotated.undeclared(address), hint: near === undefined ? hint : `did you mean ${near}?` };
}

/** Whether a resource has a write-only value that can be sent again. */
export const isRotatable = (kind: Kind, body: Body): boolean => rotatable(kind, body).length > 0;

const rotatable = (kind: Kind, { fields }: Body) =>
  Object.keys(fields).filter((name) => kind.fields[name]?.rotates === true);

// Servers keep whole seconds: a finer time would be later than what it has just brought about.
function seconds(value: Json | undefined): number | undefined {
  const time = typeof value === "string" ? givenTime(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}
