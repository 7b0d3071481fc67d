import { beforeAll, describe, expect, test } from "vitest";
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

    test.each(Object.keys(bad))("are refused alike: %s", (name) => {
      expect([readAsOurs(bad[name] ?? {}), readings[names.indexOf(name)]]).toEqual([refused, refused]);
    });
  },
);
