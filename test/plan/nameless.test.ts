import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Contract, KindContract } from "../../src/model/contract.ts";
import { prepare } from "../../src/plan/prepare.ts";
import { plan } from "../../src/plan/plan.ts";
import { planUndo } from "../../src/saved-plans/plan-undo.ts";
import { buildInput, ours, service } from "./build-input.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { forDraws } from "../support/for-draws.ts";

/** The built-in contract, by which the API tells the crons of a service apart by their command. */
async function namelessCrons(): Promise<Contract> {
  const cron = builtIn.kinds["cron"];
  if (!cron) throw new Error("The built-in contract is wrong");
  const { name: _, ...fields } = cron.fields;
  const nameless: KindContract = { ...cron, named_by: "command", fields };
  return { ...builtIn, kinds: { ...builtIn.kinds, cron: nameless } };
}

const cron = (id: string, command: string) => ({
  id,
  etag: `e${id}`,
  service_id: "s1",
  command,
  schedule: "0 3 * * *",
});
const declared = (domain: string, more = "") =>
  `services: { example.com: { plan: WEB-M }, other.example: { plan: WEB-M } }
crons: { ${domain}: { jobs: { nightly: { command: run a, schedule: "0 3 * * *" } } } }
${more}`;
const lists = {
  "/services": [service, { ...service, id: "s2", domain: "other.example" }],
  "/crons?service_id=s1": [cron("c1", "run b"), cron("c2", "run a")],
};
const stepsOf = async (manifest: string) =>
  plan(await buildInput(manifest, lists, {}, undefined, { contract: await namelessCrons() })).steps.map(({ id }) => id);

test("a declared object is the live one of its service with the same command", async () => {
  expect(await stepsOf(declared("example.com"))).toEqual([]);
});

test.each([
  [1, 2],
  [2, 1],
  [2, 2],
  [3, 1],
  [4, 3],
])("of %i objects that are declared alike, %i live ones are some", async (wanted, there) => {
  const names = ["a", "b", "c", "d"].slice(0, wanted);
  const jobs = names.map((name) => `${name}: { command: run a, schedule: "0 3 * * *" }`).join(", ");
  const manifest = `services: { example.com: { plan: WEB-M } }\ncrons: { example.com: { jobs: { ${jobs} } } }`;
  const crons = ["c1", "c2", "c3"].slice(0, there).map((id) => cron(id, "run a"));
  const input = await buildInput(manifest, { ...lists, "/crons?service_id=s1": crons }, {}, undefined, {
    contract: await namelessCrons(),
  });
  expect(plan(input).steps.map(({ id }) => id)).toEqual(
    names.slice(there).map((name) => `create cron/example.com/${name}`),
  );
});

test("a live object of another service, or with another command, is not it", async () => {
  expect(await stepsOf(declared("other.example"))).toEqual(["create cron/other.example/nightly"]);
  expect(await stepsOf(declared("example.com").replace("run a", "run c"))).toEqual(["create cron/example.com/nightly"]);
});

test("a declared object is found by a command that holds a secret, and not by that of another secret", async () => {
  const held = { ...lists, "/crons?service_id=s1": [cron("c1", "run b"), cron("c2", "run a secret value")] };
  const contract = await namelessCrons();
  const stepsWith = async (command: string) => {
    const manifest = declared("example.com").replace("run a", command);
    return plan(await buildInput(manifest, held, {}, undefined, { contract })).steps.map(({ id }) => id);
  };
  expect(await stepsWith('"run ${env:SECRET}"')).toEqual([]);
  expect(await stepsWith('"run the ${env:SECRET}"')).toEqual(["create cron/example.com/nightly"]);
});

test("a declared object whose command holds a secret that is not set is a live one with the texts around it", async () => {
  const held = { ...lists, "/crons?service_id=s1": [cron("c1", "run b"), cron("c2", "run a secret value")] };
  const contract = await namelessCrons();
  const liveAt = async (jobs: string) => {
    const manifest = `services: { example.com: { plan: WEB-M } }\ncrons: { example.com: { jobs: { ${jobs} } } }`;
    const { live } = prepare(await buildInput(manifest, held, {}, undefined, { contract }, {}));
    return [...live.resources.values()].flatMap(({ address, kind, remotes }) =>
      kind === "cron" ? [`${address} ${remotes[0]?.id}`] : [],
    );
  };
  const job = (name: string, command: string) => `${name}: { command: "${command}", schedule: "0 3 * * *" }`;
  const unset = job("nightly", "run ${env:SECRET} value");
  expect(await liveAt(unset)).toEqual(["cron/example.com/c1 c1", "cron/example.com/nightly c2"]);
  expect(await liveAt(job("nightly", "run the ${env:SECRET}"))).not.toContain("cron/example.com/nightly c2");
  expect(await liveAt(`${job("any", "run ${env:SECRET}")}, ${job("known", "run b")}`)).toEqual([
    "cron/example.com/known c1",
    "cron/example.com/any c2",
  ]);
});

