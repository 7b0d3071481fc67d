import { statSync } from "node:fs";
import { InputError } from "../../engine/session/input-error.ts";
import type { Emit } from "../../engine/session/events.ts";
import type { Fleet } from "../model.ts";
import { readFleet } from "./read-fleet.ts";

/** Returns the fleet as its file is now. `again`: also where the file is as it was, since a folder may have come. */
export type CurrentFleet = (again?: boolean) => Promise<Fleet>;

/** Reads a fleet again when its file changes. Where it cannot be read, the one before counts, and that is said. */
export function currentFleet(first: Fleet, warn: Emit): CurrentFleet {
  let fleet = first;
  let seen: string | undefined;
  return async (again = false) => {
    const mark = markOf(first.file);
    if (mark === seen && !again) return fleet;
    seen = mark;
    try {
      const next = await readFleet(first.file);
      if (next.name === first.name) fleet = next;
      else warn({ type: "diagnostics", diagnostics: [unused(first, `it names the fleet ${next.name}`)] });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const { mistake } = error;
      const [wrong] = mistake.type === "diagnostics" ? mistake.diagnostics : [];
      warn({ type: "diagnostics", diagnostics: [unused(first, wrong?.summary ?? "it cannot be read")] });
    }
    return fleet;
  };
}

const unused = ({ name, file }: Fleet, why: string) => ({
  severity: "warning" as const,
  code: "fleet_not_used",
  summary: `${file} has changed, and is not used: ${why}`,
  hint: `mend the file; until then this worker serves the fleet ${name} as it was`,
});

/** Returns another text once the file is another. */
function markOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : "";
}
