import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { commitToRef } from "../state/repositories.ts";
import { forDraws } from "../support/for-draws.ts";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { allCommands, openShop, type Command, type Provider } from "./known-api-shop.ts";

const { shop, account, staging, strangeUrl, commit, applied, run, watch, close } = await openShop();
let remote: string;
beforeAll(async () => {
  ({ remote } = await applied());
});
afterAll(close);

let branches = 0;
/** Makes a pull request, and returns a clone of it as a job has it. */
function open(provider: Provider, depth: number | undefined): string {
  const branch = `change${(branches += 1)}`;
  commit(shop.clone(remote), provider, branch);
  const flags = depth === undefined ? ["--no-local"] : ["--depth", String(depth)];
  return shop.clone(`file://${remote}`, ...flags, "--branch", branch);
}

const changes: Readonly<Record<string, () => Provider>> = {
  "base URL": () => ({ baseUrl: strangeUrl() }),
  "base URL and name": () => ({ baseUrl: strangeUrl(), name: "other" }),
  path: () => ({ baseUrl: `${account.baseUrl}/tenant` }),
  "contract of another name": () => ({ contract: "name.yaml" }),
  "contract of the same name with another header": () => ({ contract: "header.yaml" }),
  "contract of the same name with another path": () => ({ contract: "path.yaml" }),
  "contract and name": () => ({ contract: "name.yaml", name: "other" }),
  CA: () => ({ otherCa: true }),
  "base URL, CA and name": () => ({ baseUrl: strangeUrl(), otherCa: true, name: "other" }),
};