test("a task that the API lists without a command is not the declared one", async () => {
  const { command: _, ...bare } = cron("c1", "");
  const contract = await namelessCrons();
  for (const crons of [[bare], [{ ...bare, command: null }]])
    for (const environment of [undefined, {}])
      for (const command of ['"${env:SECRET}"', '"run ${env:SECRET}"', "run a"]) {
        const manifest = declared("example.com").replace("run a", command);
        const held = { ...lists, "/crons?service_id=s1": crons };
        const { steps } = plan(await buildInput(manifest, held, {}, undefined, { contract }, environment));
        expect(steps.map(({ id }) => id)).toEqual(["create cron/example.com/nightly"]);
      }
});

test("an undo says of what a plan makes that it stays, since nothing tells it from others", async () => {
  const contract = await namelessCrons();
  const input = await buildInput(declared("other.example"), lists, {}, undefined, { contract });
  const { saved } = planUndo(input, plan(input), { holdsSecret: () => false, filePath: (path) => path });
  expect(saved).toMatchObject({ order: [], cannot_undo: [{ address: "cron/other.example/nightly" }] });
});

test("a live object that is to be removed is not it", async () => {
  const removed = "removed: [{ address: cron/example.com/c2, action: delete }]";
  expect(await stepsOf(declared("example.com", removed))).toEqual([
    "create cron/example.com/nightly",
    "delete cron/example.com/c2",
  ]);
});

test("objects that belong to the whole account are distinguished in the same way", async () => {
  const own = builtIn.kinds["service"];
  if (!own) throw new Error("The built-in contract is wrong");
  const { domain: _, ...fields } = own.fields;
  const entry: KindContract = { ...own, named_by: "datacenter", fields };
  const nameless = { ...builtIn, kinds: { ...builtIn.kinds, service: entry } };
  const manifest = "services: { other.example: { plan: WEB-M, datacenter: MAD1 } }";
  const input = await buildInput(manifest, { "/services": [service] }, {}, undefined, { contract: nameless });
  expect(plan(input).steps).toEqual([]);
});

