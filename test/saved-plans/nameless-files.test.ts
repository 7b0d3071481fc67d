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
  declared: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom("a", "b", "c", "d"),
      site: fc.constantFrom("example.com", "other.example"),
      body,
    }),
    {
      minLength: 1,
      selector: ({ name }) => name,
    },
  ),
  live: fc.array(body, { maxLength: 3 }),
  removes: fc.boolean(),
});

type State = typeof state extends fc.Arbitrary<infer T> ? T : never;

const sites = ["example.com", "other.example"].map((domain, index) => ({
  ...service,
  id: `s${index + 1}`,
  domain,
  account: "u1",
}));

const textOf = ({ id, calls }: Step) => [id, ...calls.map(({ method, path, params }) => ({ method, path, params }))];

test("a plan of objects without names follows from its file, and an apply of the file makes its calls, also of equal ones", async () => {
  const cron = builtIn.kinds["cron"];
  if (!cron) throw new Error("The built-in contract is wrong");
  const { name: _, ...fields } = cron.fields;
  const { service: __, ...others } = fields;
  const { list, ...operations } = cron.operations;
  // Both websites are in one account, and the account has one list.
  const ofAccount = {
    ...cron,
    named_by: "command",
    fields: others,
    params: { account: { id_of: "service", key: { domain: "service" }, at: "/account" } },
    operations: { ...operations, list: { ...list, path: "/accounts/{account}/crons", query: {} } },
  };
  const nameless = { ...builtIn, kinds: { ...builtIn.kinds, cron: ofAccount } };
  const check = async ({ declared, live, removes }: State) => {
    const jobsOf = (of: string) =>
      declared.flatMap(({ name, site, body: { command, hour } }) =>
        site === of ? [`${name}: { command: ${command}, schedule: "0 ${hour} * * *" }`] : [],
      );
    const blocks = sites.map(({ domain }) => `${domain}: { jobs: { ${jobsOf(domain).join(", ")} } }`);
    const manifest = `services: { example.com: , other.example: }
crons: { ${blocks.join(", ")} }
${removes ? "removed: [{ address: cron/example.com/j0, action: delete }]" : ""}`;
    const crons = live.map(({ command, hour }, index) => ({
      id: `j${index}`,
      etag: "e",
      command,
      schedule: `0 ${hour} * * *`,
    }));
    const lists = { "/services": sites, "/accounts/u1/crons": crons };
    const input = await buildInput(manifest, lists, {}, undefined, { contract: nameless });
    const made = plan(input);
    fc.pre(made.steps.length > 0);
    const saved = savePlan(input, made, options);
    expect([saved.follows, planUndo(input, made, options).follows]).toEqual([true, true]);
    const { remaining, differences } = planRest(input, parsed(saved.saved));
    expect(differences).toEqual([]);
    expect(remaining.steps.map(textOf)).toEqual(made.steps.map(textOf));
  };
  // The object that the other website has found is not the one that a step makes.
  await check({
    declared: [
      { name: "a", site: "example.com", body: { command: "run a", hour: 4 } },
      { name: "b", site: "other.example", body: { command: "run a", hour: 3 } },
    ],
    live: [{ command: "run a", hour: 3 }],
    removes: false,
  });
  await forDraws(160, state, check);
});
