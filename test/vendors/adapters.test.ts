import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { converge, openStage, password, type AdapterStage, type Cut } from "./adapter-stage.ts";
import { areThere } from "./stand-in.ts";

const isWhole = process.env["HOSTFORM_VENDORS"] === "1";

const service = "services: { bakery.example: {} }\n";
const consent = ["database/*=1", "database_user/*=1"];
const shop = "databases: { shop: {} }";
const user = 'users: { shop: { password: "${env:DATABASE_PASSWORD}", grants: { shop: all } } }';
const removed = [
  "{ address: database_user/bakery.example/shop@localhost, action: delete }",
  "{ address: database/bakery.example/shop, action: delete }",
];
const made = `${service}databases: { bakery.example: { ${shop}, ${user} } }\n`;
const half = `${service}databases: { bakery.example: { ${shop} } }\n`;
const gone = `${service}removed: [${removed.join(", ")}]\n`;

const creations = async ({ standIn }: AdapterStage) =>
  (await standIn.log()).filter(
    ({ method, path, status }) => method === "POST" && path.endsWith("databases") && status < 300,
  );

const cuts: readonly Cut[] = (["vendor", "hostform"] as const).flatMap((side) =>
  [0, 1, 2, 3].flatMap((write) => (["before", "after"] as const).map((when) => ({ side, write, when }))),
);
const tried = isWhole
  ? ["hostinger", "mittwald"].flatMap((name) => cuts.map((cut) => [name, cut] as const))
  : [["hostinger", { side: "vendor", write: 0, when: "after" }] as const];

describe.skipIf(!areThere)("the adapter for databases", () => {
  test.each(tried)("%s is killed at %o, and nothing is made twice or left", async (name, cut) => {
    const stage = await openStage(name);
    onTestFinished(stage.close);
    stage.cutAt(cut);
    await converge(stage, made);
    expect(await creations(stage)).toHaveLength(1);
    await converge(stage, gone, consent);
    expect(stage.notes()).toBe("{}");
    expect(JSON.stringify(await stage.standIn.byHand("GET", "/__state"))).not.toContain("shop");
  });

  test.runIf(isWhole).each(["hostinger", "mittwald"])("%s is killed between the two halves", async (name) => {
    const stage = await openStage(name);
    onTestFinished(stage.close);
    await converge(stage, half);
    expect(await creations(stage)).toHaveLength(0);
    await stage.adapter.restart();
    await converge(stage, made);
    expect(await creations(stage)).toHaveLength(1);
    expect(stage.notes()).toBe("{}");
  });

  test.runIf(isWhole)(
    "a deletion is undone as far as the API goes, and a user that was locked is let in again",
    async () => {
      const stage = await openStage("hostinger");
      onTestFinished(stage.close);
      await converge(stage, made);
      const file = stage.standIn.write("gone.yaml", `version: 1\nname: staged\n${gone}`);
      const undone = await stage.hostform(["plan", "-f", file, "--undo-out", join(stage.standIn.folder, "undo.json")]);
      expect(undone.text).toContain("its password is not known");
      expect(undone.text).not.toContain("engine");
      await converge(stage, `${half}removed: [${removed[0]}]\n`, consent);
      await converge(stage, made);
      const changed = (await stage.standIn.log()).filter(({ method }) => method === "PATCH");
      expect(changed.map(({ body }) => (body as { password: string }).password === password)).toEqual([false, true]);
    },
  );
});