describe("a task that the inventory has and no live object stands for", () => {
  const address = (name: string) => `cron/example.com/${name}`;
  const jobsOf = (commands: Readonly<Record<string, string>>, more = "") => {
    const jobs = Object.entries(commands).map(
      ([name, command]) => `${name}: { command: ${command}, schedule: "0 3 * * *" }`,
    );
    return `services: { example.com: }\ncrons: { example.com: { ${more} jobs: { ${jobs.join(", ")} } } }`;
  };
  /** The plan of a manifest after an apply of another one, whose declarations are known or not. */
  async function planAfter(manifest: string, then: string | undefined, live: readonly string[], held = ["nightly"]) {
    const contract = await namelessCrons();
    const lists = {
      "/services": [service],
      "/crons?service_id=s1": live.map((command, place) => cron(`c${place}`, command)),
    };
    const declaredThen =
      then === undefined ? undefined : (await buildInput(then, lists, {}, undefined, { contract })).desired;
    const ownership = { ...ours(held.map(address)).ownership, declaredThen };
    return plan(await buildInput(manifest, lists, {}, undefined, { contract, ownership }));
  }
  const nightly = jobsOf({ nightly: "run a" });
  const none = "services: { example.com: }";
  const notices = ({ diagnostics }: Awaited<ReturnType<typeof planAfter>>) =>
    diagnostics.flatMap(({ code, summary, hint }) => (code === "ours_but_stays" ? [`${summary} ${hint}`] : []));

  test("is named, with the entry that deletes it, and stays ours", async () => {
    const made = await planAfter(none, nightly, ["run b", "run a"]);
    expect(made.steps).toEqual([]);
    expect(notices(made)).toEqual([
      expect.stringMatching(
        /as cron\/example\.com\/c1: .*removed: \[\{ address: cron\/example\.com\/c1, action: delete/u,
      ),
    ]);
    expect(made.owned.addresses).toContain(address("nightly"));
  });

  test("may be any that is not declared, where the former manifest is not known", async () => {
    const notice = /as cron\/example\.com\/c0, cron\/example\.com\/c1: .*\{ address: ADDRESS, action: delete/u;
    expect(notices(await planAfter(none, undefined, ["run b", "run a"]))).toEqual([expect.stringMatching(notice)]);
  });

  test("is one that has the texts around the secret in its former command, of which others say nothing", async () => {
    const then = jobsOf({ nightly: '"run ${env:UNSET} daily"' });
    expect(notices(await planAfter(none, then, ["run it", "run what it was daily"]))).toEqual([
      expect.stringMatching(/as cron\/example\.com\/c1: .*\{ address: ADDRESS, action: delete/u),
    ]);
    const gone = await planAfter(none, then, ["run it"]);
    expect([notices(gone), gone.owned.addresses]).toEqual([[], []]);
  });

  test("may have the secret of then, where the variable of its former command has another one by now", async () => {
    const made = await planAfter(none, jobsOf({ nightly: '"run ${env:SECRET}"' }), ["run with the secret of then"]);
    expect(notices(made)).toEqual([expect.stringContaining("as cron/example.com/c0: ")]);
    expect(made.owned.addresses).toEqual([address("nightly")]);
  });

  test("is reported if another command makes another task", async () => {
    const made = await planAfter(jobsOf({ nightly: "run c" }), nightly, ["run a"]);
    expect(made.steps).toMatchObject([{ id: "create cron/example.com/nightly" }]);
    expect(notices(made)).toEqual([expect.stringContaining("as cron/example.com/c0: ")]);
    expect(notices(made)).not.toEqual([expect.stringContaining("forget")]);
  });

  test.each([
    ["it has another name in the manifest", jobsOf({ weekly: "run a" }), ["run b", "run a"]],
    ["it is gone", none, ["run b"]],
    ["an entry deletes it", `${none}\nremoved: [{ address: cron/example.com/c0, action: delete }]`, ["run a"]],
    ["its list is exclusive", jobsOf({}, "exclusive: true,"), ["run a"]],
    ["an entry gives it up", `${none}\nremoved: [{ address: cron/example.com/nightly, action: forget }]`, ["run a"]],
  ])("is not notices of where %s, and leaves the inventory", async (_, manifest, live) => {
    const made = await planAfter(manifest, nightly, live);
    expect(notices(made)).toEqual([]);
    expect(made.owned.addresses).not.toContain(address("nightly"));
  });

  test("is not said to be gone where an entry names it by the name that the manifest gave it", async () => {
    const made = await planAfter(`${none}\nremoved: [{ address: cron/example.com/nightly, action: delete }]`, nightly, [
      "run a",
    ]);
    expect(made.diagnostics.map(({ code }) => code)).toEqual(["ours_but_stays"]);
    expect(made.owned).toMatchObject({ addresses: expect.arrayContaining([address("nightly")]) });
    expect(made.owned.removed).toBeUndefined();
  });

  test("is never deleted, and is reported as long as an object may be it", async () => {
    const commands = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom("run 1", "run 2", "run 3"));
    const live = fc.array(fc.constantFrom("run 1", "run 2", "run 3"), { maxLength: 4 });
    await forDraws(40, commands, commands, live, async (then, now, listed) => {
      const made = await planAfter(jobsOf(now), jobsOf(then), listed, Object.keys(then));
      expect(made.steps.filter(({ action }) => action !== "create")).toEqual([]);
      const matched = Object.values(now).reduce<readonly string[]>((left, command) => without(left, command), listed);
      const mayBeLeft = (name: string) => matched.includes(then[name] ?? "") && isUnmatched(name, now, listed);
      expect(
        notices(made)
          .flatMap((text) => /an earlier \S+\/(?<name>\w+),/u.exec(text)?.groups?.["name"] ?? [])
          .sort(),
      ).toEqual(Object.keys(then).filter(mayBeLeft).sort());
    });
  });

  const without = (list: readonly string[], item: string) => {
    const place = list.indexOf(item);
    return place < 0 ? list : list.toSpliced(place, 1);
  };
  /** Of names that are declared with one command, the first ones by address get the live objects. */
  const isUnmatched = (name: string, now: Readonly<Record<string, string>>, listed: readonly string[]) => {
    const alike = Object.keys(now)
      .filter((each) => now[each] === now[name])
      .toSorted();
    return now[name] === undefined || alike.indexOf(name) >= listed.filter((command) => command === now[name]).length;
  };
});
