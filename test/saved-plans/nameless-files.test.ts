import fc from "fast-check";
import { expect, test } from "vitest";
import type { Step } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { planUndo } from "../../src/saved-plans/plan-undo.ts";
import { savePlan } from "../../src/saved-plans/save-plan.ts";
import { buildInput, service } from "../plan/build-input.ts";
import { options, parsed, planRest } from "../proofs/saved-cases.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { forDraws } from "../support/for-draws.ts";

const body = fc.record({ command: fc.constantFrom("run a", "run a", "run b"), hour: fc.constantFrom(3, 4) });
const state = fc.record({
  declared: fc.uniqueArray(fc.record({ name: fc.constantFrom("a", "b", "c", "d"), body }), {
    minLength: 1,
    selector: ({ name }) => name,
  }),
  live: fc.array(body, { maxLength: 3 }),
  removes: fc.boolean(),
});

const textOf = ({ id, calls }: Step) => [id, ...calls.map(({ method, path, params }) => ({ method, path, params }))];

test("a plan of objects without names follows from its file, and an apply of the file makes its calls, also of equal ones", async () => {
  const cron = builtIn.kinds["cron"];
  if (!cron) throw new Error("The built-in contract is wrong");
  const { name: _, ...fields } = cron.fields;
  const nameless = { ...builtIn, kinds: { ...builtIn.kinds, cron: { ...cron, named_by: "command", fields } } };
  await forDraws(160, state, async ({ declared, live, removes }) => {
    const jobs = declared.map(
      ({ name, body: { command, hour } }) => `${name}: { command: ${command}, schedule: "0 ${hour} * * *" }`,
    );
    const manifest = `services: { example.com: }
crons: { example.com: { jobs: { ${jobs.join(", ")} } } }
${removes ? "removed: [{ address: cron/example.com/j0, action: delete }]" : ""}`;
    const crons = live.map(({ command, hour }, index) => ({
      id: `j${index}`,
      etag: "e",
      service_id: "s1",
      command,
      schedule: `0 ${hour} * * *`,
    }));
    const lists = { "/services": [service], "/crons?service_id=s1": crons };
    const input = await buildInput(manifest, lists, {}, undefined, { contract: nameless });
    const made = plan(input);
    fc.pre(made.steps.length > 0);
    const saved = savePlan(input, made, options);
    expect([saved.follows, planUndo(input, made, options).follows]).toEqual([true, true]);
    const { remaining, differences } = planRest(input, parsed(saved.saved));
    expect(differences).toEqual([]);
    expect(remaining.steps.map(textOf)).toEqual(made.steps.map(textOf));
  });
});
