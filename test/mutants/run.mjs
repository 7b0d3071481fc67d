// Changes the pure folders and apply/ in 500 places, drawn by a fixed seed, and runs the tests that start no process on each change:
// `npm run test:mutants`. It fails if fewer than 85 % of the mutants that compile are killed, or if a survivor is not in survivors.json.
// `-- 20` draws 20; `-- <id> ...` runs the mutants of these ids.
import { createHash } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createVitest } from "vitest/node";
import { findCompileErrors } from "./check-types.mjs";
import { addSwitches, listMutants } from "./list-mutants.mjs";

const seed = 1;
const leastKilled = 0.85;
const folders = ["plan", "order", "policy", "contract", "kinds", "apply"];
const idLength = 10;
const results = "dist/mutants.jsonl";
/** The tests of a mutant take no longer than this without it. */
const mostMilliseconds = 20_000;

const begin = Date.now();
const args = process.argv.slice(2);
const isNamed = args[0]?.length === idLength;
const known = new Map(JSON.parse(readFileSync("test/mutants/survivors.json", "utf8")).map((row) => [row.id, row]));
const drawn = drawMutants();
const notCompiled = findCompileErrors(drawn);
const mutants = drawn.filter(({ id }) => !notCompiled.has(id));
console.log(`${drawn.length} mutants, ${notCompiled.size} of which do not compile; ${minutes()} minutes`);

const vitest = await startVitest();
const tests = await runUnchanged();
console.log(`${tests.length} unit tests pass without a mutant; ${minutes()} minutes`);
writeFileSync(results, "");
const survivors = [];
for (const [index, mutant] of mutants.entries()) {
  // A known survivor would take the time of all its tests.
  if (known.has(mutant.id) && !isNamed) {
    survivors.push(mutant);
    continue;
  }
  const killedBy = await findKiller(mutant);
  const killed = killedBy !== undefined;
  if (!killed) survivors.push(mutant);
  appendFileSync(results, `${JSON.stringify({ ...mutant, key: undefined, killedBy: killedBy ?? null })}\n`);
  if (!killed || index % 25 === 24) console.log(`${index + 1} run, ${survivors.length} survive; ${minutes()} minutes`);
}
await vitest.close();
report();

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

/** Runs the tests on the sources as they are, and returns for each its file, its duration and the mutants that it meets. */
async function runUnchanged() {
  vitest.provide("mutant", { mostCalls: 0 });
  const { errors, run } = await runTests(await vitest.globTestSpecifications(), { isolate: true, bail: 0 });
  const failed = run.filter(({ ok }) => !ok);
  if (errors.length + failed.length > 0) {
    console.error(errors, failed);
    throw new Error("The tests fail without a mutant.");
  }
  return run;
}

async function runTests(specifications, { isolate, bail }) {
  for (const project of vitest.projects) Object.assign(project.config, { isolate, bail });
  Object.assign(vitest.config, { isolate, bail });
  vitest.state.filesMap.clear();
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const errors = [...unhandledErrors, ...testModules.flatMap((module) => module.errors())].map(String);
  const run = testModules.flatMap((module) =>
    [...module.children.allTests()].map((test) => ({
      id: test.id,
      name: test.fullName,
      file: module.relativeModuleId,
      ok: test.result().state !== "failed",
      milliseconds: test.diagnostic()?.duration ?? 0,
      switches: test.meta().switches ?? {},
    })),
  );
  return { errors, run };
}

/** Returns the name of a test that fails on a mutant, or the error that ends the run, or undefined if the mutant survives. */
async function findKiller(mutant) {
  const chosen = chooseTests(mutant);
  if (chosen.length === 0) return undefined;
  const calls = chosen.reduce((sum, { switches }) => sum + switches[mutant.id], 0);
  vitest.provide("mutant", { id: mutant.id, mostCalls: 1_000_000 + 20 * calls, tests: chosen.map(({ id }) => id) });
  const all = await vitest.globTestSpecifications();
  const specifications = [...new Set(chosen.map(({ file }) => file))].map((file) =>
    all.find(({ moduleId }) => moduleId.endsWith(`/${file}`)),
  );
  const { errors, run } = await runTests(specifications, { isolate: false, bail: 1 });
  const failed = run.find(({ ok }) => !ok);
  return failed === undefined ? errors[0] : `${failed.file} ${failed.name}`;
}

/** Returns the tests that meet a mutant, the short ones and those of the same folder first, as many as the time of a mutant allows. */
function chooseTests(mutant) {
  const isNear = ({ file }) => file.split("/")[1] === mutant.file.split("/")[1];
  const rank = (test) => test.milliseconds * (isNear(test) ? 1 : 4);
  const meeting = tests.filter(({ switches }) => mutant.id in switches).sort((a, b) => rank(a) - rank(b));
  let sum = 0;
  return meeting.filter(({ milliseconds }) => (sum += milliseconds) <= mostMilliseconds);
}

function report() {
  const killed = mutants.length - survivors.length;
  const share = killed / mutants.length;
  const unknown = survivors.filter(({ id }) => !known.has(id));
  for (const { id, file, line, original, replacement } of unknown)
    console.log(`\n${id} ${file}:${line} survives\n- ${original}\n+ ${replacement}`);
  const gone = [...known.keys()].filter((id) => drawn.length >= 500 && !survivors.some((mutant) => mutant.id === id));
  if (gone.length > 0)
    console.log(`\nRemove from survivors.json, because no test run left them alive: ${gone.join(" ")}`);
  console.log(
    `\n${killed} of ${mutants.length} that compile are killed (${(share * 100).toFixed(1)} %), ` +
      `${survivors.length - unknown.length} survive with a reason, ${unknown.length} without; ${minutes()} minutes`,
  );
  if (unknown.length > 0 || share < leastKilled) process.exitCode = 1;
}

function minutes() {
  return ((Date.now() - begin) / 60_000).toFixed(1);
}
