import { kindNamed } from "../kinds/index.ts";
import { openFields, partsOf } from "../model/body.ts";
import type { HttpCall } from "../model/http-call.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Step } from "../model/plan.ts";
import type { Fields } from "../model/resource.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { lookAtEnd, lookBefore, type ValueAt } from "./availability.ts";
import { findAnswer, typesNeeded } from "./is-answered.ts";
import type { Zones } from "./zones.ts";

/**
 * Puts the calls of a set whose records name hosts in an order in which some host has an address all the while: first those that take away
 * no record of use, in the order that they have.
 */
export function withCallsInOrder({ live, desired }: PlanInput, readZones: () => Zones, step: Step): Step {
  const resource = desired.resources.get(step.address);
  if (step.action !== "update" || step.calls.length < 2 || !resource) return step;
  const { availability: { answers } = {}, members } = kindNamed(resource.kind);
  const bodies = resource.members ?? [];
  if (!answers || !members || members.single(resource.key)) return step;
  if (bodies.some(({ fields }) => partsOf(fields[members.identity]))) return step;
  const wanted = bodies.map(({ fields }) => openFields(fields));
  const remotes = new Map<string, Fields>(
    (live.resources.get(step.address)?.remotes ?? []).map(({ id, fields }) => [id, fields]),
  );
  const types = typesNeeded(resource.key["type"] ?? "");
  const isOfUse = (fields: Fields | undefined, look: ValueAt) => {
    if (!fields || !answers.counts(fields)) return false;
    const hosts = answers.targets(resource.key, fields);
    return hosts.every((host) => findAnswer({ zones: readZones(), look, hosts: true }, host, types) !== undefined);
  };
  const namesHost = (fields: Fields) => answers.targets(resource.key, fields).length > 0;
  if (![...remotes.values(), ...wanted].some(namesHost)) return step;
  const byIdentity = new Map(wanted.map((fields) => [jsonText(fields[members.identity]), fields]));
  const comesAgain = (identity: Json | undefined) =>
    step.calls.some(
      (call) =>
        call.operation === "create" &&
        call.values.some((each) => each.field === members.identity && "value" in each && each.value === identity),
    );
  const isLoss = (call: HttpCall) => {
    const id = call.params["id"];
    const old = typeof id === "string" ? remotes.get(id) : undefined;
    const sent = call.operation === "create" || call.operation === "update" ? call.values : [];
    const [identity] = sent.flatMap((each) =>
      each.field === members.identity && "value" in each ? [jsonText(each.value)] : [],
    );
    const made = identity === undefined ? undefined : byIdentity.get(identity);
    // A deletion whose identity comes again goes first: a server refuses a second object of one identity.
    if (call.operation === "delete" && comesAgain(old?.[members.identity])) return false;
    return isOfUse(old, lookBefore) && !isOfUse(made && { ...members.always, ...made }, lookAtEnd);
  };
  const losses = new Set(step.calls.filter(isLoss));
  return { ...step, calls: step.calls.toSorted((a, b) => Number(losses.has(a)) - Number(losses.has(b))) };
}
