import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { EngineEvent } from "../../../src/engine/session/events.ts";
import { currentFleet, readFleet } from "../../../src/fleet/file/read-fleet.ts";
import { makeFolder } from "./fleet-folder.ts";

const text = "version: 1\nname: shops\naccounts:\n  - folder: one\n";

test.each([
  ["is not a fleet any more", (file: string) => writeFileSync(file, "version: 1\n"), /is missing/u],
  [
    "names another fleet",
    (file: string) => writeFileSync(file, text.replace("shops", "others")),
    /names the fleet others$/u,
  ],
  ["is gone", () => undefined, /no file or folder/u],
  ["is a link in a circle", (file: string) => symlinkSync(file, file), /its links lead in a circle$/u],
])("a fleet whose file %s stays as it was, and that is said once", async (_, change, reason) => {
  const folder = makeFolder({ "fleet.yaml": text }, ["one"]);
  const first = await readFleet(folder);
  const events: EngineEvent[] = [];
  const fleet = currentFleet(first, (event) => events.push(event));
  expect(await fleet()).toEqual(first);
  rmSync(first.file);
  change(first.file);
  expect([await fleet(), await fleet()]).toEqual([first, first]);
  const summary = expect.stringMatching(reason);
  expect(events).toMatchObject([{ type: "diagnostics", diagnostics: [{ code: "fleet_not_used", summary }] }]);
  rmSync(first.file, { force: true });
  writeFileSync(join(folder, "fleet.yaml"), text);
  expect(await fleet()).toEqual(first);
  expect(events).toHaveLength(1);
});