describe("a manifest of a pull request", () => {
  interface Drawn {
    readonly change: string;
    readonly command: Command;
    readonly depth: number | undefined;
    readonly json: boolean;
  }
  const drawn: fc.Arbitrary<Drawn> = fc.record({
    change: fc.constantFrom(...Object.keys(changes)),
    command: fc.constantFrom(...allCommands),
    depth: fc.constantFrom(undefined, 1, 2),
    json: fc.boolean(),
  });

  test("gets no request where it names another API than the inventories know, and the refusal names both", () =>
    forDraws(
      {
        numRuns: size.draws(40),
        examples: size
          .every(9, Object.keys(changes))
          .map((change, index): [Drawn] => [
            { change, command: allCommands[index % allCommands.length] ?? "plan", depth: 1, json: false },
          ]),
      },
      drawn,
      async ({ change, command, depth, json }) => {
        const provider = changes[change]?.() ?? {};
        const clone = open(provider, depth);
        const ran = await watch(clone, command, json ? ["--json"] : []);
        expect([ran.status, ran.requests], ran.printed).toEqual([6, 0]);
        expect(ran.printed).toContain("unknown_api");
        expect(ran.printed).toContain(`${account.baseUrl}/ (contract v2026`);
        const asked = new URL(provider.baseUrl ?? account.baseUrl).href;
        expect(ran.printed).toContain(
          `sends the API key to ${asked} (contract ${provider.contract === "name.yaml" ? "other" : "v2026"}`,
        );
        expect(ran.printed).toMatch(json ? /"line":3/u : /manifest\.yaml:[123]:/u);
      },
    ));

  test.each<[string, Provider, string[], Record<string, string>]>(
    size.every(12, [
      [
        "base URL",
        { baseUrl: "https://user:hunter2@stranger.example/x?key=hunter2" },
        [],
        { HOSTFORM_BASE_URL: "URL" },
      ],
      ["base URL", { baseUrl: "https://stranger.example/x" }, ["--base-url", "URL"], {}],
      ["contract", { contract: "header.yaml" }, [], { HOSTFORM_CONTRACT: "v2026" }],
      ["contract", { contract: "name.yaml" }, ["--contract", "v2026"], {}],
      ["CA", { otherCa: true }, [], { HOSTFORM_CA_FILE: "CA" }],
    ]),
  )(
    "gets a warning where a flag or a variable names another %s, which counts: %j %j %j",
    async (_what, provider, flags, env) => {
      const fill = (text: string) =>
        text.replace(/^URL$/u, account.baseUrl).replace(/^CA$/u, join(account.folder, "ca.pem"));
      const filled = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]));
      const clone = open(provider, 1);
      const planned = await watch(clone, "plan", flags.map(fill), filled);
      expect([planned.status, planned.requests > 0], planned.printed).toEqual([0, true]);
      const [place = ""] = [...Object.keys(env), ...flags];
      expect(planned.stderr).toMatch(
        new RegExp(
          `warning\\[setting_overridden\\]: The manifest names .*, and ${place} names .*, which counts\n +--> .*manifest\\.yaml:3:`,
          "u",
        ),
      );
      expect(planned.printed).not.toContain("hunter2");
    },
  );

  test.each<[string, Provider]>(
    size.every(6, [
      ["as it was applied", {}],
      ["with the same base URL in another form", { baseUrl: "URL/" }],
      ["under another name", { name: "other" }],
    ]),
  )("gets its plan without a word where it is %s", async (_what, provider) => {
    const url = provider.baseUrl?.replace("URL", account.baseUrl);
    const ran = await watch(open({ ...provider, ...(url !== undefined && { baseUrl: url }) }, 1), "plan");
    expect([ran.status, ran.stderr], ran.printed).toEqual([0, ""]);
  });

  test.runIf(size.whole)("gets no request where it leaves out the contract that it was applied with", async () => {
    const own = shop.makeRemote();
    const clone = shop.clone(own);
    commit(clone, { contract: "name.yaml" });
    expect(await run(clone, "apply")).toMatchObject({ status: 0 });
    commit(clone, {});
    const ran = await watch(clone, "plan");
    expect([ran.status, ran.requests], ran.printed).toEqual([6, 0]);
    expect(ran.printed).toContain("(contract other)");
  });

  test.runIf(size.whole)(
    "is judged by an inventory that does not say its API yet, and not by one of an embedded service",
    async () => {
      const own = shop.makeRemote();
      const clone = shop.clone(own);
      commit(clone, {});
      const data = join(clone, "..", "service.db");
      writeFileSync(join(clone, "local.yaml"), "version: 1\nname: shop\n");
      const embedded = ["apply", "-f", join(clone, "local.yaml"), "--auto-approve", "--emulator-data", data];
      expect(await runInProcess(noAccount, embedded, shop.env)).toMatchObject({ status: 0 });
      expect(await run(clone, "apply")).toMatchObject({ status: 0, stderr: "" });
      const [ref = ""] = shop
        .git(own, "for-each-ref", "--format=%(refname)", "refs/hostform/*")
        .split("\n")
        .filter((each) => shop.git(own, "show", `${each}:inventory.json`).includes(account.baseUrl));
      const {
        last_apply: { api: _api, ...last },
        ...older
      } = JSON.parse(shop.git(own, "show", `${ref}:inventory.json`)) as { last_apply: { api: unknown } };
      commitToRef(shop, own, { ref, subject: "older", text: JSON.stringify({ ...older, last_apply: last }) });
      expect(await watch(shop.clone(own), "plan")).toMatchObject({ status: 0, stderr: "" });
      const other = shop.clone(own);
      commit(other, { baseUrl: strangeUrl() });
      const ran = await watch(shop.clone(own), "plan");
      expect([ran.status, ran.requests], ran.printed).toEqual([6, 0]);
      expect(ran.printed).toContain(ref);
    },
  );

  test("gets no request where the inventories cannot be read, unless this clone has one that knows the API", async () => {
    const clone = open({}, 1);
    shop.git(clone, "remote", "set-url", "origin", `${remote}-none`);
    const ran = await watch(clone, "plan");
    expect([ran.status, ran.requests], ran.printed).toEqual([6, 0]);
    expect(ran.printed).toContain("the inventories cannot be read from origin");
    const known = open({}, undefined);
    expect((await run(known, "apply")).status).toBe(0);
    shop.git(known, "remote", "set-url", "origin", `${remote}-none`);
    expect((await run(known, "plan")).status).toBe(0);
  });

  test.runIf(size.whole)(
    "gets a request without an inventory in its repository, and is judged by the file of one",
    async () => {
      const own = shop.makeRemote();
      const clone = shop.clone(own);
      commit(clone, {});
      expect((await run(clone, "plan")).status).toBe(0);
      const file = ["--inventory", join(clone, "..", "kept.json")];
      expect((await run(clone, "apply", file)).status).toBe(0);
      expect((await run(clone, "plan", file)).status).toBe(0);
      commit(clone, { baseUrl: strangeUrl() });
      const ran = await watch(clone, "plan", file);
      expect([ran.status, ran.requests], ran.printed).toEqual([6, 0]);
      expect((await watch(clone, "plan")).requests).toBeGreaterThan(0);
    },
  );

  test.each(
    size.every(9, [
      ["is cut off", (text: string) => text.slice(0, text.length / 2)],
      ["is empty", () => ""],
      [
        "is of a later version",
        (text: string) => text.replace('"version": 1', '"version": 2').replace(/"api": \{[^}]*\}/u, '"api": 1'),
      ],
      [
        "says something else of its last apply",
        (text: string) => text.replace(/"base_url": "[^"]*"/u, '"base_url": 5'),
      ],
    ]),
  )("gets no request where the file of its inventory %s", async (_what, change) => {
    const clone = shop.clone(shop.makeRemote());
    commit(clone, {});
    const file = join(clone, "..", "damaged.json");
    rmSync(file, { force: true });
    expect((await run(clone, "apply", ["--inventory", file])).status).toBe(0);
    writeFileSync(file, change(readFileSync(file, "utf8")));
    commit(clone, { baseUrl: strangeUrl() });
    const ran = await watch(clone, "plan", ["--inventory", file]);
    expect([ran.status, ran.requests], ran.printed).toEqual([6, 0]);
    expect(ran.printed).toContain("unknown_api");
  });
});

