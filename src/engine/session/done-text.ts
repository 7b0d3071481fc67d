import type { Step } from "../../model/plan.ts";
import type { Report } from "../../model/report.ts";

/** Returns what an apply has done: `1 added, 0 changed, 2 destroyed`. What was put back or only detached counts as neither changed nor destroyed. */
export function doneText({ outcomes, putBacks = [] }: Report): string {
  const back = new Set(putBacks.flatMap(({ address, outcome }) => (outcome.is === "put_back" ? [address] : [])));
  const done = outcomes.filter(({ outcome }) => outcome.is === "done");
  const adopted = done.filter(({ outcome }) => outcome.is === "done" && outcome.adopted === true).length;
  const count = (...actions: readonly Step["action"][]) =>
    done.filter(
      ({ step: { action, address, detaches } }) =>
        actions.includes(action) && detaches !== true && !(action === "delete" && back.has(address)),
    ).length;
  const sums = `${count("create") - adopted} added, ${count("update", "renew")} changed, ${count("delete")} destroyed`;
  return `${sums}${adopted > 0 ? `, ${adopted} adopted` : ""}${back.size > 0 ? `, ${back.size} put back` : ""}`;
}
