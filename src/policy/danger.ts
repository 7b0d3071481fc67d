import { locate } from "../kinds/derived/collection.ts";
import type { Step } from "../model/plan.ts";

/** Returns whether a step deletes, replaces, reroutes, interrupts or costs something, or may leave something deleted. */
export const isDanger = (step: Step): boolean =>
  step.action === "delete" ||
  step.action === "renew" ||
  step.replaces ||
  step.purchase ||
  step.detaches === true ||
  [step.gaps, step.on_refusal, step.takesAlong].some((each) => (each ?? []).length > 0) ||
  step.changes.some(({ forcesReplace, notCarried }) => forcesReplace === true || notCarried !== undefined) ||
  (step.action === "update" && isReroute(step));

/** Returns whether changes of a resource send the mail for a domain, or the queries for its names, to other hosts. */
export function isReroute({ address, changes }: Pick<Step, "address" | "changes">): boolean {
  const { kind, key } = locate(address);
  const { answers, delegates } = kind.availability ?? {};
  const routes = ["MX", "NS"].includes(answers?.at(key).type ?? "");
  const isRoute = (path: string) => path === delegates?.servers || (routes && path !== "ttl" && path !== "comment");
  return changes.some(({ path }) => isRoute(path));
}
