import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, expectTypeOf, test } from "vitest";
import { size } from "../proofs/size.ts";
import {
  apply,
  applySavedPlan,
  drift,
  importAccount,
  plan,
  snapshot,
  status,
  validate,
  type ApplyOptions,
  type ApplyResult,
  type EngineEvent,
  type Plan,
} from "../../src/index.ts";
import { optionsOf } from "../../src/library/check-options.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = folderForFile();

const write = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, `version: 1\nname: library\n${text}`);
  return path;
};
const zone = (address: string) => `dns: { a.example: { records: { www: { A: ${address} } } } }\n`;

test.runIf(size.whole)("the example plans and applies with the built package, by its name", async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["examples/library/apply.mjs"], { cwd: root });
  expect(stderr).toBe("");
  expect(stdout).toContain("planned: create service/site.example");
  expect(stdout).toContain("done: create dns_record/site.example/www/A");
  expect(stdout).toMatch(/ended: done, 4 writes\n$/u);
});

test("the example of a saved plan applies it by its text, and every other function has its result", async () => {
  const example = ["examples/library/saved-plan.mjs"];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, example, { cwd: root });
  expect(stderr).toBe("");
  expect(stdout).toContain("applied: done, 4 writes\nstatus: dns_zone/site.example ready\n");
  expect(stdout).toContain("drift: 0\nplanned from the snapshot: 0 steps\nimported: hostform.yaml, site.example.yaml");
});

describe("values of variables", () => {
  const text = `variables: { target: { type: string }, hosts: { type: list }, ttl: { type: number, default: 60 }, off: { type: boolean, default: false } }
dns:
  a.example:
    records:
      www: { A: { ttl: "\${var:ttl}", values: "\${var:hosts}" } }
      t: { TXT: [{ value: "\${var:target}", disabled: "\${var:off}" }] }
`;
  const variables = { target: "a = b, ${env:HOME}", hosts: ["192.0.2.1", "192.0.2.2"], ttl: 300 };
  const planned = (given: object, env = {}) =>
    plan({ manifests: [write("variables.yaml", text)], emulator: true, env, variables: given as typeof variables });

  test("come from the options, before those of the environment", async () => {
    const { ending, plan: made, diagnostics } = await planned(variables, { HOSTFORM_VAR_ttl: "900" });
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(ending).toBe("changes");
    expect(made?.variables?.map(({ name, value }) => [name, value])).toEqual([
      ["target", variables.target],
      ["hosts", variables.hosts],
      ["ttl", 300],
    ]);
  });

  test.each([
    [{}, "The variable target has no value"],
    [{ ...variables, ttl: "x" }, "The variable ttl"],
    [{ ...variables, other: 1 }, "the manifest has no variable of this name"],
    [{ ...variables, "target=x": "y" }, "target=x is not the name of a variable"],
  ])("%j are a mistake", async (given, said) => {
    const { ending, diagnostics } = await planned(given);
    expect(ending).toBe("wrong_input");
    expect(diagnostics.map(({ summary }) => summary).join("\n")).toContain(said);
  });
});

describe("on one account", () => {
  const target = () => ({
    emulatorData: join(folder, "data.db"),
    inventory: join(folder, "inventory.json"),
    env: { PATH: process.env["PATH"] },
  });
  const journal = () => join(folder, "journal");

  test("a plan that is not approved changes nothing, an approved one is run, and then nothing is left to do", async () => {
    const manifests = [write("zone.yaml", zone("192.0.2.1"))];
    const planned = await plan({ ...target(), manifests });
    expect(planned).toMatchObject({ ending: "changes", failure: undefined });
    const ids = planned.plan?.steps.map(({ id }) => id);
    expect(ids).toEqual(["create dns_zone/a.example", "create dns_record/a.example/www/A"]);

    const declined = await apply({ ...target(), manifests, journal: journal(), approve: () => false });
    expect(declined).toMatchObject({ ending: "done", report: undefined });

    const asked: (readonly string[])[] = [];
    const events: string[] = [];
    const applied = await apply({
      ...target(),
      manifests,
      journal: journal(),
      approve: ({ steps }) => asked.push(steps.map(({ id }) => id)) === 1,
      onEvent: ({ type }) => events.push(type),
    });
    expect(asked).toEqual([ids]);
    expect(applied.ending).toBe("done");
    expect(applied.report?.outcomes.map(({ outcome }) => outcome.is)).toEqual(["done", "done"]);
    expect(events).toEqual(expect.arrayContaining(["valid", "plan", "step_start", "step_end", "report"]));

    expect((await plan({ ...target(), manifests })).ending).toBe("done");
  });
});

