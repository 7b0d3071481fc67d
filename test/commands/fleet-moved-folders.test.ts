import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fleetForTest, namesOf, shopManifest } from "../support/fleet.ts";
import { size } from "../proofs/size.ts";

/** A fleet that is applied, and plans of it: each with a worker, of all folders but one. */
async function opened(count: number) {
  const shops = await fleetForTest(namesOf(count));
  expect((await shops.fleet(["run", "--auto-approve"])).status).toBe(0);
  const file = join(shops.folder, "fleet.yaml");
  const whole = readFileSync(file, "utf8");
  const at = (name: string) => join(shops.folder, "accounts", name);
  return {
    ...shops,
    move: (from: string, to: string) => renameSync(at(from), at(to)),
    planWithout: async (name?: string) => {
      writeFileSync(file, name === undefined ? whole : `${whole}    except: accounts/${name}\n`);
      const { stdout } = await shops.fleet(["run"]);
      return stdout;
    },
  };
}
const way = (name: string) => `if accounts/${name} has another name: by now, leave it out with except:`;

test.runIf(size.whole)(
  "a folder whose manifest is in another folder by now says how that one gets what is its own, and it does",
  async () => {
    const { move, write, planWithout } = await opened(1);
    move("shop-001", "moved");
    write("shop-001", shopManifest("fresh"));
    expect(await planWithout()).toContain(way("shop-001"));
    expect(await planWithout("shop-001")).toContain("1 clean");
    expect(await planWithout()).toContain("1 changed, 1 clean");
  },
);

test.runIf(size.whole)("two folders that change places are clean once each was planned without the other", async () => {
  const { move, planWithout } = await opened(2);
  move("shop-001", "third");
  move("shop-002", "shop-001");
  move("third", "shop-002");
  const both = await planWithout();
  for (const name of namesOf(2)) expect(both).toContain(way(name));
  for (const name of namesOf(2)) expect(await planWithout(name)).toContain("1 clean");
  expect(await planWithout()).toContain("2 clean");
});
