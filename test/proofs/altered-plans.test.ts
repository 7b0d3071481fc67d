import fc from "fast-check";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { CallRequest } from "../../src/model/http-call.ts";
import type { SavedPlan } from "../../src/model/saved-plan.ts";
import type { PlanInput } from "../../src/model/plan-input.ts";
import { canonicalJson } from "../../src/saved-plans/lines.ts";
import { parseSavedPlan } from "../../src/saved-plans/parse-saved-plan.ts";
import { fileOf, isSealed, sealPlan, shownPlan } from "../../src/saved-plans/plan-hash.ts";
import { forDraws } from "../support/for-draws.ts";
import { runInProcess } from "../support/run-hostform.ts";
import { sealAgain } from "../support/seal-again.ts";
import { folderForFile } from "../support/temporary-folder.ts";
import { alter, alterations, anywhere, makeFiles, planRest } from "./saved-cases.ts";
import { size } from "./size.ts";

/**
 * A file that `show` prints and `apply --approve HASH` accepts stands for one plan: any other file with that hash is shown by the same
 * bytes, and makes the same calls. The files are saved plans and undo plans of every sort of step, altered anywhere, by someone who
 * leaves the seals as they are or makes them fit.
 */
const folder = folderForFile();

interface Made {
  readonly input: PlanInput;
  readonly saved: SavedPlan;
  readonly shown: string;
  readonly calls: string;
}
const made: Made[] = [];

beforeAll(async () => {
  for (const { input, saved } of await makeFiles()) {
    const shown = await show(JSON.stringify(fileOf(saved)));
    made.push({ input, saved, shown, calls: callsOf(input, saved) });
  }
});

/** The bytes that `show` prints, for a person and for a script, or "refused". */
async function show(text: string): Promise<string> {
  const path = join(folder, "plan.json");
  writeFileSync(path, text);
  const nothing = { flags: [], env: {} };
  const printed = [await runInProcess(nothing, ["show", path]), await runInProcess(nothing, ["show", path, "--json"])];
  if (printed.some(({ status }) => status !== 0)) {
    expect(new Set(printed.map(({ status }) => status)).size).toBe(1);
    expect(printed[0]?.stdout).toBe("");
    return "refused";
  }
  return printed.map(({ stdout, stderr }) => stdout + stderr).join("\n");
}

/** The calls and refusals that the file leads to while nothing has moved, or "refused", as `apply FILE` plans them. */
function callsOf(input: PlanInput, saved: SavedPlan): string {
  const { remaining, differences } = planRest(input, saved);
  // A file may lose the consent that its hash stands for: without the approval its purchase is refused.
  const isRefusedNow = remaining.refusals.length > 0 && saved.refusals.length === 0;
  if (differences.length > 0 || isRefusedNow) return "refused";
  const asSaved = remaining.steps.map(({ calls, on_refusal: ends = [] }) => [calls, ends]);
  return canonicalJson([asSaved, remaining.refusals.length > 0]);
}

test("an altered file is refused, or is shown by the same bytes and makes the same calls", () =>
  forDraws({ numRuns: size.alterations }, alterations, async (draw) => {
    const original = made[draw.which % made.length];
    const text = original && alter(original.saved, draw, anywhere);
    fc.pre(original !== undefined && text !== undefined);
    const parsed = parseSavedPlan(text);
    const shown = await show(text);
    if ("wrong" in parsed || !isSealed(parsed.plan)) {
      expect(shown).toBe("refused");
      return;
    }
    expect(draw.how).not.toBe("twice");
    // Its own, other hash is shown, unless its refusals keep it from any approval; and the approval is for the original's.
    if (parsed.plan.hash !== original.saved.hash) {
      if (parsed.plan.refusals.length === 0) expect(shown).not.toBe(original.shown);
      return;
    }
    // The places of refusals are shown, and not hashed: of a plan that nobody can approve.
    if (parsed.plan.refusals.length === 0) expect(shown).toBe(original.shown);
    const calls = callsOf(original.input, parsed.plan);
    expect([original.calls, "refused"]).toContain(calls);
    if (!draw.seal) expect(calls).toBe(original.calls);
  }));

test("a file that leads to other put-backs has a hash of its own, and its apply keeps what it shows", async () => {
  const withPutBacks = made.filter(({ saved }) => saved.steps.some((step) => step.on_refusal));
  expect(withPutBacks.length).toBeGreaterThan(4);
  expect(new Set(withPutBacks.flatMap(({ saved }) => endsOf(saved.steps).map(({ is }) => is))).size).toBe(2);
  await forDraws({ numRuns: size.alterations }, alterations, async (draw) => {
    const original = withPutBacks[draw.which % withPutBacks.length];
    const text = original && alter(original.saved, { ...draw, seal: true }, anywhere);
    const parsed = text === undefined ? undefined : parseSavedPlan(text);
    fc.pre(original !== undefined && parsed !== undefined && !("wrong" in parsed) && isSealed(parsed.plan));
    if (shownCalls(parsed.plan) === shownCalls(original.saved)) return;
    expect(parsed.plan.hash).not.toBe(original.saved.hash);
    expect(await show(text ?? "")).not.toBe(original.shown);
  });
});

const endsOf = (steps: SavedPlan["steps"]) => steps.flatMap(({ on_refusal: ends = [] }) => ends);
/** What is shown of a plan's calls, and of those after a refusal. */
const shownCalls = (plan: SavedPlan) =>
  canonicalJson(
    shownPlan(plan).steps.map(({ calls, on_refusal: ends = [] }) => [calls.map(asked), ends.map(shownEnd).toSorted()]),
  );
const shownEnd = (end: ReturnType<typeof endsOf>[number]) =>
  canonicalJson(end.is === "lost" ? end : [end.address, end.calls.map(asked)]);
const asked = ({ method, path, params }: CallRequest) => ({ method, path, params });

test("a file whose live object has the key of another resource is refused, or shows the same calls", () => {
  const whole = made.flatMap(({ saved }) => [...saved.resources, ...saved.needs].map(({ key }) => key));
  const partial = whole.flatMap((key) => Object.entries(key).map(([name, value]) => ({ [name]: value })));
  const keys = new Map([...whole, ...partial].map((key) => [canonicalJson(key), key]));
  const refused = made.flatMap(({ saved }) =>
    saved.live.flatMap((each, index) =>
      size.every(27, [...keys.values()]).map((key) => {
        const file = { ...fileOf(saved), live: saved.live.with(index, { ...each, key }) };
        const read = parseSavedPlan(JSON.stringify(sealAgain(file)));
        if (!("wrong" in read)) expect([each, key, shownCalls(read.plan)]).toEqual([each, key, shownCalls(saved)]);
        return "wrong" in read;
      }),
    ),
  );
  expect(refused.length).toBeGreaterThan(100);
});

test("a file that shows fewer calls than its steps make is refused, in whatever order it shows their changes", () => {
  const refused = made.flatMap(({ input, saved: { hash: _hash, digest: _digest, ...saved } }) =>
    saved.steps.map((step, index) => {
      const withoutCalls = (changes: typeof step.changes) => {
        const steps = saved.steps.with(index, { ...step, calls: [], changes });
        return callsOf(input, sealPlan({ ...saved, steps })) === "refused";
      };
      const isRefused = withoutCalls(step.changes);
      expect([step.id, withoutCalls(step.changes.toReversed())]).toEqual([step.id, isRefused]);
      return isRefused && step.changes.length > 1;
    }),
  );
  expect(refused.filter(Boolean).length).toBeGreaterThan(5);
});