describe("mistakes are returned, not thrown", () => {
  test("of a manifest, all at once and with their places", async () => {
    const path = write("wrong.yaml", "dns: { a.example: { records: { www: { A: x }, b: { AAAA: y } } } }\n");
    const { ending, diagnostics } = await validate({ manifests: [path] });
    expect(ending).toBe("wrong_input");
    expect(diagnostics.map(({ at }) => [at?.file, at?.line])).toEqual([
      [path, 3],
      [path, 3],
    ]);
  });

  test("of the target", async () => {
    const manifests = [write("zone.yaml", zone("192.0.2.1"))];
    expect(await plan({ manifests, env: {} })).toMatchObject({
      ending: "wrong_input",
      plan: undefined,
      diagnostics: [{ code: "no_target" }],
    });
  });

  const functions = { validate, plan, apply, applySavedPlan, drift, importAccount, snapshot, status };
  /** As a program without types may call. */
  const anyhow = functions as unknown as Readonly<
    Record<string, (options?: unknown) => Promise<{ ending: string; diagnostics: readonly { summary: string }[] }>>
  >;

  test("the table of options has those of the types, for each function", () => {
    type Table = { [Of in keyof typeof optionsOf]: keyof (typeof optionsOf)[Of] };
    type Typed = { [Of in keyof typeof functions]: keyof Parameters<(typeof functions)[Of]>[0] };
    expectTypeOf<Table>().toEqualTypeOf<Typed>();
    expect(Object.keys(optionsOf).sort()).toEqual(Object.keys(functions).sort());
  });

  test.each(Object.keys(functions) as (keyof typeof functions)[])("%s refuses each option of another", async (of) => {
    const own = new Set(Object.keys(optionsOf[of]));
    const all = new Set(Object.values(optionsOf).flatMap((options) => Object.keys(options)));
    for (const option of [...all, "constructor", "__proto__", "toString"]) {
      // Null has the form of no option, so that nothing is run.
      const found = await anyhow[of]?.(Object.fromEntries([[option, null]]));
      const said = own.has(option) ? `${option}: expected ` : `Unknown option: ${option}`;
      expect(found).toMatchObject({ ending: "wrong_input", diagnostics: [{ code: "bad_arguments" }] });
      expect(found?.diagnostics[0]?.summary.startsWith(said), `${of} ${option}`).toBe(true);
    }
  });

  test.each(Object.keys(functions))("%s refuses anything but an object with options of its own", async (of) => {
    const inheriting = Object.create({ manifests: ["hosting/"] }) as object;
    for (const options of [undefined, null, "hosting/", [], new Date(), inheriting]) {
      const summary = expect.stringMatching(/^options: expected a plain object without inherited options, found /u);
      expect(await anyhow[of]?.(options)).toMatchObject({ ending: "wrong_input", diagnostics: [{ summary }] });
    }
  });

  test.each<[name: string, options: object, summary: string]>([
    ["plan", { manifests: "a.yaml" }, "manifests: expected a list of texts, found string"],
    ["plan", { manifests: [5] }, "manifests: expected a list of texts, found a list"],
    ["plan", { only: "dns_record/*" }, "only: expected a list of texts, found string"],
    ["plan", { acceptTarget: "false" }, "acceptTarget: expected true or false, found string"],
    ["plan", { policy: ["no"] }, "policy: expected a function, found a list"],
    ["plan", { onEvent: "print" }, "onEvent: expected a function, found string"],
    ["plan", { env: null }, "env: expected an object, found null"],
    ["plan", { signal: {} }, "signal: expected an AbortSignal, found object"],
    ["plan", { live: {} }, "live: expected a path, or { text }, found object"],
    ["plan", { variables: { a: Number.NaN } }, "variables: expected an object of texts, numbers,"],
    ["validate", { manifests: undefined }, "No manifest is given"],
    ["plan", { manifests: undefined }, "No manifest is given"],
    ["plan", { manifests: [] }, "No manifest is given"],
    ["apply", { manifests: [], approve: () => true }, "No manifest is given"],
    ["drift", { manifests: [] }, "No manifest is given"],
    ["apply", { approve: () => true, exept: ["domain/*"] }, "Unknown option: exept"],
    ["plan", { constructor: true }, "Unknown option: constructor"],
    ["plan", { policy: () => "too late" }, "policy: expected that it returns a list of texts, found string"],
    ["plan", { policy: async () => undefined }, "policy: expected that it returns a list of texts, found undefined"],
    ["plan", { policy: () => [5] }, "policy: expected that it returns a list of texts, found a list"],
    ["apply", {}, "Nobody approves the plan"],
    ["apply", { approve: true }, "approve: expected a function, or the hash of a plan, found boolean"],
    ["apply", { approve: () => true, inventory: "" }, 'inventory: expected a text that is not empty, found ""'],
    ["apply", { approve: () => true, journal: "" }, 'journal: expected a text that is not empty, found ""'],
    ["apply", { approve: () => true, parallelism: 0 }, "parallelism: expected a whole number from 1 to 128, found 0"],
    [
      "apply",
      { approve: () => true, settle: NaN },
      "settle: expected a number of seconds from 0 to 2000000, found NaN",
    ],
    ["apply", { approve: () => true, lockTimeout: -1 }, "lockTimeout: expected a number of seconds"],
    ["applySavedPlan", {}, "No plan is given"],
    ["applySavedPlan", { plan: { text: 5 } }, "plan: expected a path, or { text }, found object"],
    ["drift", { accept: [] }, "accept: expected a text that is not empty, found a list"],
    ["status", { address: "domain/*" }, "address: expected a list of texts, found string"],
    ["importAccount", { layout: "x" }, "layout: expected folder or single, found string"],
    ["importAccount", { folder: "/dev/null/a" }, "cannot be used: "],
    ["importAccount", { emulatorData: "/dev" }, "Opening the data file /dev failed: it is a folder, not a file."],
  ])("of an option: %s %j", async (name, options, summary) => {
    const manifests =
      name === "importAccount" || name === "applySavedPlan" ? undefined : [write("zone.yaml", zone("192.0.2.1"))];
    const emulator = name === "validate" ? undefined : true;
    const found = await anyhow[name]?.({ manifests, env: {}, emulator, ...options });
    expect(found).toMatchObject({
      ending: "wrong_input",
      diagnostics: [{ summary: expect.stringContaining(summary) }],
    });
  });
});

