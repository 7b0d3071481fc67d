// Changes the pure folders and apply/ in 500 places, drawn by a fixed seed, and runs the tests that start no process on each change:
// `npm run test:mutants`. It fails if fewer than 85 % of the mutants that compile are killed, or if a survivor is not in survivors.json.
// `-- 20` draws 20; `-- <id> ...` runs the mutants of these ids. Each changed line of the source changes the draw: a mutant that is new in
// it is run like the others, and a row of survivors.json that is out of date is printed and does no harm.
import { createHash } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { createVitest } from "vitest/node";
import { findCompileErrors } from "./check-types.mjs";
import { addSwitches, listMutants } from "./list-mutants.mjs";

const seed = 1;
const leastKilled = 0.85;
const folders = ["plan", "order", "policy", "contract", "kinds", "apply"];
const idLength = 10;
const results = "dist/mutants.jsonl";
/** The tests of a mutant take no longer than this. */
const mostMilliseconds = 10_000;
/** A longer test is run on a mutant only if no shorter test kills it. */
const mostOfRepeated = 2000;
/** The first tests to run: they kill most mutants in the least time. */
const early = ["kinds", "contract", "policy", "plan", "order", "model", "manifest", "saved-plans", "apply"];
/** The last tests to run: they take long, and most mutants that they meet are killed by then. */
const late = ["kinds/table", "order/outages", "order/targets"];

const begin = Date.now();
const args = process.argv.slice(2);
const isNamed = args[0]?.length === idLength;
const known = JSON.parse(readFileSync("test/mutants/survivors.json", "utf8"));
const drawn = drawMutants();
const notCompiled = findCompileErrors(drawn);
const mutants = drawn.filter(({ id }) => !notCompiled.has(id));
const notFound = isNamed ? args.filter((each) => !drawn.some(({ id }) => id === each)) : [];
if (notFound.length > 0)
  console.log(`No place of the source has these ids, because its code has changed: ${notFound.join(" ")}`);
console.log(`${drawn.length} mutants, ${notCompiled.size} of which do not compile; ${minutes()} minutes`);

const vitest = await startVitest();
writeFileSync(results, "");
const killers = new Map();
/** The tests that fail without a mutant. They kill none. */
const failing = [];
const tests = await runOnAllMutants();
console.log(
  `${tests.length} unit tests pass without a mutant; ${killers.size} mutants are killed; ${minutes()} minutes`,
);
const left = mutants.filter(isAlive);
const survivors = mutants.filter(isSkipped);
for (const mutant of left) {
  const killedBy = await findKiller(mutant);
  if (killedBy !== undefined) noteKiller(mutant, killedBy);
  else {
    survivors.push(mutant);
    noteResult(mutant, null);
    console.log(`${mutant.id} ${mutant.file}:${mutant.line} survives; ${minutes()} minutes`);
  }
}
await vitest.close();
report();

/** Returns whether a mutant is not run: a known survivor would take the time of all its tests. */
function isSkipped(mutant) {
  return !isNamed && isKnown(mutant);
}

function isKnown(mutant) {
  return known.some((row) => isSame(row, mutant));
}

/** Returns whether a row of survivors.json is about a mutant, also where its code was moved to another file. */
function isSame(row, { id, code, original, replacement }) {
  return row.id === id || (row.code === code && row.change === `${original} -> ${replacement}`);
}

function isAlive(mutant) {
  return !isSkipped(mutant) && !killers.has(mutant.id);
}

function noteKiller(mutant, killedBy) {
  killers.set(mutant.id, killedBy);
  noteResult(mutant, killedBy);
}

function noteResult(mutant, killedBy) {
  appendFileSync(results, `${JSON.stringify({ ...mutant, key: undefined, killedBy })}\n`);
}