describe("a target that is meant", () => {
  test("is accepted by a flag, gets the key, and is known after an apply, as is the former one", async () => {
    const { remote: own, clone } = await applied();
    const moved = { baseUrl: staging.baseUrl, otherCa: true };
    commit(clone, moved);
    const key = staging.env;
    expect((await run(clone, "apply", [], key)).status).toBe(6);
    expect((await run(clone, "plan", ["--accept-target"], key)).status).toBe(0);
    expect((await run(clone, "plan", [], key)).status).toBe(6);
    expect((await run(clone, "apply", ["--accept-target"], key)).status).toBe(0);
    for (const at of [clone, shop.clone(own), shop.clone(`file://${own}`, "--depth", "1")])
      expect(await run(at, "plan", [], key)).toMatchObject({ status: 0, stderr: "" });
    commit(clone, {});
    expect((await run(shop.clone(own), "plan")).status).toBe(0);
  });

  test.runIf(size.rareHistories)(
    "a CA that is accepted is known after an apply that changes nothing else",
    async () => {
      const { remote: own, clone } = await applied();
      commit(clone, { otherCa: true });
      expect((await run(clone, "plan")).status).toBe(6);
      expect((await run(clone, "apply", ["--accept-target"])).status).toBe(0);
      expect((await run(shop.clone(own), "plan")).status).toBe(0);
    },
  );

  test.runIf(size.whole)("is a flag's or a variable's, whatever was applied before", async () => {
    const own = shop.makeRemote();
    const clone = shop.clone(own);
    commit(clone, {});
    const elsewhere = {
      HOSTFORM_BASE_URL: staging.baseUrl,
      HOSTFORM_CA_FILE: join(staging.folder, "ca.pem"),
      ...staging.env,
    };
    for (const env of [{}, elsewhere, {}]) {
      for (const command of ["plan", "apply"] as const) {
        exits(0, await run(clone, command, [], env));
      }
    }
    const flags = ["--base-url", staging.baseUrl, "--ca-file", join(staging.folder, "ca.pem")];
    expect((await run(clone, "apply", flags, staging.env)).status).toBe(0);
  });
});
