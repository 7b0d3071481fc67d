import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { size } from "../../proofs/size.ts";
import { drawnZone } from "./draw-zone.ts";
import { absent, readAllAsJudge, readAsOurs, type Reading } from "./judge.ts";
import { bad, good } from "./zones.ts";

const refused = { refused: expect.any(String) as string };

describe.skipIf(absent !== undefined)(
  `zone files that BIND judges${absent === undefined ? "" : ` (${absent})`}`,
  () => {
    const all = { ...good, ...bad };
    const names = Object.keys(all);
    let readings: readonly Reading[] = [];
    beforeAll(() => {
      readings = readAllAsJudge(Object.values(all));
    });

    test.each(Object.keys(good))("are read alike: %s", (name) => {
      expect(readAsOurs(good[name] ?? {})).toEqual(readings[names.indexOf(name)]);
    });

    test("are read alike in every drawn spelling", () => {
      const drawn = fc.sample(drawnZone, size.draws(90));
      const theirs = readAllAsJudge(drawn);
      expect(theirs.filter((each) => "refused" in each)).toEqual([]);
      for (const [index, files] of drawn.entries()) expect(readAsOurs(files)).toEqual(theirs[index]);
    });

    test.each(Object.keys(bad))("are refused alike: %s", (name) => {
      expect([readAsOurs(bad[name] ?? {}), readings[names.indexOf(name)]]).toEqual([refused, refused]);
    });
  },
);
