import fc from "fast-check";
import { expect, test } from "vitest";
import type { Contract } from "../../src/model/contract.ts";
import { plan } from "../../src/plan/plan.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { forDraws } from "../support/for-draws.ts";
import { buildInput, service } from "./build-input.ts";

const lookup = { path: "/owners", query: { of: "{service}" }, at: "/account" };
/** The account of a website: a value of its record, or found in a list of no kind. */
const accounts = {
  held: { account: { id_of: "service", key: { domain: "service" }, at: "/account" } },
  lookedUp: { account: { lookup }, service: { key: "service" } },
} as const;

/** Tasks of a vendor that has one list for each account, whatever number of websites it has: with names, or known by their commands. */
function contractOf(isNamed: boolean, account: keyof typeof accounts): Contract {
  const cron = builtIn.kinds["cron"];
  if (!cron) throw new Error("The built-in contract is wrong");
  const { service: _, name, ...fields } = cron.fields;
  const { list, ...operations } = cron.operations;
  const entry = {
    ...cron,
    ...(!isNamed && { named_by: "command" }),
    params: accounts[account],
    fields: isNamed && name ? { name, ...fields } : fields,
    operations: { ...operations, list: { ...list, path: "/accounts/{account}/crons", query: {} } },
  };
  return { ...builtIn, kinds: { ...builtIn.kinds, cron: entry } };
}

const domains = ["a.example", "b.example", "c.example"] as const;
const words = ["x", "y", "z"] as const;
/** The tasks that each website declares, the account that each is in, and the tasks that are in each account. */
const drawn = fc.record({
  isNamed: fc.boolean(),
  account: fc.constantFrom("held", "lookedUp"),
  accountOf: fc.tuple(fc.nat(1), fc.nat(1), fc.nat(1)),
  declared: fc.array(fc.tuple(fc.nat(2), fc.constantFrom(...words)), { maxLength: 5 }),
  exclusive: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
  live: fc.tuple(
    fc.uniqueArray(fc.constantFrom(...words), { maxLength: 3 }),
    fc.uniqueArray(fc.constantFrom(...words), { maxLength: 3 }),
  ),
});

test("a task in the list of several websites is one: of the one that declares it, and deleted for none", () =>
  forDraws(200, drawn, async ({ isNamed, account, accountOf, declared, exclusive, live }) => {
    const contract = contractOf(isNamed, account);
    const schedule = "0 3 * * *";
    // A task is named by its command, so that both sorts of vendor can be asked the same.
    const own = domains.map((_, index) => [...new Set(declared.flatMap(([of, word]) => (of === index ? word : [])))]);
    const blocks = domains.map((domain, index) => {
      const jobs = (own[index] ?? []).map((word) => `${word}: { command: ${word}, schedule: "${schedule}" }`);
      return `  ${domain}: { exclusive: ${exclusive[index]}, jobs: { ${jobs.join(", ")} } }`;
    });
    const manifest = `services: { ${domains.map((each) => `${each}: {}`).join(", ")} }\ncrons:\n${blocks.join("\n")}`;
    const listOf = (of: 0 | 1) => live[of].map((word) => ({ id: `${of}${word}`, name: word, command: word, schedule }));
    const lists = {
      "/services": domains.map((domain, index) => ({
        ...service,
        id: domain,
        domain,
        account: `u${accountOf[index]}`,
      })),
      ...Object.fromEntries(
        domains.map((domain, index) => [`/owners?of=${domain}`, [{ account: `u${accountOf[index]}` }]]),
      ),
      "/accounts/u0/crons": listOf(0),
      "/accounts/u1/crons": listOf(1),
    };
    const { steps } = plan(await buildInput(manifest, lists, {}, undefined, { contract }));
    const wantedIn = (of: number) => domains.flatMap((_, index) => (accountOf[index] === of ? (own[index] ?? []) : []));
    const expected = ([0, 1] as const).flatMap((of) => {
      const wanted = wantedIn(of);
      const created = words.flatMap((word) => {
        const count = wanted.filter((each) => each === word).length - (live[of].includes(word) ? 1 : 0);
        return Array.from({ length: Math.max(0, count) }, () => `create ${word}`);
      });
      // The plan does not read what a website has that the manifest says nothing of.
      const isSilent = (index: number) => accountOf[index] !== of || own[index]?.length === 0;
      const isOf = (index: number) => accountOf[index] === of && exclusive[index] === true;
      const isExclusive =
        domains.some((_, index) => isOf(index)) && domains.every((_, index) => isOf(index) || isSilent(index));
      const gone = live[of].filter((word) => isExclusive && !wanted.includes(word));
      return [...created, ...gone.map((word) => `delete "${of}${word}"`)];
    });
    const made = steps.map((step) => {
      const last = step.address.split("/").at(-1) ?? "";
      return step.action === "delete"
        ? `delete ${JSON.stringify(step.calls[0]?.params["id"])}`
        : `${step.action} ${last}`;
    });
    expect(made.toSorted()).toEqual(expected.toSorted());
  }));