test("only true is consent", async () => {
  const manifests = [write("zone.yaml", zone("192.0.2.1"))];
  const approve = (async () => "false") as unknown as () => Promise<boolean>;
  const found = await apply({ manifests, env: {}, emulator: true, approve });
  expect(found.report).toBeUndefined();
});

describe("a program that makes mistakes", () => {
  const manifests = () => [write("mistakes.yaml", zone("192.0.2.1"))];
  const applied = (more: Partial<ApplyOptions> = {}) =>
    apply({ manifests: manifests(), env: {}, emulator: true, approve: () => true, ...more });
  const done = ({ ending, report }: ApplyResult) => [
    ending,
    report?.requests.writes,
    report?.outcomes.map(({ step, outcome }) => [step.id, outcome.is]),
  ];

  test("does not end an apply by what its onEvent throws or rejects with, at whatever event", async () => {
    const types = new Set<EngineEvent["type"]>();
    const right = await applied({ onEvent: ({ type }) => void types.add(type) });
    expect([...types]).toEqual(expect.arrayContaining(["plan", "step_start", "step_end", "applying", "report"]));
    for (const at of types)
      for (const isLate of [false, true]) {
        const onEvent = (({ type }: EngineEvent) => {
          if (type !== at) return undefined;
          if (isLate) return Promise.reject<void>(new Error("mine"));
          throw new Error("mine");
        }) as (event: EngineEvent) => void;
        const found = await applied({ onEvent });
        expect(done(found), at).toEqual(done(right));
        const warned = found.diagnostics.filter(({ code }) => code === "event_not_taken");
        expect(
          warned.map(({ summary }) => summary),
          at,
        ).toEqual(["onEvent failed: Error: mine"]);
      }
  });

  test("changes nothing of what is run by changing the plan that it is shown", async () => {
    const right = await applied();
    const spoiled = new Set<unknown>();
    const spoil = (value: unknown): void => {
      if (typeof value !== "object" || value === null || spoiled.has(value)) return;
      spoiled.add(value);
      for (const key of Object.keys(value)) {
        spoil((value as Record<string, unknown>)[key]);
        Reflect.deleteProperty(value, key);
      }
      if (Array.isArray(value) && !Object.isFrozen(value)) value.length = 0;
    };
    const onEvent = (event: EngineEvent) => event.type === "plan" && spoil(event.plan);
    const policy = (plan: Plan) => [spoil(plan)].flatMap(() => []);
    const approve = (plan: Plan) => [spoil(plan)].length === 1;
    for (const more of [{ onEvent }, { policy }, { approve }, { onEvent, approve: right.plan?.hash ?? "" }])
      expect(done(await applied(more))).toEqual(done(right));
    expect(spoiled.size).toBeGreaterThan(10);
  });
});
