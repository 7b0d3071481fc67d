import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf, type Ran, runInProcess } from "../support/run-hostform.ts";
import { ownedRepository } from "./owned-repository.ts";

/** Only an apply whose plan held an entry under `removed:` uses it up. */
const { account, repository, commit, makeByHand, deleteByHand } = ownedRepository();

const names = ["x", "y", "z"] as const;
type Name = (typeof names)[number];
const files = ["hosting.yaml", "other.yaml"] as const;
type File = (typeof files)[number];
const address = (name: string) => `dns_record/example.com/${name}/TXT`;

type Move =
  | { readonly is: "enter"; readonly name: Name; readonly file: File }
  | { readonly is: "take_out"; readonly name: Name }
  | { readonly is: "make"; readonly name: Name }
  | { readonly is: "apply"; readonly how: "only" | "except"; readonly name: Name | "a"; readonly saved: boolean }
  | { readonly is: "apply"; readonly how: "whole" | "one_file"; readonly saved: boolean };

const name = fc.constantFrom(...names);
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ is: fc.constant("enter" as const), name, file: fc.constantFrom(...files) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("take_out" as const), name }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant("make" as const), name }) },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant("apply" as const),
      how: fc.constantFrom("only" as const, "except" as const),
      name: fc.constantFrom(...names, "a" as const),
      saved: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant("apply" as const),
      how: fc.constantFrom("whole" as const, "one_file" as const),
      saved: fc.boolean(),
    }),
  },
);

/** Entries in two files, and a run that leaves both out. */
const usual: Move[] = [
  { is: "make", name: "x" },
  { is: "make", name: "y" },
  { is: "enter", name: "x", file: "hosting.yaml" },
  { is: "enter", name: "y", file: "other.yaml" },
  { is: "apply", how: "only", name: "a", saved: false },
  { is: "apply", how: "one_file", saved: false },
];

/** An entry that a saved plan of a part has carried out. */
const savedPart: Move[] = [
  { is: "enter", name: "y", file: "hosting.yaml" },
  { is: "make", name: "y" },
  { is: "apply", how: "only", name: "y", saved: true },
  { is: "make", name: "y" },
];

/** The entries with their files, what was made by hand, and the entries that are used up. */
interface Model {
  readonly entries: Map<Name, File>;
  readonly live: Set<Name>;
  readonly spent: Set<Name>;
}

function writeManifests({ entries }: Model): void {
  const removed = (file: File) =>
    [...entries].flatMap(([each, at]) => (at === file ? [`{ address: ${address(each)}, action: delete }`] : []));
  const section = (file: File) => (removed(file).length === 0 ? "" : `removed: [${removed(file).join(", ")}]\n`);
  const declared = "policy: { protect: [dns_record] }\ndns: { example.com: { records: { a: { TXT: here } } } }\n";
  writeFileSync(join(repository.folder, files[1]), `version: 1\n${section(files[1])}`);
  commit(`version: 1\nname: shop\n${declared}${section(files[0])}`);
}

const given = (all: boolean) =>
  files
    .map((file) => join(repository.folder, file))
    .filter((_, index) => index === 0 || all)
    .flatMap((path) => ["-f", path]);

let plans = 0;
async function apply(flags: readonly string[], saved: boolean): Promise<Ran> {
  if (!saved) return runInProcess(account, ["apply", "--auto-approve", "--settle", "0", ...flags]);
  const file = join(repository.folder, `plan${(plans += 1)}.json`);
  const planned = await runInProcess(account, ["plan", "--out", file, ...flags]);
  if (planned.status !== 0) return planned;
  return runInProcess(account, ["apply", file, "--auto-approve", "--settle", "0"]);
}

/** Returns the entries that the plan of an apply holds. */
function heldBy(step: Move & { readonly is: "apply" }, { entries }: Model): Name[] {
  return [...entries].flatMap(([each, file]) => {
    if (step.how === "only") return each === step.name ? [each] : [];
    if (step.how === "except") return each === step.name ? [] : [each];
    return step.how === "whole" || file === files[0] ? [each] : [];
  });
}

async function play(step: Move, model: Model): Promise<void> {
  const { entries, live, spent } = model;
  if (step.is === "make") {
    if (!live.has(step.name)) await makeByHand(step.name);
    live.add(step.name);
    return;
  }
  if (step.is !== "apply") {
    if (step.is === "enter") entries.set(step.name, step.file);
    else entries.delete(step.name);
    return writeManifests(model);
  }
  const all = step.how !== "one_file";
  const known = (each: string) => each === "a" || entries.has(each as Name) || live.has(each as Name);
  if ("name" in step && !known(step.name)) return;
  const flags = [...given(all), ...("name" in step ? [`--${step.how}`, address(step.name)] : [])];
  const held = heldBy(step, model);
  const ran = await apply(flags, step.saved);
  const isRefused = held.some((each) => spent.has(each) && live.has(each));
  expect(ran.status, `${JSON.stringify(step)}\n${ran.stdout}${ran.stderr}`).toBe(isRefused ? 6 : 0);
  if (isRefused) return;
  // A saved plan of a part is about what it changes.
  const used = step.saved && step.how !== "whole" ? held.filter((each) => live.has(each)) : held;
  for (const each of held) live.delete(each);
  for (const each of used) spent.add(each);
  if (step.how === "whole") for (const each of spent) if (!entries.has(each)) spent.delete(each);
}

test("an entry that an apply left out is consent at the next plan, and one that it held is none", () =>
  forDraws(
    { numRuns: size.draws(4) + 2, endOnFailure: true, examples: [[usual], [savedPart]] },
    fc.array(move, { minLength: 6, maxLength: 12 }),
    async (moves) => {
      const model: Model = { entries: new Map(), live: new Set(), spent: new Set() };
      writeManifests(model);
      expect((await apply(given(true), false)).status).toBe(0);
      for (const [index, step] of moves.entries()) {
        await play(step, model);
        // Moves between two applies change nothing that the last of them does not show.
        if (!size.whole && step.is !== "apply" && index < moves.length - 1) continue;
        const { entries, live, spent } = model;
        const planned = await runInProcess(account, ["plan", "--json", ...given(true)]);
        const refused = eventsOf(planned).flatMap(({ type, address: at }) => (type === "refused" ? [at] : []));
        const expected = [...entries.keys()].filter((each) => live.has(each) && spent.has(each)).map(address);
        expect(new Set(refused), `${JSON.stringify(moves)} at ${JSON.stringify(step)}`).toEqual(new Set(expected));
      }
      for (const each of model.live) await deleteByHand(each);
    },
  ));