function drawMutants() {
  const files = folders.flatMap((folder) =>
    readdirSync(`src/${folder}`, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `src/${folder}/${name}`),
  );
  const all = files
    .flatMap((file) => listMutants(file, readFileSync(file, "utf8")))
    .map((mutant) => ({
      id: createHash("sha256").update(`${seed}\n${mutant.key}`).digest("hex").slice(0, 10),
      ...mutant,
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  return isNamed ? all.filter(({ id }) => args.includes(id)) : all.slice(0, Number(args[0] ?? 500));
}

/** Starts vitest on sources that hold each mutant behind a switch. */
async function startVitest() {
  const root = process.cwd();
  const switches = {
    name: "mutants",
    enforce: "pre",
    transform(code, path) {
      const file = path.slice(root.length + 1);
      const own = mutants.filter((mutant) => mutant.file === file);
      return own.length > 0 ? { code: addSwitches(file, code, own), map: null } : undefined;
    },
  };
  const options = { config: "test/vitest.mutants.config.ts", watch: false, reporters: [{}] };
  return createVitest("test", options, { plugins: [switches] });
}

/**
 * Runs each test on the sources as they are, and then again on each mutant that it meets, in the same process. Returns for each test its
 * file, its duration and the mutants that it meets and was not run on.
 */
async function runOnAllMutants() {
  const rank = ({ moduleId }) => {
    const place = early.findIndex((folder) => moduleId.includes(`/test/${folder}/`));
    return place < 0 || late.some((name) => moduleId.endsWith(`/${name}.test.ts`)) ? early.length : place;
  };
  const specifications = await vitest.globTestSpecifications();
  specifications.sort((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1));
  const found = [];
  const left = new Map(mutants.filter(isAlive).map(({ id }) => [id, mostMilliseconds]));
  for (const specification of specifications) {
    const run = await runRepeatedly(specification, Object.fromEntries(left));
    for (const { file, name, killed, survived } of run) {
      for (const mutant of mutants.filter(({ id }) => killed.includes(id))) {
        noteKiller(mutant, `${file} ${name}`);
        left.delete(mutant.id);
      }
      for (const [id, milliseconds] of Object.entries(survived)) left.set(id, (left.get(id) ?? 0) - milliseconds);
    }
    found.push(...run);
    console.log(
      `${specification.moduleId.slice(process.cwd().length + 1)}: ${killers.size} killed; ${minutes()} minutes`,
    );
  }
  return found;
}

/** Runs the tests of a file, and again on mutants; without them where a mutant has ended the process, or left something behind. */
async function runRepeatedly(specification, left) {
  const given = { left, mostMilliseconds: mostOfRepeated };
  const { errors, run } = await runTests([specification], given, { isolate: true, bail: 0 });
  if (run.length > 0 && run.every(({ ok }) => ok)) return run;
  if (Object.keys(left).length > 0) return runRepeatedly(specification, {});
  const names = run.filter(({ ok }) => !ok).map(({ file, name }) => `${file} ${name}`);
  failing.push(...(names.length > 0 ? names : [`${specification.moduleId}: ${errors.join(" ")}`]));
  return run.filter(({ ok }) => ok);
}

async function runTests(specifications, given, { isolate, bail }) {
  vitest.provide("mutants", given);
  for (const project of vitest.projects) Object.assign(project.config, { isolate, bail });
  Object.assign(vitest.config, { isolate, bail });
  vitest.state.filesMap.clear();
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const errors = [...unhandledErrors, ...testModules.flatMap((module) => module.errors())].map((error) =>
    inspect(error),
  );
  const run = testModules.flatMap((module) =>
    [...module.children.allTests()].map((test) => ({
      id: test.id,
      name: test.fullName,
      file: module.relativeModuleId,
      ok: test.result().state !== "failed",
      milliseconds: test.meta().milliseconds ?? 0,
      switches: test.meta().switches ?? {},
      killed: test.meta().killed ?? [],
      survived: test.meta().survived ?? {},
    })),
  );
  return { errors, run };
}

/** Returns the name of a test that fails on a mutant, or the error that ends the run, or undefined if the mutant survives. */
async function findKiller(mutant) {
  const chosen = chooseTests(mutant);
  if (chosen.length === 0) return undefined;
  const calls = chosen.reduce((sum, { switches }) => sum + switches[mutant.id], 0);
  const given = { on: mutant.id, mostCalls: 1_000_000 + 20 * calls, tests: chosen.map(({ id }) => id) };
  const all = await vitest.globTestSpecifications();
  const specifications = [...new Set(chosen.map(({ file }) => file))].map((file) =>
    all.find(({ moduleId }) => moduleId.endsWith(`/${file}`)),
  );
  const { errors, run } = await runTests(specifications, given, { isolate: false, bail: 1 });
  const failed = run.find(({ ok }) => !ok);
  return failed === undefined ? errors[0] : `${failed.file} ${failed.name}`;
}

/**
 * Returns the tests that meet a mutant and were not run on it, the short ones and those of the same folder first, as many as the time of a
 * mutant allows.
 */
function chooseTests(mutant) {
  const isNear = ({ file }) => file.split("/")[1] === mutant.file.split("/")[1];
  const rank = (test) => test.milliseconds * (isNear(test) ? 1 : 4);
  const meeting = tests
    .filter(({ switches, survived }) => mutant.id in switches && !(mutant.id in survived))
    .sort((a, b) => rank(a) - rank(b));
  let sum = 0;
  return meeting.filter(({ milliseconds }) => (sum += milliseconds) <= mostMilliseconds);
}

function report() {
  const killed = mutants.length - survivors.length;
  const share = killed / Math.max(1, mutants.length);
  const unknown = survivors.filter((mutant) => !isKnown(mutant));
  for (const { id, file, line, original, replacement } of unknown)
    console.log(`\n${id} ${file}:${line} survives\n- ${original}\n+ ${replacement}`);
  if (unknown.length > 0)
    console.log("\nWrite a test that fails on each of these, or name them in survivors.json with the reason.");
  if (failing.length > 0) console.log(`\nThese tests fail without a mutant: mend them first.\n${failing.join("\n")}`);
  const [killedNow, notDrawn] = findStaleRows();
  if (killedNow.length > 0)
    console.log(`\nRemove from survivors.json, because a test kills them: ${killedNow.join(" ")}`);
  if (notDrawn.length > 0)
    console.log(
      `\nRemove from survivors.json, because their code has changed, or others are drawn: ${notDrawn.join(" ")}`,
    );
  console.log(
    `\n${killed} of ${mutants.length} that compile are killed (${(share * 100).toFixed(1)} %), ` +
      `${survivors.length - unknown.length} survive with a reason, ${unknown.length} without; ${minutes()} minutes`,
  );
  const isTooLow = !isNamed && share < leastKilled;
  // Vitest has set it for each test that fails on a mutant.
  process.exitCode = unknown.length > 0 || failing.length > 0 || isTooLow ? 1 : 0;
}

/** Returns the ids in survivors.json of mutants that are killed, and of those that are not drawn any more. A run without ids runs no known survivor. */
function findStaleRows() {
  const stale = known.filter((row) => !survivors.some((mutant) => isSame(row, mutant)));
  const isDrawn = (row) => mutants.some((mutant) => isSame(row, mutant));
  const notDrawn = drawn.length >= 500 ? stale.filter((row) => !isDrawn(row)) : [];
  return [stale.filter(isDrawn), notDrawn].map((rows) => rows.map(({ id }) => id));
}

function minutes() {
  return ((Date.now() - begin) / 60_000).toFixed(1);
}
