import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import type { Account } from "../support/account.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { savedPlans, zone } from "./saved-plan-account.ts";

/** Saved plans and approval (DESIGN.md section 3), over HTTPS: by the built binary, and in process where many runs are needed. */
const { account, files, run, done } = savedPlans();
const yes = "--auto-approve";

describe("apply and show refuse a file that is not a plan with the reason, and exit with 3", () => {
  const wrong: readonly (readonly [string, (plan: Record<string, unknown>) => unknown, RegExp])[] = [
    ["no JSON", () => undefined, /not JSON/u],
    [
      "an older version",
      (plan) => ({ ...plan, format: 1 }),
      /its format is 1; this version of Hostform reads format 3/u,
    ],
    ["a newer version", (plan) => ({ ...plan, format: 4 }), /its format is 4/u],
    ["no version", ({ format: _format, ...plan }) => plan, /format/u],
    ["a list", () => [], /it is not a map of keys and values/u],
    [
      "a step of another shape",
      (plan) => ({ ...plan, order: [{ ...(plan["order"] as object[])[0], gaps: "none" }] }),
      /gaps must be array/u,
    ],
    [
      "an unknown kind",
      (plan) => ({ ...plan, needs: [{ address: "planet/mars", key: {} }] }),
      /"planet\/mars" is not an address/u,
    ],
    [
      "an address with control characters",
      (plan) => ({ ...plan, removals: [{ address: "cron/x.example/\u001b[2J" }] }),
      /is not an address/u,
    ],
    [
      "the key of another",
      (plan) => ({ ...plan, needs: [{ address: "dns_zone/a.example", key: { name: "b.example" } }] }),
      /key of dns_zone\/a\.example/u,
    ],
    [
      "a field that only the server sets",
      (plan) => ({
        ...plan,
        resources: [{ address: "dns_zone/a.example", key: { name: "a.example" }, fields: { serial: 1 }, late: {} }],
      }),
      /no field "serial"/u,
    ],
    [
      "a value that is none",
      (plan) => ({
        ...plan,
        resources: [
          {
            address: "cron/a.example/x",
            key: { service: "a.example", name: "x" },
            fields: { schedule: "never" },
            late: {},
          },
        ],
      }),
      /schedule of cron/u,
    ],
    [
      "a resource twice",
      (plan) => ({ ...plan, needs: [1, 2].map(() => ({ address: "dns_zone/a.example", key: { name: "a.example" } })) }),
      /stands in it twice/u,
    ],
    [
      "a reference to what only looks like one",
      (plan) => ({
        ...plan,
        resources: [
          {
            address: "dns_zone/a.example",
            key: { name: "a.example" },
            fields: {},
            late: { ttl: { parts: [{ ref: "../../x", field: "y" }], sensitive: false } },
          },
        ],
      }),
      /names no field to be read/u,
    ],
  ];
  let good: Record<string, unknown>;
  beforeAll(async () => {
    const { manifest, plan } = files(zone("www: { A: 192.0.2.1 }"));
    await done(["plan", "-f", manifest, "--out", plan]);
    good = JSON.parse(readFileSync(plan, "utf8")) as Record<string, unknown>;
  });
  const without = (): Account => ({ ...account, flags: [] });

  test.each(wrong)("%s", async (_name, alter, expected) => {
    const altered = alter(good);
    const path = account.write("wrong.json", altered === undefined ? "{ no" : JSON.stringify(altered));
    for (const ran of [await runInProcess(without(), ["show", path]), await run(["apply", path, yes])]) {
      expect(ran.stderr).toMatch(expected);
      expect(ran.stdout + ran.stderr).not.toContain("\u001b");
      expect(ran.status).toBe(3);
    }
  });

  test.each([
    ["one nested without end", `{"format":3,"seen":${"[".repeat(100_000)}`],
    ["one with a prototype", '{"format":3,"__proto__":{"steps":[]}}'],
    ["an empty one", ""],
  ])("%s", async (_name, text) => {
    const path = account.write("hostile.json", text);
    expect(exits(3, await runInProcess(without(), ["show", path])).stderr).toContain("is not a saved plan");
  });

  test("none, a folder, a device", async () => {
    for (const path of ["absent.json", account.folder, "/dev/zero"])
      expect((await runInProcess(without(), ["show", path])).status).toBe(3);
  });
});
