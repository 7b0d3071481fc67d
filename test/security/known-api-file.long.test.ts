import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { allCommands, openShop, type Command } from "./known-api-shop.ts";
import { forDraws } from "../support/for-draws.ts";

const { shop, strangeUrl, manifestOf, applied, run, watch, close } = await openShop();
afterAll(close);

describe("a pull request that changes the file of the inventory as well", () => {
  /** What is done to the file that lies in the repository; `theirs`: what an apply of the pull request's manifest would have left. */
  const edits = {
    nothing: (text: string) => text,
    "is deleted": () => undefined,
    "is emptied": () => "",
    "is garbled": (text: string) => text.replaceAll('"', ""),
    "says the stranger": (text: string) => text.replaceAll(/"base_url": "[^"]*"/gu, `"base_url": "${strangeUrl()}/"`),
    "says the stranger under another name": (text: string) =>
      text
        .replaceAll(/"base_url": "[^"]*"/gu, `"base_url": "${strangeUrl()}/"`)
        .replace(/"target": "shop-/u, '"target": "other-'),
    "becomes a link to a file elsewhere": (text: string) =>
      text.replaceAll(/"base_url": "[^"]*"/gu, `"base_url": "${strangeUrl()}/"`),
  } as const;
  type Edit = keyof typeof edits;
  interface Drawn {
    readonly edit: Edit;
    readonly name: string;
    readonly command: Command;
    readonly depth: number | undefined;
  }

  test("gets no request where the refs of the repository know another API, whatever the file says", async () => {
    const { remote: own, clone } = await applied();
    const kept = join(clone, "kept.json");
    expect((await run(clone, "apply", ["--inventory", kept])).status).toBe(0);
    const text = readFileSync(kept, "utf8");
    await forDraws(
      60,
      fc.record({
        edit: fc.constantFrom(...(Object.keys(edits) as Edit[])),
        name: fc.constantFrom("shop", "other"),
        command: fc.constantFrom(...allCommands.filter((each) => each !== "status")),
        depth: fc.constantFrom(undefined, 1),
      }),
      async ({ edit, name, command, depth }: Drawn) => {
        const flags = depth === undefined ? ["--no-local"] : ["--depth", String(depth)];
        const job = shop.clone(`file://${own}`, ...flags);
        writeFileSync(join(job, "manifest.yaml"), manifestOf({ baseUrl: strangeUrl(), name }));
        const file = join(job, "kept.json");
        const edited = edits[edit](text);
        const isLink = edit === "becomes a link to a file elsewhere";
        if (edited !== undefined) writeFileSync(isLink ? `${job}.json` : file, edited);
        if (isLink) symlinkSync(`${job}.json`, file);
        const ran = await watch(job, command, ["--inventory", file]);
        expect([ran.status, ran.requests], ran.printed).toEqual([isLink && ran.status === 3 ? 3 : 6, 0]);
      },
    );
  });

  test.runIf(size.whole)("still plans for the API that both know", async () => {
    const { clone } = await applied();
    const file = ["--inventory", join(clone, "kept.json")];
    for (const command of ["plan", "apply", "plan"] as const)
      expect(await run(clone, command, file)).toMatchObject({ status: 0 });
  });
});

describe("a manifest of a pull request beside others", () => {
  test.each<[string, (shopRemote: string) => string]>([
    ["of another repository", () => shop.clone(shop.makeRemote())],
    ["in no repository", () => `${shop.clone(shop.makeRemote())}-plain`],
  ])(
    "gets no request where its own repository knows another API, and the first manifest is %s",
    async (_where, make) => {
      const { remote: own } = await applied();
      const job = shop.clone(`file://${own}`, "--no-local");
      writeFileSync(join(job, "manifest.yaml"), manifestOf({ baseUrl: strangeUrl() }));
      const folder = make(own);
      mkdirSync(folder, { recursive: true });
      const first = join(folder, "first.yaml");
      writeFileSync(first, "version: 1\nname: shop\n");
      for (const command of ["plan", "apply"] as const)
        for (const order of [[], ["--inventory", join(folder, "none.json")]]) {
          const ran = await watch(job, command, order, {}, first);
          expect([ran.status, ran.requests], ran.printed).toEqual([6, 0]);
        }
    },
  );
});
